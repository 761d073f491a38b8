#!/usr/bin/env python3
"""Proves that records changed in keys and words only: every number of the golden records at OLD is the
number at the same, renamed place at NEW.

    scripts/compare_renamed_records.py OLD NEW        two commits whose tests/golden are compared

Keys and enumerated values go by NEW_KEYS and NEW_WORDS. Sentences (texts with a space) may differ in
words, not in number: a list of warnings must keep its length. Numbers are equal to the last bit, but
for those of networks, whose last digits depend on the processor (tests/golden/cases.py).
"""

import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/golden"))
from cases import CASES, CLOSED_FORM  # noqa: E402

NEW_KEYS = {
    "interval": "sampling_interval",
    "joint_interval": "sampling_joint_interval",
    "gain_interval": "sampling_gain_interval",
    "population_interval": "population_sampling_interval",
    "robust_interval": "sensitivity_interval",
    "robust_gain_interval": "sensitivity_gain_interval",
    "robust": "sensitivity_interval",
    "hidden_bias_bound": "confounding_bias_bound",
    "effective_nodes": "effective_sample_size",
    "unsupported_fraction": "off_support_fraction",
    "support": "positivity",
    "got": "in_arm",
    "others": "other_arms",
    "num_dense_features": "num_numeric_features",
    "dense": "numeric",
    "own_words": "own_counts",
    "own_columns": "own_numeric",
    "sum_words": "neighbour_sums_counts",
    "sum_columns": "neighbour_sums_numeric",
    "sum_friends": "neighbour_effects",
    "mean_words": "neighbour_means_counts",
    "mean_columns": "neighbour_means_numeric",
    "mean_friends": "mean_neighbour_effects",
}
NEW_WORDS = {
    "cone.evaluation/2": "cone.evaluation/3",
    "these_people": "sample",
    "people_like_these": "population",
    "circles": "common_neighbours",
    "shared": "pooled",
    "friends": "neighbours",
    "what was done": "logged",
    "support": "positivity",
}


def compare(old, new, place, faults, counts):
    if isinstance(old, dict) and isinstance(new, dict):
        renamed = {NEW_KEYS.get(key, key): value for key, value in old.items()}
        for key in renamed.keys() ^ new.keys():
            faults.append(f"{place}/{key}: {'is missing' if key in renamed else 'is new'}")
        for key in renamed.keys() & new.keys():
            compare(renamed[key], new[key], f"{place}/{key}", faults, counts)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            faults.append(f"{place}: {len(old)} entries, now {len(new)}")
        for k, (one, other) in enumerate(zip(old, new)):
            compare(one, other, f"{place}/{k}", faults, counts)
    elif isinstance(old, str) and isinstance(new, str):
        if " " in old or " " in new:
            counts["sentences that differ"] += old != new
        elif NEW_WORDS.get(old, old) != new and old != new:
            faults.append(f"{place}: '{old}', now '{new}'")
    elif type(old) is type(new) and old == new:
        counts["equal values"] += 1
    elif isinstance(old, (int, float)) and isinstance(new, (int, float)) and math.isclose(
            old, new, rel_tol=CLOSED_FORM, abs_tol=1e-12):
        counts["numbers equal to 1e-9"] += 1
    else:
        faults.append(f"{place}: {old}, now {new}")


def golden(commit, name):
    shown = subprocess.run(["git", "show", f"{commit}:tests/golden/{name}.json"], cwd=ROOT, check=True,
                           capture_output=True)
    return json.loads(shown.stdout)


def main() -> None:
    old, new = sys.argv[1:]
    faults, counts = [], {"equal values": 0, "numbers equal to 1e-9": 0, "sentences that differ": 0}
    for name in CASES:
        compare(golden(old, name), golden(new, name), name, faults, counts)
    print("\n".join(faults[:60]))
    print(f"{len(CASES)} records: " + ", ".join(f"{value} {key}" for key, value in counts.items())
          + f", {len(faults)} differences")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
