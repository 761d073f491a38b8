#!/usr/bin/env python3
"""Coverage of confidence intervals where clusters share noise and treatment, with and without --cluster.

    scripts/cluster_coverage.py [--draws 100] [--blocks 30] [--size 30] [--binary build/release/bin/cone]

Each draw: blocks of units; potential outcomes are x + 0.5·arm + block noise + own noise; most units of a
block get the same arm. Edges are mostly within blocks. For every estimator, policy and target it prints the
coverage with detected communities and with the given clusters.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy

EFFECT = 0.5


def draw_world(rng, blocks, size, together, block_sd, folder):
    """Writes nodes.csv and edges.csv; the truth for the sample is in y0 and y1."""
    n = blocks * size
    block = numpy.repeat(numpy.arange(blocks), size)
    x = rng.normal(size=n)
    propensity = numpy.where(rng.random(blocks) < 0.5, together, 1 - together)[block]
    treated = (rng.random(n) < propensity).astype(int)
    shared = block_sd * rng.normal(size=blocks)[block]
    y0 = x + shared + rng.normal(size=n)
    y1 = x + EFFECT + shared + rng.normal(size=n)
    outcome = numpy.where(treated == 1, y1, y0)
    with open(folder / "nodes.csv", "w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["id", "treatment", "outcome", "y0", "y1", "x", "village"])
        for i in range(n):
            lines.writerow([f"n{i}", treated[i], outcome[i], y0[i], y1[i], x[i], f"v{block[i]}"])
    with open(folder / "edges.csv", "w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["source", "target"])
        for i in range(n):
            for _ in range(2):
                lines.writerow([f"n{i}", f"n{block[i] * size + rng.integers(size)}"])
            lines.writerow([f"n{i}", f"n{rng.integers(n)}"])


def evaluate(binary, folder, *arguments):
    done = subprocess.run(
        [binary, "evaluate", folder, "--policy", "treat-all", "uniform", "--estimators",
         "naive,snips,dr_ridge,network_dm", "--no-sensitivity-interval", "--quiet", "--json", "-", *arguments],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--size", type=int, default=30)
    parser.add_argument("--together", type=float, default=0.9, help="share of a block with its usual arm")
    parser.add_argument("--block-sd", type=float, default=0.5)
    parser.add_argument("--binary", default="build/release/bin/cone")
    options = parser.parse_args()
    covered = {}
    for draw in range(options.draws):
        rng = numpy.random.default_rng(1000 + draw)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            draw_world(rng, options.blocks, options.size, options.together, options.block_sd, folder)
            for target in ("sample", "population"):
                for kind, flags in (("found", ["--ignore", "village"]), ("given", ["--cluster", "village"])):
                    record = evaluate(options.binary, folder, "--target", target, *flags)
                    for policy in record["policies"]:
                        population = EFFECT * (1 if policy["name"] == "treat-all" else 0.5)
                        for row in policy["estimates"]:
                            low, high = row["sampling_interval"]
                            if low is None:
                                continue
                            truth = policy["truth"] if row["target"] == "sample" else population
                            key = (row["estimator"], policy["name"], row["target"], kind)
                            hits, width, count, chosen = covered.get(key, (0, 0, 0, 0))
                            covered[key] = (hits + (low <= truth <= high), width + (high - low) / 2, count + 1,
                                         chosen + (row["dependence"] == "clusters"))
    print(f"{options.draws} draws of {options.blocks} blocks of {options.size}, block noise "
          f"{options.block_sd}, {options.together:.0%} of a block treated alike")
    print("estimator   policy     target             clusters  cover. half-width  by clusters")
    for (estimator, policy, target, kind), (hits, width, count, chosen) in sorted(covered.items()):
        print(f"{estimator:11} {policy:10} {target:18} {kind:8} {100 * hits / count:5.1f} %  {width / count:.3f}"
              f"       {100 * chosen / count:.0f} %")


if __name__ == "__main__":
    main()
