#!/usr/bin/env python3
"""network_dm with variances estimated once per arm or per fold: differences and errors.

    scripts/variances_per_fold.py [--binary FILE] [--simulations N] [--nodes N ...]

Variances estimated once per arm use the outcomes of the scored fold; coefficients never do. Prints the table
of docs/network_ridge.md: per world and size, for treat-all / treat-none / random-weights, the root mean
square difference in standard errors, and the RMSE with variances per fold relative to that with variances
estimated once."""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
POLICIES = ["treat-all", "treat-none", "random-weights:1"]
WORLDS = ["hidden_confounding", "observed_confounding", "nonlinear", "binary_outcomes"]


def root_mean_square(values):
    return math.sqrt(sum(v * v for v in values) / len(values))


def evaluate(binary, data, variances, folder):
    """Value, standard error and truth of every policy."""
    record = folder / "record.json"
    subprocess.run([binary, "evaluate", data, "--target", "sample", "--policy", *POLICIES, "--estimators", "network_dm",
                    "--no-sensitivity-interval", "--ridge-variances", variances, "--json", record, "--quiet"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [(p["estimates"][0]["value"], p["estimates"][0]["standard_error"], p["truth"])
            for p in json.loads(record.read_text())["policies"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=ROOT / "build/release/bin/cone", type=pathlib.Path)
    parser.add_argument("--simulations", default=10, type=int)
    parser.add_argument("--nodes", default=[1000, 4000], type=int, nargs="+")
    options = parser.parse_args()
    binary = options.binary.resolve()
    print("| world | units | difference in standard errors | RMSE per fold / once |")
    print("|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for world, nodes in [(w, n) for w in WORLDS for n in options.nodes]:
            differences, once_errors, per_fold_errors = ([[] for _ in POLICIES] for _ in range(3))
            for simulation in range(options.simulations):
                data = folder / f"{world}_{nodes}_{simulation}"
                subprocess.run([binary, "simulate", "--out", data, "--nodes", str(nodes), "--world",
                                world, "--simulation", str(simulation), "--quiet"], check=True,
                               stdout=subprocess.DEVNULL)
                once, per_fold = (evaluate(binary, data, how, folder) for how in ("once", "per_fold"))
                for p, ((a, error, truth), (b, _, _)) in enumerate(zip(once, per_fold)):
                    differences[p].append((b - a) / error)
                    once_errors[p].append(a - truth)
                    per_fold_errors[p].append(b - truth)
            difference = " / ".join(f"{root_mean_square(m):.2f}" for m in differences)
            ratio = " / ".join(f"{root_mean_square(b) / root_mean_square(a):.2f}"
                               for a, b in zip(once_errors, per_fold_errors))
            print(f"| {world} | {nodes:,} | {difference} | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
