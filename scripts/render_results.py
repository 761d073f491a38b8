#!/usr/bin/env python3
"""Writes docs/results.md (and docs/figure2.svg) from the records of the reproduction of Guo, Li and Liu (2020).

    cone reproduce table1|table2|figure2 --data DIR --out STUDY
    scripts/render_results.py [STUDY]

Without an argument it uses the records in bench/results/study. The tables are those that the program wrote (NAME.md); the
numbers in sentences come from its records (NAME.json).
"""

import json
import operator
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "bench/results/study"
LEVEL = 0.05
PAPERS = ["okb", "ips", "snips", "dm_nn", "dm_ols1", "dm_ols2", "dr_nn", "dr_ols1", "dr_ols2"]


def by_method(setting):
    return {row["method"]: row for row in setting["methods"]}


def beaten(setting):
    rows = by_method(setting)
    return [m for m in PAPERS if rows[m].get("p_cone_better", 1) < LEVEL]


def names(methods):
    return ", ".join(f"`{m}`" for m in methods) if methods else "none"


def listed(texts):
    texts = list(texts)
    return ", ".join(texts[:-1]) + " and " + texts[-1]


def span(values):
    return f"{min(values):.3f} to {max(values):.3f}"


def better_than_cone(setting):
    """Methods other than variants of cone that are significantly better, by the same test."""
    return [row["method"] for row in setting["methods"]
            if not row["method"].startswith("cone") and 1 - row.get("p_cone_better", 0.5) < LEVEL]


RIDGE = ("network_dm", "network_dr")


def lead_of_ridge(settings):
    """Errors of the network ridge, and the comparisons without a significant difference."""
    behind, unsure = [], []
    for setting in settings:
        rows = by_method(setting)
        for method, row in rows.items():
            if method in RIDGE:
                continue
            if any(row[key] <= rows["network_dm"][key] for key in ("rmse", "mae")):
                behind.append(f"`{method}` ({setting['name']})")
            if row["p_network_better"] >= LEVEL:
                unsure.append(f"`{method}` ({setting['name']}, p = {row['p_network_better']:.3f})")
    ridge = listed(f"{by_method(s)['network_dm']['rmse']:.4f}" for s in settings)
    cone = listed(f"{by_method(s)['cone']['rmse']:.4f}" for s in settings)
    text = (f"- **Network ridge.** `network_dm` has an RMSE of {ridge}, `cone` of {cone}. It is fitted on train and validation nodes, as it "
            "needs no selection. ")
    text += ("Its RMSE and MAE are below those of every method but `network_dr` in every setting" if not behind else
             f"RMSE or MAE not larger: {', '.join(behind)}")
    return text + (f"; not significant: {', '.join(unsure)}." if unsure else ", with p < 0.05 each.")


def lead_of_cone(settings):
    """Errors of cone, and the methods that are not significantly worse, or better."""
    rows = [by_method(s) for s in settings]
    ours = listed(f"{r['cone']['rmse']:.3f}" for r in rows)
    text = f"- **`cone`** has an RMSE of {ours}"
    if all("paper" in r["cone"] for r in rows):
        papers = listed(f"{r['cone']['paper']['rmse']:.3f}" for r in rows)
        text += f" (paper {papers})"
    others = [f"{names(left)} ({s['name']})" for s in settings
              if (left := [m for m in PAPERS if m not in beaten(s)])]
    text += f". It is better than all of the paper's baselines{' except ' + '; '.join(others) if others else ''}"
    above = [f"{names(better)} ({s['name']})" for s in settings if (better := better_than_cone(s))]
    if len(above) == len(settings) and len({part.split(" (")[0] for part in above}) == 1:
        above = [above[0].split(" (")[0] + " in every setting"]
    return text + (f"; better than `cone`: {'; '.join(above)}." if above else ".")


def choice(setting, criterion):
    """The RMSE of cone with γ and ζ chosen by a criterion."""
    return next(row["rmse"] for row in setting["selections"] if row["criterion"] == criterion)


