#!/usr/bin/env python3
"""Writes docs/studies.md, and the figures that other pages quote, from the records of the studies.

    cone reproduce values|worlds|effects|ablation|coverage --data DIR --out STUDY
    cone simulate --network DIR/NAME.mat --seed 7 --out NAME
    cone evaluate NAME --policy treat-all --estimators network_dm --json STUDY/learnt_NAME.json
    scripts/render_studies.py [STUDY]

Without an argument it takes the records kept in bench/results/study. A study that has no record
there is named as not run. In docs/network_ridge.md, docs/inference.md and README.md it replaces what stands between
`<!-- study: NAME -->` and `<!-- end -->`; every figure there is read from the records.
"""

import json
import pathlib
import re
import shutil
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "bench/results/study"
STUDIES = {
    "values": ("The value over all nodes", "The two real networks, ten logs each, all nodes, "
                "cross-fitted. \"Knows the topics\" regresses on the true topics of everybody and their sums over "
                "neighbours, which no estimator can see: it is the floor."),
    "worlds": ("Many worlds", "Real and generated networks; each world stresses another weakness. "
               "[simulations.md](simulations.md) describes them."),
    "effects": ("The effect of every node", "The log of Guo, Li and Liu (WSDM 2020), on which others published figures. "
                "Draws differ between sources."),
    "ablation": ("What each part of the network ridge buys", "`network_dm` with one thing changed at a time; "
                 "tables of ratios first say what each part buys. A part that has nothing to work on changes nothing: words have no smooth and no curves."),
    "coverage": ("How often intervals hold the truth", "Generated networks; in the first two worlds nothing is hidden. "
                 "[inference.md](inference.md) explains the intervals."),
}


def load(folder, name):
    path = folder / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def find(record, policy, method):
    """The rows of one method for one policy, one per setting."""
    block = next(p for p in record["policies"] if p["name"] == policy)
    rows = []
    for setting in block["settings"]:
        rows.append(next((m for m in setting["methods"] if m["method"] == method), None))
    return [s["name"] for s in block["settings"]], rows


def value_table(record, policy, methods):
    names, _ = find(record, policy, methods[0])
    lines = ["| RMSE, " + policy + " | " + " | ".join(names) + " |", "|---" + "|---:" * len(names) + "|"]
    for method in methods:
        rows = find(record, policy, method)[1]
        if all(row is None for row in rows):
            continue
        cells = ["-" if row is None else f"{row['rmse']:.4f}" for row in rows]
        label = method if " " in method else f"`{method}`"
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def ratios(record, policy, method):
    rows = find(record, policy, method)[1]
    floor = find(record, policy, record["reference"])[1]
    return [row["rmse"] / best["rmse"] for row, best in zip(rows, floor)]


def coverage(record, policy, method):
    return [row["coverage"] for row in find(record, policy, method)[1]]


def listed(values, form):
    texts = [form.format(v) for v in values]
    return ", ".join(texts[:-1]) + " and " + texts[-1]


GROUP_WORDS = {"own_counts": "own words", "own_numeric": "own columns", "own_smooth": "own columns, smooth",
               "own_curves": "own columns, curves",
               "neighbour_sums_counts": "neighbours' words, summed", "neighbour_sums_numeric": "neighbours' columns, summed",
               "neighbour_effects": "neighbours", "neighbour_means_counts": "neighbours' words, averaged",
               "neighbour_means_numeric": "neighbours' columns, averaged", "mean_neighbour_effects": "neighbours, averaged"}


