#!/usr/bin/env python3
"""Coverage of 95 % confidence intervals in small data with small arms.

    scripts/small_arm_coverage.py [--datasets 300] [--worlds 30:15 60:6] [--binary build/release/bin/cone]

A world UNITS:TREATED has so many units, the given number of them treated at random. Outcomes are linear in two
features with standard normal noise, independent between arms. For every estimator it prints the coverage for
treat-all / treat-none / uniform, for the sample (the units' own outcomes) and for the population.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy

ESTIMATORS = ("network_dm", "dr_ridge", "naive")
POLICIES = ("treat-all", "treat-none", "uniform")
POPULATION = (0.5, 0.0, 0.25)
WORLDS = ("30:15", "60:30", "60:6", "100:50", "100:10")


def draw_data(rng, units, treated, path):
    """Writes the data; returns the values of the policies for the sample."""
    arms = numpy.repeat([1, 0], [treated, units - treated])
    rng.shuffle(arms)
    x, z = rng.normal(size=(2, units))
    outcomes = numpy.stack([x, 0.5 + x + 0.5 * z]) + rng.normal(size=(2, units))
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([("id", "treatment", "outcome", "x", "z"),
                                    *((f"n{i}", arms[i], outcomes[arms[i], i], x[i], z[i]) for i in range(units))])
    untreated, all_treated = outcomes.mean(axis=1)
    return all_treated, untreated, (all_treated + untreated) / 2


def evaluate(binary, path):
    done = subprocess.run(
        [binary, "evaluate", path, "--policy", *POLICIES, "--estimators", ",".join(ESTIMATORS), "--quiet", "--json", "-"],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["policies"]


def count_covered(binary, units, treated, datasets):
    """How many intervals hold the truth: (estimator, target) -> one number per policy."""
    covered = {(name, target): numpy.zeros(len(POLICIES), int)
               for name in ESTIMATORS for target in ("sample", "population")}
    for number in range(datasets):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "nodes.csv"
            truth = {"sample": draw_data(numpy.random.default_rng([units, treated, number]), units, treated, path),
                     "population": POPULATION}
            for k, policy in enumerate(evaluate(binary, path)):
                for row in policy["estimates"]:
                    for target, values in truth.items():
                        low, high = row[f"{target}_sampling_interval"]
                        covered[row["estimator"], target][k] += low is not None and low <= values[k] <= high
    return covered


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", type=int, default=300)
    parser.add_argument("--worlds", nargs="+", default=WORLDS)
    parser.add_argument("--binary", default="build/release/bin/cone")
    options = parser.parse_args()
    print(f"{options.datasets} data sets per world; treat-all / treat-none / uniform")
    print("| units | treated | estimator | sample | population |\n|---:|---:|---|---:|---:|")
    for world in options.worlds:
        units, treated = map(int, world.split(":"))
        covered = count_covered(options.binary, units, treated, options.datasets)
        for name in ESTIMATORS:
            shares = [" / ".join(f"{100 * count / options.datasets:.0f}" for count in covered[name, target]) + " %"
                      for target in ("sample", "population")]
            print(f"| {units} | {treated} | `{name}` | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
