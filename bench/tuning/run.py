#!/usr/bin/env python3
"""Which options of cone matter to the score that cone tune minimises, and whether that score leads
to better estimates.

    ./dev bench tuning [--nodes 5200] [--simulations 3] [--one-at-a-time]

On generated networks with known truth. For each simulation: the score of the defaults and of the
best point of the default grid, what the grid cost, and the errors of cone's estimators with either
(mean absolute error over random policies). --one-at-a-time first varies each option alone on the
first simulation.

Data, fits and evaluations are kept under --work: the same command goes on where it was stopped.
"""

import json
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, environment, parser, write_json  # noqa: E402

ALONE = {"layers": "1,2,3", "dropout": "0,0.2,0.4,0.6", "gamma": "0.01,0.1,1,10",
         "learning-rate": "0.001,0.005,0.01,0.02", "weight-decay": "0,0.1,1,5",
         "zeta": "0,0.001,0.01,0.1", "head-size": "8,16,32", "hidden": "32,64,128",
         "self-loops": "true,false"}
# The defaults of the options that the default grid varies.
DEFAULTS = {"layers": 1, "dropout": 0, "gamma": 1, "learning-rate": 0.005}
ESTIMATORS = ("cone", "cone_dm", "cone_snips")
POLICIES = [f"random-weights:{k}" for k in range(10)]


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def simulate(args, simulation):
    folder = args.work / f"{args.world}-{args.nodes}-{simulation}"
    if not (folder / "manifest.json").exists():
        run([args.bin / "cone", "simulate", "--nodes", args.nodes, "--mean-degree", args.mean_degree,
             "--world", args.world, "--simulation", simulation, "--out", folder, "--quiet"])
    return folder


def tune(args, folder, values, name):
    """The table that cone tune prints, and the folder with its best.json."""
    out = args.work / f"{folder.name}-{name}"
    flags = [word for option, value in values.items() for word in (f"--{option}", value)]
    table = run([args.bin / "cone", "tune", folder, "--out", out, "--threads", args.threads,
                 "--quiet", *flags])
    return table, out


def mean_errors(args, folder, name, flags):
    """Mean absolute error over the policies, by estimator."""
    record = args.work / f"{folder.name}-{name}.json"
    if not record.exists():
        run([args.bin / "cone", "evaluate", folder, "--policy", *POLICIES, "--estimators",
             ",".join(ESTIMATORS), "--threads", args.threads, "--json", record, "--quiet", *flags])
    errors = {}
    for policy in json.loads(record.read_text())["policies"]:
        for estimate in policy["estimates"]:
            errors.setdefault(estimate["estimator"], []).append(
                abs(estimate["value"] - policy["truth"]))
    return {estimator: statistics.fmean(values) for estimator, values in errors.items()}


def compare(args, simulation):
    folder = simulate(args, simulation)
    _, plain = tune(args, folder, DEFAULTS, "defaults")
    _, tuned = tune(args, folder, {}, "grid")
    best = json.loads((tuned / "best.json").read_text())
    units = [json.loads(path.read_text()) for path in (tuned / "units").glob("*.json")]
    return {"simulation": simulation,
            "default_score": json.loads((plain / "best.json").read_text())["tuning"]["score"],
            "tuned_score": best["tuning"]["score"],
            "best": {name: best["options"][name.replace("-", "_")] for name in DEFAULTS},
            "thread_seconds": sum(unit["seconds"] for unit in units),
            "default_errors": mean_errors(args, folder, "defaults", []),
            "tuned_errors": mean_errors(args, folder, "grid", ["--options", tuned / "best.json"])}


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--nodes", type=int, default=5200)
    arguments.add_argument("--mean-degree", type=float, default=66)
    arguments.add_argument("--world", default="hidden_confounding")
    arguments.add_argument("--simulations", type=int, default=3)
    arguments.add_argument("--one-at-a-time", action="store_true")
    arguments.add_argument("--work", type=pathlib.Path, default=ROOT / "build/tuning")
    args = arguments.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    if args.one_at_a_time:
        for option, values in ALONE.items():
            table, _ = tune(args, simulate(args, 0), {**DEFAULTS, option: values}, "alone")
            print(table, flush=True)
    rows = []
    for simulation in range(args.simulations):
        row = compare(args, simulation)
        rows.append(row)
        print(f"simulation {simulation}: score {row['default_score']:.4f} → {row['tuned_score']:.4f} "
              f"({', '.join(f'{k} {v:g}' for k, v in row['best'].items())}), "
              f"{row['thread_seconds']:.0f} thread seconds")
        for name in ESTIMATORS:
            print(f"  {name:<12} mean absolute error {row['default_errors'][name]:.4f} → "
                  f"{row['tuned_errors'][name]:.4f}", flush=True)
    write_json(args.json, {"benchmark": "tuning", **environment(), "world": args.world,
                           "nodes": args.nodes, "rows": rows})


if __name__ == "__main__":
    main()
