#!/usr/bin/env python3
"""Writes docs/benchmarks.md, and the tables of docs/scale.md, from the records in bench/results (copies of
build/bench/*.json)."""

import statistics

from benchmark_text import ROOT, has_clean_record, machine, record, table
from render_ranks import ranks, write_scale


def section(title, name, render):
    """The section of a benchmark, or a note where there is no record of a clean tree."""
    if has_clean_record(name):
        return render()
    return f"## {title}\n\nNot measured on a clean tree: run `./dev bench {name}`.\n"


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
symmetric compressed graph, compared with pandas + SciPy (without validation) on the same files and cores; medians.

{table(["ids", "cone", "pandas + SciPy", "times faster", "cone peak", "pandas peak", "cone peak / arrays"], rows)}
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
(batch, 10 passes) and with both cores, {result['topics']} topics, three seeds, medians of fit and score. Perplexity as in scikit-learn,
lower is better; words: union of each topic's top 100 (BlogCatalog) or 25 (Flickr); speed-up over the faster scikit-learn.

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
Generation with topics and words, then one simulation. Arrows: requested → realised. Average local clustering; maximum-likelihood
tail exponent from twice the mean degree on (2.7 requested; the cut-off at √(2·edges) increases it).

{table(["network", "nodes", "edges", "generated", "peak", "simulation", "mean degree", "homophily", "clustering", "tail", "largest degree"], rows)}
"""


def tabular():
    result = record("tabular")
    rows = [[" ".join(filter(None, [run["name"], run.get("version")])), run["threads"],
             f"{run['cpu_seconds']:.2f} s", f"{run['seconds']:.2f} s", f"{run['value']:.4f}",
             f"{run['standard_error']:.4f}"] for run in result["runs"]]
    left_out = "".join(f"\n{sentence}.\n" for sentence in result["left_out"])
    return f"""## Doubly robust estimation without a network

`./dev bench tabular`. {machine(result)}
`cone evaluate --estimators dr_ridge` on {result['nodes']:,} nodes × {result['columns']} columns, {result['folds']} folds, compared with
peers that also select the penalties of ridge and logistic regression. CPU time includes reading the table; scikit-learn and cone
estimate the value of treat-all, EconML and DoubleML the average effect. cone is **{result['times_faster']:.1f}** times faster than
{result['fastest_peer']}, the fastest peer.

{table(["", "threads", "CPU", "wall", "value", "standard error"], rows)}
{left_out}"""


def ridge_comparison(result):
    rows, left_out = [], []
    for data in result["datasets"]:
        ours = data["cone"]
        bare = data.get("cone_without_sensitivity_interval")  # older records do not have it
        runs = {"cone": ours, **({"cone --no-sensitivity-interval": bare} if bare else {}), **data["peers"]}
        for name, run in runs.items():
            is_peer = name in data["peers"]
            rows.append([f"{data['name']}, {ours['edges']:,} edges",
                         " ".join(filter(None, [name, run.get("version")])),
                         f"{run['seconds']:.2f} s", f"{run['cpu_seconds']:.2f} s",
                         f"{run['peak_bytes'] / 2**30:.2f} GiB",
                         f"**{run['seconds'] / bare['seconds']:.1f}**" if is_peer and bare else "",
                         f"{run['times_slower']:.1f}" if is_peer else "",
                         f"{run['largest_difference_in_standard_errors']:.2f} SE" if is_peer else ""])
        left_out += [f"{data['name']}: {sentence}." for sentence in data["left_out"]]
    return f"""`./dev bench network_ridge`. {machine(result)} {result['threads']} threads.
`cone evaluate --estimators {result['estimator']}` with three policies: whole processes, with sensitivity intervals unless `--no-sensitivity-interval`
is given. The peers (`bench/peers/gaussian_process.py`) fit the same model to the same data on their own folds, without standard errors and
sensitivity intervals; "values differ" is the largest difference of a policy value in cone's standard errors. Runs alternate; medians.

