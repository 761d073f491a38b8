#!/usr/bin/env python3
"""How often verdicts are true where an unmeasured confounder drives treatment and outcome along communities.

    PYTHONPATH=build/release/python scripts/verdict_check.py [DATASETS]

Twelve communities, 800 units with ten neighbours each, five arms with effects 0, 0.2, 0.4, 0.1 and 0. The
community is not in the features. Prints how often a single best policy was named and was wrong, how often the
true best was among those that may be the best, and how many supported gains have the right sign.
"""

import sys

import cone
import numpy

EFFECTS = (0, 0.2, 0.4, 0.1, 0)
NUM_UNITS, NUM_COMMUNITIES = 800, 12
COMMUNITY = numpy.random.default_rng(77).normal(size=NUM_COMMUNITIES)


def draw_network(rng, inside=8, outside=2):
    community, edges = rng.integers(NUM_COMMUNITIES, size=NUM_UNITS), []
    for c in range(NUM_COMMUNITIES):
        members = numpy.where(community == c)[0]
        first, second = numpy.triu_indices(len(members), 1)
        kept = rng.uniform(size=len(first)) < inside / (len(members) - 1)
        edges.append(numpy.c_[members[first[kept]], members[second[kept]]])
    edges.append(rng.integers(NUM_UNITS, size=(rng.poisson(NUM_UNITS * outside / 2), 2)))
    edges = numpy.concatenate(edges)
    return community, edges[edges[:, 0] != edges[:, 1]]


def draw_data(seed):
    rng = numpy.random.default_rng(seed)
    community, edges = draw_network(rng)
    confounder, x = COMMUNITY[community], rng.normal(size=(NUM_UNITS, 3))
    odds = numpy.exp(numpy.c_[0 * confounder + 0.7, confounder, -0.8 * confounder, 0.5 * x[:, 0],
                              0 * confounder - 1])
    odds /= odds.sum(1, keepdims=True)
    arm = (rng.uniform(size=(NUM_UNITS, 1)) > odds.cumsum(1)).sum(1).clip(0, 4)
    potential = numpy.stack([confounder + x[:, 0] + effect + rng.normal(size=NUM_UNITS) for effect in EFFECTS], 1)
    outcome = potential[numpy.arange(NUM_UNITS), arm]
    return cone.Dataset.from_arrays(features=x, treatment=arm, outcome=outcome, network=edges), potential, outcome


def main():
    datasets = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    named = wrong = covered = supported = right = 0
    for seed in range(datasets):
        data, potential, outcome = draw_data(seed)
        policies = {f"always {k}": f"always:{k}" for k in range(len(EFFECTS))}
        answer = cone.evaluate(data, policies, ["network_dm"], progress=False)
        best = f"always {potential.mean(0).argmax()}"
        named += answer.single_best is not None
        wrong += answer.single_best not in (None, best)
        covered += best in answer.best
        for row in answer.record["decision"]["policies"][1:]:
            if row["verdict"] == "supported":
                supported += 1
                right += row["gain"] * (potential[:, int(row["name"][-1])].mean() - outcome.mean()) > 0
    print(f"{datasets} datasets: single best named {named} times, wrong {wrong} times; true best in the set "
          f"{covered} times; {supported} supported gains, {right} with the right sign")


if __name__ == "__main__":
    main()