def reading(settings, defaults, maps):
    rows = [by_method(s) for s in settings]

    def figures(method, key="rmse"):
        return listed(f"{r[method][key]:.3f}" for r in rows)

    lines = [lead_of_ridge(settings), lead_of_cone(settings)]
    gap = max(abs(r["cone, literal"]["rmse"] - r["cone_dm"]["rmse"]) for r in rows)
    lines.append("- **Literal correction.** The printed formula divides the correction by n twice, so `cone, literal` is almost the "
                 f"direct method: its RMSE and that of `cone_dm` differ by at most {gap:.5f}.")
    lines.append("- **Least squares.** In the paper RMSE and MAE of OLS are nearly equal. Here a few predictions on raw word counts "
                 "without a penalty are extreme, which doubly robust versions multiply by weights: compare RMSE and median. "
                 f"With a penalty (`dm_ridge`) the RMSE is {figures('dm_ridge')}.")
    if all("paper" in r["dm_nn"] for r in rows):
        smaller, larger = ([m for m in PAPERS if all(compare(r[m]["rmse"], r[m]["paper"]["rmse"]) for r in rows)]
                           for compare in (operator.lt, operator.gt))
        lines.append(f"- **Baselines.** RMSE below the paper's in every setting: {names(smaller)}; above: {names(larger)}. `okb` has a "
                     "median bandwidth and a penalty by leave-one-out error.")
        if all(r["ips"]["paper"] == r["dr_ols1"]["paper"] for r in rows):
            lines.append("- In the paper DR-OLS1 equals IPS-X in RMSE and MAE to three digits in every setting, as if its regression "
                         "were not used.")
    shares = [r["cone"]["bias"] ** 2 / r["cone"]["rmse"] ** 2 for r in rows]
    has_sign_of_naive = all(r["cone"]["bias"] * r["naive"]["bias"] > 0 for r in rows)
    lines.append("- **Bias.** The squared bias of `cone` is "
                 f"{listed(f'{100 * share:.0f} %' for share in shares)} of its mean squared error"
                 f"{', with the sign of the bias of `naive`' if has_sign_of_naive else ''}. "
                 "Attention takes a weighted mean over neighbours and cannot count them, but the simulated outcome is a weighted sum.")
    lines.append("- **Tuning** selects for prediction, not for the value. On the same simulations and splits `cone` has an RMSE of "
                 f"{figures('cone')} with the options chosen by `cone tune`, and of "
                 f"{listed(format(by_method(s)['cone']['rmse'], '.3f') for s in defaults)} with the defaults. Choosing γ and ζ by "
                 "a criterion that needs no truth (Figure 2) improves on the defaults by no more than the standard errors; the error of the "
                 f"outcome networks alone gives {listed(format(choice(m, 'outcome error alone'), '.3f') for m in maps)} at κ2 = 2, the "
                 f"defaults {listed(format(choice(m, 'none (default gamma and zeta)'), '.3f') for m in maps)}.")
    return "\n".join(lines)


def settings_only(markdown):
    """The tables of single settings, one heading level lower."""
    parts = re.split(r"(?m)^(?=### )", markdown)
    return "\n".join("#" + part.rstrip() + "\n" for part in parts if "kappa2 = " in part.split("\n")[0])


def core_seconds(folder):
    """The groups of table2_timing.txt in one sentence."""
    lines = (folder / "table2_timing.txt").read_text().splitlines()[2:]
    found = [re.fullmatch(r"(.*?) +([\d.]+)(?: +[\d.]+ %)? *", line).groups() for line in lines]
    return ", ".join(f"{name} {float(seconds):,.0f}" for name, seconds in found)


