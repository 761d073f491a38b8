#!/usr/bin/env python3
"""`cone evaluate --engine petsc` on several hosts: what links cost.

    ./dev bench hosts [--nodes N] [--hosts H...] [--links LINK...] [--repeats R]

Hosts are network namespaces of this machine (tests/support/hosts.py, needs root), with one rank each,
joined by links that each host may fill to so many megabits per second; "1000+1" adds a delay of
1 ms each way. "loopback": the same ranks without namespaces, by TCP over the loopback device. As
hosts share the cores of one machine, times are published as ratios to those over loopback only.

Synthetic networks (geometric and social) with 20 neighbours and 5 counts per node, one policy, without
sensitivity intervals and joint model, and with the variances of a model file, so that the network ridge
does little but iterate. Per iteration: bytes that ranks send, their collectives and exchanges, the time,
and its share in collectives, including waiting for others. For the complete run: bytes on the wire,
with all headers. Links take turns; medians of the repeats.
"""

import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, environment, mpirun, parser, simulate, time_json, write_json  # noqa: E402

sys.path.insert(0, str(ROOT / "tests/support"))
from hosts import Hosts, why_no_hosts  # noqa: E402

LOOPBACK = "loopback"
LINE = "{:<11}{:>6} {:<10}{:>9}{:>10}{:>10}{:>10}{:>9}{:>10}"


def hosts_of(count, link):
    """The hosts of a link, "MEGABITS" or "MEGABITS+MILLISECONDS"; nothing for loopback."""
    if link == LOOPBACK:
        return contextlib.nullcontext()
    megabits, _, delay = link.partition("+")
    return Hosts(count, megabits=float(megabits), delay=float(delay or 0) / 1000)


def fit(args, folder):
    """A model file of the network ridge."""
    command = [args.bin / "cone", "fit", folder, "--parts", "network_ridge", "--ridge-groups",
               "own,neighbour_sums,neighbour_effects", "--ridge-solver", "iterative", "--out",
               folder / "model", "--quiet"]
    if subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit("cone fit failed")


def measure(args, folder, count, link):
    evaluation = ["evaluate", folder, "--engine", "petsc", "--model", folder / "model", "--policy",
                  "treat-all", "--estimators", "network_dm", "--no-sensitivity-interval",
                  "--no-joint-model", "--quiet", "--json", "-"]
    with hosts_of(count, link) as hosts:
        start = hosts.mpirun(count) if hosts else [
            *mpirun(count), "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "--mca",
            "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"]
        record, seconds, _ = time_json([*start, args.bin / "petsc/cone", *evaluation])
        wire = hosts.sent_bytes() if hosts else None
    phase = record["engine"]["phases"]["network_ridge"]
    iterations = record["diagnostics"]["network_ridge"]["iterations"]
    return {"nodes": record["data"]["num_nodes"], "edges": record["data"]["num_edges"],
            "value": record["policies"][0]["estimates"][0]["value"],
            "seconds": seconds, "iterations": iterations, "wire_bytes": wire,
            "sent_bytes": record["engine"]["sent_bytes"],
            "largest_ghosts": record["engine"]["largest_ghosts"],
            "sent_bytes_per_iteration": phase["sent_bytes"] / iterations,
            "exchanges_per_iteration": phase["exchanges_per_rank"] / iterations,
            "seconds_per_iteration": phase["seconds"] / iterations,
            "exchanging_share": phase["exchanging_seconds"] / phase["seconds"]}


def median_of(runs):
    """Times and shares by their medians; all else is that of the first run."""
    def varies(key):
        return "seconds" in key or key.endswith("share")
    return {key: statistics.median(run[key] for run in runs) if varies(key) else value
            for key, value in runs[0].items()}


def measure_links(args, folder, count):
    """One row per link."""
    runs = {link: [] for link in args.links}
    for _ in range(args.repeats):
        for link in args.links:
            runs[link].append(measure(args, folder, count, link))
    rows = {link: median_of(of_link) for link, of_link in runs.items()}
    for link, row in rows.items():
        row.update(link=link, hosts=count)
        if LOOPBACK in rows:
            alone = rows[LOOPBACK]
            row["times_loopback_per_iteration"] = (row["seconds_per_iteration"]
                                                   / alone["seconds_per_iteration"])
            row["times_loopback"] = row["seconds"] / alone["seconds"]
            row["difference_in_value"] = abs(row["value"] - alone["value"])
    return list(rows.values())


def show(row):
    wire = row["wire_bytes"]
    print(LINE.format(row["layout"], row["hosts"], row["link"],
                      f"{row['largest_ghosts']:,}", f"{row['sent_bytes_per_iteration'] / 1e6:.2f} MB",
                      f"{wire / 1e6:.0f} MB" if wire is not None else "",
                      f"{1e3 * row['seconds_per_iteration']:.1f} ms",
                      f"{100 * row['exchanging_share']:.0f} %",
                      f"{row.get('times_loopback_per_iteration', 0):.2f} x"), flush=True)


def parse_args():
    arguments = parser(__doc__)
    arguments.add_argument("--nodes", type=int, default=20_000)
    arguments.add_argument("--hosts", type=int, nargs="+", default=[2, 4])
    arguments.add_argument("--links", nargs="+", default=[LOOPBACK, "10000", "1000", "1000+1"])
    arguments.add_argument("--layouts", nargs="+", default=["geometric", "social"])
    arguments.add_argument("--repeats", type=int, default=3)
    return arguments.parse_args()


def main():
    args = parse_args()
    if not (args.bin / "petsc/cone").exists():
        sys.exit("bin/petsc/cone does not exist: build it with ./dev petsc")
    if why_no_hosts():
        sys.exit(why_no_hosts())
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    record = {"benchmark": "hosts", **environment(args.bin), "runs": []}
    print(LINE.format("network", "hosts", "link", "ghosts", "sent/it.", "wire", "time/it.",
                      "waiting", "loopback"))
    for layout in args.layouts:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "data"
            simulate(args.bin, folder, "--nodes", args.nodes, "--mean-degree", 20, "--words", 200,
                     "--words-per-node", 5, "--noise", 1, "--layout", layout)
            fit(args, folder)
            for count in args.hosts:
                for row in measure_links(args, folder, count):
                    row["layout"] = layout
                    show(row)
                    record["runs"].append(row)
                    write_json(args.json, record)


if __name__ == "__main__":
    main()
