#!/usr/bin/env python3
"""Writes docs/benchmarks.md from the records in bench/results (copies of build/bench/*.json)."""

import json
import pathlib
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"


def record(name):
    return json.loads((RESULTS / f"{name}.json").read_text())


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def machine(result):
    hardware = result["hardware"]
    return (f"Commit `{result['commit']}`, {hardware['cores']} cores of an {hardware['cpu']}, "
            f"{hardware['memory_bytes'] / 2**30:.0f} GiB.")


def loader():
    result = record("loader")
    rows = []
    for variant in result["variants"]:
        ours, peer = variant["cone"], variant["pandas"]
        rows.append([variant["name"], f"{ours['seconds']:.2f} s", f"{peer['seconds']:.1f} s",
                     f"**{variant['times_faster']:.1f}**", f"{ours['peak_bytes'] / 1e6:.0f} MB",
                     f"{peer['peak_bytes'] / 1e6:.0f} MB", f"{variant['peak_over_kept']:.2f}"])
    sizes = result["variants"][0]
    return f"""## Loading

`./dev bench loader --repeats 3`. {machine(result)}
{sizes['nodes']:,} nodes × {sizes['features']} dense features and {sizes['edges']:,} edges from CSV into a validated dataset with a
symmetric compressed graph, against pandas + SciPy doing the same (without the validation), in turn on the same files and cores,
medians. "Kept" are the arrays of the finished dataset.

{table(["ids", "cone", "pandas + SciPy", "times faster", "cone peak", "pandas peak", "cone peak / kept"], rows)}
"""


def topics():
    result = record("lda")
    rows = []
    for data in result["results"]:
        for name, runs in data["runs"].items():
            seconds = statistics.median(run["seconds"] for run in runs)
            ratio = f"**{data['ratio']:.0f}**" if name == "cone" else ""
            rows.append([data["data"], name, f"{seconds:.2f} s",
                         " ".join(f"{run['perplexity']:.0f}" for run in runs),
                         " ".join(str(run["union"]) for run in runs), ratio])
    return f"""## Topic model

`./dev bench lda`. {machine(result)} scikit-learn {result['scikit_learn']} at its defaults
(batch, 10 passes) and with both cores, {result['topics']} topics, three seeds, medians of fit and score. Perplexity by scikit-learn's
definition, lower is better. "Words" is the union of each topic's top 100 (BlogCatalog) or 25 (Flickr) words. The ratio is to
the faster scikit-learn.

{table(["data", "", "seconds", "perplexity", "words", "times faster"], rows)}
"""


def network():
    result = record("network")
    rows = []
    for setting in result["settings"]:
        run, asked = setting["run"], setting["asked"]
        rows.append([setting["name"], f"{run['nodes']:,}", f"{run['edges']:,}",
                     f"{run['generate_seconds']:.2f} s",
                     f"{run['generate_peak_bytes'] / 2**30:.2f} GiB", f"{run['log_seconds']:.3f} s",
                     f"{asked['mean_degree']} → {run['mean_degree']:.2f}",
                     f"{asked.get('homophily', 0.3)} → {run['assortativity']:.3f}",
                     f"{run['clustering']:.3f}", f"{run['tail_exponent']:.2f}", run["max_degree"]])
    return f"""## Synthetic networks

`./dev bench network`. {machine(result)}
Generation with topics and words, then one simulated log. Arrows: asked for → realised. Clustering is the average local one; the
tail exponent is the maximum-likelihood one from twice the mean degree on (2.7 asked for; the cut-off at √(2·edges) steepens it
where the mean degree is close to it).

{table(["network", "nodes", "edges", "generated", "peak", "log", "mean degree", "homophily", "clustering", "tail", "largest degree"], rows)}
"""


def main():
    text = "\n".join([
        "# Benchmarks\n\nWritten by `scripts/render_benchmarks.py` from the records in `bench/results`. Machines are noisy: "
        "read the ratios,\nwhich compare runs side by side, before the seconds.\n",
        loader(), topics(), network()])
    (ROOT / "docs/benchmarks.md").write_text(text)


if __name__ == "__main__":
    main()
