#!/usr/bin/env python3
"""Expected and measured run times of commands, to recalibrate the rates in
src/nuisance/fit_cost.cpp, src/network_ridge/ridge_cost.cpp and src/evaluate/workload.cpp.

    ./dev bench forecast --threads 1
    ./dev bench forecast --threads 1 --commands network_dm,learn --nodes 1000,5000

Measured is CPU time divided by the number of threads. A forecast should be within a factor of 1.5.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import environment, parser, run_json, write_json  # noqa: E402

COMMANDS = "evaluate,network_dm,effects,learn,sensitivity,refute,fit"


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--commands", default=COMMANDS)
    arguments.add_argument("--nodes", default="1000,5000,20000")
    arguments.add_argument("--neighbours", default="0,10", help="mean number per node")
    arguments.add_argument("--columns", default="20")
    args = arguments.parse_args()
    result = {"benchmark": "forecast", **environment(args.bin), "threads": args.threads, "runs": []}
    columns = "{:<12}{:>8}{:>11}{:>9}{:>11}{:>11}{:>8}  {}"
    print(columns.format("command", "nodes", "neighbours", "columns", "forecast s", "measured s", "ratio",
                         "part: forecast / measured"))
    for command in args.commands.split(","):
        for nodes in args.nodes.split(","):
            for neighbours in args.neighbours.split(","):
                run = run_json([args.bin / "forecast_bench", command, nodes, neighbours, args.columns,
                                args.threads])
                names = [*run["expected"], *(n for n in run["measured"] if n not in run["expected"])]
                parts = [f"{n} {run['expected'].get(n, 0):.1f} / {run['measured'].get(n, 0):.1f}"
                         for n in names if max(run["expected"].get(n, 0), run["measured"].get(n, 0)) > 0.1]
                ratio = run["expected_seconds"] / max(1e-9, run["measured_seconds"])
                print(columns.format(command, nodes, neighbours, args.columns,
                                     f"{run['expected_seconds']:.1f}", f"{run['measured_seconds']:.1f}",
                                     f"{ratio:.2f}", ", ".join(parts)), flush=True)
                result["runs"].append({"command": command, "nodes": int(nodes),
                                       "neighbours": int(neighbours), **run})
    write_json(args.json, result)


if __name__ == "__main__":
    main()
