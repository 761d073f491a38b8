#!/usr/bin/env python3
"""How often verdicts are true where an unmeasured confounder drives treatment and outcome along communities.

    PYTHONPATH=build/release/python scripts/verdict_check.py [DATASETS] [--randomised | --useless-network | --half-isolated
        | --out-of-fold | --heavy-weight | --few-events | --interaction]

Twelve communities, 800 units with ten neighbours each, five arms with effects 0, 0.2, 0.4, 0.1 and 0. The
community is not in the features. Prints how often a single best policy was named and was wrong, how often the
true best was among those that may be the best, and how many supported gains have the right sign.

With --randomised treatment is drawn at random with equal probabilities and declared so, and the best arm leads each
other one by four standard errors of their difference (the median of ten other datasets): how often is it named?

--useless-network: two arms without effect, 1,000 units, a confounder of single units, edges at random.
--half-isolated: two arms without effect, 1,000 units, communities as above, half of the units without edges.
There every verdict but not_shown is on a difference that does not exist.

The others have two arms without effect, no network, and treatment at random, declared so:
--out-of-fold: 500 units, the decisions of cone.learn out of fold, by network_dm and dr_ridge, with and without the mark
that says what they were learnt from.
--heavy-weight: 400 units, one with survey weight 10,000.
--few-events: 500 units, 6 % treated, 85 % of the outcomes are 0, the others lognormal.
--interaction: 500 units, treated with probability 0.75 where x0 x1 > 0, else 0.25; outcomes have the same step.
"""

import argparse
import statistics

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


def draw_data(seed, effects=EFFECTS, randomised=False):
    rng = numpy.random.default_rng(seed)
    community, edges = draw_network(rng)
    confounder, x = COMMUNITY[community], rng.normal(size=(NUM_UNITS, 3))
    odds = numpy.exp(numpy.c_[0 * confounder + 0.7, confounder, -0.8 * confounder, 0.5 * x[:, 0],
                              0 * confounder - 1])
    if randomised:
        odds[:] = 1
    odds /= odds.sum(1, keepdims=True)
    arm = (rng.uniform(size=(NUM_UNITS, 1)) > odds.cumsum(1)).sum(1).clip(0, 4)
    potential = numpy.stack([confounder + x[:, 0] + effect + rng.normal(size=NUM_UNITS) for effect in effects], 1)
    outcome = potential[numpy.arange(NUM_UNITS), arm]
    return cone.Dataset.from_arrays(features=x, treatment=arm, outcome=outcome, network=edges), potential, outcome