def learnt_shares(folder):
    """Shares of the variance that the degree leaves of the outcome, by group, network and arm."""
    columns, shares = [], {}
    for path in sorted(folder.glob("learnt_*.json")):
        ridge = json.loads(path.read_text())["diagnostics"]["network_ridge"]
        for arm in ridge["arms"]:
            columns.append(f"{path.stem.removeprefix('learnt_')}, arm {arm['arm']}")
            parts = {GROUP_WORDS[name]: v for name, v in arm["variances"].items()}
            parts["noise"] = arm["noise"] + arm["noise_growth"]
            total = sum(parts.values())
            for name, value in parts.items():
                shares.setdefault(name, {})[columns[-1]] = value / total
    if not columns:
        return ""
    lines = ["What it learnt (one log on each real network, κ2 = 1): shares of the variance that the degree leaves of the outcome.", "",
             "| group | " + " | ".join(columns) + " |", "|---" + "|---:" * len(columns) + "|"]
    for name, values in shares.items():
        lines.append(f"| {name} | " + " | ".join(f"{100 * values.get(c, 0):.1f} %" for c in columns) + " |")
    return "\n".join(lines)


def quote_network_ridge(records):
    record = records["values"]
    if record is None:
        return "The study has not been run."
    methods = ["naive", "dm_ridge", "cone", "cone_dm", "network_dm", "network_dr", record["reference"]]
    text = [f"{record['simulations']} logs on each real network, commit `{record['commit']}`, all nodes:", ""]
    for policy in ("random-weights", "treat-all", "treat-none"):
        text += [value_table(record, policy, methods), ""]
    text.append(f"For random-weight policies that is {listed(ratios(record, 'random-weights', 'network_dm'), '{:.1f}')} times the "
                "error of the row that knows the topics.")
    cover = coverage(record, "random-weights", "network_dm")
    text.append(f"Its 95 % intervals held the truth in {listed([100 * c for c in cover], '{:.0f}')} % of these logs: what "
                "is left is hidden confounding, which no sampling interval knows about.")
    return "\n".join(text)


def quote_ablation(records):
    """What a change does to the error, over settings and policies: the middle, the least and the most."""
    record = records["ablation"]
    if record is None:
        return "The study has not been run."
    changes = {}
    for policy in (p["name"] for p in record["policies"]):
        names, floor = find(record, policy, record["reference"])
        for method in (m["method"] for m in record["policies"][0]["settings"][0]["methods"]):
            for row, best in zip(find(record, policy, method)[1], floor):
                changes.setdefault(method, []).append(row["rmse"] / best["rmse"])
    lines = [f"`cone reproduce ablation`, commit `{record['commit']}`, {record['simulations']} logs of each of {len(names)} settings ({'; '.join(names)}), three policies: "
             "RMSE over that of `network_dm` as it is.", "",
             "| one thing changed | in the middle | from | to |", "|---|---:|---:|---:|"]
    for method, values in changes.items():
        if method != record["reference"]:
            lines.append(f"| {method} | {statistics.median(values):.2f} | {min(values):.2f} | {max(values):.2f} |")
    return "\n".join(lines)


def quote_readme(records):
    record = records["values"]
    if record is None:
        return "The study has not been run."
    return value_table(record, "random-weights", ["naive", "dm_ridge", "cone", "network_dm", record["reference"]])


def weigh_widths(record):
    """Cells where `naive` is off by more than three sampling errors: how many robust half-widths are as wide as that, how many not."""
    wide = narrow = 0
    for setting in record["settings"]:
        for policy in setting["policies"]:
            row = next(r for r in policy["rows"] if r["method"] == "network_dm")
            if policy["name"] == "treat-none" or row["naive_rmse"] <= 3 * row["half_width"] / 1.96:
                continue
            if row["sensitivity_half_width"] < row["naive_rmse"]:
                narrow += 1
            else:
                wide += 1
    return wide, narrow


