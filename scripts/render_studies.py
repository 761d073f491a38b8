#!/usr/bin/env python3
"""Writes docs/studies.md, and the tables that other pages quote, from the records of the studies.

    cone reproduce values|worlds|effects|ablation|coverage --data DIR --out STUDY
    cone simulate --network DIR/NAME.mat --seed 7 --out NAME
    cone evaluate NAME --policy treat-all --estimators network_dm --json STUDY/learnt_NAME.json
    scripts/render_studies.py [STUDY]

Without an argument it uses the records in bench/results/study. Studies without a record are marked as not run. In
docs/network_ridge.md, docs/inference.md and README.md it replaces the text between `<!-- study: NAME -->` and
`<!-- end -->`; all numbers there come from the records.
"""

import json
import pathlib
import re
import shutil
import statistics
import sys

import compact_json

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "bench/results/study"
STUDIES = {
    "values": ("Policy values", "Two real networks, all nodes, cross-fitted. The oracle is a ridge on the true topics and their "
               "sums over neighbours, which estimators do not observe."),
    "worlds": ("Worlds", "Each world stresses another weakness ([simulations.md](simulations.md))."),
    "effects": ("Individual effects", "The simulation of Guo, Li and Liu (2020), *Learning Individual Causal Effects from "
                "Networked Observational Data*, WSDM, beside published results, whose draws differ. Root PEHE: Hill (2011), "
                "*Bayesian Nonparametric Modeling for Causal Inference*."),
    "ablation": ("Ablation of the network ridge", "`network_dm` with one change at a time. Count features have no smooth group "
                 "and no curves, so those changes have no effect there."),
    "coverage": ("Coverage", "Generated networks; the first two worlds and the last four have no unmeasured confounding. Cells are for random-weights / "
                 "treat-all / treat-none, in blocks5 for always:0 to always:4. Intervals and truths are those of the simulated units. [inference.md](inference.md) explains the intervals."),
}
#: Tables of a study that repeat another one of the page, by a part of the heading.
REPEATED = {"values": ["RMSE relative to"], "worlds": ["network_dr: "],
            "ablation": ["coverage of", "RMSE of the policy value"]}


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


def sections(folder, name):
    """The study's tables as the program wrote them: {heading: Markdown without the heading}."""
    parts = re.split(r"(?m)^### ", (folder / f"{name}.md").read_text())[1:]
    return {heading: table.strip() for heading, table in (part.split("\n", 1) for part in parts)}


def section(folder, name, start):
    """The one table whose heading starts so."""
    return next(table for heading, table in sections(folder, name).items() if heading.startswith(start))


def value_rows(folder, policy, methods):
    """Rows of the table of errors of one policy."""
    head, rule, *lines = section(folder, "values", f"{policy}: RMSE of the policy value").splitlines()
    rows = {line.split("|")[1].strip(): line for line in lines}
    return "\n".join([head.replace("method", f"RMSE, {policy}", 1), rule, *(rows[m] for m in methods if m in rows)])


def ratios(record, policy, method):
    rows = find(record, policy, method)[1]
    floor = find(record, policy, record["reference"])[1]
    return [row["rmse"] / best["rmse"] for row, best in zip(rows, floor)]


def coverage(record, policy, method):
    return [row["coverage"] for row in find(record, policy, method)[1]]


def listed(values, form):
    texts = [form.format(v) for v in values]
    return ", ".join(texts[:-1]) + " and " + texts[-1]


def variance_fractions(folder):
    """Fractions of the outcome variance after adjustment for the degree, by group, network and arm."""
    columns, fractions = [], {}
    for path in sorted(folder.glob("learnt_*.json")):
        ridge = json.loads(path.read_text())["diagnostics"]["network_ridge"]
        for arm in ridge["arms"]:
            columns.append(f"{path.stem.removeprefix('learnt_')}, arm {arm['arm']}")
            parts = {f"`{name}`": v for name, v in arm["variances"].items()}
            parts["noise"] = arm["noise"] + arm["noise_growth"]
            total = sum(parts.values())
            for name, value in parts.items():
                fractions.setdefault(name, {})[columns[-1]] = value / total
    if not columns:
        return ""
    lines = ["Estimated variances (one simulation on each real network, κ2 = 1) as fractions of the outcome variance after adjustment "
             "for the degree:", "",
             "| group | " + " | ".join(columns) + " |", "|---" + "|---:" * len(columns) + "|"]
    for name, values in fractions.items():
        lines.append(f"| {name} | " + " | ".join(f"{100 * values.get(c, 0):.1f} %" for c in columns) + " |")
    return "\n".join(lines)


