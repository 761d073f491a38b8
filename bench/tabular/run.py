#!/usr/bin/env python3
"""Doubly robust evaluation of a table: `cone evaluate --estimators dr_ridge` and its peers.

    ./dev bench tabular [--nodes N --columns P] [--peer-python PYTHON]

A simulated table of 100,000 nodes and 20 columns, no network, one policy, five folds; all select the penalties of
the outcome and propensity models in every fold (see peers.py). CPU time of complete processes, including reading
the table, without importing Python libraries. Without --peer-python, a virtual environment with scikit-learn,
EconML and DoubleML is made from PyPI in build/bench; a peer that cannot be installed or run is skipped with a note.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import environment, make_peer_python, parser, write_json  # noqa: E402

PACKAGES = ["pandas", "scikit-learn", "econml", "doubleml"]
PEERS = ["scikit-learn", "scikit-learn, newton-cholesky", "EconML", "DoubleML"]


def write_table(path, nodes, columns):
    """A linear outcome and a logistic treatment, known coefficients of about 1/sqrt(columns)."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(nodes, columns))
    beta, gamma = rng.normal(size=(2, columns)) / np.sqrt(columns)
    treated = rng.random(nodes) < 1 / (1 + np.exp(-(x @ gamma)))
    outcome = x @ beta + treated * (1 + x[:, 0]) + rng.normal(size=nodes)
    header = ",".join(["treatment", "outcome", *(f"x{j}" for j in range(columns))])
    np.savetxt(path, np.column_stack([treated, outcome, x]), fmt=["%d"] + ["%.9g"] * (columns + 1),
               delimiter=",", header=header, comments="")


def run_cone(binary, table, threads):
    """cone's value of treat-all, its wall and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run([str(binary), "evaluate", str(table), "--policy", "treat-all",
                           "--estimators", "dr_ridge", "--threads", str(threads), "--quiet",
                           "--json", "-"], capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    estimate = json.loads(done.stdout)["policies"][0]["estimates"][0]
    return {"value": estimate["value"], "standard_error": estimate["standard_error"],
            "seconds": seconds, "cpu_seconds": after.ru_utime + after.ru_stime -
            before.ru_utime - before.ru_stime}


def run_peer(python, name, table, threads):
    """The same of a peer, or a note where it cannot be run."""
    limits = {name: str(threads) for name in
              ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    done = subprocess.run([str(python), str(HERE / "peers.py"), name, str(table)],
                          capture_output=True, text=True, env={**os.environ, **limits}, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        return f"{name} is skipped: it cannot be run ({lines[-1]})"
    return json.loads(done.stdout.splitlines()[-1])


def middle_of(runs):
    middle = dict(runs[0])
    for key in ("seconds", "cpu_seconds"):
        middle[key] = statistics.median(run[key] for run in runs)
        middle[f"all_{key}"] = [run[key] for run in runs]
    return middle


def parse_args():
    arguments = parser(__doc__)
    arguments.add_argument("--nodes", type=int, default=100_000)
    arguments.add_argument("--columns", type=int, default=20)
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--peer-python", type=pathlib.Path,
                           help="a Python with the peers installed")
    return arguments.parse_args()


def main():
    args = parse_args()
    result = {"benchmark": "tabular", **environment(args.bin), "nodes": args.nodes,
              "columns": args.columns, "folds": 5, "left_out": [], "runs": []}
    python = args.peer_python or make_peer_python("tabular_peers", PACKAGES)
    line = "{:<32} {:>8} {:>9} {:>9} {:>10} {:>10}"
    print(line.format("", "threads", "CPU s", "wall s", "value", "std. error"))
    with tempfile.TemporaryDirectory() as scratch:
        table = pathlib.Path(scratch) / "table.csv"
        write_table(table, args.nodes, args.columns)
        runs = {}
        for turn in range(args.repeats):  # alternating, under the same conditions
            for threads in sorted({1, args.threads}):
                runs.setdefault(("cone", threads), []).append(
                    run_cone(args.bin / "cone", table, threads))
            for name in PEERS:
                if turn > 0 and (name, 1) not in runs:
                    continue
                found = run_peer(python, name, table, threads=1)
                if isinstance(found, str):
                    print(found)
                    result["left_out"].append(found)
                    continue
                runs.setdefault((name, 1), []).append(found)
    for (name, threads), found in runs.items():
        middle = middle_of(found)
        version = f" {middle['version']}" if "version" in middle else ""
        print(line.format(name + version, threads, f"{middle['cpu_seconds']:.2f}",
                          f"{middle['seconds']:.2f}", f"{middle['value']:.4f}",
                          f"{middle['standard_error']:.4f}"))
        result["runs"].append({"name": name, "threads": threads, **middle})
    peers = [run for run in result["runs"] if run["name"] != "cone"]
    if peers:
        fastest = min(peers, key=lambda run: run["cpu_seconds"])
        ours = next(run for run in result["runs"] if run["name"] == "cone")
        result["fastest_peer"] = fastest["name"]
        result["times_faster"] = fastest["cpu_seconds"] / ours["cpu_seconds"]
        print(f"cone takes {1 / result['times_faster']:.2f} of the CPU time of {fastest['name']}, "
              f"the fastest peer: {result['times_faster']:.1f} times faster")
    write_json(args.json, result)


if __name__ == "__main__":
    main()
