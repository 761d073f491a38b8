#!/usr/bin/env python3
"""`cone evaluate --estimators network_dm` compared with libraries for Gaussian processes.

    ./dev bench network_ridge [--nodes N...] [--networks NAME...] [--peer-python PYTHON]
    ./dev bench network_ridge --growth [--growth-nodes N...]

Times include everything: reading the data, variances of both arms, five folds, three policies.
The peers fit the same model to the same data (see bench/peers/gaussian_process.py) and draw their
own folds; they give no standard errors and no sensitivity intervals. cone is timed with its
defaults and with --no-sensitivity-interval, which is closer to what the peers do. Wall seconds on
the same number of threads, alternating runs, medians (a peer that takes more than a minute runs
once); importing Python libraries is not counted. Without --peer-python, a virtual environment
with scikit-learn and GPyTorch (gigabytes, because of PyTorch) is created from PyPI in
build/bench; a peer that cannot be installed, fails or does not finish within --peer-limit seconds
is skipped, with the reason.

--growth needs cone only: time against the number of edges, 25 edges and 20 words per node, without
sensitivity intervals and without the joint model on request.
Each run replaces its own part of the file of --json and keeps the other.
"""

import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import (ROOT, data_folder, environment, make_peer_python, parser, simulate,  # noqa: E402
                    time_json, write_json, write_policy)

PEER = ROOT / "bench/peers/gaussian_process.py"
PACKAGES = ["numpy", "scipy", "pandas", "scikit-learn", "gpytorch"]
PEERS = {"scikit-learn": ["scikit-learn"], "GPyTorch, Cholesky": ["GPyTorch"],
         "GPyTorch, conjugate gradients": ["GPyTorch", "--solver", "cg"]}
TOP_WORDS = {"BlogCatalog": 100, "Flickr": 25}
LONG_SECONDS = 60  # a peer that takes longer runs once
GROWTH = [10_000, 30_000, 100_000, 300_000]


def run_cone(args, folder, policy, *options):
    """The values of the three policies by cone, and the time and memory of the process."""
    command = [args.bin / "cone", "evaluate", folder, "--target", "sample", "--policy", "treat-all", "treat-none", policy,
               "--estimators", args.estimator, "--threads", args.threads, "--quiet", "--json", "-",
               *options]
    record, seconds, usage = time_json(command)
    estimates = {policy["name"]: policy["estimates"][0] for policy in record["policies"]}
    return {"seconds": seconds, "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "peak_bytes": usage.ru_maxrss * 1024, "phase_seconds": record["timing_seconds"],
            "nodes": record["data"]["num_nodes"], "edges": record["data"]["num_edges"],
            "values": {name: estimate["value"] for name, estimate in estimates.items()},
            "standard_errors": {name: estimate["standard_error"]
                                for name, estimate in estimates.items()}}


def run_peer(args, python, name, folder, policy):
    """The same for a peer; the reason where it fails."""
    limits = {key: str(args.threads) for key in
              ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    library, *options = PEERS[name]
    command = [python, PEER, library, folder, "--policies", policy, "--threads", args.threads,
               *options]
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              env={**os.environ, **limits}, check=False, timeout=args.peer_limit)
    except subprocess.TimeoutExpired:
        return f"it did not finish in {args.peer_limit} seconds"
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        return f"it cannot be run ({lines[-1]})"
    return json.loads(done.stdout.splitlines()[-1])


