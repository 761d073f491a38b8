#!/usr/bin/env python3
"""Seconds of standard errors under dependence and of joint comparisons, after fitting.

    ./dev bench inference
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import environment, parser, run_json, write_json  # noqa: E402

# name, nodes, edges, policies
SETTINGS = [("BlogCatalog's size", 5_200, 172_000, 20),
            ("Flickr's size", 7_500, 240_000, 20),
            ("a million nodes", 1_000_000, 25_000_000, 3)]


def main():
    args = parser(__doc__).parse_args()
    result = {"benchmark": "inference", **environment(args.bin), "settings": []}
    columns = "{:<19}{:>10}{:>12}{:>10}{:>9}{:>11}{:>10}{:>12}{:>9}"
    print(columns.format("setting", "nodes", "edges", "policies", "threads", "prepare s", "errors s",
                         "compare s", "Moran s"))
    for name, nodes, edges, policies in SETTINGS:
        run = run_json([args.bin / "inference_bench", nodes, edges, policies, args.threads])
        print(columns.format(name, nodes, run["edges"], policies, run["threads"],
                             f"{run['prepare_seconds']:.2f}", f"{run['errors_seconds']:.2f}",
                             f"{run['comparison_seconds']:.3f}", f"{run['association_seconds']:.2f}"),
              flush=True)
        result["settings"].append({"name": name, "run": run})
    write_json(args.json, result)


if __name__ == "__main__":
    main()
