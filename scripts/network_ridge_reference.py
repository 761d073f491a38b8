#!/usr/bin/env python3
"""Writes tests/fixtures/network_ridge.json: the network ridge on three small datasets.

    python3 scripts/network_ridge_reference.py [--out FILE]

A reference implementation of the formulas with dense matrices, inverses and one refit per fold:
slow and plain, to test the program against. Needs NumPy and SciPy. It checks itself: gradients
against finite differences, weights against their identities, refits against the formula that
removes a fold from one inverse. The entry "meaning" of the file explains the others.
"""

import argparse
import json
import pathlib

import numpy as np
from scipy.optimize import minimize

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOG_BOUNDS = (-16.0, 6.0)
JITTER = 1e-8
UNDERSMOOTHINGS = [0.1, 1.0]

MEANING = {
    "edges": "pairs of nodes, each once; nodes count from 0",
    "words": "count features: triplets (node, column, count)",
    "columns": "numeric features, one row per node; each kind of feature has its own groups",
    "groups": "in the order of all variances; scale is c_g, kernel_row is row kernel_row_of of K_g",
    "bandwidth": "median of the positive distances of standardised columns (an odd number of them)",
    "arms": "one entry per arm. fixed_effects: kept columns of (1, d/mean, sqrt(d/mean)). "
            "log_variances: groups, then noise_0, then noise_1 where there are edges, of the "
            "outcome centred and divided by its population sd",
    "criterion": "(log|C| + log|B'C^-1 B| + y'Py)/2; gradient by the log variances",
    "optimum": "smallest criterion found within the bounds [-16, 6]; identified: not at a bound, "
               "not part of a flat direction (where two matrices are equal only the sum of their "
               "variances is known); starts_agreeing: starts that end within 1e-8 of it; "
               "starts_stuck_before_newton: where L-BFGS alone ended more than 1e-4 above",
    "folds": "predictions of every node (rows) under every arm, from fits without the node's fold "
             "at the given log_variances, with all noise (jitter included) times undersmoothing",
    "weights": "value = sum_k weights_k outcome_k for policy; per undersmoothing, as predictions",
    "posterior_sd": "of the mean outcome, outcome units, same fits with undersmoothing 1",
    "standard_errors": "from noise_variances (nodes x arms) and the weights; population "
                       "divides the variance between units by n - 1, population_by_n by n",
}


# ---- features, groups, kernels ---------------------------------------------------------------

def scale_counts(counts):
    roots = np.sign(counts) * np.sqrt(np.abs(counts))
    length = np.sqrt((roots ** 2).sum(axis=1))
    return np.array([row / l if l > 0 else row for row, l in zip(roots, length)])


def standardise_numeric(columns):
    varying = [c for c in columns.T if np.ptp(c) > 0]
    return np.array([(c - c.mean()) / c.std() for c in varying]).T.reshape(len(columns), -1)


def median_distance(columns):
    n = len(columns)
    distances = [np.sqrt(((columns[i] - columns[j]) ** 2).sum())
                 for i in range(n) for j in range(i)]
    positive = [d for d in distances if d > 0]
    assert len(positive) % 2 == 1, "an even number of pairs: the median would be ambiguous"
    return float(np.median(positive))


