#!/usr/bin/env python3
"""Writes nodes.csv, edges.csv, who.csv and policy.csv of this folder: simulated customers with known
potential outcomes.

    python3 examples/messages/make.py
"""

import csv
import math
import pathlib
import random

FOLDER = pathlib.Path(__file__).resolve().parent
UNITS = 300
ARMS = ("control", "email", "sms")


def softmax(logits):
    weights = [math.exp(value) for value in logits]
    return [weight / sum(weights) for weight in weights]


def draw_edges(random_source):
    """A ring with edges to the next one to three nodes, and a few random edges across it."""
    edges = set()
    for i in range(UNITS):
        for step in range(1, random_source.randint(2, 4)):
            edges.add((i, (i + step) % UNITS))
        if random_source.random() < 0.3:
            other = random_source.randrange(UNITS)
            if other != i:
                edges.add((min(i, other), max(i, other)))
    return sorted(edges)


def main():
    source = random.Random(20)
    edges = draw_edges(source)
    neighbours = [[] for _ in range(UNITS)]
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    age = [source.randint(18, 75) for _ in range(UNITS)]
    visits = [min(20, int(source.expovariate(0.2))) for _ in range(UNITS)]
    around = [sum(visits[j] for j in neighbours[i]) / len(neighbours[i]) for i in range(UNITS)]
    nodes, who, policy = [], [], []
    for i in range(UNITS):
        young = (40 - age[i]) / 20
        # The logged policy: emails for frequent visitors, texts for the young.
        propensities = softmax([0, 0.15 * (visits[i] - 5), 0.6 * young + 0.05 * (visits[i] - 5)])
        base = 20 + 0.8 * visits[i] + 0.5 * around[i] + source.gauss(0, 3)
        spent = [base, base + 3 + 0.3 * around[i] - 1.5 * young, base + 2 + 3 * young]
        arm = source.choices(range(3), propensities)[0]
        name = f"p{i:03d}"
        nodes.append([name, ARMS[arm], round(spent[arm], 2), age[i], visits[i],
                      *(round(y, 2) for y in spent)])
        who.append([name, "sms" if age[i] < 35 else "email", "email" if visits[i] < 5 else "control"])
        policy.append([name, 0.5 if visits[i] < 10 else 0.2, 0.8 if age[i] < 30 else 0.1])
    for row in policy:  # the control arm has the rest
        row[1] = round(min(row[1], 1 - row[2]), 2)
    write("nodes.csv", ["id", "treatment", "outcome", "age", "visits",
                        *(f"y:{arm}" for arm in ARMS)], nodes)
    write("edges.csv", ["source", "target"], [[f"p{a:03d}", f"p{b:03d}"] for a, b in edges])
    write("who.csv", ["id", "by_age", "win_back"], who)
    write("policy.csv", ["id", "careful:email", "careful:sms"], policy)


def write(name, header, rows):
    with open(FOLDER / name, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