{table(["data", "", "wall", "CPU", "peak", "slower than `--no-sensitivity-interval` by", "slower than cone by", "values differ"], rows)}
""" + "".join(f"\n{sentence}\n" for sentence in left_out)


def ridge_growth(result):
    rows = [[f"{run['nodes']:,}", f"{run['edges']:,}", f"{run['seconds']:.1f} s",
             f"{run['seconds'] / run['edges'] * 1e6:.2f} µs", f"{run['peak_bytes'] / 2**30:.2f} GiB"]
            for run in result["runs"]]
    exponent = (f" Time grows as edges to the power **{result['exponent']:.2f}**."
                if "exponent" in result else "")
    left_out = [name.replace("_", " ") + "s" * (name == "sensitivity_interval") for name in ("sensitivity_interval", "joint_model")
                if not all(run.get(name, True) for run in result["runs"])]
    return f"""### Scaling with the edges, {result['threads']} threads

`./dev bench network_ridge --growth`. {machine(result)} The same command on synthetic networks with 20 words per node{", without " if left_out else ""}{" and ".join(left_out)}.{exponent}

{table(["nodes", "edges", "wall", "per edge", "peak"], rows)}
"""


def network_ridge():
    result = record("network_ridge")
    parts = {"comparison": ridge_comparison, "growth": ridge_growth,
             "growth_16_cores": ridge_growth}
    sections = [render(result[name]) for name, render in parts.items() if name in result]
    return "\n".join(["## The network ridge\n", *sections])


def inference():
    result = record("inference")
    rows = [[entry["name"], f"{entry['run']['nodes']:,}", f"{entry['run']['edges']:,}", entry["run"]["policies"],
             f"{entry['run']['prepare_seconds']:.2f} s", f"{entry['run']['errors_seconds']:.2f} s",
             f"{entry['run']['comparison_seconds']:.3f} s", f"{entry['run']['association_seconds']:.2f} s"]
            for entry in result["settings"]]
    return f"""## Inference

`./dev bench inference`. {machine(result)} {result["settings"][0]["run"]["threads"]} threads. After fitting: community detection, standard errors of all
policies under every dependence, joint bands and ranks, and Moran's I of the residuals.

{table(["setting", "nodes", "edges", "policies", "communities", "standard errors", "comparison", "Moran's I"], rows)}
"""


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f} ms"


def epoch_comparison(result):
    rows, parts = [], []
    for data in result["networks"]:
        run, peer = data["run"], data.get("peer")
        rows.append([data["network"], f"{run['nodes']:,}", f"{run['directed_edges']:,}",
                     f"{run['features']:,}", milliseconds(data["epoch_seconds"]),
                     milliseconds(peer["epoch_seconds"]) if peer else "",
                     f"**{data['times_faster']:.0f}**" if peer else "",
                     f"{data['largest_loss_difference']:.0e}" if peer else ""])
        rest = run["epoch_seconds"] - sum(phase["seconds"] for phase in run["phases"])
        parts.append([data["network"], *(milliseconds(phase["seconds"]) for phase in run["phases"]),
                      milliseconds(rest)])
    first = result["networks"][0]
    limits, names = first["run"]["limits"], [phase["name"] for phase in first["run"]["phases"]]
    rates = [[phase["name"], f"{phase['bytes'] / 1e6:.1f} MB",
              f"{phase['bytes'] / phase['seconds'] / 1e9:.0f} GB/s", f"{phase['flops'] / 1e6:.1f}",
              f"{phase['flops'] / phase['seconds'] / 1e9:.0f} GFLOP/s"]
             for phase in first["run"]["phases"] if phase["bytes"] > 0]
    peer = first.get("peer")
    versions = (f"PyTorch {peer['torch']} with PyG {peer['torch_geometric']}" if peer
                else "without the peer")
    return f"""`./dev bench epoch --peer-python PYTHON`. {machine(result)} {result['threads']} threads; {versions}.
One full-batch step: two towers of one attention layer (4 heads of 16), heads and critic of 64 hidden units, objective, validation losses, Adam.
The peer is the same model (`bench/peers/pyg_cone.py`, GATConv on a dense X, float32), with the same losses from the same weights up to the last
column. Runs alternate; medians.

