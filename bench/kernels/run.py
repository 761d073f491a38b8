#!/usr/bin/env python3
"""Every kernel of training in single precision, compared with the limits of the machine.

    ./dev bench kernels [--large]

On a synthetic network like BlogCatalog (5,200 nodes, 171,600 edges, 2,200 words), both towers in
one pass (8 heads of 16 columns), at one thread and at all. --large adds a million nodes and 25
million edges. GB/s counts every row that a kernel reads, from any cache, so it may exceed the
copy rate of memory.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import environment, parser, run_json, write_json  # noqa: E402

ROW = "{:<22}{:>12}{:>12}{:>12}{:>9}{:>12}{:>9}"


def print_run(name, run):
    limits = run["limits"]
    print(f"\n{name}: {run['nodes']} nodes, {run['edges']} edges, {run['entries']} words, "
          f"{run['heads']} heads of {run['size']}, {run['threads']} thread(s)")
    print(ROW.format("kernel", "median ms", "fastest ms", "MB", "GB/s", "Mflop", "GFLOP/s"))
    for kernel in run["kernels"]:
        seconds = kernel["seconds"]
        print(ROW.format(kernel["name"], f"{seconds * 1e3:.3f}",
                         f"{kernel['fastest_seconds'] * 1e3:.3f}", f"{kernel['bytes'] / 1e6:.1f}",
                         f"{kernel['bytes'] / seconds / 1e9:.1f}", f"{kernel['flops'] / 1e6:.1f}",
                         f"{kernel['flops'] / seconds / 1e9:.1f}"))
    print(f"this machine: copies {limits['cache_copy_gigabytes_a_second']} GB/s in cache and "
          f"{limits['memory_copy_gigabytes_a_second']} GB/s in memory, "
          f"{limits['gigaflops']} GFLOP/s, {limits['region_microseconds']} µs to start and end "
          "parallel work", flush=True)


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--large", action="store_true",
                           help="also a million nodes and 25 million edges")
    args = arguments.parse_args()
    networks = [("like BlogCatalog", 5_200, 66)]
    if args.large:
        networks.append(("large", 1_000_000, 50))
    result = {"benchmark": "kernels", **environment(args.bin), "runs": []}
    for name, nodes, degree in networks:
        for threads in sorted({1, args.threads}):
            run = run_json([args.bin / "kernels_bench", threads, nodes, degree])
            print_run(name, run)
            result["runs"].append({"network": name, **run})
    write_json(args.json, result)


if __name__ == "__main__":
    main()
