#!/usr/bin/env python3
"""Times the loader against pandas + SciPy on the same files and cores.

    bench/loader/run.py --bin build/release/bin [--nodes N --edges M] [--json out.json]

Needs the programs of -DCONE_BUILD_BENCHMARKS=ON, and pandas and SciPy. Each variant is generated,
then loaded in turn by both, `--repeats` times, and the medians are compared. Data stay in the page
cache, so this measures parsing and building, not the disk.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VARIANTS = [("text ids (u0, u1, ...)", "u", "str"), ("integer ids (0, 1, ...)", "", "int64")]


def run_json(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def median_of(runs):
    middle = dict(runs[0])
    for key in ("seconds", "cpu_seconds", "peak_bytes"):
        middle[key] = statistics.median(run[key] for run in runs)
    middle["all_seconds"] = [run["seconds"] for run in runs]
    return middle


def measure(args, prefix, id_type):
    with tempfile.TemporaryDirectory(dir=args.scratch) as scratch:
        folder = str(Path(scratch) / "data")
        sizes = [str(args.nodes), str(args.edges), str(args.features)]
        subprocess.run([args.bin / "bench_loader_generate", folder, *sizes, prefix], check=True)
        ours, peers = [], []
        for _ in range(args.repeats):
            ours.append(run_json([args.bin / "bench_loader", folder, str(args.threads)]))
            peers.append(run_json([sys.executable, HERE / "pandas_loader.py", folder, id_type]))
    for key in ("num_nodes", "num_edges", "num_feature_values"):
        if ours[0][key] != peers[0][key]:
            raise SystemExit(f"the loaders disagree on {key}: {ours[0][key]}, {peers[0][key]}")
    return median_of(ours), median_of(peers)


def hardware():
    model = next(
        (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line), ""
    )
    return {
        "cpu": model,
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "load_average": os.getloadavg()[0],
    }


def commit():
    def git(*words):
        command = ["git", "-C", HERE, *words]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()

    return git("rev-parse", "HEAD") + ("+changes" if git("status", "--porcelain", "-uno") else "")


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=Path, required=True, help="folder of the built programs")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=25_000_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--threads", type=int, default=0, help="0: one a core")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--scratch", help="folder for the generated data")
    parser.add_argument("--json", type=Path, help="write the results here as well")
    return parser.parse_args()


def main():
    args = parse_args()
    result = {"commit": commit(), "hardware": hardware(), "variants": []}
    columns = "{:<24} {:>7} {:>7} {:>7} {:>6} {:>7} {:>12} {:>10} {:>10}"
    print(columns.format("variant", "cone s", "cpu s", "pandas", "cpu s", "ratio", "peak / kept",
                         "cone MB", "pandas MB"))
    for name, prefix, id_type in VARIANTS:
        ours, peer = measure(args, prefix, id_type)
        ratio = peer["seconds"] / ours["seconds"]
        peak_ratio = ours["peak_bytes"] / ours["kept_bytes"]
        print(columns.format(name, f"{ours['seconds']:.2f}", f"{ours['cpu_seconds']:.2f}",
                             f"{peer['seconds']:.2f}", f"{peer['cpu_seconds']:.2f}",
                             f"{ratio:.1f}", f"{peak_ratio:.2f}",
                             f"{ours['peak_bytes'] / 1e6:.0f}", f"{peer['peak_bytes'] / 1e6:.0f}"),
              flush=True)
        result["variants"].append({"name": name, "nodes": args.nodes, "edges": args.edges,
                                   "features": args.features, "cone": ours, "pandas": peer,
                                   "times_faster": ratio, "peak_over_kept": peak_ratio})
    if args.json:
        args.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
