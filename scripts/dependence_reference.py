#!/usr/bin/env python3
"""Writes tests/fixtures/dependence.json: variances of a mean over a small network, by the peers.

    python3 -m venv VENV && VENV/bin/pip install mossspider networkinference
    VENV/bin/python scripts/dependence_reference.py [--out FILE]

Values come from the peers (MossSpider 0.0.3, networkinference 0.0.4) where these compute them, otherwise from
the formula with dense n x n matrices; the file says which. Where both exist the script checks that they agree.
"""

import argparse
import json
import pathlib
import sys

import networkx as nx
import numpy as np
import scipy.stats
from scipy.sparse import csr_matrix

sys.modules["scipy.stats.kde"] = scipy.stats  # MossSpider imports by a name that SciPy dropped
from mossspider import NetworkTMLE  # noqa: E402
from networkinference import core  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUM_NODES = 60

MEANING = {
    "edges": "pairs of nodes, each once; nodes count from 0. Two components and isolated nodes",
    "cluster": "cluster of each node, from 0",
    "phi": "three arrays, each of mean 0. The last has phi'(A+I)phi < 0",
    "weights, outcome, mu": "psi = weights * (outcome - mu), not centred",
    "independent": "sum phi^2 / n^2, networkinference with bandwidth 0",
    "neighbours": "phi'(A+I)phi / n^2. The first two from networkinference with bandwidth 1 "
                  "(it centres, and divides by n once), the last from the formula: there the peer "
                  "falls back to common_neighbours",
    "within_two": "phi'1{distance <= 2}phi / n^2: networkinference with bandwidth 2",
    "common_neighbours": "|B'phi|^2 / n^2 with B_ij = 1{j in N_i}/sqrt|N_i|, N_i with i itself. The "
                      "last from networkinference (its fallback, bandwidth 1), others by formula",
    "common_neighbours_mean_share": "1'BB'1 / n^2, by formula",
    "clusters": "sum_c (sum of phi in c)^2 / n^2 * G/(G-1), by formula",
    "relative_noise": "sqrt(2 sum_{i != j} K_ij^2 phi_i^2 phi_j^2) / sum phi^2, by formula",
    "latent": "sum_ij (A+I)_ij psi_i psi_j / n^2: MossSpider, its variance under latent dependence",
    "average_path_length": "within the largest component, networkinference",
    "bandwidth": "Leung's rule: round(half the average path length) where that length is below "
                 "2 ln n / ln(mean degree), else round(its cube root): networkinference",
}


def draw_network(rng):
    """Two rings with chords, and three isolated nodes."""
    graph = nx.Graph()
    graph.add_nodes_from(range(NUM_NODES))
    for first, last in ((0, 40), (40, 57)):
        members = list(range(first, last))
        for k, i in enumerate(members):
            graph.add_edge(i, members[(k + 1) % len(members)])
        for _ in range(2 * len(members)):
            i, j = rng.choice(members, 2, replace=False)
            graph.add_edge(int(i), int(j))
    return graph


def relative_noise(kernel, phi):
    off = kernel - np.diag(np.diag(kernel))
    return float(np.sqrt(2 * (off ** 2 * np.outer(phi ** 2, phi ** 2)).sum()) / (phi ** 2).sum())


def take_variance(phi, graph, bandwidth):
    """The peer's variance of the mean; None where it fell back to the positive one."""
    variance, _, _, fell_back = core.network_hac(phi, graph, bandwidth, disp=True)
    return None if fell_back else float(variance) / NUM_NODES


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=ROOT / "tests/fixtures/dependence.json")
    out = pathlib.Path(parser.parse_args().out)
    rng = np.random.default_rng(7)
    graph = draw_network(rng)
    n = NUM_NODES
    near = nx.to_numpy_array(graph, nodelist=range(n)) + np.eye(n)
    b = near / np.sqrt(near.sum(axis=1))[:, None]

    eigenvalues, eigenvectors = np.linalg.eigh(near)
    assert eigenvalues[0] < 0
    phi = np.stack([rng.normal(size=n),
                    near @ rng.normal(size=n) + 0.5 * rng.normal(size=n),
                    5 * eigenvectors[:, 0] + 0.05 * rng.normal(size=n)])
    phi -= phi.mean(axis=1, keepdims=True)
    cluster = np.concatenate([np.arange(40) // 8, 5 + np.arange(20) // 7])
    num_clusters = int(cluster.max()) + 1

    neighbours, common = [], []
    for k in range(3):
        by_formula = phi[k] @ near @ phi[k] / n ** 2
        taken = take_variance(phi[k], graph, 1)
        assert (taken is None) == (by_formula <= 0) == (k == 2)
        assert taken is None or abs(taken - by_formula) < 1e-14
        neighbours.append(by_formula if taken is None else taken)
        by_formula = ((b.T @ phi[k]) ** 2).sum() / n ** 2
        taken = float(core.network_hac(phi[k], graph, 1)) / n if k == 2 else by_formula
        assert abs(taken - by_formula) < 1e-14
        common.append(taken)
    sums = np.stack([np.bincount(cluster, weights=p) for p in phi])

    weights = rng.exponential(size=n)
    outcome = rng.normal(size=n)
    mu = 0.4 * outcome + 0.3 * rng.normal(size=n)
    adjacency = csr_matrix(near - np.eye(n))
    latent = NetworkTMLE._est_variance_latent_conditional_(weights, outcome, mu, adjacency)
    psi = weights * (outcome - mu)
    assert abs(latent - psi @ near @ psi / n ** 2) < 1e-14

    _, path_length, bandwidth, _ = core.network_hac(phi[0], graph, None, disp=True)
    record = {
        "meaning": MEANING,
        "num_nodes": n,
        "edges": sorted([min(e), max(e)] for e in graph.edges),
        "cluster": cluster.tolist(),
        "phi": phi.tolist(),
        "weights": weights.tolist(),
        "outcome": outcome.tolist(),
        "mu": mu.tolist(),
        "independent": [take_variance(p, graph, 0) for p in phi],
        "neighbours": neighbours,
        "within_two": [take_variance(p, graph, 2) for p in phi],  # positive, all three
        "common_neighbours": common,
        "common_neighbours_mean_share": float((b.T @ np.ones(n)) @ (b.T @ np.ones(n))) / n ** 2,
        "clusters": ((sums ** 2).sum(axis=1) / n ** 2 * num_clusters / (num_clusters - 1)).tolist(),
        "relative_noise": {"neighbours": [relative_noise(near, p) for p in phi],
                           "common_neighbours": [relative_noise(b @ b.T, p) for p in phi]},
        "latent": float(latent),
        "average_path_length": float(path_length),
        "bandwidth": int(bandwidth),
    }
    out.write_text(json.dumps(record, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
