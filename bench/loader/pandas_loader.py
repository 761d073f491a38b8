"""Loads a dataset folder with pandas and SciPy and prints one JSON object.

The same work as bench_loader: both files, ids mapped to row numbers, dense float64 features, and
the symmetric adjacency matrix in CSR form without self loops or repeats.
"""

import json
import resource
import sys
import time

import numpy as np
import pandas as pd
import scipy.sparse as sp


def load(folder: str, id_type: str):
    nodes = pd.read_csv(f"{folder}/nodes.csv", engine="c", dtype={"id": id_type})
    edges = pd.read_csv(
        f"{folder}/edges.csv", engine="c", dtype={"source": id_type, "target": id_type}
    )
    ids = pd.Index(nodes["id"])
    if not ids.is_unique:
        raise ValueError("duplicate ids")
    source = ids.get_indexer(edges["source"]).astype(np.int32)
    target = ids.get_indexer(edges["target"]).astype(np.int32)
    del edges
    if (source < 0).any() or (target < 0).any():
        raise ValueError("edge to nowhere")
    treatment = nodes["treatment"].to_numpy(np.uint8)
    outcome = nodes["outcome"].to_numpy(np.float64)
    features = nodes.drop(columns=["id", "treatment", "outcome"]).to_numpy(np.float64)
    del nodes
    if not (np.isfinite(outcome).all() and np.isfinite(features).all()):
        raise ValueError("missing values")
    keep = source != target
    source, target = source[keep], target[keep]
    size = len(ids)
    half = sp.coo_matrix((np.ones(len(source), np.int8), (source, target)), shape=(size, size))
    half = half.tocsr()  # sums repeats
    adjacency = half + half.T
    adjacency.data[:] = 1
    adjacency.sort_indices()
    return ids, treatment, outcome, features, adjacency


def main():
    folder, id_type = sys.argv[1:]
    start = time.perf_counter()
    ids, _, _, features, adjacency = load(folder, id_type)
    seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {
                "seconds": seconds,
                "cpu_seconds": usage.ru_utime + usage.ru_stime,
                "peak_bytes": usage.ru_maxrss * 1024,
                "num_nodes": len(ids),
                "num_edges": adjacency.nnz // 2,
                "num_feature_values": features.size,
            }
        )
    )


if __name__ == "__main__":
    main()
