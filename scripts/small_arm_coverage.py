#!/usr/bin/env python3
"""Coverage of confidence intervals where a policy assigns a fifth of the units to a small arm.

    scripts/small_arm_coverage.py [--datasets 40] [--units 500] [--binary build/release/bin/cone]

Treatment is randomised: `rare` has the given number of units, `control` and `email` half of the others each.
The policy assigns email with probability 0.8 and rare with 0.2. For every estimator and size of the arm it
prints the coverage of the 95 % confidence intervals for the sample, and the fraction of data sets with the
warning about small arms.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy

ESTIMATORS = ("network_dm", "dr_ridge", "snips")
MIX = {"email": 0.8, "rare": 0.2}
WARNING = "% of the variance: "


def write_rows(path, titles, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([titles, *rows])


def draw_data(rng, units, rare, folder):
    """Writes data and policy; returns the policy's value for the sample."""
    arms = numpy.array(["rare"] * rare + ["control", "email"] * units)[:units]
    rng.shuffle(arms)
    x, z = rng.normal(size=(2, units))
    level = {"control": x, "email": x + 0.5 * z, "rare": 1 - 0.5 * x}
    outcomes = {arm: mean + rng.normal(size=units) for arm, mean in level.items()}
    write_rows(folder / "nodes.csv", ["id", "treatment", "outcome", "x", "z"],
               [(f"n{i}", arms[i], outcomes[arms[i]][i], x[i], z[i]) for i in range(units)])
    write_rows(folder / "edges.csv", ["source", "target"],
               [(f"n{i}", f"n{rng.integers(units)}") for i in range(units) for _ in range(2)])
    write_rows(folder / "mix.csv", ["id", *(f"mix:{arm}" for arm in MIX)],
               [(f"n{i}", *MIX.values()) for i in range(units)])
    return sum(share * outcomes[arm].mean() for arm, share in MIX.items())


def evaluate(binary, folder):
    done = subprocess.run(
        [binary, "evaluate", folder, "--policy", folder / "mix.csv", "--control", "control", "--folds", "3",
         "--selection-folds", "2", "--estimators", ",".join(ESTIMATORS), "--no-sensitivity-interval", "--quiet", "--json", "-"],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["policies"][0]["estimates"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", type=int, default=40)
    parser.add_argument("--units", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 25, 40, 80])
    parser.add_argument("--binary", default="build/release/bin/cone")
    options = parser.parse_args()
    print(f"{options.datasets} data sets of {options.units} units per line")
    print("estimator   units of the arm  coverage  warned")
    for rare in options.sizes:
        covered = dict.fromkeys(ESTIMATORS, 0)
        warned = dict.fromkeys(ESTIMATORS, 0)
        for number in range(options.datasets):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                truth = draw_data(numpy.random.default_rng(1000 * rare + number), options.units, rare, folder)
                for row in evaluate(options.binary, folder):
                    low, high = row["sampling_interval"]
                    covered[row["estimator"]] += low is not None and low <= truth <= high
                    warned[row["estimator"]] += any(WARNING in w for w in row["warnings"])
        for name in ESTIMATORS:
            print(f"{name:11} {rare:17}  {100 * covered[name] / options.datasets:5.1f} %  "
                  f"{100 * warned[name] / options.datasets:5.1f} %", flush=True)


if __name__ == "__main__":
    main()
