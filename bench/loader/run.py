#!/usr/bin/env python3
"""Times the loader and pandas + SciPy on the same files and cores.

    ./dev bench loader [--nodes N --edges M]

Needs pandas and SciPy. Each variant is generated, then loaded alternately by both, `--repeats` times, and
medians are compared. Data stay in the page cache, so this measures parsing and building, not the disk.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import environment, parser, run_json, write_json  # noqa: E402

VARIANTS = [("text ids (u0, u1, ...)", "u", "str"), ("integer ids (0, 1, ...)", "", "int64")]


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


def parse_args():
    arguments = parser(__doc__)
    arguments.add_argument("--nodes", type=int, default=1_000_000)
    arguments.add_argument("--edges", type=int, default=25_000_000)
    arguments.add_argument("--features", type=int, default=20)
    arguments.add_argument("--repeats", type=int, default=1)
    arguments.add_argument("--scratch", help="folder for the generated data")
    return arguments.parse_args()


def main():
    args = parse_args()
    result = {"benchmark": "loader", **environment(args.bin), "variants": []}
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
    write_json(args.json, result)


if __name__ == "__main__":
    main()
