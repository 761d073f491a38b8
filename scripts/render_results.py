#!/usr/bin/env python3
"""Writes docs/results.md (and docs/figure2.svg) from the records of the paper's study.

    cone reproduce table1|table2|figure2 --data DIR --out STUDY
    scripts/render_results.py [STUDY]

Without an argument it takes the records kept in bench/results/study. Every figure of the page,
those in its sentences included, is read from the records.
"""

import json
import pathlib
import shutil
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "bench/results/study"
LEVEL = 0.05
PAPERS = ["okb", "ips", "snips", "dm_nn", "dm_ols1", "dm_ols2", "dr_nn", "dr_ols1", "dr_ols2"]


def by_method(setting):
    return {row["method"]: row for row in setting["methods"]}


def pair(row):
    return f"{row['rmse']:.3f} / {row['mae']:.3f}"


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|---" + "|---:" * (len(titles) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def number(value, error):
    """A mean with its standard error, either of which may not exist."""
    if value is None:
        return "-"
    return f"{value:.4f}" + (f" ± {error:.4f}" if error is not None else "")


def p_text(p):
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def overview(settings):
    """RMSE / MAE, the paper's below ours in small print."""
    methods = [row["method"] for row in settings[0]["methods"]]
    rows = []
    for method in methods:
        cells = [f"`{method}`"]
        for setting in settings:
            row = by_method(setting)[method]
            better = row.get("p_cone_better")
            mark = "" if better is None or better >= LEVEL else "*"
            paper = row.get("paper")
            cells.append(pair(row) + mark + (f" ({pair(paper)})" if paper else ""))
        rows.append(cells)
    return table(["method", *[s["name"] for s in settings]], rows)


def detail(setting):
    rows = []
    for row in setting["methods"]:
        rows.append([f"`{row['method']}`", number(row["rmse"], row["rmse_error"]),
                     number(row["mae"], row["mae_error"]), number(row["median_error"], None),
                     number(row["bias"], None), p_text(row.get("p_cone_better")),
                     p_text(row.get("p_network_better"))])
    options = setting["options"]
    chosen = ", ".join(f"{key.replace('_', ' ')} {options[key]:g}"
                       for key in ("layers", "gamma", "learning_rate", "dropout"))
    return (f"### {setting['name']}\n\nChosen for `cone`: {chosen}.\n\n" +
            table(["method", "RMSE", "MAE", "median", "bias", "p (cone better)", "p (network_dm better)"], rows))


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
    """Methods that are not a variant of cone, and beat it by the same test the other way round."""
    return [row["method"] for row in setting["methods"]
            if not row["method"].startswith("cone") and 1 - row.get("p_cone_better", 0.5) < LEVEL]


RIDGE = ("network_dm", "network_dr")


def lead_of_ridge(settings):
    """Where the network ridge stands in all columns, and the comparisons that chance may explain."""
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
    text = (f"- **The network ridge.** `network_dm` has an RMSE of {ridge}, `cone` of {cone}. It is fitted on the 80 % of the nodes "
            "that the other rows use for training and validation. ")
    text += ("Its RMSE and MAE are below those of every other row in every setting" if not behind else
             f"Not below it in RMSE and MAE: {', '.join(behind)}")
    return text + (f"; chance may explain the lead over {', '.join(unsure)}." if unsure else ", with p < 0.05 each.")


def of_setting(setting):
    rows = by_method(setting)
    cone, paper = rows["cone"], rows["cone"].get("paper")
    text = f"- **{setting['name']}.** `cone` has an RMSE of {cone['rmse']:.3f} ± {cone['rmse_error']:.3f}"
    if paper:
        text += f" (paper {paper['rmse']:.3f})"
    text += (f", its direct method alone {rows['cone_dm']['rmse']:.3f}, the weights alone (`cone_snips`) "
             f"{rows['cone_snips']['rmse']:.3f}. Of the paper's baselines it beats {names(beaten(setting))}; "
             f"not beaten: {names([m for m in PAPERS if m not in beaten(setting)])}.")
    above = better_than_cone(setting)
    if above:
        text += f" Better than `cone`: {names(above)}."
    return text


def choice(setting, criterion):
    """The RMSE of cone where γ and ζ are chosen by a criterion."""
    return next(row["rmse"] for row in setting["selections"] if row["criterion"] == criterion)


