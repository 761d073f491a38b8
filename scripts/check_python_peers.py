#!/usr/bin/env python3
"""Compares the Python package with scikit-learn (regressions) and DoubleML (average effect).

    python3 -m venv peers
    peers/bin/pip install . scikit-learn doubleml
    peers/bin/python scripts/check_python_peers.py

Folds differ between packages, so values agree only up to the effect of other folds, which is below half
a standard error. Prints a table; the exit status is 1 where values disagree.
docs/python.md quotes the figures.
"""

import argparse
import sys
import warnings

import numpy
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeCV
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cone

POLICY = "treat-all"
LIMIT = 0.5  # standard errors


def draw(random, num_nodes=2000, num_features=8):
    """Data without a network: effects differ between units, the mean effect is 1."""
    x = random.normal(size=(num_nodes, num_features))
    e = 1 / (1 + numpy.exp(-0.7 * x[:, 0] + 0.5 * x[:, 1]))
    t = (random.uniform(size=num_nodes) < e).astype(int)
    effect = 1 + 0.5 * x[:, 2]
    y = x @ numpy.linspace(1, 0, num_features) + effect * t + random.normal(size=num_nodes)
    return x, t, y


def cross_fit(x, t, y, outcome_model):
    """Out-of-fold predictions of both arms and propensities, by scikit-learn."""
    mu, e = numpy.empty((len(y), 2)), numpy.empty((len(y), 2))
    for fit, score in StratifiedKFold(5, shuffle=True, random_state=0).split(x, t):
        for arm in range(2):
            rows = fit[t[fit] == arm]
            mu[score, arm] = outcome_model().fit(x[rows], y[rows]).predict(x[score])
        e[score] = LogisticRegression(C=1e4).fit(x[fit], t[fit]).predict_proba(x[score])
    return mu, e


def ridge():
    return make_pipeline(StandardScaler(), RidgeCV(numpy.logspace(-3, 3, 25)))


def fit_doubleml(x, t, y, seed):
    """The average effect and its error."""
    import doubleml

    frame = doubleml.DoubleMLData.from_arrays(x, y, t)
    numpy.random.seed(seed)
    model = doubleml.DoubleMLIRM(frame, LinearRegression(), LogisticRegression(C=1e4), n_folds=5)
    model.fit()
    return float(model.coef[0]), float(model.se[0])


def estimate(data, name, **options):
    """Value and error, for the population, of one estimator."""
    answer = cone.evaluate(data, [POLICY], [name], target="population", progress=False,
                           **options)
    found = answer.record["policies"][0]["estimates"][0]
    return found["value"], found["population_standard_error"]


def compare_regressions(num_draws):
    """(name, largest difference in standard errors) of values on the same data."""
    worst = {}
    for seed in range(num_draws):
        x, t, y = draw(numpy.random.default_rng(seed))
        data = cone.Dataset.from_arrays(features=x, treatment=t, outcome=y)
        policy = numpy.ones(len(y))
        for label, model, direct, doubly_robust in (("least squares", LinearRegression, "dm_ols2", "dr_ols2"),
                                             ("ridge", ridge, "dm_ridge", "dr_ridge")):
            mu, e = cross_fit(x, t, y, model)
            peers = {direct: cone.estimators.dm(policy, mu).value,
                     doubly_robust: cone.estimators.dr(t, y, policy, e, mu).value,
                     "snips": cone.estimators.snips(t, y, policy, e).value}
            for name, peer in peers.items():
                value, error = estimate(data, name, correction="plain")
                key = f"{name} ({label if name != 'snips' else 'logistic'})"
                worst[key] = max(worst.get(key, 0), abs(value - peer) / error)
    return worst


def compare_doubleml(num_draws):
    """Average effects and standard errors of both packages on the same data."""
    rows = []
    for seed in range(num_draws):
        x, t, y = draw(numpy.random.default_rng(100 + seed))
        peer, error = fit_doubleml(x, t, y, seed)
        again, _ = fit_doubleml(x, t, y, 1000 + seed)
        data = cone.Dataset.from_arrays(features=x, treatment=t, outcome=y)
        answer = cone.evaluate(data, ["treat-all", "treat-none"], ["dr_ols2"], correction="plain",
                               target="population", sensitivity_interval=False, progress=False)
        difference = next(d for d in answer.record["decision"]["differences"]
                          if {d["first"], d["second"]} == {"treat-all", "treat-none"})
        sign = 1 if difference["first"] == "treat-all" else -1
        rows.append((sign * difference["difference"], difference["standard_error"], peer, error,
                     again))
    return numpy.array(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    draws = parser.parse_args().draws
    warnings.simplefilter("ignore")
    is_fine = True
    print(f"scikit-learn, {draws} data sets of 2,000 units: largest difference in standard errors")
    for name, size in compare_regressions(draws).items():
        print(f"  {name:24s} {size:.3f}")
        is_fine = is_fine and size < LIMIT
    found = compare_doubleml(draws)
    gap = numpy.abs(found[:, 0] - found[:, 2]) / found[:, 3]
    print(f"DoubleML (IRM), {draws} data sets: average effect, the truth is 1")
    print(f"  cone      mean {found[:, 0].mean():.4f}  standard error {found[:, 1].mean():.4f}")
    print(f"  DoubleML  mean {found[:, 2].mean():.4f}  standard error {found[:, 3].mean():.4f}")
    own = numpy.abs(found[:, 4] - found[:, 2]) / found[:, 3]
    print(f"  differences in standard errors: mean {gap.mean():.3f}, largest {gap.max():.3f};")
    print(f"  between two draws of DoubleML's own folds: mean {own.mean():.3f}, largest {own.max():.3f}")
    return 0 if is_fine and gap.max() < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