def draw_null(seed, is_isolated, num_units=1000):
    """Two arms without effect."""
    rng = numpy.random.default_rng(seed)
    x = rng.normal(size=(num_units, 3))
    if is_isolated:
        community, edges = draw_network(rng)
        edges = edges[(edges < num_units // 2).all(1)]
        community = numpy.r_[community, rng.integers(NUM_COMMUNITIES, size=num_units - len(community))]
        confounder = COMMUNITY[community]
    else:
        confounder, edges = rng.normal(size=num_units), rng.integers(num_units, size=(3 * num_units, 2))
        edges = edges[edges[:, 0] != edges[:, 1]]
    arm = (rng.uniform(size=num_units) < 1 / (1 + numpy.exp(-confounder))).astype(int)
    outcome = confounder + x[:, 0] + rng.normal(size=num_units)
    return cone.Dataset.from_arrays(features=x, treatment=arm, outcome=outcome, network=edges)


def count_null_verdicts(datasets, is_isolated):
    counts = {"supported": 0, "conditional": 0, "not_shown": 0}
    named = covered = 0
    for seed in range(datasets):
        answer = evaluate(draw_null(seed, is_isolated), 2)
        pair = next(p for p in answer.record["decision"]["differences"] if p["first"] != "logged")
        counts[pair["verdict"]] += 1
        named += answer.single_best is not None
        low, high = pair["sensitivity_interval"]
        covered += low <= 0 <= high
    print(f"{datasets} datasets without effect: {counts}, single best named {named} times; the sensitivity interval "
          f"holds 0 in {covered}")


def draw_randomised(seed, world):
    """Without network and effect."""
    rng = numpy.random.default_rng(seed)
    num_units = 400 if world == "heavy_weight" else 500
    x, weight = rng.normal(size=(num_units, 4)), numpy.ones(num_units)
    step = (x[:, 0] * x[:, 1] > 0).astype(float)
    outcome, share = x[:, 0] + rng.normal(size=num_units), 0.5
    if world == "heavy_weight":
        weight[0] = 10_000
    if world == "few_events":
        outcome, share = (rng.uniform(size=num_units) < 0.15) * rng.lognormal(size=num_units), 0.06
    if world == "interaction":
        outcome, share = outcome + 2 * step, 0.25 + 0.5 * step
    arm = (rng.uniform(size=num_units) < share).astype(int)
    return cone.Dataset.from_arrays(features=x, treatment=arm, outcome=outcome, weight=weight)


def count_randomised_verdicts(datasets, world):
    supported = named = 0
    for seed in range(datasets):
        answer = evaluate(draw_randomised(seed, world), 2, randomised=True)
        supported += sum(p["verdict"] == "supported" for p in answer.record["decision"]["differences"])
        named += answer.single_best is not None
    print(f"{datasets} randomised datasets without effect: {supported} of {3 * datasets} differences supported, single "
          f"best named {named} times")


def count_out_of_fold_verdicts(datasets):
    gains, supported = {}, {}
    for seed in range(datasets):
        data = draw_randomised(seed, "out_of_fold")
        labels = cone.learn(data, randomised=True, progress=False).out_of_fold_labels
        for estimator in ("network_dm", "dr_ridge"):
            for name, rule in (("marked", labels), ("not marked", list(labels))):
                found = cone.evaluate(data, {"rule": rule}, [estimator], randomised=True, progress=False)
                row = found.record["decision"]["policies"][1]
                gains.setdefault((estimator, name), []).append(row["gain"])
                supported[estimator, name] = supported.get((estimator, name), 0) + (row["verdict"] == "supported")
    for key, values in gains.items():
        error = statistics.stdev(values) / datasets**0.5
        print(f"{key[0]}, decisions {key[1]}: mean gain {statistics.mean(values):+.3f} ± {error:.3f}, supported in "
              f"{supported[key]} of {datasets}")


def evaluate(data, num_arms=len(EFFECTS), **options):
    return cone.evaluate(data, {f"always {k}": f"always:{k}" for k in range(num_arms)}, ["network_dm"],
                         progress=False, **options)


def find_clear_effects():
    """The third arm leads by four standard errors of a difference of two arms."""
    errors = []
    for seed in range(10_000, 10_010):
        answer = evaluate(draw_data(seed, (0,) * 5, randomised=True)[0], randomised=True)
        errors += [pair["standard_error"] for pair in answer.record["decision"]["differences"]
                   if "logged" not in (pair["first"], pair["second"])]
    return (0, 0, 4 * statistics.median(errors), 0, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", type=int, nargs="?", default=40)
    parser.add_argument("--randomised", action="store_true")
    parser.add_argument("--useless-network", action="store_true")
    parser.add_argument("--half-isolated", action="store_true")
    for world in ("heavy-weight", "few-events", "interaction"):
        parser.add_argument(f"--{world}", action="store_const", dest="world", const=world.replace("-", "_"))
    parser.add_argument("--out-of-fold", action="store_true")
    given = parser.parse_args()
    if given.out_of_fold:
        count_out_of_fold_verdicts(given.datasets)
        return
    if given.world:
        count_randomised_verdicts(given.datasets, given.world)
        return
    if given.useless_network or given.half_isolated:
        count_null_verdicts(given.datasets, given.half_isolated)
        return
    effects = find_clear_effects() if given.randomised else EFFECTS
    options = {"randomised": True} if given.randomised else {}
    named = wrong = covered = supported = right = 0
    for seed in range(given.datasets):
        data, potential, outcome = draw_data(seed, effects, given.randomised)
        answer = evaluate(data, **options)
        best = f"always {potential.mean(0).argmax()}"
        named += answer.single_best is not None
        wrong += answer.single_best not in (None, best)
        covered += best in answer.best
        for row in answer.record["decision"]["policies"][1:]:
            if row["verdict"] == "supported":
                supported += 1
                right += row["gain"] * (potential[:, int(row["name"][-1])].mean() - outcome.mean()) > 0
    print(f"{given.datasets} datasets: single best named {named} times, wrong {wrong} times; true best in the set "
          f"{covered} times; {supported} supported gains, {right} with the right sign")


if __name__ == "__main__":
    main()