def machine(folder):
    """The machine of the records; written by hand."""
    file = folder / "machine.txt"
    return file.read_text().strip() if file.exists() else ""


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else KEPT
    study = json.loads((folder / "table2.json").read_text())
    defaults = json.loads((folder / "table2_defaults.json").read_text())
    maps = json.loads((folder / "figure2.json").read_text())
    network = json.loads((folder / "table2_network.json").read_text())
    for name, record in (("table2", study), ("table2_defaults", defaults), ("table2_network", network), ("figure2", maps)):
        if record["commit"].endswith("-dirty"):
            sys.exit(f"{name}: computed by a build of a tree with changes ({record['commit']})")
    settings = study["settings"]
    count, runs = study["study"]["simulations"], study["study"]["runs"]
    missing = sum(row["num_missing"] for s in settings for row in s["methods"])
    text = f"""# Reproduction of Guo, Li and Liu (2020)

Written by `scripts/render_results.py` from the records of `cone reproduce table1|table2|figure2 --data DIR --out STUDY` (`table2` also with
`--no-tune`, kept as table2_defaults.json, and for some estimators, kept as table2_network.json)
by commit `{study["commit"]}` on BlogCatalog and Flickr. The paper: Ruocheng Guo, Jundong Li and Huan Liu (2020), *Counterfactual Evaluation of
Treatment Assignment Functions with Networked Observational Data*, Proceedings of the 2020 SIAM International Conference on Data Mining (SDM). Errors are
those of the policy value on held-out test nodes; outcomes have standard deviation 1. [method.md](method.md), section 8, describes the experiment.

## Summary

{reading(settings, defaults["settings"], maps["settings"])}

"Better" means p < {LEVEL} in the one-sided paired t test over simulations (mean absolute errors, one per simulation; no adjustment for
multiplicity; every simulation has its own splits). Ten simulations are few and differ much: with an average node as centroid there is hardly
any confounding.

## Table 1: simulated data

{(folder / "table1.md").read_text()}
Nodes that are treated, and nodes with a positive effect; mean ± standard deviation over ten simulations. [simulations.md](simulations.md) has
normalised edge weights.

## Table 2

{count} simulations, {runs} random 60/20/20 splits each, the same for all methods; {missing} values missing. The options of `cone` are selected
by grid search on the validation nodes of a simulation that is not in the table, those of `dm_nn` on the validation nodes of every split, the
penalties of `okb` by leave-one-out error; never by the truth. ± is the standard error over simulations, median that of the absolute errors of all
splits, and p is that of the test that `cone` or `network_dm` has the smaller error.

{(folder / "table2.md").read_text()}
### Estimators that use the network

`cone reproduce table2 --estimators network_dm,network_dr,network_joint,cohesion_dm,spectral_dm,spectral_dr --runs {network["study"]["runs"]}`, commit `{network["commit"]}`: the same {network["study"]["simulations"]}
simulations and the first {network["study"]["runs"]} of their splits. `network_joint` has no split: the joint model is fitted to all nodes, cross-fitted, and evaluated
on the test nodes, whose logged outcomes it sees, as the corrections of doubly robust estimators do.

{settings_only((folder / "table2_network.md").read_text())}
## Figure 2: γ and ζ

Commit `{maps["commit"]}`. RMSE and MAE of `cone` at κ2 = 2, {maps["study"]["simulations"]} simulations, {maps["study"]["runs"]} split each, the other options as in Table 2. An RMSE far above
the MAE is due to a single extreme split in which an outcome network extrapolates; `cone evaluate` warns in such cases (outcome model worse than
a constant, small effective sample size, large standard error).

![Heat maps of RMSE and MAE over γ and ζ](figure2.svg)

{(folder / "figure2.md").read_text()}
## Run time

Core seconds of Table 2 by group of methods (`cone` includes its corrections and `cone_okb`, but not the tuning): {core_seconds(folder)}.
{machine(folder)}
"""
    (ROOT / "docs/results.md").write_text(text)
    shutil.copyfile(folder / "figure2.svg", ROOT / "docs/figure2.svg")


if __name__ == "__main__":
    main()
