#!/usr/bin/env python3
"""One peer on one table: `peers.py NAME TABLE.csv` prints a JSON object.

All estimate the value of treat-all, or the average effect, by doubly robust scores with five folds. Like `cone
evaluate --estimators dr_ridge`, they select a ridge penalty per fold (and arm) and the penalty of a logistic
regression per fold on three inner folds. Time includes reading the table, but not importing the libraries.
"""

import importlib.metadata
import json
import os
import sys
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

FOLDS = 5
INNER_FOLDS = 3


def ridge():
    """Seventeen penalties, by exact leave-one-out error in closed form."""
    return make_pipeline(StandardScaler(), RidgeCV(alphas=20 / np.logspace(-4, 4, 17)))


def logistic(solver):
    """Eleven penalties, by log-loss on inner folds."""
    return make_pipeline(StandardScaler(), LogisticRegressionCV(
        Cs=np.logspace(-3, 2, 11) / 20, cv=INNER_FOLDS, scoring="neg_log_loss", solver=solver,
        max_iter=1000))


def by_hand(x, t, y, solver):
    scores = np.empty(len(y))
    for fit, score in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, t):
        treated = fit[t[fit] == 1]
        control = fit[t[fit] == 0]
        mu = ridge().fit(x[treated], y[treated]).predict(x[score])
        ridge().fit(x[control], y[control]).predict(x[score])  # cone fits both arms too
        e = logistic(solver).fit(x[fit], t[fit]).predict_proba(x[score])[:, 1].clip(0.01, 0.99)
        scores[score] = mu + t[score] / e * (y[score] - mu)
    return scores.mean(), scores.std() / np.sqrt(len(scores))


def run_sklearn(x, t, y):
    return by_hand(x, t, y, "lbfgs")


def run_sklearn_newton(x, t, y):
    return by_hand(x, t, y, "newton-cholesky")


def run_econml(x, t, y):
    from econml.dr import LinearDRLearner
    learner = LinearDRLearner(model_propensity=logistic("lbfgs"), model_regression=ridge(),
                              cv=FOLDS, min_propensity=0.01, random_state=0)
    learner.fit(y, t, X=None, W=x)
    return float(learner.intercept_(T=1)), float(learner.intercept__inference(T=1).stderr)


def run_doubleml(x, t, y):
    import doubleml
    names = [f"x{j}" for j in range(x.shape[1])]
    frame = pd.DataFrame(x, columns=names).assign(t=t, y=y)
    data = doubleml.DoubleMLData(frame, y_col="y", d_cols="t", x_cols=names)
    model = doubleml.DoubleMLIRM(data, ml_g=ridge(), ml_m=logistic("lbfgs"), n_folds=FOLDS)
    model.fit()
    return float(model.coef[0]), float(model.se[0])


PEERS = {"scikit-learn": (run_sklearn, "scikit-learn"),
         "scikit-learn, newton-cholesky": (run_sklearn_newton, "scikit-learn"),
         "EconML": (run_econml, "econml"),
         "DoubleML": (run_doubleml, "doubleml")}


def main():
    name, table = sys.argv[1:]
    run, package = PEERS[name]
    warnings.simplefilter("ignore")
    if package != "scikit-learn":
        __import__(package + (".dr" if package == "econml" else ""))
    wall, cpu = time.perf_counter(), sum(os.times()[:4])
    frame = pd.read_csv(table)
    x = frame.filter(like="x").to_numpy()
    value, error = run(x, frame["treatment"].to_numpy(), frame["outcome"].to_numpy())
    print(json.dumps({"value": value, "standard_error": error,
                      "seconds": time.perf_counter() - wall,
                      "cpu_seconds": sum(os.times()[:4]) - cpu,
                      "version": importlib.metadata.version(package)}))


if __name__ == "__main__":
    main()
