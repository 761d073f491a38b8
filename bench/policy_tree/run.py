#!/usr/bin/env python3
"""The exact tree of depth 2 compared with a plain implementation in NumPy.

    ./dev bench policy_tree [--without-peer]

Both use the same columns (normal, distinct values) and the same scores. The peer tries every root split and, on
both sides, every second split, by cumulative sums of sorted columns, as policytree (R, C++) does, in
O(columns^2 nodes^2 arms). Its value must equal that of the program.
Wall and CPU seconds of the search alone, best of three; CPU seconds of one run of the peer.
"""

import pathlib
import sys
import tempfile
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import environment, parser, run_json, write_json  # noqa: E402

SIZES = [(10_000, 50, 2, 2), (100_000, 10, 2, 2), (10_000, 50, 4, 2), (2_000, 20, 2, 3)]
PEER_SIZES = [(200, 5, 2, 2), (400, 5, 2, 2), (800, 5, 2, 2), (1_600, 5, 2, 2)]


def draw(nodes, columns, arms):
    """A weak rule in two columns under noise."""
    random = numpy.random.default_rng(1)
    x = random.normal(size=(nodes, columns))
    scores = random.normal(size=(nodes, arms))
    scores[:, 1] += 0.3 * numpy.where(x[:, 0] > 0.2, x[:, 1] < 0.5, -1)
    return x, scores


def best_stump(order, scores):
    """The largest sum with at most one split; `order` has the rows sorted by every column."""
    left = numpy.cumsum(scores[order], axis=0)  # nodes × columns × arms
    total = left[-1]
    split = left[:-1].max(axis=2) + (total - left[:-1]).max(axis=2)
    leaf = total[0].max()
    return max(leaf, split.max()) if len(split) else leaf


def peer(x, scores):
    """The exact mean score of depth 2, for columns of distinct values."""
    nodes, columns = x.shape
    order = numpy.argsort(x, axis=0, kind="stable")
    best = best_stump(order, scores)
    for root in range(columns):
        is_left = numpy.zeros(nodes, dtype=bool)
        for row in order[:-1, root]:
            is_left[row] = True
            sides = [order.T[mask[order.T]].reshape(columns, -1).T for mask in (is_left, ~is_left)]
            best = max(best, sum(best_stump(side, scores) for side in sides))
    return best / nodes


def run_program(args, folder, x, scores, depth):
    nodes, columns = x.shape
    path = folder / "table"
    path.write_bytes(x.astype("float64").tobytes() + scores.astype("float64").tobytes())
    runs = [run_json([args.bin / "tree_bench", path, nodes, columns, scores.shape[1], depth,
                      args.threads]) for _ in range(3)]
    return min(runs, key=lambda run: run["seconds"])


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--without-peer", action="store_true")
    args = arguments.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        print(f"{'nodes':>8} {'columns':>8} {'arms':>5} {'depth':>6} {'seconds':>9} {'CPU':>9} "
              f"{'numpy':>9}")
        for sizes, with_peer in ((PEER_SIZES, not args.without_peer), (SIZES, False)):
            for nodes, columns, arms, depth in sizes:
                x, scores = draw(nodes, columns, arms)
                row = {"nodes": nodes, "columns": columns, "arms": arms, "depth": depth,
                       **run_program(args, pathlib.Path(name), x, scores, depth)}
                if with_peer:
                    start = time.process_time()
                    value = peer(x, scores)
                    row["peer_cpu_seconds"] = time.process_time() - start
                    if abs(value - row["mean_score"]) > 1e-9:
                        sys.exit(f"the values differ: {value} and {row['mean_score']}")
                rows.append(row)
                text = f"{row['peer_cpu_seconds']:9.2f}" if with_peer else f"{'-':>9}"
                print(f"{nodes:8} {columns:8} {arms:5} {depth:6} {row['seconds']:9.3f} "
                      f"{row['cpu_seconds']:9.3f} {text}", flush=True)
    write_json(args.json, {**environment(args.bin), "threads": args.threads, "rows": rows})


if __name__ == "__main__":
    main()
