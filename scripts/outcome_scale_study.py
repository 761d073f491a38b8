#!/usr/bin/env python3
"""Outcomes that are not normal: which outcome models and which intervals help, and what cone does now.

    python3 scripts/outcome_scale_study.py models     an outcome like exp(index): candidate models, in numpy
    python3 scripts/outcome_scale_study.py intervals  50 treated of 1,000, skewed outcomes: candidate intervals
    python3 scripts/outcome_scale_study.py cone --cone build/release/bin/cone   the program, in its own worlds

Needs numpy and scipy (models, intervals). The figures are quoted in docs/design_notes.md.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

UNDERSMOOTHING = 0.1
FOLDS = 5


# ---- models: y = exp(index) + 0.5 t + 0.5 noise, treatment by the same index -------------------

def make_kernels(x):
    """The groups of the network ridge without a network: linear, smooth, curves."""
    n, z = len(x), (x - x.mean(0)) / x.std(0)
    distance = ((z[:, None] - z[None]) ** 2).sum(2)
    curves = []
    for column in z.T:
        u = (np.argsort(np.argsort(column)) + 0.5) / n
        curves += [np.sqrt(2) * np.cos(k * np.pi * u) / (k * np.pi) for k in range(1, 31)]
    curves = np.array(curves).T
    kernels = [z @ z.T, np.exp(-distance / (2 * np.median(distance[np.triu_indices(n, 1)]))), curves @ curves.T]
    return [k / np.diag(k).mean() for k in kernels]


def learn_variances(kernels, y, fixed, noise_factor):
    """REML; returns the variance of every kernel and the noise of every row."""
    scale, y = y.var(), (y - y.mean()) / y.std()
    noise_factor = noise_factor / noise_factor.mean()

    def objective(logs):
        v = np.exp(logs)
        c = sum(a * k for a, k in zip(v, kernels)) + np.diag(v[-1] * noise_factor + 1e-8)
        inverse = np.linalg.inv(c)
        cb = inverse @ fixed
        g = fixed.T @ cb
        p = inverse - cb @ np.linalg.solve(g, cb.T)
        py = p @ y
        value = np.linalg.slogdet(c)[1] + np.linalg.slogdet(g)[1] + y @ py
        slopes = [a * ((p * k).sum() - py @ k @ py) for a, k in zip(v, kernels)]
        slopes.append(v[-1] * ((np.diag(p) * noise_factor).sum() - (py**2 * noise_factor).sum()))
        return value / 2, np.array(slopes) / 2

    start = np.log(np.r_[np.full(len(kernels), 0.5 / len(kernels)), 0.5])
    found = optimize.minimize(objective, start, jac=True, method="L-BFGS-B", bounds=[(-16, 6)] * len(start),
                              options={"maxiter": 25})
    v = np.exp(found.x) * scale
    return v[:-1], v[-1] * noise_factor


def cross_fit(kernel, noise, rows, fixed, fixed_at, folds):
    """W with predictions W y: all nodes × the rows learnt from. kernel: all nodes × rows."""
    weights = np.zeros((len(folds), len(rows)))
    for fold in range(FOLDS):
        train, scored = np.flatnonzero(folds[rows] != fold), np.flatnonzero(folds == fold)
        c = kernel[np.ix_(rows[train], train)] + np.diag(UNDERSMOOTHING * noise[train] + 1e-8)
        inverse, b = np.linalg.inv(c), fixed[train]
        cb = inverse @ b
        g = np.linalg.solve(b.T @ cb, cb.T)
        weights[np.ix_(scored, train)] = kernel[np.ix_(scored, train)] @ (inverse - cb @ g) + fixed_at[scored] @ g
    return weights


def exponential_kernel(x, t, y):
    """exp(rate · index), index by least squares within arms: the first step of exponential_feature.hpp."""
    z = (x - x.mean(0)) / x.std(0)
    within = lambda v: v - np.array([v[t == a].mean(0) for a in (0, 1)])[t]
    s = z @ np.linalg.lstsq(within(z), within(y), rcond=None)[0]
    s = (s - s.mean()) / s.std()
    best = (np.inf, None)
    for rate in (0.25, 0.5, 0.75, 1, 1.25, 1.5):
        q = np.exp(rate * s)
        m = np.c_[t == 0, t == 1, s * (t == 0), s * (t == 1), q * (t == 0), q * (t == 1)]
        r = y - m @ np.linalg.lstsq(m, y, rcond=None)[0]
        best = min(best, (r @ r, rate))
    q = np.exp(best[1] * s)
    q = (q - q.mean()) / q.std()
    return np.outer(q, q)


def fit_arms(x, t, y, folds, model):
    """(value, standard error for the population, held-out squared error) of the arms 0 and 1."""
    n, kernels = len(y), make_kernels(x)
    one = np.ones((n, 1))
    if model == "exponential feature":
        kernels.append(exponential_kernel(x, t, y))
    results = []
    if model == "effects shared by arms":
        same, both = t[:, None] == t[None], np.c_[t == 0, t == 1].astype(float)
        v, noise = learn_variances(kernels + [k * same for k in kernels], y, both, np.ones(n))
        shared, own = (sum(a * k for a, k in zip(part, kernels)) for part in (v[:3], v[3:]))
        weights = []
        for a in (0, 1):
            w = np.zeros((n, n))
            for fold in range(FOLDS):
                train, scored = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
                c = (shared + own * same)[np.ix_(train, train)] + np.diag(UNDERSMOOTHING * noise[train])
                inverse = np.linalg.inv(c)
                cb = inverse @ both[train]
                g = np.linalg.solve(both[train].T @ cb, cb.T)
                at = np.zeros((len(scored), 2))
                at[:, a] = 1
                reach = shared[np.ix_(scored, train)] + own[np.ix_(scored, train)] * (t[train] == a)
                w[np.ix_(scored, train)] = reach @ (inverse - cb @ g) + at @ g
            weights.append(w)
        mu = np.array([w @ y for w in weights])
        r = y - mu[t, np.arange(n)]
        for a in (0, 1):
            implied = weights[a].mean(0)
            error = np.sqrt(mu[a].var() / n + (implied**2 * r**2).sum())
            results.append((mu[a].mean(), error, (r[t == a] ** 2).mean()))
        return results
    for a in (0, 1):
        rows = np.flatnonzero(t == a)
        inner, fixed, z = [k[np.ix_(rows, rows)] for k in kernels], one[rows], y[rows]
        factor, slope = np.ones(len(rows)), np.ones(len(rows))
        if model == "log link":  # penalised quasi-likelihood: working outcomes, noise 1/mean²
            eta = np.log(np.maximum(0.5 * y[rows] + 0.5 * y[rows].mean(), 0.1 * abs(y[rows].mean())))
            for _ in range(6):
                mean = np.exp(eta)
                z, factor = eta + (y[rows] - mean) / mean, 1 / mean**2
                v, noise = learn_variances(inner, z, fixed, factor)
                k = sum(c * part for c, part in zip(v, inner))
                inverse = np.linalg.inv(k + np.diag(noise + 1e-8))
                level = (inverse @ z).sum() / inverse.sum()
                eta = np.clip(level + k @ inverse @ (z - level), eta - 1, eta + 1)
            slope = np.exp(eta)
            z = eta + (y[rows] - slope) / slope
        else:
            v, noise = learn_variances(inner, z, fixed, factor)
        weights = cross_fit(sum(c * k[:, rows] for c, k in zip(v, kernels)), noise, rows, fixed, one, folds)
        mu = weights @ z
        implied = weights.mean(0)
        if model == "log link":  # fitted totals are those observed: no retransformation bias
            mu = np.exp(mu)
            mu *= y[rows].sum() / mu[rows].sum()
            implied = (mu[:, None] * weights).mean(0) / slope
        r = y[rows] - mu[rows]
        results.append((mu.mean(), np.sqrt(mu.var() / n + (implied**2 * r**2).sum()), (r**2).mean()))
    return results


def compare_models(draws, nodes):
    rng = np.random.default_rng(1)
    models = ["linear and smooth", "effects shared by arms", "log link", "exponential feature"]
    found = {model: [] for model in models}
    for _ in range(draws):
        x = rng.normal(size=(nodes, 3))
        index = (x[:, 0] + x[:, 1]) / np.sqrt(2)
        t = (rng.random(nodes) < 1 / (1 + np.exp(-1.5 * index))).astype(int)
        y = np.exp(index) + 0.5 * t + 0.5 * rng.normal(size=nodes)
        folds = rng.permutation(nodes) % FOLDS
        for model in models:
            found[model].append([(v - np.exp(0.5) - 0.5 * a, e, mse)
                                 for a, (v, e, mse) in enumerate(fit_arms(x, t, y, folds, model))])
    print(f"{nodes} units, {draws} logs; treat-all / treat-none, population\n")
    print("| model | bias | RMSE | covers | held-out squared error |\n|---|---:|---:|---:|---:|")
    for model in models:
        d = np.array(found[model])[:, ::-1]
        cells = [d[:, :, 0].mean(0), np.sqrt((d[:, :, 0] ** 2).mean(0)),
                 (abs(d[:, :, 0]) < 1.96 * d[:, :, 1]).mean(0) * 100, np.median(d[:, :, 2], 0)]
        text = [f"{p:+.3f} / {q:+.3f}" if k == 0 else f"{p:.0f} / {q:.0f} %" if k == 2 else f"{p:.3f} / {q:.3f}"
                for k, (p, q) in enumerate(cells)]
        print(f"| {model} | {' | '.join(text)} |")


# ---- intervals: the mean of 50 treated units beside 950 others ----------------------------------

def spending(rng, n, conversion=0.1, factor=1.0):
    return np.where(rng.random(n) < conversion, factor * np.exp(1.6 + rng.normal(size=n)), 0)


WORLDS = {
    "spending, no effect": (lambda g, n: spending(g, n), lambda g, n: spending(g, n), 0.1),
    "spending, 2 × as many convert": (lambda g, n: spending(g, n, 0.2), lambda g, n: spending(g, n), 0.2),
    "spending, half as many convert": (lambda g, n: spending(g, n, 0.05), lambda g, n: spending(g, n), 0.05),
    "spending, 3 × as much": (lambda g, n: spending(g, n, factor=3), lambda g, n: spending(g, n), 0.3),
    "10 % events": (lambda g, n: g.random(n) < 0.1, lambda g, n: g.random(n) < 0.1, None),
    "normal, a third of the spread": (lambda g, n: g.normal(size=n) / 3, lambda g, n: g.normal(size=n), 0),
    "normal": (lambda g, n: g.normal(size=n), lambda g, n: g.normal(size=n), 0),
}


def compare_intervals(draws):
    rng = np.random.default_rng(2)
    print("Covers, and median half-width\n")
    names = ["own variance", "pooled", "raised (cone)", "logarithmic", "Hall's skewness"]
    print(f"| outcome | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    for world, (treated, others, mean) in WORLDS.items():
        truth = 0.1 if mean is None else mean * np.exp(2.1)
        hits, widths = np.zeros(len(names)), [[] for _ in names]
        for _ in range(draws):
            y, z = treated(rng, 50).astype(float), others(rng, 950).astype(float)
            m, r = y.mean(), np.r_[y - y.mean(), z - z.mean()]
            own, pooled = (r[:50] ** 2).mean(), (r**2).mean()
            lack = max(pooled - own, 1e-100)
            weight = min(1, ((r**4).mean() - pooled**2) / 50 / lack**2)
            q = stats.t.ppf(0.975, 49)
            half = lambda v: q * np.sqrt(v / 49)
            intervals = [(m - half(v), m + half(v)) for v in (own, pooled, own + weight * max(pooled - own, 0))]
            positive = m > 0 and (y >= 0).all()
            stretch = np.exp(half(own) / m) if positive else 1
            intervals.append((m / stretch, m * stretch) if positive else intervals[0])
            skew = (r[:50] ** 3).mean() / own**1.5 / np.sqrt(50) if own > 0 else 0
            bend = (lambda x: 3 / skew * (np.cbrt(1 + skew * (x - skew / 6)) - 1)) if abs(skew) > 1e-8 else (lambda x: x)
            intervals.append((m - bend(q) * np.sqrt(own / 49), m - bend(-q) * np.sqrt(own / 49)))
            for k, (low, high) in enumerate(intervals):
                hits[k] += low <= truth <= high
                widths[k].append((high - low) / 2)
        cells = [f"{100 * h / draws:.0f} %, {np.median(w):.2f}" for h, w in zip(hits, widths)]
        print(f"| {world} | {' | '.join(cells)} |")


# ---- cone: coverage in the worlds of the simulator ----------------------------------------------

def run_cone(program, draws):
    without = "own,smooth,curves,neighbour_sums,neighbour_effects,neighbour_means,mean_neighbour_effects,communities"
    print("network_dm for the sample; random-weights / treat-all / treat-none\n")
    print("| world | bias | RMSE | interval covers |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for world in ("exponential", "few_conversions"):
            for label, groups in ((world, []), (world + ", no exponential feature", ["--ridge-groups", without])):
                errors, hits = [], []
                for k in range(draws):
                    data = pathlib.Path(folder, f"{world}{k}{len(groups)}")
                    subprocess.run([program, "simulate", "--out", data, "--world", world, "--simulation", str(k), "-q"],
                                   check=True, stdout=subprocess.DEVNULL)
                    done = subprocess.run([program, "evaluate", data, "--policy", f"random-weights:{k}", "treat-all",
                                           "treat-none", "--estimators", "network_dm", "--target", "sample", "-q",
                                           "--threads", "1", "--json", "-", *groups],
                                          check=True, capture_output=True, text=True)
                    policies = json.loads(done.stdout)["policies"]
                    found = [(p["estimates"][0], p["truth"]) for p in policies]
                    errors.append([e["value"] - truth for e, truth in found])
                    hits.append([e["interval"][0] <= truth <= e["interval"][1] for e, truth in found])
                columns, covered = list(zip(*errors)), list(zip(*hits))
                bias = " / ".join(f"{sum(c) / draws:+.3f}" for c in columns)
                rmse = " / ".join(f"{(sum(e * e for e in c) / draws) ** 0.5:.3f}" for c in columns)
                print(f"| {label} | {bias} | {rmse} | {' / '.join(f'{100 * sum(c) / draws:.0f}' for c in covered)} % |",
                      flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["models", "intervals", "cone"])
    parser.add_argument("--cone", default="build/release/bin/cone", help="the program")
    parser.add_argument("--draws", type=int, default=100, help="logs of each world")
    parser.add_argument("--nodes", type=int, default=500, help="units of each log (models)")
    chosen = parser.parse_args()
    if chosen.part == "cone":
        run_cone(chosen.cone, chosen.draws)
    else:
        import numpy as np
        from scipy import optimize, stats
        if chosen.part == "models":
            compare_models(chosen.draws, chosen.nodes)
        else:
            compare_intervals(chosen.draws)
