#!/usr/bin/env python3
"""Node-level effects of cone effects beside EconML's CausalForestDML, with known truth.

    python3 -m venv VENV && VENV/bin/pip install econml==0.17.0
    PYTHONPATH=build/release/python VENV/bin/python scripts/effects_peers.py [--datasets 10] [--processes 2]

Units without a network, 5 or 20 independent standard normal columns, observed confounding, noise of standard
deviation 1. Prints a Markdown table of the root PEHE, mean over datasets: cone effects without and with
shrinkage, CausalForestDML with its defaults, and the ratio of the second to the third. CausalForestDML
predicts the units that it was fitted to, as its users do; cone effects predicts them out of fold.
"""

import argparse
import multiprocessing
import os
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402

SIZES = (500, 1000, 2000)
COLUMNS = (5, 20)


def linear(x):
    return x.mean(axis=1) * np.sqrt(x.shape[1])


def nonlinear(x):
    return np.sin(2 * x[:, 0]) + x[:, 1] ** 2 / 2 + (x[:, 2] > 0) + x[:, 0] * x[:, 1] / 2


def constant(x):
    return np.ones(len(x))


# Outcome under control, logit of the propensity (standardised), effect.
WORLDS = {
    "constant effect, linear outcome": (linear, linear, constant),
    "constant effect, nonlinear outcome": (nonlinear, linear, constant),
    "constant effect, nonlinear outcome and propensity": (nonlinear, nonlinear, constant),
    "effect 1 + x0, linear outcome": (linear, linear, lambda x: 1 + x[:, 0]),
    "effect 1 + 1{x0 > 0}, nonlinear outcome": (nonlinear, linear, lambda x: 1.0 + (x[:, 0] > 0)),
}


def draw(world, num_units, num_columns, seed):
    """Columns, treatment, outcome and true effects."""
    outcome, score, effect = WORLDS[world]
    rng = np.random.default_rng([seed, num_units, num_columns, list(WORLDS).index(world)])
    x = rng.normal(size=(num_units, num_columns))
    logit = score(x)
    logit = (logit - logit.mean()) / logit.std()
    treatment = (rng.random(num_units) < 1 / (1 + np.exp(-logit))).astype(int)
    tau = effect(x)
    return x, treatment, outcome(x) + tau * treatment + rng.normal(size=num_units), tau


def compare(job):
    """Root PEHE of cone unshrunken, cone shrunken and CausalForestDML on one dataset."""
    import cone
    from econml.dml import CausalForestDML
    world, num_units, num_columns, seed = job
    x, treatment, y, tau = draw(*job)
    data = cone.Dataset.from_arrays(features=x, treatment=treatment, outcome=y)
    found = cone.effects(data, seed=seed, threads=1)
    forest = CausalForestDML(discrete_treatment=True, random_state=seed, n_jobs=1).fit(y, treatment, X=x)
    return [np.sqrt(np.mean((effect - tau) ** 2))
            for effect in (found.mu[:, 1] - found.mu[:, 0], found.effect[:, 0], forest.effect(x))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=10)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--worlds", nargs="+", default=list(WORLDS), choices=list(WORLDS))
    args = parser.parse_args()
    import cone
    import econml
    import sklearn
    print(f"cone {cone.__version__}, econml {econml.__version__}, scikit-learn {sklearn.__version__}, "
          f"{args.datasets} datasets per row.\n")
    print("| world | units | columns | cone, not shrunk | cone | CausalForestDML | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    cells = [(world, n, p) for world in args.worlds for n in SIZES for p in COLUMNS]
    jobs = [(*cell, seed) for cell in cells for seed in range(args.datasets)]
    with multiprocessing.get_context("spawn").Pool(args.processes) as pool:
        errors = np.array(pool.map(compare, jobs, chunksize=1)).reshape(len(cells), args.datasets, 3)
    for (world, n, p), (plain, shrunk, forest) in zip(cells, errors.mean(axis=1)):
        print(f"| {world} | {n:,} | {p} | {plain:.3f} | {shrunk:.3f} | {forest:.3f} | {shrunk / forest:.2f} |")


if __name__ == "__main__":
    main()