def middle_of(runs):
    middle = dict(sorted(runs, key=lambda run: run["seconds"])[len(runs) // 2])
    middle["all_seconds"] = [run["seconds"] for run in runs]
    middle["seconds"] = statistics.median(middle["all_seconds"])
    return middle


def datasets(args):
    """Name and arguments of `cone simulate`, the smallest first."""
    for nodes in sorted(args.nodes):
        yield f"synthetic, {nodes:,} nodes", ["--nodes", nodes]
    for name in args.networks:
        path = args.data / f"{name}.mat"
        if path.exists():
            yield name, ["--network", path, "--top-words", TOP_WORDS[name]]
        else:
            print(f"{name}: skipped, {path.name} is not in {path.parent} (--data)")


def value_differences(ours, peer):
    """The largest difference of values in cone's standard errors; folds differ, so it is not 0."""
    pairs = zip(ours["values"].values(), peer["values"].values(), ours["standard_errors"].values())
    return max(abs(a - b) / error for a, b, error in pairs)


def compare(args, python, name, options, scratch):
    folder = pathlib.Path(scratch) / "data"
    simulate(args.bin, folder, *options)
    policy = write_policy(folder)
    runs, left_out = {}, {}
    for _ in range(args.repeats):  # alternating, so that all run under the same conditions
        runs.setdefault("cone", []).append(run_cone(args, folder, policy))
        runs.setdefault("bare", []).append(
            run_cone(args, folder, policy, "--no-sensitivity-interval"))
        for peer in PEERS:
            if peer in left_out or runs.get(peer, [{"seconds": 0}])[-1]["seconds"] > LONG_SECONDS:
                continue
            found = run_peer(args, python, peer, folder, policy)
            if isinstance(found, str):
                left_out[peer] = found
            else:
                runs.setdefault(peer, []).append(found)
    ours, bare = middle_of(runs.pop("cone")), middle_of(runs.pop("bare"))
    result = {"name": name, "cone": ours, "cone_without_sensitivity_interval": bare, "peers": {},
              "left_out": [f"{peer} is left out: {why}" for peer, why in left_out.items()]}
    print(f"\n{name}: {ours['nodes']:,} nodes, {ours['edges']:,} edges, {args.threads} thread(s)")
    line = "  {:<40}{:>10}{:>10}{:>10}{:>15}"
    print(line.format("", "wall s", "CPU s", "GiB", "values differ"))
    print(line.format("cone", *measures(ours), ""))
    print(line.format("cone --no-sensitivity-interval", *measures(bare), ""))
    for peer, found in runs.items():
        middle = middle_of(found)
        middle["largest_difference_in_standard_errors"] = value_differences(ours, middle)
        middle["times_slower"] = middle["seconds"] / ours["seconds"]
        result["peers"][peer] = middle
        print(line.format(f"{peer} ({middle['version']})", *measures(middle),
                          f"{middle['largest_difference_in_standard_errors']:.2f} SE"))
    if result["peers"]:
        fastest = min(result["peers"], key=lambda peer: result["peers"][peer]["seconds"])
        result["fastest_peer"] = fastest
        result["times_faster"] = result["peers"][fastest]["times_slower"]
        result["times_faster_without_sensitivity_interval"] = (
            result["peers"][fastest]["seconds"] / bare["seconds"])
        print(f"  cone is {result['times_faster']:.1f} times faster than {fastest}, "
              f"{result['times_faster_without_sensitivity_interval']:.1f} times with "
              f"--no-sensitivity-interval")
    for sentence in result["left_out"]:
        print(f"  {sentence}")
    sys.stdout.flush()
    return result


def measures(run):
    return (f"{run['seconds']:.2f}", f"{run['cpu_seconds']:.2f}",
            f"{run['peak_bytes'] / 2**30:.2f}")


def comparison(args):
    python = args.peer_python or make_peer_python("network_ridge_peers", PACKAGES)
    results = []
    for name, options in datasets(args):
        with tempfile.TemporaryDirectory() as scratch:
            results.append(compare(args, python, name, options, scratch))
    return {"datasets": results}


def growth_exponent(runs):
    """Slope of log seconds by log edges, least squares: 1 is time linear in edges."""
    x, y = ([math.log(run[key]) for run in runs] for key in ("edges", "seconds"))
    x_mean, y_mean = statistics.mean(x), statistics.mean(y)
    covariance = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y))
    return covariance / sum((a - x_mean) ** 2 for a in x)


def growth(args):
    line = "{:>12}{:>14}{:>12}{:>14}{:>10}"
    print(line.format("nodes", "edges", "wall s", "µs per edge", "GiB"))
    runs = []
    for nodes in sorted(args.growth_nodes):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "data"
            simulate(args.bin, folder, "--nodes", nodes, "--mean-degree", 50, "--words-per-node", 20)
            left_out = {"sensitivity_interval": args.no_sensitivity_interval,
                        "joint_model": args.no_joint_model}
            run = run_cone(args, folder, write_policy(folder),
                           *(f"--no-{part.replace('_', '-')}" for part, is_out in left_out.items() if is_out))
            run |= {part: not is_out for part, is_out in left_out.items()}
        runs.append(run)
        print(line.format(f"{run['nodes']:,}", f"{run['edges']:,}", f"{run['seconds']:.1f}",
                          f"{run['seconds'] / run['edges'] * 1e6:.2f}",
                          f"{run['peak_bytes'] / 2**30:.2f}"), flush=True)
    result = {"runs": runs}
    if len(runs) > 1:
        result["exponent"] = growth_exponent(runs)
        print(f"time grows as edges to the power {result['exponent']:.2f}")
    return result


def parse_args():
    arguments = parser(__doc__)
    arguments.add_argument("--nodes", type=int, nargs="*", default=[2_000],
                           help="sizes of synthetic networks to compare on")
    arguments.add_argument("--networks", nargs="*", choices=TOP_WORDS, default=list(TOP_WORDS),
                           help="real networks to compare on")
    arguments.add_argument("--data", type=pathlib.Path, default=data_folder(),
                           help="folder of BlogCatalog.mat and Flickr.mat")
    arguments.add_argument("--estimator", default="network_dm", help="estimator of cone to time")
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--peer-limit", type=float, default=900,
                           help="seconds per run of a peer")
    arguments.add_argument("--peer-python", type=pathlib.Path,
                           help="a Python with the peers installed")
    arguments.add_argument("--growth", action="store_true", help="time against edges, cone only")
    arguments.add_argument("--growth-nodes", type=int, nargs="+", default=GROWTH)
    arguments.add_argument("--no-sensitivity-interval", action="store_true",
                           help="growth without sensitivity intervals")
    arguments.add_argument("--no-joint-model", action="store_true", help="growth without the joint model")
    return arguments.parse_args()


def main():
    args = parse_args()
    mode = growth if args.growth else comparison
    record = {"benchmark": "network_ridge"}
    if args.json is not None and args.json.exists():
        record = json.loads(args.json.read_text())
    record[mode.__name__] = {**environment(args.bin), "threads": args.threads,
                             "estimator": args.estimator, **mode(args)}
    write_json(args.json, record)


if __name__ == "__main__":
    main()
