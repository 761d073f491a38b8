#!/usr/bin/env python3
"""What the joint model of treatment and outcome does where only observed features select, and where more does.

    scripts/joint_model_worlds.py CONE OUT [--datasets 20] [--nodes 500,2000] [--worlds dense,wide,...] [--processes 2]

Treatment depends on a risk score with slope 1.2 per standard deviation: on what would come of treatment (even
datasets) or on what would come without it (odd ones). Worlds: dense (10 features), wide (100), and networks of
mean degree 12 with weak homophily: netown (own features and sums over neighbours drive the outcome), netdeg
(the same, noise grows with the degree), netdeg1 (own features only, noise grows with the degree), netlat (half of
what the features leave is an effect of the neighbours, which does not select), nethid (that effect selects too).
Each at R² .1, .3, .6 and .9. Runs `CONE evaluate`, stores one line per dataset in OUT (a file; resumed), and prints
a table: RMSE of network_joint over that of network_dm, coverage of dm's sampling interval and of the
headline interval, and the width of the second over the first. treat-all and treat-none together.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy

WORLDS = ("dense", "wide", "netown", "netdeg", "netdeg1", "netlat", "nethid")
SHARES = (0.1, 0.3, 0.6, 0.9)


def standardise(values):
    return (values - values.mean()) / values.std()


def draw_network(rng, x, mean_degree=12):
    """Edges between pairs by weights with a long tail, twice as likely between units alike in the first feature."""
    n = len(x)
    weight = rng.lognormal(sigma=0.6, size=n)
    count = n * mean_degree // 2
    first = rng.choice(n, size=4 * count, p=weight / weight.sum())
    second = rng.choice(n, size=4 * count, p=weight / weight.sum())
    alike = numpy.sign(x[first, 0]) == numpy.sign(x[second, 0])
    kept = (first != second) & (rng.uniform(size=4 * count) < numpy.where(alike, 1, 0.5))
    edges = numpy.unique(numpy.sort(numpy.c_[first, second][kept], axis=1), axis=0)
    return edges[rng.permutation(len(edges))[:count]]


def draw_data(world, n, share, seed):
    rng = numpy.random.default_rng([WORLDS.index(world), n, int(100 * share), seed])
    p = 100 if world == "wide" else 10
    x = rng.normal(size=(n, p))
    edges = draw_network(rng, x) if world.startswith("net") else numpy.empty((0, 2), int)
    neighbours = numpy.zeros((n, n))
    neighbours[edges[:, 0], edges[:, 1]] = neighbours[edges[:, 1], edges[:, 0]] = 1
    common, other = rng.normal(size=(2, p))
    own = {1: standardise(x @ common), 0: standardise(x @ (0.7 * common + 0.7 * other))}
    fitted = dict(own)
    if world in ("netown", "netdeg"):
        sums = standardise(neighbours @ x @ rng.normal(size=p))
        fitted = {a: standardise(own[a] + sums) for a in own}
    spread = numpy.sqrt(1 / share - 1)
    scale = numpy.ones(n)
    if world in ("netdeg", "netdeg1"):
        degree = neighbours.sum(1)
        scale = numpy.sqrt(degree / degree.mean())
    noise = {a: spread * scale * rng.normal(size=n) for a in own}
    effect = numpy.zeros(n)
    if world in ("netlat", "nethid"):
        effect = numpy.sqrt(0.5) * spread * standardise(neighbours @ rng.normal(size=n))
        noise = {a: numpy.sqrt(0.5) * noise[a] for a in noise}
    potential = {a: fitted[a] + effect + noise[a] + 0.3 * a for a in own}
    high = seed % 2 == 0
    score = own[1] if high else own[0]
    if world == "nethid":
        score = score + effect
    logit = 1.2 * standardise(score) * (1 if high else -1)
    arm = (rng.uniform(size=n) < 1 / (1 + numpy.exp(-logit))).astype(int)
    return x, edges, arm, potential


def write_folder(folder, x, edges, arm, potential):
    outcome = numpy.where(arm == 1, potential[1], potential[0])
    header = ",".join(["id", "treatment", "outcome", "y0", "y1"] + [f"x{k}" for k in range(x.shape[1])])
    rows = numpy.c_[numpy.arange(len(x)), arm, outcome, potential[0], potential[1], x]
    numpy.savetxt(folder / "nodes.csv", rows, delimiter=",", header=header, comments="",
                  fmt=["%d", "%d"] + ["%.17g"] * (rows.shape[1] - 2))
    if len(edges):
        numpy.savetxt(folder / "edges.csv", edges, delimiter=",", header="source,target", comments="", fmt="%d")


def run(cone, world, n, share, seed):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_folder(folder, *draw_data(world, n, share, seed))
        record = folder / "record.json"
        subprocess.run([cone, "evaluate", str(folder), "--policy", "treat-all", "treat-none", "--estimators",
                        "network_joint", "--target", "sample", "--no-sensitivity-interval", "--threads", "1",
                        "--json", str(record), "--quiet"], check=True, capture_output=True)
        found = json.loads(record.read_text())
    out = {"world": world, "n": n, "share": share, "seed": seed, "policies": []}
    for policy in found["policies"]:
        direct, joint = policy["estimates"]
        out["policies"].append({"truth": policy["truth"], "direct": direct["value"], "joint": joint["value"],
                                "interval": direct["interval"], "sampling": direct["sampling_interval"],
                                "joint_interval": joint["interval"]})
    out["trust"] = [arm["trust"] for arm in found["diagnostics"]["joint_model"]]
    return out


def summarise(rows):
    cases = [policy for row in rows for policy in row["policies"]]
    error = {kind: numpy.sqrt(numpy.mean([(c[kind] - c["truth"]) ** 2 for c in cases])) for kind in ("direct", "joint")}

    cases = [c for c in cases if c["sampling"][0] is not None]  # without overlap there is no interval

    def covers(kind):
        return 100 * numpy.mean([c[kind][0] <= c["truth"] <= c[kind][1] for c in cases])

    wider = numpy.median([(c["interval"][1] - c["interval"][0]) / (c["sampling"][1] - c["sampling"][0]) for c in cases])
    return error["joint"] / error["direct"], covers("sampling"), covers("interval"), covers("joint_interval"), wider


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cone")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--datasets", type=int, default=20)
    parser.add_argument("--nodes", default="500,2000")
    parser.add_argument("--worlds", default=",".join(WORLDS))
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    done = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    known = {(r["world"], r["n"], r["share"], r["seed"]) for r in done}
    wanted = [(world, int(n), share, seed) for seed in range(options.datasets) for n in options.nodes.split(",")
              for world in options.worlds.split(",") for share in SHARES]
    with ThreadPoolExecutor(options.processes) as pool, options.out.open("a") as file:
        for row in pool.map(lambda job: run(options.cone, *job), [job for job in wanted if job not in known]):
            done.append(row)
            print(json.dumps(row), file=file, flush=True)
    print("| world, n | RMSE joint / dm at R² .1 / .3 / .6 / .9 | dm's sampling interval covers | interval covers | joint covers | width |")
    print("|---|---|---|---|---|---|")
    for world in options.worlds.split(","):
        for n in map(int, options.nodes.split(",")):
            cells = []
            for share in SHARES:
                rows = [r for r in done if (r["world"], r["n"], r["share"]) == (world, n, share)]
                cells.append(summarise(rows) if rows else (numpy.nan,) * 5)
            ratio, sampling, interval, joint, width = zip(*cells)
            print(f"| {world} {n} | " + " | ".join((
                " / ".join(f"{v:.2f}" for v in ratio), " ".join(f"{v:.0f}" for v in sampling),
                " ".join(f"{v:.0f}" for v in interval), " ".join(f"{v:.0f}" for v in joint),
                " ".join(f"{v:.1f}" for v in width))) + " |")


if __name__ == "__main__":
    main()