def smooth_kernel(columns, bandwidth):
    squares = ((columns[:, None, :] - columns[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-squares / (2 * bandwidth ** 2))


def curve_features(columns):
    """Cosines of the mid-ranks of every column with more than two values."""
    n = len(columns)
    ranks, values = [], []
    for column in columns.T:
        distinct = np.unique(column)
        if len(distinct) > 2:
            ranks.append([((column < v).sum() + (column <= v).sum()) / (2 * n) for v in column])
            values.append(len(distinct))
    features = [np.sqrt(2) * np.cos(k * np.pi * np.array(u)) / (k * np.pi)
                for u, count in zip(ranks, values)
                for k in range(1, min(count - 1, 30, max(4, 300 // len(ranks))) + 1)]
    return np.array(features).T.reshape(n, -1)


class Model:
    """Kernels of all groups, fixed effects and noise patterns, over all nodes."""

    def __init__(self, data):
        n = data["num_nodes"]
        self.adjacency = np.zeros((n, n))
        for i, j in data["edges"]:
            self.adjacency[i, j] = self.adjacency[j, i] = 1
        self.degree = self.adjacency.sum(axis=1)
        self.has_edges = bool(self.degree.sum() > 0)
        counts = np.zeros((n, data["num_words"]))
        for i, j, count in data["words"]:
            counts[i, j] += count
        scaled = scale_counts(counts)
        columns = standardise_numeric(np.array(data["columns"]).reshape(n, -1))
        self.bandwidth = median_distance(columns) if columns.shape[1] > 0 else None
        mean_of = self.adjacency / np.maximum(self.degree, 1)[:, None]
        candidates = [("own_counts", scaled), ("own_numeric", columns), ("own_smooth", None),
                      ("own_curves", curve_features(columns))]
        if self.has_edges:
            for name, effects, operator in (
                    ("neighbour_sums", "neighbour_effects", self.adjacency),
                    ("neighbour_means", "mean_neighbour_effects", mean_of)):
                candidates += [(f"{name}_counts", operator @ scaled),
                               (f"{name}_numeric", operator @ columns), (effects, operator)]
        self.names, self.scales, self.kernels = [], [], []
        for name, phi in candidates:
            if name == "own_smooth":
                if self.bandwidth is not None:
                    self.add(name, 1.0, smooth_kernel(columns, self.bandwidth))
                continue
            scale = float((phi ** 2).sum() / n)
            if scale > 0:
                self.add(name, scale, phi @ phi.T / scale)
        ones = np.ones(n)
        self.noises = [ones]
        self.fixed = [("constant", ones)]
        if self.has_edges:
            relative = self.degree / self.degree.mean()
            self.noises.append(relative)
            self.fixed += [("degree", relative), ("root_degree", np.sqrt(relative))]

    def add(self, name, scale, kernel):
        self.names.append(name)
        self.scales.append(scale)
        self.kernels.append(kernel)

    def kernel(self, log_variances):
        return sum(np.exp(s) * k for s, k in zip(log_variances, self.kernels))

    def noise(self, log_variances):
        parts = log_variances[len(self.kernels):]
        return sum(np.exp(t) * pattern for t, pattern in zip(parts, self.noises)) + JITTER

    def num_variances(self):
        return len(self.kernels) + len(self.noises)


class Arm:
    """One arm's rows: scaled outcome, independent fixed effects."""

    def __init__(self, model, data, arm):
        self.model = model
        self.rows = np.flatnonzero(np.array(data["arm"]) == arm)
        outcome = np.array(data["outcome"])[self.rows]
        self.mean, self.sd = outcome.mean(), outcome.std()
        self.y = (outcome - self.mean) / self.sd
        self.fixed_names, kept = [], []
        for name, column in model.fixed:
            trial = np.array(kept + [column]).T
            lengths = np.sqrt((trial[self.rows] ** 2).sum(axis=0))
            if np.linalg.matrix_rank(trial[self.rows] / lengths, tol=1e-9) == trial.shape[1]:
                kept.append(column)
                self.fixed_names.append(name)
        self.b = np.array(kept).T  # of all nodes

    def covariance(self, log_variances):
        k = self.model.kernel(log_variances)[np.ix_(self.rows, self.rows)]
        return k + np.diag(self.model.noise(log_variances)[self.rows])

    def derivatives(self, log_variances):
        """dC / d log variance, one matrix per variance."""
        inside = np.ix_(self.rows, self.rows)
        parts = [k[inside] for k in self.model.kernels]
        parts += [np.diag(pattern[self.rows]) for pattern in self.model.noises]
        return [np.exp(s) * part for s, part in zip(log_variances, parts)]

    def projection(self, log_variances):
        c_inverse = np.linalg.inv(self.covariance(log_variances))
        b = self.b[self.rows]
        return c_inverse - c_inverse @ b @ np.linalg.inv(b.T @ c_inverse @ b) @ b.T @ c_inverse

    def criterion(self, log_variances):
        c, b = self.covariance(log_variances), self.b[self.rows]
        solved = np.linalg.solve(c, b)
        p_y = self.projection(log_variances) @ self.y
        return 0.5 * (np.linalg.slogdet(c)[1] + np.linalg.slogdet(b.T @ solved)[1] + self.y @ p_y)

    def gradient(self, log_variances):
        p = self.projection(log_variances)
        p_y = p @ self.y
        return np.array([0.5 * (np.trace(p @ d) - p_y @ d @ p_y)
                         for d in self.derivatives(log_variances)])

    def hessian(self, log_variances):
        p = self.projection(log_variances)
        p_y = p @ self.y
        parts = self.derivatives(log_variances)
        pd = [p @ d for d in parts]
        second = np.array([[-0.5 * np.trace(a @ b) + p_y @ da @ p @ db @ p_y
                            for b, db in zip(pd, parts)] for a, da in zip(pd, parts)])
        return second + np.diag(self.gradient(log_variances))


# ---- the optimum -----------------------------------------------------------------------------

def projected(gradient, point):
    """The gradient without components that point beyond a bound."""
    low, high = LOG_BOUNDS
    return np.where((point <= low) & (gradient > 0) | (point >= high) & (gradient < 0), 0, gradient)


def polish(arm, point):
    """Newton steps on the variances that are not at a bound, damped until they descend."""
    best = arm.criterion(point)
    for _ in range(200):
        gradient = arm.gradient(point)
        free = projected(gradient, point) != 0
        if not free.any() or np.abs(gradient[free]).max() < 1e-13:
            break
        hessian = arm.hessian(point)[np.ix_(free, free)]
        values, vectors = np.linalg.eigh(hessian)
        floor = 1e-9 * max(np.abs(values).max(), 1e-300)
        step = np.zeros(len(point))
        step[free] = -vectors @ (vectors.T @ gradient[free] / np.maximum(np.abs(values), floor))
        step *= min(1.0, 4 / np.abs(step).max())
        for halving in range(40):
            trial = np.clip(point + step / 2 ** halving, *LOG_BOUNDS)
            value = arm.criterion(trial)
            if value < best:
                break
        else:
            break
        point, best = trial, value
    return point, best


def repeated_patterns(arm, point):
    """Variances whose matrix is a linear combination of the others: only sums are identified."""
    patterns = [d.ravel() / np.linalg.norm(d) for d in arm.derivatives(np.zeros(len(point)))]
    values, vectors = np.linalg.eigh(np.array(patterns) @ np.array(patterns).T)
    return (vectors[:, values < 1e-10] ** 2).sum(axis=1) > 1e-10


def find_optimum(arm, given, rng):
    count = len(given)
    starts = [given, np.full(count, np.log(1 / count)), np.full(count, -4.0), np.full(count, -1.0)]
    starts += [rng.uniform(-9, 1, count) for _ in range(16)]
    ends, before_polish = [], []
    options = {"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-10}
    for start in starts:
        found = minimize(arm.criterion, start, jac=arm.gradient, method="L-BFGS-B",
                         bounds=[LOG_BOUNDS] * count, options=options)
        before_polish.append(found.fun)
        ends.append(polish(arm, found.x))
    point, value = min(ends, key=lambda end: end[1])
    by_variance = arm.gradient(point) / np.exp(point)
    held = point <= LOG_BOUNDS[0]
    assert (by_variance[held] > -1e-6).all(), "a variance at its lower bound should be larger"
    hessian = arm.hessian(point)
    inside = (point > LOG_BOUNDS[0] + 2) & (point < LOG_BOUNDS[1] - 0.1)
    curved = np.zeros(count, dtype=bool)
    if inside.any():
        values, vectors = np.linalg.eigh(hessian[np.ix_(inside, inside)])
        flat = vectors[:, values < 1e-5]
        curved[inside] = (flat ** 2).sum(axis=1) < 1e-6
    identified = curved & ~repeated_patterns(arm, point)
    return {"log_variances": point.tolist(), "criterion": value,
            "projected_gradient_norm": float(np.linalg.norm(projected(arm.gradient(point), point))),
            "identified": identified.tolist(), "starts": len(starts),
            "starts_agreeing": sum(bool(abs(end[1] - value) < 1e-8) for end in ends),
            "starts_stuck_before_newton": sum(bool(end - value > 1e-4) for end in before_polish),
            "worst_start_above": max(end[1] for end in ends) - value}


# ---- folds, weights, posterior ---------------------------------------------------------------

def fold_smoothers(arm, log_variances, u, fold):
    """Row i: the weights of all outcomes in the prediction of node i from the fit without its fold.
    A refit per fold; in the outcome's units, as every row sums to one."""
    n = len(fold)
    kernel, noise = arm.model.kernel(log_variances), u * arm.model.noise(log_variances)
    result = np.zeros((n, n))
    for j in np.unique(fold):
        train = arm.rows[fold[arm.rows] != j]
        test = np.flatnonzero(fold == j)
        c_inverse = np.linalg.inv(kernel[np.ix_(train, train)] + np.diag(noise[train]))
        b = arm.b[train]
        assert np.linalg.matrix_rank(b) == b.shape[1], "fixed effects lose rank without a fold"
        gls = np.linalg.solve(b.T @ c_inverse @ b, b.T @ c_inverse)
        k_test = kernel[np.ix_(test, train)]
        residual_maker = np.eye(len(train)) - b @ gls
        result[np.ix_(test, train)] = k_test @ c_inverse @ residual_maker + arm.b[test] @ gls
    return result


def posterior_sd(arm, log_variances, fold):
    kernel, noise = arm.model.kernel(log_variances), arm.model.noise(log_variances)
    result = np.zeros(len(fold))
    for i in range(len(fold)):
        train = arm.rows[fold[arm.rows] != fold[i]]
        c_inverse = np.linalg.inv(kernel[np.ix_(train, train)] + np.diag(noise[train]))
        b, k = arm.b[train], kernel[train, i]
        rest = arm.b[i] - b.T @ c_inverse @ k
        of_fixed = rest @ np.linalg.solve(b.T @ c_inverse @ b, rest)
        result[i] = arm.sd * np.sqrt(kernel[i, i] - k @ c_inverse @ k + of_fixed)
    return result


def block_predictions_and_weights(arm, log_variances, u, fold, share):
    """The same from one inverse for all folds (the formula of docs/network_ridge.md)."""
    n = len(fold)
    kernel, noise = arm.model.kernel(log_variances), u * arm.model.noise(log_variances)
    rows, b = arm.rows, arm.b[arm.rows]
    c_inverse = np.linalg.inv(kernel[np.ix_(rows, rows)] + np.diag(noise[rows]))
    g = np.linalg.solve(b.T @ c_inverse @ b, b.T @ c_inverse)
    p = c_inverse - c_inverse @ b @ g
    predictions, weights = np.zeros(n), np.zeros(n)
    for j in np.unique(fold):
        test, held = np.flatnonzero(fold == j), np.flatnonzero(fold[rows] == j)
        y = arm.y.copy()
        block = p[np.ix_(held, held)]
        y[held] -= np.linalg.solve(block, (p @ arm.y)[held])
        k_test = kernel[np.ix_(test, rows)]
        predictions[test] = arm.mean + arm.sd * (k_test @ p @ y + arm.b[test] @ g @ y)
        h = p @ k_test.T @ share[test] / n + g.T @ arm.b[test].T @ share[test] / n
        weights[rows] += h - p[:, held] @ np.linalg.solve(block, h[held])
    return predictions, weights


def standard_errors(policy, weights, predictions, sigma2, arm_of):
    n, arms = policy.shape
    sigma = np.sqrt(sigma2)
    independent = shared = conservative = noise = 0.0
    for k in range(n):
        t = arm_of[k]
        off = weights[k] - policy[k, t] / n
        others = [a for a in range(arms) if a != t]
        unlogged = sum((policy[k, a] / n) ** 2 * sigma2[k, a] for a in others)
        worst_case = sum(policy[k, a] / n * sigma[k, a] for a in others)
        independent += off ** 2 * sigma2[k, t] + unlogged
        shared += (weights[k] - 1 / n) ** 2 * sigma2[k, t]
        conservative += (abs(off) * sigma[k, t] + worst_case) ** 2
        noise += weights[k] ** 2 * sigma2[k, t]
    units = (policy * predictions).sum(axis=1)
    return {"independent": np.sqrt(independent), "shared": np.sqrt(shared),
            "conservative": np.sqrt(conservative),
            "population": np.sqrt(noise + units.var(ddof=1) / n),
            "population_by_n": np.sqrt(noise + units.var() / n)}


# ---- the three datasets ----------------------------------------------------------------------

def draw_edges(rng, nodes, count):
    edges = set()
    popularity = rng.gamma(1.5, size=len(nodes))
    while len(edges) < count:
        i, j = rng.choice(nodes, 2, replace=False, p=popularity / popularity.sum())
        edges.add((int(min(i, j)), int(max(i, j))))
    return sorted(edges)


def draw_counts(rng, n, num_words, without):
    triplets = []
    for i in range(n):
        if i in without:
            continue
        chosen = np.sort(rng.choice(num_words, rng.integers(1, 6), replace=False))
        triplets += [[i, int(w), int(rng.integers(1, 6))] for w in chosen]
    return triplets


def rounded(values, unit=256):
    """Values that are exact in single precision and as text."""
    return (np.round(np.asarray(values) * unit) / unit).tolist()


def mixed_data(rng):
    """Count and numeric features, isolated nodes, nodes without counts, nodes with equal rows."""
    n, num_words = 70, 14
    edges = draw_edges(rng, np.arange(64), 190)
    words = draw_counts(rng, n, num_words, without={3, 17, 66})
    columns = np.array(rounded(np.column_stack(
        [rng.normal(2, 1.5, n), rng.exponential(3, n), np.full(n, 1.25)])))
    columns[20], columns[40] = columns[5], columns[11]
    adjacency = np.zeros((n, n))
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = 1
    counts = np.zeros((n, num_words))
    for i, j, count in words:
        counts[i, j] = count
    score = scale_counts(counts) @ rng.normal(size=num_words)
    neighbours = adjacency @ (score + 0.5 * rng.normal(size=n))
    curve = np.sin(2 * columns[:, 0]) + 0.1 * columns[:, 1]
    arm = rng.integers(0, 2, n)
    outcome = score + 0.4 * neighbours + curve + arm * (1 + 0.3 * neighbours)
    outcome += rng.normal(size=n) * np.sqrt(0.05 + 0.03 * adjacency.sum(axis=1))
    return {"name": "mixed", "num_nodes": n, "num_words": num_words, "num_arms": 2, "num_folds": 3,
            "edges": edges, "words": words, "columns": columns.tolist(), "arm": arm.tolist(),
            "outcome": rounded(outcome, 1024), "fold": rng.permutation(np.arange(n) % 3).tolist()}


def edgeless_data(rng):
    n = 90
    while n * (n - 1) // 2 % 2 == 0:
        n += 1
    columns = np.array(rounded(rng.normal(size=(n, 3)) * [1, 10, 0.1] + [0, 5, 1]))
    arm = rng.integers(0, 3, n)
    z = standardise_numeric(columns)
    outcome = z @ [1, -0.5, 0] + np.abs(z[:, 2]) * 1.5 + arm + 0.4 * rng.normal(size=n)
    return {"name": "edgeless", "num_nodes": n, "num_words": 0, "num_arms": 3, "num_folds": 4,
            "edges": [], "words": [], "columns": columns.tolist(), "arm": arm.tolist(),
            "outcome": rounded(outcome, 1024), "fold": rng.permutation(np.arange(n) % 4).tolist()}


def regular_data(rng):
    """Every node has four neighbours: sums and means are proportional, so are the two noises."""
    n, num_words = 60, 10
    edges = sorted({(min(i, (i + s) % n), max(i, (i + s) % n)) for i in range(n) for s in (1, 7)})
    words = draw_counts(rng, n, num_words, without=set())
    adjacency = np.zeros((n, n))
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = 1
    hidden = rng.normal(size=n)
    counts = np.zeros((n, num_words))
    for i, j, count in words:
        counts[i, j] = count
    score = scale_counts(counts) @ rng.normal(size=num_words)
    arm = rng.integers(0, 2, n)
    outcome = score + adjacency @ (0.5 * hidden + 0.5 * score) + arm + 0.4 * rng.normal(size=n)
    return {"name": "regular", "num_nodes": n, "num_words": num_words, "num_arms": 2,
            "num_folds": 3, "edges": edges, "words": words, "columns": [[] for _ in range(n)],
            "arm": arm.tolist(),
            "outcome": rounded(outcome, 1024), "fold": rng.permutation(np.arange(n) % 3).tolist()}


# ---- the file --------------------------------------------------------------------------------

def check_close(what, found, wanted, tolerance):
    error = float(np.max(np.abs(np.asarray(found) - np.asarray(wanted))))
    print(f"    {what}: largest difference {error:.1e}")
    assert error < tolerance, what


def check_gradient(arm, point):
    step, numeric = 1e-5, []
    for g in range(len(point)):
        shift = np.eye(len(point))[g] * step
        numeric.append((arm.criterion(point + shift) - arm.criterion(point - shift)) / (2 * step))
    check_close("gradient and finite differences", arm.gradient(point), numeric, 1e-7)
    numeric = [(arm.gradient(point + e * step) - arm.gradient(point - e * step)) / (2 * step)
               for e in np.eye(len(point))]
    check_close("second derivatives and finite differences", arm.hessian(point), numeric, 1e-6)


def describe_arm(arm, log_variances, rng):
    check_gradient(arm, log_variances)
    optimum = find_optimum(arm, log_variances, rng)
    print(f"    optimum {optimum['criterion']:.10f}, projected gradient "
          f"{optimum['projected_gradient_norm']:.1e}, {optimum['starts_agreeing']} of "
          f"{optimum['starts']} starts, the worst ends {optimum['worst_start_above']:.1e} above, "
          f"{optimum['starts_stuck_before_newton']} were stuck before Newton's steps; "
          f"{sum(optimum['identified'])} of {len(log_variances)} variances identified")
    return {"num_nodes": len(arm.rows), "mean": arm.mean, "sd": arm.sd,
            "fixed_effects": arm.fixed_names, "log_variances": log_variances.tolist(),
            "criterion": arm.criterion(log_variances),
            "gradient": arm.gradient(log_variances).tolist(), "optimum": optimum}


def describe_folds(model, arms, data, given, policy, sigma2):
    n, fold = data["num_nodes"], np.array(data["fold"])
    outcome, arm_of = np.array(data["outcome"]), np.array(data["arm"])
    result = []
    for u in UNDERSMOOTHINGS:
        predictions, weights = np.zeros(policy.shape), np.zeros(n)
        for a, arm in enumerate(arms):
            smoother = fold_smoothers(arm, given[a], u, fold)
            predictions[:, a] = smoother @ outcome
            own = policy[:, a] @ smoother / n
            weights += own
            blocks = block_predictions_and_weights(arm, given[a], u, fold, policy[:, a])
            check_close("predictions by refits and by blocks", predictions[:, a], blocks[0], 1e-9)
            check_close("weights by refits and by blocks", own, blocks[1], 1e-10)
            check_close("weights balance the fixed effects", own @ arm.b,
                        (policy[:, a:a + 1] * arm.b).mean(axis=0), 1e-10)
        value = float((policy * predictions).sum(axis=1).mean())
        check_close("weighted outcomes and value", weights @ outcome, value, 1e-10)
        errors = standard_errors(policy, weights, predictions, sigma2, arm_of)
        result.append({"undersmoothing": u, "predictions": predictions.tolist(), "value": value,
                       "weights": weights.tolist(), "standard_errors": errors})
    return result


def describe(data, rng):
    print(data["name"])
    model = Model(data)
    arms = [Arm(model, data, a) for a in range(data["num_arms"])]
    given = [np.round(rng.uniform(-3, 0.5, model.num_variances()), 2) for _ in arms]
    policy = rng.dirichlet(np.ones(len(arms)), data["num_nodes"])
    sigma2 = rng.uniform(0.1, 2, policy.shape)
    row = 4
    result = {**data, "kernel_row_of": row, "bandwidth": model.bandwidth,
              "mean_degree": float(model.degree.mean()),
              "groups": [{"name": name, "scale": scale, "kernel_row": kernel[row].tolist()}
                         for name, scale, kernel in zip(model.names, model.scales, model.kernels)],
              "noises": [f"noise_{i}" for i in range(len(model.noises))]}
    result["arms"] = [describe_arm(arm, point, rng) for arm, point in zip(arms, given)]
    result["policy"], result["noise_variances"] = policy.tolist(), sigma2.tolist()
    result["folds"] = describe_folds(model, arms, data, given, policy, sigma2)
    fold = np.array(data["fold"])
    result["posterior_sd"] = np.column_stack(
        [posterior_sd(arm, point, fold) for arm, point in zip(arms, given)]).tolist()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path,
                        default=ROOT / "tests/fixtures/network_ridge.json")
    args = parser.parse_args()
    datasets = [describe(make(np.random.default_rng(seed)), np.random.default_rng(100 + seed))
                for seed, make in enumerate((mixed_data, edgeless_data, regular_data), 1)]
    text = json.dumps({"meaning": MEANING, "log_bounds": LOG_BOUNDS, "jitter": JITTER,
                       "datasets": datasets}, separators=(",", ":"))
    args.out.write_text(text + "\n")
    print(f"{args.out.name}: {len(text) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
