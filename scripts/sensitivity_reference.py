#!/usr/bin/env python3
"""Writes tests/fixtures/sensitivity.json: omitted-variable bounds as DoubleML computes them.

    python3 -m venv VENV && VENV/bin/pip install doubleml
    VENV/bin/python scripts/sensitivity_reference.py [--out FILE]

Outcome models and propensities are given to DoubleML (0.11.4), so that both programs use the same arrays.
Two things differ on purpose, and the script checks both:
- DoubleML finds robustness values by a minimiser that stops at about 1e-5. The file has the roots
  of DoubleML's own bounds.
- DoubleML gives the standard error of the upper bound to the lower one and the other way round:
  its score is divided by its derivative, -1, and the score of the bias is not. The file has the
  standard errors as DoubleML prints them (se_as_printed), and all that follows from them with the
  score's sign fixed.
"""

import argparse
import json
import pathlib
import warnings

import doubleml as dml
import numpy as np
from doubleml.double_ml_framework import DoubleMLCore, DoubleMLFramework
from doubleml.utils.gain_statistics import gain_statistics
from scipy.optimize import brentq
from sklearn.linear_model import LinearRegression, LogisticRegression

ROOT = pathlib.Path(__file__).resolve().parent.parent
STRENGTHS = [(0.03, 0.03, 1.0), (0.2, 0.05, 1.0), (0.1, 0.4, -0.5)]
LEVEL = 0.95

MEANING = {
    "treatment, outcome, propensity, mu0, mu1": "one per node",
    "short": "propensity, mu0, mu1 of a model without the confounder",
    "delta1": "of the case `weighted`: difference of the probability of arm 1 between two policies",
    "cases": "treat_all: value of arm 1. difference: arm 1 minus arm 0. weighted: mean of "
             "delta1 * (arm 1 - arm 0); without standard errors, because DoubleML includes the "
             "variance of the weights",
    "bounds": "per (cf_y, cf_d, rho): lower, upper, se_lower, se_upper, and one-sided confidence "
              "bounds ci_lower, ci_upper at the level",
    "se": "divides by n, not by n - 1",
    "rv, rva": "against null, |rho| = 1: cf_y = cf_d where the bound (its confidence bound) is null",
    "benchmark": "of treat_all and difference: cf_y, and what DoubleML calls cf_d, which is "
                 "nu2_long / nu2_short - 1 clipped to [0, 1]",
}


def draw_arrays(rng, n=80):
    x, confounder = rng.normal(size=(2, n))
    e = 1 / (1 + np.exp(-0.8 * x - 0.6 * confounder))
    d = (rng.random(n) < e).astype(float)
    y = x + confounder + d * (0.7 + 0.3 * x) + rng.exponential(size=n) - 1
    known = {"propensity": e, "mu0": 0.9 * x + 0.8 * confounder, "mu1": 0.7 + 1.2 * x + 0.9 * confounder}
    short = {"propensity": 1 / (1 + np.exp(-0.7 * x)), "mu0": 0.9 * x, "mu1": 0.8 + 1.2 * x}
    return d, y, known, short


def fit(case, d, y, nuisances, weights=None):
    e, mu0, mu1 = (nuisances[k][:, None] for k in ("propensity", "mu0", "mu1"))
    data = dml.DoubleMLData.from_arrays(x=np.zeros((len(y), 1)), y=y, d=d)
    if case == "treat_all":
        model = dml.DoubleMLAPO(data, LinearRegression(), LogisticRegression(), treatment_level=1)
        tables = {"ml_g_d_lvl0": mu0, "ml_g_d_lvl1": mu1, "ml_m": e}
    else:
        model = dml.DoubleMLIRM(data, LinearRegression(), LogisticRegression(), weights=weights)
        tables = {"ml_g0": mu0, "ml_g1": mu1, "ml_m": e}
    return model.fit(external_predictions={"d": tables})


def fix_sign(framework):
    core = framework._dml_core
    return DoubleMLFramework(DoubleMLCore(
        all_thetas=core.all_thetas, all_ses=core.all_ses,
        var_scaling_factors=core.var_scaling_factors, scaled_psi=-core.scaled_psi,
        sensitivity_elements=core.sensitivity_elements))


def find_root(framework, part, side, null):
    def gap(strength):
        found = framework._calc_sensitivity_analysis(strength, strength, 1.0, LEVEL)
        return float(found[part][side][0]) - null
    return brentq(gap, 0, 0.9999, xtol=1e-15, rtol=1e-15)


def describe(case, model, null):
    framework = fix_sign(model.framework)
    elements = framework.sensitivity_elements
    theta = float(framework.thetas[0])
    side = "upper" if null > theta else "lower"
    out = {"theta": theta, "sigma2": elements["sigma2"].item(), "nu2": elements["nu2"].item(),
           "null": null, "rv": find_root(framework, "theta", side, null), "bounds": []}
    printed_rv, printed_rva = model.framework._calc_robustness_value(null, LEVEL, 1.0, 0)
    assert abs(printed_rv - out["rv"]) < 1e-4
    if case != "weighted":
        out["rva"] = find_root(framework, "ci", side, null)
        assert abs(printed_rva - find_root(model.framework, "ci", side, null)) < 1e-4
    for cf_y, cf_d, rho in STRENGTHS:
        found = framework._calc_sensitivity_analysis(cf_y, cf_d, rho, LEVEL)
        printed = model.framework._calc_sensitivity_analysis(cf_y, cf_d, rho, LEVEL)
        bound = {"cf_y": cf_y, "cf_d": cf_d, "rho": rho}
        for end, other in (("lower", "upper"), ("upper", "lower")):
            bound[end] = float(found["theta"][end][0])
            assert bound[end] == float(printed["theta"][end][0])
            if case == "weighted":
                continue
            bound["se_" + end] = float(found["se"][end][0])
            bound["ci_" + end] = float(found["ci"][end][0])
            bound["se_as_printed_" + end] = float(printed["se"][end][0])
            assert abs(bound["se_as_printed_" + end] - float(found["se"][other][0])) < 1e-14
        out["bounds"].append(bound)
    return out


def main():
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=ROOT / "tests/fixtures/sensitivity.json")
    out = pathlib.Path(parser.parse_args().out)
    rng = np.random.default_rng(5)
    d, y, known, short = draw_arrays(rng)
    delta1 = rng.uniform(-0.6, 1.0, size=len(y))
    record = {"meaning": MEANING, "level": LEVEL, "treatment": d.astype(int).tolist(),
              "outcome": y.tolist(), **{k: v.tolist() for k, v in known.items()},
              "short": {k: v.tolist() for k, v in short.items()}, "delta1": delta1.tolist(),
              "cases": {}}
    for case, null in (("treat_all", 0.2), ("difference", 3.0), ("weighted", 0.0)):
        weights = delta1 if case == "weighted" else None
        if weights is not None:
            # DoubleML refuses negative weights and those of another sum; neither changes formulas.
            model = fit("difference", d, y, known)
            model._weights = {"weights": delta1}
            e, mu0, mu1 = (known[k][:, None] for k in ("propensity", "mu0", "mu1"))
            model.fit(external_predictions={"d": {"ml_g0": mu0, "ml_g1": mu1, "ml_m": e}})
        else:
            model = fit(case, d, y, known)
            gain = gain_statistics(model, fit(case, d, y, short))
        record["cases"][case] = describe(case, model, null)
        if weights is None:
            record["cases"][case]["benchmark"] = {k: float(gain[k][0]) for k in ("cf_y", "cf_d")}
    out.write_text(json.dumps(record, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