def quote_network_ridge(records, folder):
    record = records["values"]
    if record is None:
        return "The study has not been run."
    methods = ["naive", "dm_ridge", "spectral_dm", "cone", "cone_dm", "network_dm", "network_dr", "network_joint", record["reference"]]
    cover = [coverage(record, policy, "network_dm") for policy in ("random-weights", "treat-all", "treat-none")]
    return "\n".join([
        f"{record['simulations']} simulations on each real network, commit `{record['commit']}`, all nodes "
        "([studies.md](studies.md) has the other policies):", "",
        value_rows(folder, "random-weights", methods), "",
        f"The RMSE of `network_dm` is {listed(ratios(record, 'random-weights', 'network_dm'), '{:.1f}')} times that of the oracle, that of "
        f"`network_joint` {listed(ratios(record, 'random-weights', 'network_joint'), '{:.1f}')} times. What remains of `network_dm` is bias from "
        "unmeasured confounding, which its confidence intervals allow for by the [joint model](joint_model.md): they cover "
        f"{'; '.join(listed([100 * c for c in row], '{:.0f}') + ' %' for row in cover)} (random-weights; treat-all; treat-none)."])


def quote_ablation(records):
    """RMSE relative to the default, over settings and policies: median, minimum and maximum."""
    record = records["ablation"]
    if record is None:
        return "The study has not been run."
    changes = {}
    for policy in (p["name"] for p in record["policies"]):
        names, floor = find(record, policy, record["reference"])
        for method in (m["method"] for m in record["policies"][0]["settings"][0]["methods"]):
            for row, best in zip(find(record, policy, method)[1], floor):
                changes.setdefault(method, []).append(row["rmse"] / best["rmse"])
    lines = [f"`cone reproduce ablation`, commit `{record['commit']}`, {record['simulations']} simulations of each of {len(names)} settings ({'; '.join(names)}), three policies: "
             "RMSE relative to `network_dm` with its defaults.", "",
             "| change | median | minimum | maximum |", "|---|---:|---:|---:|"]
    for method, values in changes.items():
        if method != record["reference"]:
            lines.append(f"| {method} | {statistics.median(values):.2f} | {min(values):.2f} | {max(values):.2f} |")
    return "\n".join(lines)


def quote_readme(records, folder):
    record = records["values"]
    if record is None:
        return "The study has not been run."
    methods = ["naive", "dm_ridge", "spectral_dm", "cone", "network_dm", "network_joint", record["reference"]]
    cells = [c for policy in ("random-weights", "treat-all", "treat-none") for c in coverage(record, policy, "network_dm")]
    return value_rows(folder, "random-weights", methods) + (
        f"\n\nPolicies with random weights, all nodes; kappa2 is the strength of the unmeasured confounder, which only the oracle sees. "
        f"95 % confidence intervals of `network_dm` cover {100 * min(cells):.0f} to {100 * max(cells):.0f} % here (three policies), as they allow for\n"
        "confounding that selects units as the predicted outcome does; `network_joint` moves the value by it ([joint model](docs/joint_model.md)).")


def compare_widths(record):
    """Cells where the RMSE of `naive` exceeds three standard errors: in how many the sensitivity half-width is at least as large, and
    in how many it is smaller."""
    wide = narrow = 0
    for setting in record["settings"]:
        for policy in setting["policies"]:
            row = next(r for r in policy["rows"] if r["method"] == "network_dm")
            if row["sensitivity_half_width"] is None:  # no network, no strength
                continue
            if policy["name"] == "treat-none" or row["naive_rmse"] <= 3 * row["sampling_half_width"] / 1.96:
                continue
            if row["sensitivity_half_width"] < row["naive_rmse"]:
                narrow += 1
            else:
                wide += 1
    return wide, narrow


def quote_coverage(records, folder):
    """The rows of network_dm, and how often its claims are true."""
    record = records["coverage"]
    if record is None:
        return "The study has not been run."
    wide, narrow = compare_widths(record)
    return "\n".join([
        f"`cone reproduce coverage`, commit `{record['commit']}`, seed {record['seed']}: coverage of the 95 % confidence intervals "
        "(interval), of those for sampling error alone (sampling) and of the sensitivity intervals of `network_dm` for random-weights / treat-all / "
        "treat-none (blocks5: always one of its five arms) with its one-sided 95 % confidence limit (lower limit), median half-widths, and the RMSE "
        "beside that of `naive`.", "", section(folder, "coverage", "network_dm: coverage of 95 %"), "",
        "All policies together, the logged one included: how many of the supported and conditional verdicts on differences from it have the true sign, "
        "how many single best policies are the best, and how often all rank sets hold the true ranks, the confidence set the best policy, and all joint "
        "intervals the true values.", "", section(folder, "coverage", "all policies together"), "",
        "Where the RMSE of `naive` "
        f"exceeds three standard errors ({wide + narrow} cells for random-weights and treat-all), the half-width is smaller in "
        f"{narrow}. In these worlds a unit's noise is the same under every arm, which data cannot show; the intervals assume "
        "independence (`--arm-noise`) and are conservative for random-weights. [studies.md](studies.md) has all results, by "
        "dependence and for `dr_ridge`.", "", true_claims(records)])


