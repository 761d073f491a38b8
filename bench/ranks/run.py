#!/usr/bin/env python3
"""`cone evaluate --engine petsc` (MPI ranks) against threads of one process on the same cores.

    ./dev bench ranks [--nodes N...] [--ranks R...] [--threads-beside T...]

Synthetic networks with 25 edges and 20 count features per node, two policies, complete runs: reading,
variances of both arms, five folds, values and standard errors, without sensitivity intervals. Every
number of ranks runs before as many threads of one process, in the given order. All runs are compared
with the first run of threads, or with the first run as long as there is none. Runs with more ranks than
cores (mpirun --oversubscribe) are marked: their times say nothing about ranks on separate cores.

Every run is printed and written to --json when it is done. An interrupted benchmark can be resumed by
the same command: runs of the same commit, size and number of ranks are not repeated.
"""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import (CORES, environment, mpirun, parser, simulate, time_json, write_json)  # noqa: E402

NODES = [800, 8_000, 40_000, 400_000]
RANKS = [1, 2, 4]
LINE = "{:>9} {:>11} {:<22}{:>9}{:>8}{:>7}{:>12}{:>10}{:>8}{:>10}{:>10}"
HEADER = ("nodes", "edges", "", "wall s", "GiB", "iter.", "MB / iter.", "coll./it.", "comm.",
          "values", "errors")


def evaluate(args, folder, *options):
    return ["evaluate", folder, "--policy", "treat-all", "treat-none", "--estimators", args.estimator,
            "--no-sensitivity-interval", "--no-joint-model", "--quiet", "--json", "-", *options]


def summarise(record, seconds, usage):
    estimates = {policy["name"]: policy["estimates"][0] for policy in record["policies"]}
    ridge = record["diagnostics"]["network_ridge"]
    return {"nodes": record["data"]["num_nodes"], "edges": record["data"]["num_edges"],
            "seconds": seconds, "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "phase_seconds": record["timing_seconds"], "iterations": ridge["iterations"],
            "converged": ridge["converged"],
            "values": {name: row["value"] for name, row in estimates.items()},
            "standard_errors": {name: row["standard_error"] for name, row in estimates.items()}}


def run_threads(args, folder, threads):
    command = [args.bin / "cone", *evaluate(args, folder, "--threads", threads)]
    record, seconds, usage = time_json(command)
    return {**summarise(record, seconds, usage), "peak_bytes": usage.ru_maxrss * 1024}


def run_ranks(args, folder, ranks):
    command = [*mpirun(ranks), args.bin / "petsc/cone", *evaluate(args, folder, "--engine", "petsc")]
    record, seconds, usage = time_json(command)
    engine = record["engine"]
    return {**summarise(record, seconds, usage), "peak_bytes": engine["largest_peak_bytes"],
            "oversubscribed": ranks > CORES, "engine": engine, **per_iteration(record)}


def per_iteration(record):
    """Traffic of the network ridge, mostly of its conjugate gradients, by iteration."""
    phase = record["engine"]["phases"]["network_ridge"]
    iterations = record["diagnostics"]["network_ridge"]["iterations"]
    if iterations == 0:  # small arms: dense solver
        return {}
    return {"sent_bytes_per_iteration": phase["sent_bytes"] / iterations,
            "exchanges_per_iteration": phase["exchanges_per_rank"] / iterations}


def compare_with_reference(runs):
    """Largest differences between runs on the same data, relative for figures larger than 1."""
    reference = next((run for run in runs if "threads" in run), runs[0])
    for run in runs:
        if run is not reference:
            compare(run, reference)


def compare(run, reference):
    for name in ("values", "standard_errors"):
        run[f"largest_difference_in_{name}"] = max(
            abs(run[name][policy] - value) / max(1.0, abs(value))
            for policy, value in reference[name].items())


