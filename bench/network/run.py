#!/usr/bin/env python3
"""Time, memory and structure of synthetic networks, requested and realised.

    ./dev bench network
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import environment, parser, run_json, write_json  # noqa: E402

# name, nodes, mean degree, further options
SETTINGS = [("default", 5_200, 66, {}),
            ("no homophily", 5_200, 66, {"homophily": 0, "clustering": 0}),
            ("100 nodes", 100, 8, {}),
            ("a million nodes", 1_000_000, 50, {})]


def main():
    args = parser(__doc__).parse_args()
    result = {"benchmark": "network", **environment(args.bin), "settings": []}
    columns = "{:<17}{:>10}{:>12}{:>12}{:>9}{:>9}{:>9}{:>8}{:>9}{:>8}{:>10}{:>9}"
    print(columns.format("network", "nodes", "edges", "words", "seconds", "GiB", "sim. s", "degree",
                         "max", "tail", "clustering", "homoph."))
    for name, nodes, degree, options in SETTINGS:
        words = [word for pair in options.items() for word in pair]
        run = run_json([args.bin / "network_bench", nodes, degree, *words])
        print(columns.format(name, run["nodes"], run["edges"], run["word_entries"],
                             f"{run['generate_seconds']:.2f}",
                             f"{run['generate_peak_bytes'] / 2**30:.2f}",
                             f"{run['log_seconds']:.3f}", f"{run['mean_degree']:.2f}",
                             run["max_degree"], f"{run['tail_exponent']:.2f}",
                             f"{run['clustering']:.3f}", f"{run['assortativity']:.3f}"),
              flush=True)
        result["settings"].append({"name": name, "asked": {"nodes": nodes, "mean_degree": degree,
                                                           **options}, "run": run})
    write_json(args.json, result)


if __name__ == "__main__":
    main()
