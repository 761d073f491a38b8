#!/usr/bin/env python3
"""One training epoch of the representations, compared with PyTorch Geometric on the same data and cores.

    ./dev bench epoch --peer-python PYTHON      # of an environment with the peer's packages
    ./dev bench epoch --scaling | --growth | --million | --fit

An epoch is a full-batch step: two towers of one attention layer (4 heads of 16), outcome head and critic
of 64 hidden units, the complete objective on 60 % of the nodes, the losses of the 20 % for validation, Adam.
Real networks have the features of `cone simulate --network` (the union of each topic's top words, 100 per
topic on BlogCatalog and 25 on Flickr); they are skipped where the files are missing. Our runs and the peer's
alternate; times are medians over the epochs of a run, then over runs. The parts of an epoch are timed
separately on the same operands, and `rest` is the remainder. GB/s counts every row that a kernel reads, from
any cache.

--scaling, --growth, --million and --fit need no peer and replace the comparison: --scaling is over 1, 2, 4, 8
and 16 threads, --growth over the number of edges, both on synthetic networks, --million a million nodes with
50 million directed edges on two threads, --fit complete processes of `cone fit --parts networks` (five folds)
with one thread and with all. Each run replaces its own part of the file that --json names.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, data_folder, environment, parser, run_json, write_json  # noqa: E402

REAL = {"BlogCatalog": 100, "Flickr": 25}  # top words per topic
PEER = ROOT / "bench/peers/pyg_cone.py"
# Directed edges and nodes: degrees grow slowly with the size, as they do in social networks.
GROWTH = [(10_000, 500), (100_000, 3_125), (1_000_000, 25_000), (10_000_000, 200_000),
          (50_000_000, 1_000_000)]
LOSS_TOLERANCE = 1e-4


def epoch(args, threads, epochs, *more):
    return run_json([args.bin / "epoch_bench", "--threads", threads, "--epochs", epochs, *more])


def networks(args):
    """Name and arguments of each available network."""
    for name, top_words in REAL.items():
        path = args.data / f"{name}.mat"
        if path.exists():
            yield name, ["--mat", path, "--top-words", top_words]
        else:
            print(f"{name}: skipped, {path.name} is not in {path.parent} (--data)")
    yield "synthetic", []


def has_peer(python):
    probe = "import torch, torch_geometric, scipy"
    return python is not None and subprocess.run([python, "-c", probe],
                                                 capture_output=True).returncode == 0


def check_same_model(ours, peer):
    """From the same weights both must have the same losses, or the times are not comparable."""
    differences = {name: abs(ours["first_losses"][name] - value)
                   for name, value in peer["first_losses"].items()}
    if max(differences.values()) > LOSS_TOLERANCE or ours["parameters"] != peer["parameters"]:
        sys.exit(f"the peer's model is another one: losses differ by {differences}, parameters "
                 f"{ours['parameters']} and {peer['parameters']}")
    return max(differences.values())


def compare(args, name, source, scratch):
    ours, peers = [], []
    for _ in range(args.repeats):
        ours.append(epoch(args, args.threads, args.epochs, *source,
                          *(["--peer-folder", scratch] if args.peer_python else [])))
        if args.peer_python:
            peers.append(run_json([args.peer_python, PEER, scratch, "--threads", args.threads,
                                   "--epochs", args.peer_epochs]))
    # The run with the median epoch represents all.
    run = sorted(ours, key=lambda r: r["epoch_seconds"])[len(ours) // 2]
    result = {"network": name, "run": run, "epoch_seconds": run["epoch_seconds"],
              "fastest_epoch_seconds": min(r["fastest_epoch_seconds"] for r in ours),
              "all_epoch_seconds": [r["epoch_seconds"] for r in ours]}
    if peers:
        result["largest_loss_difference"] = check_same_model(run, peers[0])
        result["peer"] = {**peers[0],
                          "epoch_seconds": statistics.median(p["epoch_seconds"] for p in peers),
                          "fastest_epoch_seconds": min(p["fastest_epoch_seconds"] for p in peers),
                          "all_epoch_seconds": [p["epoch_seconds"] for p in peers]}
        result["times_faster"] = result["peer"]["epoch_seconds"] / run["epoch_seconds"]
        result["times_faster_fastest"] = (result["peer"]["fastest_epoch_seconds"]
                                          / result["fastest_epoch_seconds"])
    return result


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f}"


def print_comparison(result):
    run, limits = result["run"], result["run"]["limits"]
    print(f"\n{result['network']}: {run['nodes']} nodes, {run['directed_edges']} directed edges, "
          f"{run['features']} features with {run['entries']} entries, {run['threads']} thread(s)")
    row = "  {:<22}{:>12}{:>12}{:>10}{:>9}{:>10}{:>9}"
    print(row.format("", "median ms", "fastest ms", "MB", "GB/s", "Mflop", "GFLOP/s"))
    for phase in run["phases"]:
        seconds, counts = phase["seconds"], ["", "", "", ""]
        if phase["bytes"] > 0:
            counts = [f"{phase['bytes'] / 1e6:.1f}", f"{phase['bytes'] / seconds / 1e9:.1f}",
                      f"{phase['flops'] / 1e6:.1f}", f"{phase['flops'] / seconds / 1e9:.1f}"]
        print(row.format(phase["name"], milliseconds(seconds),
                         milliseconds(phase["fastest_seconds"]), *counts))
    rest = run["epoch_seconds"] - sum(phase["seconds"] for phase in run["phases"])
    print(row.format("rest", milliseconds(rest), "", "", "", "", ""))
    print(row.format("epoch", milliseconds(result["epoch_seconds"]),
                     milliseconds(result["fastest_epoch_seconds"]), "", "", "", ""))
    if "peer" in result:
        peer = result["peer"]
        print(row.format("PyTorch Geometric", milliseconds(peer["epoch_seconds"]),
                         milliseconds(peer["fastest_epoch_seconds"]), "", "", "", ""))
        print(f"  {result['times_faster']:.1f} times faster by medians, "
              f"{result['times_faster_fastest']:.1f} by the fastest epochs; from the same weights "
              f"the losses differ by {result['largest_loss_difference']:.1e} at most")
    print(f"  this machine: copies {limits['cache_copy_gigabytes_a_second']} GB/s in cache and "
          f"{limits['memory_copy_gigabytes_a_second']} GB/s in memory, {limits['gigaflops']} "
          f"GFLOP/s, {limits['region_microseconds']} µs to start and end parallel work", flush=True)


def comparison(args):
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, source in networks(args):
            results.append(compare(args, name, source, scratch))
            print_comparison(results[-1])
    return {"networks": results}


def scaling(args):
    cores = len(os.sched_getaffinity(0))
    counts = sorted({t for t in (1, 2, 4, 8, 16, cores) if t <= cores})
    sizes = {"5,200 nodes": ["--nodes", 5_200], "100,000 nodes": ["--nodes", 100_000]}
    runs = []
    for name, source in sizes.items():
        print(f"\n{name}: milliseconds per epoch\n{'threads':>9}{'median':>10}{'fastest':>10}"
              f"{'speed-up':>10}")
        base = None
        for threads in counts:
            run = epoch(args, threads, args.epochs, "--whole-only", *source)
            base = base or run["epoch_seconds"]
            print(f"{threads:>9}{milliseconds(run['epoch_seconds']):>10}"
                  f"{milliseconds(run['fastest_epoch_seconds']):>10}"
                  f"{base / run['epoch_seconds']:>10.2f}", flush=True)
            runs.append({"network": name, **run, "speed_up": base / run["epoch_seconds"]})
    return {"runs": runs}


def print_large(run):
    print(f"{run['directed_edges']:>14,}{run['nodes']:>12,}{run['epochs']:>8}"
          f"{run['epoch_seconds']:>14.4f}{run['epoch_seconds'] / run['directed_edges'] * 1e9:>12.1f}"
          f"{run['data_peak_bytes'] / 2**30:>11.2f}{run['peak_bytes'] / 2**30:>11.2f}", flush=True)


LARGE_HEADER = (f"{'directed edges':>14}{'nodes':>12}{'epochs':>8}{'epoch s':>14}{'ns per edge':>12}"
                f"{'data GiB':>11}{'peak GiB':>11}")


def growth(args):
    print(LARGE_HEADER)
    runs = []
    for edges, nodes in GROWTH:
        epochs = max(3, min(args.epochs, 20_000_000 // edges))
        run = epoch(args, args.threads, epochs, "--whole-only", "--nodes", nodes,
                    "--mean-degree", edges / nodes)
        print_large(run)
        runs.append(run)
    return {"runs": runs}


def million(args):
    print(LARGE_HEADER)
    run = epoch(args, 2, 3, "--whole-only", "--nodes", 1_000_000, "--mean-degree", 50)
    print_large(run)
    return {"runs": [run]}


def fit(args):
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as scratch:
        data, model = pathlib.Path(scratch) / "data", pathlib.Path(scratch) / "model"
        subprocess.run([args.bin / "cone", "simulate", "--nodes", "5200", "--seed", "1", "--quiet",
                        "--out", data], check=True)
        seconds = {1: [], cores: []}
        for _ in range(args.repeats):  # alternating, under the same conditions
            for threads, found in seconds.items():
                start = time.perf_counter()
                subprocess.run([args.bin / "cone", "fit", data, "--parts", "networks", "--quiet",
                                "--threads", str(threads), "--out", model], check=True)
                found.append(time.perf_counter() - start)
    runs = [{"threads": threads, "seconds": statistics.median(found), "all_seconds": found}
            for threads, found in seconds.items()]
    speed_up = runs[0]["seconds"] / runs[-1]["seconds"]
    for run in runs:
        print(f"{run['threads']:>3} thread(s): {run['seconds']:.2f} s")
    print(f"{speed_up:.2f} times faster")
    return {"nodes": 5_200, "folds": 5, "runs": runs, "speed_up": speed_up}


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--data", type=pathlib.Path, default=data_folder(),
                           help="folder of BlogCatalog.mat and Flickr.mat")
    arguments.add_argument("--peer-python", help="an interpreter with the peer's packages")
    arguments.add_argument("--epochs", type=int, default=100, help="per run of ours")
    arguments.add_argument("--peer-epochs", type=int, default=10, help="per run of the peer")
    arguments.add_argument("--repeats", type=int, default=3, help="alternating runs of each")
    modes = arguments.add_mutually_exclusive_group()
    for mode in ("scaling", "growth", "million", "fit"):
        modes.add_argument(f"--{mode}", action="store_true")
    args = arguments.parse_args()
    mode = next((f for f in (scaling, growth, million, fit) if getattr(args, f.__name__)), comparison)
    if mode is comparison and not has_peer(args.peer_python):
        print("Without the peer: name an interpreter that has it with --peer-python "
              "(pip install torch torch_geometric numpy scipy).")
        args.peer_python = None
    record = {"benchmark": "epoch"}
    if args.json is not None and args.json.exists():
        record = json.loads(args.json.read_text())
    record[mode.__name__] = {**environment(args.bin), "threads": args.threads, **mode(args)}
    write_json(args.json, record)


if __name__ == "__main__":
    main()
