#!/usr/bin/env python3
"""What PT-Scotch makes of a network: neighbours who live elsewhere, work per process, and seconds.

    ./dev bench partition [--nodes N] [--ranks R...]

Generated networks, in the plane and social, with 20 neighbours per node, and BlogCatalog where its file
is there (--data). Of every run: the largest degree elsewhere and the largest share of the
work of one process, as the lines were read and as PT-Scotch proposes; whether `--partition auto`
moves units; and the seconds of asking and moving. The evaluation itself is the cheapest there is.
Every run is printed and written to --json when it is done.
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
        print(f"BlogCatalog: left out, {path.name} is not in {path.parent} (--data)")


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
        sys.exit("the program for many processes is not there: ./dev petsc builds it")
    record = {"benchmark": "partition", **environment(args.bin), "runs": []}
    print(LINE.format("network", "ranks", "neighbours elsewhere", "work over mean", "moved", "seconds"))
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
