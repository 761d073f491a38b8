#!/usr/bin/env python3
"""Rules that turn an estimated calibration slope into the slope that effects are reported with (docs/effects.md).

    python3 scripts/effect_shrinkage_rules.py [--draws 20000]

The estimate is normal around the true slope with standard error s. Prints, as a Markdown table, the mean squared
error of the slope that each rule reports, in units of s², where the true slope is 0, ½ and 1: with τ̂ as it is,
the PEHE that shrinkage decides about is proportional to it. Needs NumPy.
"""

import argparse
import math

import numpy as np

ERRORS = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
SLOPES = (0.0, 0.5, 1.0)


def density(z):
    return np.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def distribution(z):
    return 0.5 * np.vectorize(math.erfc)(-z / math.sqrt(2))


def posterior_mean(slope, error):
    """reported_slope() of src/network_ridge/calibration_slope.cpp."""
    low, high = -slope / error, (1 - slope) / error
    at_zero, at_one = density(low) / error, density(high) / error
    between = distribution(high) - distribution(low)
    moment = slope * between + error * (density(low) - density(high))
    return (at_one + moment) / (at_zero + at_one + between)


def significant(slope, error):
    """0 unless significant, 1 where 1 is within a standard error or below the estimate."""
    return np.where(slope < 1.96 * error, 0, np.where(slope + error > 1, 1, slope))


def damped(constant):
    return lambda slope, error: np.clip(slope, 0, 1) * np.maximum(0, 1 - constant * (error / slope) ** 2)


RULES = {
    "no shrinkage": lambda slope, error: np.ones_like(slope),
    "estimate, clipped to [0, 1]": lambda slope, error: np.clip(slope, 0, 1),
    "clipped estimate × (1 − 1/t²)": damped(1),
    "clipped estimate × (1 − 4/t²)": damped(4),
    "significance test": significant,
    "posterior mean": posterior_mean,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20_000)
    noise = np.random.default_rng(1).normal(size=parser.parse_args().draws)
    print("| slope reported | " + " | ".join(f"s = {error:g}" for error in ERRORS) + " |")
    print("|---" + "|---:" * len(ERRORS) + "|")
    for name, rule in RULES.items():
        cells = []
        for error in ERRORS:
            risks = [np.mean((rule(slope + error * noise, error) - slope) ** 2) / error ** 2 for slope in SLOPES]
            cells.append(" / ".join(f"{risk:.2f}" if risk < 10 else f"{risk:.0f}" for risk in risks))
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