def reading(settings, defaults, maps):
    rows = [by_method(s) for s in settings]

    def figures(method, key="rmse"):
        return listed(f"{r[method][key]:.3f}" for r in rows)

    def papers(method):
        return listed(f"{r[method]['paper']['rmse']:.3f}" for r in rows)

    lines = [lead_of_ridge(settings), *[of_setting(setting) for setting in settings]]
    gap = max(abs(r["cone, literal"]["rmse"] - r["cone_dm"]["rmse"]) for r in rows)
    lines.append("- **The literal correction is the direct method in all but name.** As printed, the correction is divided by "
                 f"n twice: the RMSE of `cone, literal` and of `cone_dm` differ by at most {gap:.5f} in any setting.")
    lines.append("- **Least squares is not off by the same amount every time: it is erratic.** In the paper RMSE and MAE of OLS are "
                 f"nearly equal. Ours: `dm_ols1` has an RMSE of {figures('dm_ols1')} and a median error of "
                 f"{figures('dm_ols1', 'median_error')}; `dm_ols2` {figures('dm_ols2')} and "
                 f"{figures('dm_ols2', 'median_error')}. On raw word counts without a penalty a few predictions are absurd, and "
                 f"the doubly robust versions multiply their errors by weights. With a penalty, `dm_ridge` has {figures('dm_ridge')}.")
    if all("paper" in r["dm_nn"] for r in rows):
        lines.append(f"- **The baselines need not be as bad as printed.** `dm_nn`: {figures('dm_nn')}, in the paper {papers('dm_nn')}. "
                     f"`okb` (median bandwidth, penalty by leave-one-out error): {figures('okb')}, in the paper {papers('okb')}. "
                     f"`ips`: {figures('ips')}, in the paper {papers('ips')}.")
        if all(r["ips"]["paper"] == r["dr_ols1"]["paper"] for r in rows):
            lines.append("- **A curiosity.** To the three digits printed, the paper's DR-OLS1 equals its IPS-X in RMSE and MAE in "
                         "every setting, as if its regression were not used.")
    shares = [r["cone"]["bias"] ** 2 / r["cone"]["rmse"] ** 2 for r in rows]
    lines.append("- **Much of what is left is bias, and it has one direction.** The squared bias of `cone` is "
                 f"{listed(f'{100 * share:.0f} %' for share in shares)} of its mean square; the bias is "
                 f"{listed(format(r['cone']['bias'], '+.3f') for r in rows)}, that of `naive` "
                 f"{listed(format(r['naive']['bias'], '+.3f') for r in rows)}. Attention takes a weighted mean over neighbours "
                 "and cannot count them, but the simulated outcome is a weighted sum.")
    lines.append("- **Tuning is for prediction, not for the value.** On the same simulations and splits `cone` has an RMSE of "
                 f"{figures('cone')} with the options that `cone tune` chooses, and of "
                 f"{listed(format(by_method(s)['cone']['rmse'], '.3f') for s in defaults)} with the defaults. Choosing γ and ζ by "
                 "a figure that needs no truth (below, under figure 2) is no better than the defaults beyond the standard errors. "
                 f"Choosing by the error of the outcome networks alone is dangerous: {listed(format(choice(m, 'outcome networks alone'), '.3f') for m in maps)} "
                 f"at κ2 = 2 on the two networks, the defaults {listed(format(choice(m, 'none: the default gamma and zeta'), '.3f') for m in maps)}. "
                 "A better prediction of logged outcomes is not a better value.")
    return "\n".join(lines)