def quote_coverage(records):
    """Each world in a line: shares over the three policies, least first."""
    record = records["coverage"]
    if record is None:
        return "The study has not been run."
    lines = [f"`cone reproduce coverage`, commit `{record['commit']}`, seed {record['seed']}: `network_dm`, shares of 95 % intervals that "
             "hold the truth for random-weights / treat-all / treat-none, and median half-widths of the robust ones beside the RMSE of "
             "`naive`.", "",
             "| world | logs | sampling | robust | robust, at least | robust half-width | RMSE of `naive` | joint bands |",
             "|---|---:|---:|---:|---:|---:|---:|---:|"]
    for setting in record["settings"]:
        rows = [next(r for r in p["rows"] if r["method"] == "network_dm") for p in setting["policies"]]

        def shares(key):
            return " / ".join("-" if r[key] is None else f"{100 * r[key]:.1f}" for r in rows) + " %"

        def widths(key):
            return " / ".join("-" if r[key] is None else f"{r[key]:.3f}" for r in rows)

        bands = setting["all_bands_hold"]
        lines.append(f"| {setting['name']} | {rows[0]['simulations']} | {shares('sampling')} | {shares('robust')} | "
                     f"{shares('sensitivity_least')} | {widths('sensitivity_half_width')} | {widths('naive_rmse')} | "
                     f"{'-' if bands is None else f'{100 * bands:.1f} %'} |")
    wide, narrow = weigh_widths(record)
    lines += ["", f"Where the error of `naive` exceeds three sampling errors ({wide + narrow} of the lines' cells for random-weights and treat-all), the "
              f"robust half-width is below it in {narrow}. In these worlds a unit's noise is the same under every arm, which no data "
              "can show; the intervals take it as independent (`--arm-noise`), and are too wide for random-weights.", "",
              "\"At least\" is the lower end of the share's own one-sided 95 % confidence. [studies.md](studies.md) has all of it, by "
              "dependence and for `dr_ridge`."]
    return "\n".join(lines)


def table_text(folder, name):
    """The study's own tables, one heading lower. Ratios are what an ablation is about; intervals of a few logs say nothing."""
    sections = re.split(r"(?m)^(?=### )", (folder / f"{name}.md").read_text().strip())
    sections = [section.strip() for section in sections if section.strip()]
    if name == "ablation":
        sections = [section for section in sections if "95 % intervals" not in section.split("\n", 1)[0]]
        sections.sort(key=lambda section: "RMSE over that" not in section.split("\n", 1)[0])
    return "\n\n".join(f"#{section}" for section in sections)


def replace_block(path, name, text):
    page = path.read_text()
    pattern = re.compile(rf"(<!-- study: {name} -->\n).*?(<!-- end -->)", re.S)
    if not pattern.search(page):
        sys.exit(f"{path.relative_to(ROOT)}: no block <!-- study: {name} -->")
    path.write_text(pattern.sub(lambda m: m.group(1) + text.rstrip() + "\n" + m.group(2), page))


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else KEPT
    records = {name: load(folder, name) for name in STUDIES}
    page = ["# Studies against known truth", "",
            "Written by `scripts/render_studies.py` from the records of `cone reproduce WHAT --data DIR --out STUDY`. "
            "The paper's own tables are in [results.md](results.md).", ""]
    for name, (title, words) in STUDIES.items():
        page += [f"## {title}", "", words, ""]
        if records[name] is None:
            page += [f"`cone reproduce {name}` has not been run for this page.", ""]
            continue
        count = records[name].get("simulations", records[name].get("replicates"))
        page += [f"`cone reproduce {name}`, commit `{records[name]['commit']}`, seed {records[name]['seed']}"
                 f"{f', {count} simulations' if count else ''}.", "",
                 table_text(folder, name), ""]
        if folder.resolve() != KEPT:
            for kind in ("json", "md"):
                shutil.copyfile(folder / f"{name}.{kind}", KEPT / f"{name}.{kind}")
    (ROOT / "docs/studies.md").write_text("\n".join(page).rstrip() + "\n")
    if folder.resolve() != KEPT:
        for path in folder.glob("learnt_*.json"):
            shutil.copyfile(path, KEPT / path.name)
    figures = quote_network_ridge(records) + "\n\n" + learnt_shares(folder)
    replace_block(ROOT / "docs/network_ridge.md", "network_ridge", figures)
    replace_block(ROOT / "docs/network_ridge.md", "ablation", quote_ablation(records))
    replace_block(ROOT / "docs/inference.md", "coverage", quote_coverage(records))
    replace_block(ROOT / "README.md", "readme", quote_readme(records))


if __name__ == "__main__":
    main()
