#!/usr/bin/env python3
"""Errors and coverage of the values of `cone learn` on simulated data.

    bench/policy_tree/held_out_value.py [--runs 100] [--nodes 500] [--columns 12] [--bin FOLDER]

Two data-generating processes, both randomised with probability 1/2, with normal features, noise of variance 1
and a ring of edges: one without effects, one with an effect of 0.4 where x1 > 0 and of -0.4 elsewhere. Every
run draws data, learns a tree of depth 2 (ridge, given propensities) and compares gains over treat-none: the
cross-fitted one, the in-sample one, and the true one of the rule on these nodes. The confidence interval of the
cross-fitted gain is compared with the true gain of the out-of-fold decisions and of the rule.
"""

import concurrent.futures
import csv
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import parser  # noqa: E402


def write_data(folder, seed, args, effect):
    """Writes nodes.csv and edges.csv; returns the effect of every node."""
    draw, gains = random.Random(seed), []
    with open(folder / "nodes.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "treatment", "outcome", "propensity",
                      *(f"x{c}" for c in range(args.columns))])
        for i in range(args.nodes):
            x = [draw.gauss(0, 1) for _ in range(args.columns)]
            gains.append(effect if x[1] > 0 else -effect)
            t = draw.randrange(2)
            out.writerow([i, t, x[0] + t * gains[-1] + draw.gauss(0, 1), 0.5, *x])
    with open(folder / "edges.csv", "w") as file:
        file.write("source,target\n")
        file.writelines(f"{i},{(i + 1) % args.nodes}\n" for i in range(args.nodes))
    return gains


def run(args, seed, effect):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        gains = write_data(folder, seed, args, effect)
        done = subprocess.run(
            [str(args.bin / "cone"), "learn", name, "--out", str(folder / "policy.csv"), "--json",
             "-", "--out-of-fold", str(folder / "oof.csv"), "--outcome-model", "ridge", "--propensities", "given", "--seed", str(seed), "-q",
             "--threads", "1"], check=True, capture_output=True, text=True)
        record = json.loads(done.stdout)
        treated, out_of_fold = [
            [row[column] == "1" for row in csv.DictReader(open(folder / file, newline=""))]
            for file, column in (("policy.csv", "learnt"), ("oof.csv", "learnt_out_of_fold"))]
    values = {value["name"]: value for value in record["comparisons"]}

    def true_value(decisions):
        """Minus that of treat-none."""
        return sum(gain for gain, treat in zip(gains, decisions) if treat) / len(gains)

    def covers(truth):
        low, high = values["always 0"]["sampling_gain_interval"]
        return low <= truth <= high

    return {"cross-fitted": values["always 0"]["gain"],
            "in sample": record["in_sample_value"] - values["always 0"]["value"],
            "true": true_value(treated), "covers decisions": covers(true_value(out_of_fold)),
            "covers rule": covers(true_value(treated)), "better": record["verdict"] == "better"}


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--runs", type=int, default=100)
    arguments.add_argument("--nodes", type=int, default=500)
    arguments.add_argument("--columns", type=int, default=12)
    args = arguments.parse_args()
    print(f"{'':14} {'gain over treat-none':^53} {'coverage':^20} {'verdict':>8}\n"
          f"{'data':14} {'cross-fitted':>17} {'in sample':>17} {'true, of rule':>17} {'decisions':>10} "
          f"{'rule':>9} {'better':>8}")
    for title, effect in (("no effect", 0.0), ("effect 0.4", 0.4)):
        with concurrent.futures.ThreadPoolExecutor(args.threads) as pool:
            rows = list(pool.map(lambda seed: run(args, seed, effect), range(args.runs)))
        cells = []
        for name in ("cross-fitted", "in sample", "true"):
            values = [row[name] for row in rows]
            error = statistics.stdev(values) / len(values) ** 0.5
            cells.append(f"{statistics.fmean(values):8.4f} ± {error:.4f}")
        shares = [sum(row[name] for row in rows) / len(rows)
                  for name in ("covers decisions", "covers rule", "better")]
        print(f"{title:14} {cells[0]:>17} {cells[1]:>17} {cells[2]:>17} {shares[0]:10.0%} "
              f"{shares[1]:9.0%} {shares[2]:8.0%}", flush=True)


if __name__ == "__main__":
    main()