def true_claims(records):
    """How many claims of each kind are true, by study."""
    lines = ["| study | simulations | supported verdicts true | conditional | single bests right | all rank sets hold, worst world | all sensitivity rank sets hold, worst world |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    for name in ("coverage", "worlds", "values"):
        settings = records[name]["settings"] if name == "coverage" else records[name]["decisions"]
        counts = [{key: sum(s[kind][key] for s in settings) for key in ("made", "true")} for kind in ("supported", "conditional", "single_best")]
        holds = [min(s[key] for s in settings if s[key] is not None) for key in ("ranks_hold", "sensitivity_ranks_hold")]
        lines.append(f"| `{name}`, {len(settings)} worlds | {sum(s['decisions'] for s in settings):,} | " + " | ".join(map(claims, counts)) + " | "
                     + " | ".join(f"{100 * share:.0f} %" for share in holds) + " |")
    return "\n".join(lines)


def claims(count):
    return "none" if count["made"] == 0 else f"{count['true']:,} of {count['made']:,}"


def table_text(folder, name, record):
    """The study's tables, one heading level lower, without those that repeat another."""
    parts = [f"#### {heading}\n\n{table}" for heading, table in sections(folder, name).items()
             if not any(part in heading for part in REPEATED.get(name, []))]
    if name == "worlds":
        parts.append("The ratios of `network_dr` differ from these by at most "
                     f"{largest_difference(record, 'network_dm', 'network_dr'):.3f}.")
    return "\n\n".join(parts)


def largest_difference(record, method, other):
    """Of the verdicts' ratios."""
    ratio = {(v["method"], v["setting"], v["policy"]): v["ratio"] for v in record["verdicts"]}
    return max(abs(value - ratio[(other, *key)]) for (name, *key), value in ratio.items() if name == method)


def keep_record(path):
    (KEPT / path.name).write_text(compact_json.dumps(json.loads(path.read_text())))


def replace_block(path, name, text):
    page = path.read_text()
    pattern = re.compile(rf"(<!-- study: {name} -->\n).*?(<!-- end -->)", re.S)
    if not pattern.search(page):
        sys.exit(f"{path.relative_to(ROOT)}: no block <!-- study: {name} -->")
    path.write_text(pattern.sub(lambda m: m.group(1) + text.rstrip() + "\n" + m.group(2), page))


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else KEPT
    records = {name: load(folder, name) for name in STUDIES}
    page = ["# Simulation studies", "",
            "Written by `scripts/render_studies.py` from the records of `cone reproduce STUDY --data DIR --out OUT`. "
            "[results.md](results.md) reproduces the tables of Guo, Li and Liu (2020), *Counterfactual Evaluation of Treatment "
            "Assignment Functions with Networked Observational Data*, SDM.", ""]
    for name, (title, description) in STUDIES.items():
        page += [f"## {title}", "", description, ""]
        if records[name] is None:
            page += [f"`cone reproduce {name}` has not been run for this page.", ""]
            continue
        count = records[name].get("simulations", records[name].get("replicates"))
        page += [f"`cone reproduce {name}`, commit `{records[name]['commit']}`, seed {records[name]['seed']}"
                 f"{f', {count} simulations' if count else ''}.", "",
                 table_text(folder, name, records[name]), ""]
        if folder.resolve() != KEPT:
            shutil.copyfile(folder / f"{name}.md", KEPT / f"{name}.md")
            keep_record(folder / f"{name}.json")
    (ROOT / "docs/studies.md").write_text("\n".join(page).rstrip() + "\n")
    if folder.resolve() != KEPT:
        for path in folder.glob("learnt_*.json"):
            keep_record(path)
    figures = quote_network_ridge(records, folder) + "\n\n" + variance_fractions(folder)
    replace_block(ROOT / "docs/network_ridge.md", "network_ridge", figures)
    replace_block(ROOT / "docs/network_ridge.md", "ablation", quote_ablation(records))
    replace_block(ROOT / "docs/inference.md", "coverage", quote_coverage(records, folder))
    replace_block(ROOT / "README.md", "readme", quote_readme(records, folder))


if __name__ == "__main__":
    main()
