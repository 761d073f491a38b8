#!/usr/bin/env python3
"""Contribution of the curves of the network ridge: network_dm with and without them, with known truth.

    /usr/bin/python3 scripts/curves_study.py --cone build/release/bin/cone [--simulations 20]

Worlds of 1,000 units without a network (except `nonlinear_network`; cone simulates the nonlinear ones). Prints,
per world, the RMSE of the value of treat-all and treat-none, its standard error, the bias, and the coverage of
the 95 % confidence intervals. Needs NumPy.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy as np

GROUPS = ["own", "smooth", "neighbour_sums", "neighbour_effects", "neighbour_means", "mean_neighbour_effects"]
ROWS = {"without curves": GROUPS, "with curves": [*GROUPS, "curves"]}
POLICIES = ("treat-all", "treat-none")


def draw(world, rng, n=1000):
    """Columns, propensity, mean outcomes under both arms."""
    columns = rng.normal(size=(n, 10))
    x = columns[:, 0]
    if world == "threshold":
        score, gain = 2.0 * (x > 0.3), 0.0
    elif world == "kink":
        score, gain = 2.0 * np.maximum(x, 0), 0.0
    elif world == "wave":
        score, gain = 1.5 * np.sin(3 * x), 0.0
    elif world == "threshold_effect":
        score, gain = 2.0 * (x > 0.3), 1.0 * (x > 0.3)
    elif world == "skewed":
        columns = np.exp(1.5 * columns)
        score, gain = 1.5 * x, 0.0
    elif world == "linear":
        score, gain = columns @ np.full(10, 0.4), 0.0
    elif world == "product":
        score, gain = 1.5 * columns[:, 0] * columns[:, 1], 0.0
    else:  # randomised: no confounding
        score, gain = 0 * x, 0.0
    propensity = 1 / (1 + np.exp(-1.2 * (score - score.mean())))
    return columns, propensity, score, score + 0.5 + gain


def write_world(world, simulation, folder, cone):
    if world.startswith("nonlinear"):
        degree = "12" if world == "nonlinear_network" else "0"
        subprocess.run([cone, "simulate", "--out", folder, "--nodes", "1000", "--world", "nonlinear",
                        "--mean-degree", degree, "--simulation", str(simulation), "--quiet"],
                       check=True)
        return
    worlds = ["threshold", "kink", "wave", "threshold_effect", "skewed", "linear", "product",
              "randomised"]
    rng = np.random.default_rng([worlds.index(world), simulation])
    columns, propensity, mean0, mean1 = draw(world, rng)
    treated = rng.random(len(propensity)) < propensity
    noise = rng.normal(scale=0.5, size=(len(propensity), 2))
    y0, y1 = mean0 + noise[:, 0], mean1 + noise[:, 1]
    pathlib.Path(folder).mkdir(exist_ok=True)
    with open(pathlib.Path(folder) / "nodes.csv", "w", newline="") as file:
        table = csv.writer(file)
        names = [f"x{c}" for c in range(columns.shape[1])]
        table.writerow(["id", "treatment", "outcome", "y0", "y1", *names])
        for i in range(len(propensity)):
            table.writerow([i, int(treated[i]), y1[i] if treated[i] else y0[i], y0[i], y1[i],
                            *columns[i]])


def evaluate(cone, folder, groups):
    run = subprocess.run([cone, "evaluate", folder, "--target", "sample", "--policy", *POLICIES, "--estimators",
                          "network_dm", "--ridge-groups", ",".join(groups), "--json", "-", "--quiet"],
                         check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cone", required=True)
    parser.add_argument("--simulations", type=int, default=20)
    parser.add_argument("--worlds", nargs="+",
                        default=["threshold", "threshold_effect", "kink", "wave", "skewed",
                                 "linear", "product", "randomised", "nonlinear", "nonlinear_network"])
    args = parser.parse_args()
    for world in args.worlds:
        errors = {row: {policy: [] for policy in POLICIES} for row in ROWS}
        covered = {row: {policy: 0 for policy in POLICIES} for row in ROWS}
        for simulation in range(args.simulations):
            with tempfile.TemporaryDirectory() as folder:
                write_world(world, simulation, folder + "/data", args.cone)
                for row, groups in ROWS.items():
                    for result in evaluate(args.cone, folder + "/data", groups)["policies"]:
                        policy = result["name"]
                        entry = result["estimates"][0]
                        errors[row][policy].append(entry["value"] - result["truth"])
                        low, high = entry["sampling_interval"]
                        covered[row][policy] += low <= result["truth"] <= high
        for row in ROWS:
            parts = []
            for policy in POLICIES:
                e = np.array(errors[row][policy])
                rmse = np.sqrt((e ** 2).mean())
                spread = (e ** 2).std(ddof=1) / (2 * rmse * np.sqrt(len(e)))
                parts.append(f"{policy} rmse {rmse:.4f} ({spread:.4f}) bias {e.mean():+.4f} covered "
                             f"{covered[row][policy]}/{len(e)}")
            print(f"{world:18s}{row:16s}{'; '.join(parts)}", flush=True)


if __name__ == "__main__":
    main()
