#!/usr/bin/env python3
"""Partitions by PT-Scotch: ghosts, imbalance and time.

    ./dev bench partition [--nodes N] [--ranks R...]

Synthetic networks (geometric and social) with 20 neighbours per node, and BlogCatalog where its file
exists (--data). For every run: the largest number of ghosts of a rank and the imbalance (largest work of
a rank over the mean), as read and as proposed by PT-Scotch; whether `--partition auto` moves nodes; and
the seconds of PT-Scotch and moving. The evaluation itself uses the cheapest estimator. Every run is
printed and written to --json when it is done.
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import (data_folder, environment, mpirun, parser, simulate, time_json,  # noqa: E402
                    write_json)

LINE = "{:<22}{:>7}{:>22}{:>18}{:>8}{:>9}"


def networks(args):
    size = ["--nodes", args.nodes, "--mean-degree", 20, "--words", 40, "--words-per-node", 2]
    yield "in the plane", [*size, "--layout", "geometric"]
    yield "social", size
    path = args.data / "BlogCatalog.mat"
    if path.exists():
        yield "BlogCatalog", ["--network", path]
    else:
        print(f"BlogCatalog: skipped, {path.name} is not in {path.parent} (--data)")


def run(args, folder, ranks):
    command = [*mpirun(ranks), args.bin / "petsc/cone", "evaluate", folder, "--engine", "petsc",
               "--partition", "auto", "--estimators", "naive", "--policy", "uniform", "--no-sensitivity-interval",
               "--quiet", "--json", "-"]
    record, _, _ = time_json(command)
    engine = record["engine"]
    return {"nodes": record["data"]["num_nodes"], "edges": record["data"]["num_edges"],
            "ranks": ranks, "partition": engine["partition"],
            "seconds": engine["phases"]["partition"]["seconds"]}


def show(name, found):
    before, after = found["partition"]["as_read"], found["partition"]["proposed"]
    print(LINE.format(name, found["ranks"],
                      f"{before['largest_ghosts']:,} -> {after['largest_ghosts']:,}",
                      f"{before['imbalance']:.2f} -> {after['imbalance']:.2f}",
                      "yes" if found["partition"]["moved"] else "no", f"{found['seconds']:.1f} s"),
          flush=True)


def parse_args():
    arguments = parser(__doc__)
    arguments.add_argument("--nodes", type=int, default=50_000)
    arguments.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8])
    arguments.add_argument("--data", type=pathlib.Path, default=data_folder(),
                           help="folder of BlogCatalog.mat")
    return arguments.parse_args()


def main():
    args = parse_args()
    if not (args.bin / "petsc/cone").exists():
        sys.exit("bin/petsc/cone does not exist: build it with ./dev petsc")
    record = {"benchmark": "partition", **environment(args.bin), "runs": []}
    print(LINE.format("network", "ranks", "ghosts", "imbalance", "moved", "seconds"))
    for name, options in networks(args):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "data"
            simulate(args.bin, folder, *options)
            for ranks in sorted(args.ranks):
                found = {"network": name, **run(args, folder, ranks)}
                show(name, found)
                record["runs"].append(found)
                write_json(args.json, record)


if __name__ == "__main__":
    main()