{table(["network", "nodes", "directed edges", "features", "cone", "PyG", "times faster", "losses differ by"], rows)}

Its parts, timed separately:

{table(["network", *names, "rest"], parts)}

Memory traffic (from any cache) and arithmetic of the kernels on {first['network']}. Limits of the machine: copies of
{limits['cache_copy_gigabytes_a_second']:.0f} GB/s in cache and {limits['memory_copy_gigabytes_a_second']:.0f} GB/s in memory, {limits['gigaflops']:.0f} GFLOP/s, {limits['region_microseconds']} µs per parallel region.

{table(["kernel", "moved", "rate", "Mflop", "rate"], rates)}
"""


def epoch_scaling(result):
    rows = [[run["network"], run["threads"], milliseconds(run["epoch_seconds"]),
             milliseconds(run["fastest_epoch_seconds"]), f"{run['speed_up']:.2f}"]
            for run in result["runs"]]
    return f"""### Threads

`./dev bench epoch --scaling`. {machine(result)}

{table(["network", "threads", "epoch", "fastest", "speed-up"], rows)}
"""


def epoch_sizes(title, flag, remark=""):
    def render(result):
        rows = [[f"{run['directed_edges']:,}", f"{run['nodes']:,}", run["threads"],
                 f"{run['epoch_seconds']:.4f} s",
                 f"{run['epoch_seconds'] / run['directed_edges'] * 1e9:.0f} ns",
                 f"{run['data_peak_bytes'] / 2**30:.2f} GiB", f"{run['peak_bytes'] / 2**30:.2f} GiB"]
                for run in result["runs"]]
        return f"""### {title}

`./dev bench epoch --{flag}`. {machine(result)} "Peak before" is the memory peak before training.{remark}

{table(["directed edges", "nodes", "threads", "epoch", "per edge", "peak before", "peak"], rows)}
"""
    return render


def epoch_fit(result):
    rows = [[run["threads"], f"{run['seconds']:.2f} s"] for run in result["runs"]]
    return f"""### Complete fits

`./dev bench epoch --fit`: `cone fit --parts networks` on a simulated network of {result['nodes']:,} nodes, {result['folds']} folds. {machine(result)} Speed-up {result['speed_up']:.1f}.

{table(["threads", "fit"], rows)}
"""


def epoch_wide(result):
    rows = [[data["network"], milliseconds(data["epoch_seconds"]),
             milliseconds(data["peer"]["epoch_seconds"]), f"**{data['times_faster']:.0f}**"]
            for data in result["networks"]]
    return f"""### {result['threads']} cores

The same comparison. {machine(result)}

{table(["network", "cone", "PyG", "times faster"], rows)}
"""


def epoch():
    parts = {"comparison": epoch_comparison, "comparison_16_cores": epoch_wide,
             "scaling": epoch_scaling,
             "growth": epoch_sizes("Scaling with the edges", "growth", " The time per edge rises until rows no longer fit into cache."),
             "fit": epoch_fit}
    # The record's "million" repeats the last row of "growth".
    result = record("epoch")
    sections = [render(result[name]) for name, render in parts.items() if name in result]
    return "\n".join(["## One training epoch\n", *sections])


def main():
    text = "\n".join([
        "# Benchmarks\n\nWritten by `scripts/render_benchmarks.py` from the records in `bench/results`. Ratios compare alternating runs "
        "and are\nmore reliable than seconds.\n",
        section("Loading", "loader", loader), section("Topic model", "lda", topics),
        section("Synthetic networks", "network", network), section("One training epoch", "epoch", epoch),
        section("Doubly robust estimation without a network", "tabular", tabular),
        section("The network ridge", "network_ridge", network_ridge),
        section("Distributed engine", "ranks", ranks),
        section("Inference", "inference", inference)])
    (ROOT / "docs/benchmarks.md").write_text(text)
    write_scale()


if __name__ == "__main__":
    main()