def show(run):
    engine = run.get("engine")
    how = f"{run['ranks']} rank(s)" if engine else f"{run['threads']} thread(s)"
    sent = run.get("sent_bytes_per_iteration")
    cells = [f"{run['nodes']:,}", f"{run['edges']:,}", how,
             f"{run['seconds']:.1f}" + ("*" if run.get("oversubscribed") else ""),
             f"{run['peak_bytes'] / 2**30:.2f}", run["iterations"] or "-",
             f"{sent / 1e6:.2f}" if sent is not None else "",
             f"{run['exchanges_per_iteration']:.0f}" if sent is not None else "",
             f"{100 * engine['exchanging_seconds'] / run['seconds']:.0f} %" if engine else ""]
    for name in ("values", "standard_errors"):
        difference = run.get(f"largest_difference_in_{name}")
        cells.append("" if difference is None else f"{difference:.0e}")
    print(LINE.format(*cells), flush=True)


class Runs:
    """The runs so far, in the file --json."""

    def __init__(self, args):
        self.path, self.record = args.json, {"benchmark": "ranks", **environment(args.bin),
                                             "estimator": args.estimator, "runs": []}
        if self.path is not None and self.path.exists():
            before = json.loads(self.path.read_text())
            if before.get("commit") == self.record["commit"]:
                self.record["runs"] = before["runs"]

    def find(self, key):
        return [run for run in self.record["runs"] if key.items() <= run.items()]

    def make_and_show(self, size, how, compute):
        """Prints the run of this size and configuration; computes it unless it is recorded."""
        if not self.find({**size, **how}):
            self.record["runs"].append({**size, **how, **compute()})
            compare_with_reference(self.find(size))
            write_json(self.path, self.record)
        show(self.find({**size, **how})[0])


def run_size(args, runs, nodes):
    size = {"asked_nodes": nodes, "layout": args.layout, "mean_degree": args.mean_degree,
            "words_per_node": args.words_per_node}
    with tempfile.TemporaryDirectory(dir=args.scratch) as scratch:
        folder = pathlib.Path(scratch) / "data"

        def with_data(run, *how):
            if not folder.exists():  # simulated for the first run only
                simulate(args.bin, folder, "--nodes", nodes, "--mean-degree", args.mean_degree,
                         "--words-per-node", args.words_per_node, "--layout", args.layout)
            return run(args, folder, *how)

        for count in args.ranks:
            runs.make_and_show(size, {"ranks": count},
                               lambda count=count: with_data(run_ranks, count))
            if count in args.threads_beside:
                runs.make_and_show(size, {"threads": count},
                                   lambda count=count: with_data(run_threads, count))


def parse_args():
    arguments = parser(__doc__)
    arguments.add_argument("--nodes", type=int, nargs="+", default=NODES)
    arguments.add_argument("--ranks", type=int, nargs="+", default=RANKS,
                           help="numbers of ranks")
    arguments.add_argument("--threads-beside", type=int, nargs="*",
                           help="ranks to compare with as many threads (default: up to the cores)")
    arguments.add_argument("--mean-degree", type=int, default=50)
    arguments.add_argument("--words-per-node", type=int, default=20)
    arguments.add_argument("--layout", default="social", help="--layout of cone simulate")
    arguments.add_argument("--estimator", default="network_dm", help="estimator to time")
    arguments.add_argument("--scratch", type=pathlib.Path, help="folder for temporary data")
    args = arguments.parse_args()
    if args.threads_beside is None:
        args.threads_beside = [count for count in args.ranks if count <= CORES]
    return args


def main():
    args = parse_args()
    if not (args.bin / "petsc/cone").exists():
        sys.exit("bin/petsc/cone does not exist: build it with ./dev petsc")
    print(LINE.format(*HEADER))
    runs = Runs(args)
    for nodes in sorted(args.nodes):
        run_size(args, runs, nodes)
    print("* more ranks than cores")


if __name__ == "__main__":
    main()