def figure(record):
    parts = []
    values = record["values"]
    for setting in record["settings"]:
        flat = [v for row in setting["rmse"] for v in row if v is not None]
        by_gamma = [statistics.median(row) for row in setting["rmse"]]
        by_zeta = [statistics.median(column) for column in zip(*setting["rmse"])]
        parts.append(
            f"- {setting['name']}: RMSE from {min(flat):.3f} to {max(flat):.3f}. Median over ζ for γ = "
            f"{listed(f'{v:g}' for v in values)}: {listed(f'{v:.3f}' for v in by_gamma)}; median over γ for the same ζ: "
            f"{listed(f'{v:.3f}' for v in by_zeta)}.")
        choices = [[row["criterion"], number(row["rmse"], row["rmse_error"]), number(row["mae"], row["mae_error"])]
                   for row in setting["selections"]]
        parts.append(f"\n{setting['name']}: γ and ζ chosen anew for every simulation\n\n" +
                     table(["chosen by the least", "RMSE", "MAE"], choices) + "\n")
        for key, title in (("rmse", "RMSE"), ("mae", "MAE")):
            rows = [[f"{gamma:g}"] + [number(v, e) for v, e in zip(line, errors)]
                    for gamma, line, errors in zip(values, setting[key], setting[f"{key}_error"])]
            parts.append(f"\n{setting['name']}, {title} (rows γ, columns ζ)\n\n" +
                         table(["γ \\ ζ", *[f"{v:g}" for v in values]], rows) + "\n")
    return "\n".join(parts)


def machine(folder):
    """Where the records come from; kept beside them by hand."""
    file = folder / "machine.txt"
    return file.read_text().strip() if file.exists() else ""


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else KEPT
    study = json.loads((folder / "table2.json").read_text())
    defaults = json.loads((folder / "table2_defaults.json").read_text())
    maps = json.loads((folder / "figure2.json").read_text())
    for name, record in (("table2", study), ("table2_defaults", defaults), ("figure2", maps)):
        if record["commit"].endswith("-dirty"):
            sys.exit(f"{name}: computed by a build of a tree with changes ({record['commit']})")
    settings = study["settings"]
    count, runs = study["study"]["simulations"], study["study"]["runs"]
    missing = sum(row["num_missing"] for s in settings for row in s["methods"])
    text = f"""# The paper's study, and what came out

Written by `scripts/render_results.py` from the records of

    cone reproduce table1 --data DIR --out STUDY
    cone reproduce table2 --data DIR --out STUDY
    cone reproduce table2 --data DIR --out STUDY --no-tune     (kept as table2_defaults.json)
    cone reproduce figure2 --data DIR --out STUDY

by commit `{study["commit"]}` on BlogCatalog and Flickr. Guo, Li and Liu, "Counterfactual Evaluation of Treatment Assignment Functions with Networked
Observational Data" (SDM 2020) is the paper. Everything below is the value's error on held-out test nodes; outcomes have
standard deviation 1. [method.md](method.md), section 8, describes the experiment.

## In plain words

{reading(settings, defaults["settings"], maps["settings"])}

Where a method is called better, the one-tailed paired t test over simulations has p < {LEVEL} (mean absolute errors, one per
simulation; not adjusted for the number of comparisons; every simulation has splits of its own). Ten simulations are few, and
very unequal: where the random centroid happens to be an ordinary node, there is hardly any confounding.

## Table 1: the simulated logs

{(folder / "table1.md").read_text()}
## Table 2: RMSE / MAE, the paper's in brackets

{count} simulations, {runs} random 60/20/20 splits each; all methods on the same ones; {missing} values missing. A star: `cone` has
the smaller error, p < {LEVEL}. The options of `cone` are chosen by grid search on the validation nodes of a simulation that is not in
the table, those of `dm_nn` on the validation nodes of every split, the penalties of `okb` by leave-one-out error. Nothing is chosen by the truth.

{overview(settings)}

± is the standard error over simulations; median is of the absolute errors of all splits.

{chr(10).join(detail(s) + chr(10) for s in settings)}
## Figure 2: γ and ζ

Commit `{maps["commit"]}`. RMSE and MAE of `cone` at κ2 = 2, {maps["study"]["simulations"]} simulations, {maps["study"]["runs"]} split each, the other options as in table 2. A
cell whose RMSE is far above its MAE holds a single extreme split, where an outcome network extrapolates; `cone evaluate` marks such a
result (the outcome model predicts worse than a constant, few effective nodes, a huge standard error).

![Heat maps of RMSE and MAE over γ and ζ](figure2.svg)

{figure(maps)}
## What it costs

Seconds of one core for all of table 2, by what is fitted together (`cone` includes its corrections and `cone_okb`; the tuning is
not in it). {machine(folder)}

```
{(folder / "table2_timing.txt").read_text().rstrip()}
```
"""
    (ROOT / "docs/results.md").write_text(text)
    shutil.copyfile(folder / "figure2.svg", ROOT / "docs/figure2.svg")


if __name__ == "__main__":
    main()
