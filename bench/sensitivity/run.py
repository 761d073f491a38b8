#!/usr/bin/env python3
"""Seconds of sensitivity curves and breakdowns after fitting.

    ./dev bench sensitivity
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import environment, parser, run_json, write_json  # noqa: E402

# name, nodes, arms, policies, lambdas
SETTINGS = [("Flickr's size", 7_500, 2, 20, 50),
            ("five arms", 7_500, 5, 20, 50),
            ("a million nodes", 1_000_000, 2, 3, 25)]


def main():
    args = parser(__doc__).parse_args()
    result = {"benchmark": "sensitivity", **environment(args.bin), "settings": []}
    columns = "{:<17}{:>10}{:>6}{:>10}{:>9}{:>9}{:>10}{:>13}"
    print(columns.format("setting", "nodes", "arms", "policies", "lambdas", "threads", "curves s",
                         "breakdowns s"))
    for name, nodes, arms, policies, lambdas in SETTINGS:
        for threads in sorted({1, args.threads}):
            run = run_json([args.bin / "sensitivity_bench", nodes, arms, policies, lambdas, threads])
            print(columns.format(name, nodes, arms, policies, lambdas, threads,
                                 f"{run['curve_seconds']:.3f}", f"{run['breakdown_seconds']:.3f}"),
                  flush=True)
            result["settings"].append({"name": name, "run": run})
    write_json(args.json, result)


if __name__ == "__main__":
    main()
