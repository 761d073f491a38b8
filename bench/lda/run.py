#!/usr/bin/env python3
"""Topic model compared with scikit-learn's on the same data and cores.

    ./dev bench lda [--data FOLDER_OF_MAT_FILES]

Times are of the fit with its final score: scikit-learn's fit ends with an E-step and the bound, so
ours is timed as fit plus perplexity. Perplexity of the training documents and topics of each
document are scored by each library's own methods, which share one definition; --cross-check also
scores our topics with scikit-learn's code.
"""

import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np
import scipy.io
import scipy.special
import sklearn
from sklearn.decomposition import LatentDirichletAllocation

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import data_folder, environment, parser, run_json, write_json  # noqa: E402

TOP_WORDS = {"BlogCatalog": 100, "Flickr": 25}  # per topic, as in the semi-synthetic data


def read_counts(path):
    counts = scipy.io.loadmat(path)["Attributes"].tocsr().astype(np.float64)
    counts.sort_indices()
    return counts


def write_counts(counts, path):
    """rows, columns, entries (u64); offsets (u64); columns (u32); values (f64); little endian."""
    with open(path, "wb") as out:
        np.array([*counts.shape, counts.nnz], dtype="<u8").tofile(out)
        counts.indptr.astype("<u8").tofile(out)
        counts.indices.astype("<u4").tofile(out)
        counts.data.astype("<f8").tofile(out)


def run_sklearn(counts, topics, top_words, seed, jobs):
    model = LatentDirichletAllocation(n_components=topics, random_state=seed, n_jobs=jobs)
    start = time.perf_counter()
    model.fit(counts)
    seconds = time.perf_counter() - start
    best = np.argsort(-model.components_, axis=1, kind="stable")[:, :top_words]
    return {
        "seconds": seconds,
        "perplexity": model.perplexity(counts),
        "union": len(np.unique(best)),
        "mean_largest_share": float(model.transform(counts).max(axis=1).mean()),
    }


def run_ours(binary, path, topics, top_words, seed, threads, topic_words=None):
    command = [binary, path, topics, top_words, seed, threads]
    if topic_words is not None:
        command.append(topic_words)
    result = run_json(command)
    result["seconds"] = result["fit_seconds"] + result["perplexity_seconds"]
    return result


def sklearn_perplexity(topic_words, counts, topics):
    """The perplexity that scikit-learn's own code gives our topics."""
    model = LatentDirichletAllocation(n_components=topics, max_iter=1, max_doc_update_iter=1)
    model.fit(counts[:2])
    model.components_ = np.fromfile(topic_words, dtype="<f8").reshape(topics, counts.shape[1])
    model.exp_dirichlet_component_ = np.exp(
        scipy.special.digamma(model.components_)
        - scipy.special.digamma(model.components_.sum(axis=1, keepdims=True)))
    model.max_doc_update_iter = 100
    return model.perplexity(counts)


def measure(name, args, scratch):
    counts = read_counts(args.data / f"{name}.mat")
    path = pathlib.Path(scratch) / f"{name}.csr"
    write_counts(counts, path)
    runs = {"scikit-learn": [], f"scikit-learn n_jobs={args.threads}": [], "cone": []}
    sklearn_names = list(runs)[:2]
    for seed in range(args.seeds):
        for label, jobs in zip(sklearn_names, (None, args.threads)):
            runs[label].append(run_sklearn(counts, args.topics, TOP_WORDS[name], seed, jobs))
        topic_words = pathlib.Path(scratch) / "topic_words.f64" if args.cross_check else None
        ours = run_ours(args.bin / "bench_lda", path, args.topics, TOP_WORDS[name], seed, args.threads,
                        topic_words)
        if topic_words is not None:
            ours["sklearn_perplexity"] = sklearn_perplexity(topic_words, counts, args.topics)
        runs["cone"].append(ours)
    median = {label: statistics.median(r["seconds"] for r in results)
              for label, results in runs.items()}
    return {
        "data": name,
        "shape": counts.shape,
        "entries": int(counts.nnz),
        "runs": runs,
        "median_seconds": median,
        "ratio": min(median[label] for label in sklearn_names) / median["cone"],
    }


def listed(results, key, digits):
    return " ".join(f"{r[key]:.{digits}f}" for r in results)


def print_table(result):
    rows, cols = result["shape"]
    print(f"\n{result['data']}: {rows} documents, {cols} words, {result['entries']} entries")
    print(f"{'':24}{'seconds':>22}{'perplexity':>22}{'union':>16}{'largest share':>18}")
    for label, results in result["runs"].items():
        print(f"{label:24}{listed(results, 'seconds', 2):>22}"
              f"{listed(results, 'perplexity', 0):>22}{listed(results, 'union', 0):>16}"
              f"{listed(results, 'mean_largest_share', 3):>18}")
        if "sklearn_perplexity" in results[0]:
            print(f"{'  scored by scikit-learn':46}{listed(results, 'sklearn_perplexity', 0):>22}")
    print(f"the faster scikit-learn takes {result['ratio']:.0f} times as long (medians)",
          flush=True)


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--data", type=pathlib.Path, default=data_folder(),
                           help="folder of BlogCatalog.mat and Flickr.mat")
    arguments.add_argument("--topics", type=int, default=50)
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--cross-check", action="store_true",
                           help="also score our topics with scikit-learn's code")
    args = arguments.parse_args()
    record = {"benchmark": "lda", **environment(args.bin), "scikit_learn": sklearn.__version__,
              "topics": args.topics, "threads": args.threads, "results": []}
    with tempfile.TemporaryDirectory() as scratch:
        for name in TOP_WORDS:
            result = measure(name, args, scratch)
            print_table(result)
            record["results"].append(result)
    write_json(args.json, record)


if __name__ == "__main__":
    main()
