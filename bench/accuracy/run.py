#!/usr/bin/env python3
"""How far every estimator is from the truth on a real network with simulated outcomes.

    ./dev bench accuracy [--network BlogCatalog] [--kappa2 2] [--simulations 10] [--runs 1]

The paper's protocol: 60/20/20 split, the policy random-weights:SIMULATION, error of the utility of
the test nodes. A simulation draws its own confounder and hidden edge weights; a run its own split
(--seed). Every estimator sees the same simulations and splits. Errors are averaged over the runs of
a simulation (root mean square, mean absolute), then over simulations; ± is the standard error over
simulations, which are few and very unequal, so read the last two columns: the difference to `cone`
on the same simulations, in mean absolute error, with its own standard error.

Simulated data and finished evaluations are kept under --work: the same command goes on where it
was stopped.
"""

import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, data_folder, environment, parser, write_json  # noqa: E402

TOP_WORDS = {"BlogCatalog": 100, "Flickr": 25}
ROW = "{:<14}{:>18}{:>18}{:>12}{:>22}"


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")


def simulate(args, simulation):
    """The folder of a simulation of the real network."""
    folder = args.work / f"{args.network}-kappa{args.kappa2:g}-{simulation}"
    if not (folder / "manifest.json").exists():
        run([args.bin / "cone", "simulate", "--network", data_folder() / f"{args.network}.mat",
             "--top-words", TOP_WORDS[args.network], "--kappa2", args.kappa2,
             "--simulation", simulation, "--out", folder, "--quiet"])
    return folder


def evaluate(args, simulation, number):
    """Errors of one run, by estimator."""
    folder = simulate(args, simulation)
    seed = 1000 * simulation + number  # every simulation has splits of its own
    record = args.work / f"{folder.name}-seed{seed}.json"
    if not record.exists():
        run([args.bin / "cone", "evaluate", folder, "--policy", f"random-weights:{simulation}",
             "--protocol", "split", "--seed", seed, "--threads", args.threads,
             "--estimators", ",".join(args.estimators), "--json", record, "--quiet"])
    policy = json.loads(record.read_text())["policies"][0]
    return {e["estimator"]: e["value"] - policy["truth"] for e in policy["estimates"]}


def mean_and_error(values):
    spread = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return statistics.fmean(values), spread


def summarise(errors):
    """errors[simulation][run] → one row of the table."""
    squares = [statistics.fmean(e * e for e in runs) for runs in errors]
    absolutes = [statistics.fmean(abs(e) for e in runs) for runs in errors]
    mean_square, square_error = mean_and_error(squares)
    mae, mae_error = mean_and_error(absolutes)
    rmse = math.sqrt(mean_square)
    return {"rmse": rmse, "rmse_error": square_error / (2 * rmse), "mae": mae,
            "mae_error": mae_error, "bias": statistics.fmean(e for runs in errors for e in runs),
            "absolutes": absolutes}


def print_table(rows):
    print(ROW.format("estimator", "RMSE", "MAE", "bias", "MAE minus cone's"))
    for name, row in sorted(rows.items(), key=lambda item: item[1]["rmse"]):
        difference, error = mean_and_error(
            [a - b for a, b in zip(row["absolutes"], rows["cone"]["absolutes"])])
        print(ROW.format(name, f"{row['rmse']:.4f} ± {row['rmse_error']:.4f}",
                         f"{row['mae']:.4f} ± {row['mae_error']:.4f}", f"{row['bias']:+.4f}",
                         "" if name == "cone" else f"{difference:+.4f} ± {error:.4f}"))


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--network", choices=sorted(TOP_WORDS), default="BlogCatalog")
    arguments.add_argument("--kappa2", type=float, default=2)
    arguments.add_argument("--simulations", type=int, default=10)
    arguments.add_argument("--runs", type=int, default=1)
    arguments.add_argument("--work", type=pathlib.Path, default=ROOT / "build/accuracy",
                           help="where simulations and finished evaluations are kept")
    args = arguments.parse_args()
    if not (data_folder() / f"{args.network}.mat").exists():
        sys.exit(f"{args.network}.mat is not in {data_folder()}; CONE_DATA_DIR says where it is")
    args.work.mkdir(parents=True, exist_ok=True)
    listing = subprocess.run([str(args.bin / "cone"), "estimators"], capture_output=True, text=True,
                             check=True).stdout
    args.estimators = [line.split()[0] for line in listing.splitlines()
                       if line.split()[0] not in ("dm", "dr", "estimator") and "--" not in line[:2]]

    errors = {}
    for simulation in range(args.simulations):
        for number in range(args.runs):
            if os.isatty(2):
                print(f"\rsimulation {simulation + 1}, run {number + 1}  ", end="",
                      file=sys.stderr, flush=True)
            for name, error in evaluate(args, simulation, number).items():
                errors.setdefault(name, {}).setdefault(simulation, []).append(error)
    rows = {name: summarise([by[s] for s in sorted(by)]) for name, by in errors.items()}
    print(f"\n{args.network}, kappa2 = {args.kappa2:g}, {args.simulations} simulations, "
          f"{args.runs} run(s) each")
    print_table(rows)
    write_json(args.json, {"benchmark": "accuracy", **environment(), "network": args.network,
                           "kappa2": args.kappa2, "simulations": args.simulations,
                           "runs": args.runs, "rows": rows})


if __name__ == "__main__":
    main()
