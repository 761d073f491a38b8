#!/usr/bin/env python3
"""The network ridge implemented with a library for Gaussian processes.

    gaussian_process.py scikit-learn|GPyTorch FOLDER --policies FILE --threads N

Does the same as `cone evaluate FOLDER --policy treat-all treat-none FILE --estimators network_dm`: the same
groups, fixed effects and noise, variances of each arm on all its nodes, five folds with the noise times u in
the solve, the mean outcome under each policy. FOLDER is written by `cone simulate`, FILE has a column id and
one column per policy. The libraries have no fixed effects without a prior: here their prior variance is 1e4
times the outcome variance. Each library optimises and solves in its own way: scikit-learn by L-BFGS on analytic
gradients, GPyTorch by L-BFGS on automatic ones, both by Cholesky (GPyTorch's conjugate gradients with --solver
cg). No standard errors. Prints values, variances and the seconds of each phase as JSON, from the start of
reading, without importing the libraries.
"""

import argparse
import importlib.metadata
import json
import os
import pathlib
import resource
import time

import numpy as np
import pandas as pd
import scipy.sparse
import scipy.stats
from scipy.spatial.distance import pdist, squareform

LOG_BOUNDS = (-16.0, 6.0)
JITTER = 1e-8
FIXED_EFFECT_VARIANCE = 1e4
START = 0.1  # of every variance; the outcome has variance 1
NOT_FEATURES = {"id", "treatment", "outcome"}


class Data:
    def __init__(self, folder, policies):
        nodes = pd.read_csv(folder / "nodes.csv", dtype={"id": str})
        n, index_of = len(nodes), pd.Series(np.arange(len(nodes)), index=nodes["id"])
        self.arm, self.outcome = nodes["treatment"].to_numpy(), nodes["outcome"].to_numpy()
        self.adjacency = scipy.sparse.csr_matrix((n, n))
        if (folder / "edges.csv").exists():
            edges = pd.read_csv(folder / "edges.csv", dtype=str)
            ends = index_of[edges["source"]].to_numpy(), index_of[edges["target"]].to_numpy()
            one_way = scipy.sparse.csr_matrix((np.ones(len(edges)), ends), (n, n))
            self.adjacency = ((one_way + one_way.T) > 0).astype(float)
        truth = [c for c in nodes if c in ("y0", "y1") or c.startswith("y:")]
        self.columns = nodes.drop(columns=[*truth, *NOT_FEATURES]).to_numpy(dtype=float)
        self.words = read_words(folder, index_of)
        table = pd.read_csv(policies, dtype={"id": str}).set_index("id").loc[nodes["id"]]
        self.policies = {"treat-all": np.ones(n), "treat-none": np.zeros(n),
                         **{name: table[name].to_numpy() for name in table}}


def read_words(folder, index_of):
    if (folder / "features.npz").exists():
        return scipy.sparse.load_npz(folder / "features.npz").astype(float).tocsr()
    if not (folder / "features.csv").exists():
        return scipy.sparse.csr_matrix((len(index_of), 0))
    table = pd.read_csv(folder / "features.csv", dtype={"node": str, "feature": str})
    words, names = pd.factorize(table["feature"])
    where = index_of[table["node"]].to_numpy(), words
    shape = len(index_of), len(names)
    return scipy.sparse.csr_matrix((table["value"].to_numpy(float), where), shape)


def curve_features(columns):
    """Cosines of the mid-ranks of every column with more than two values (curve_features.hpp)."""
    ranks = [(scipy.stats.rankdata(c) - 0.5) / len(c) for c in columns.T if len(np.unique(c)) > 2]
    most = min(30, max(4, 300 // max(1, len(ranks))))
    return np.array([np.sqrt(2) * np.cos(k * np.pi * u) / (k * np.pi) for u in ranks
                     for k in range(1, min(most, len(np.unique(u)) - 1) + 1)]).T.reshape(
                         len(columns), -1)


class Grams:
    """One n × n matrix per group, noise patterns and fixed effects; sub-matrices are cached."""

    def __init__(self, data):
        n = data.adjacency.shape[0]
        degree = np.asarray(data.adjacency.sum(axis=1)).ravel()
        words = data.words.copy()
        words.data = np.sign(words.data) * np.sqrt(np.abs(words.data))
        lengths = np.sqrt(np.asarray(words.multiply(words).sum(axis=1)).ravel())
        words = scipy.sparse.diags(1 / np.where(lengths > 0, lengths, 1)) @ words
        varying = data.columns[:, np.ptp(data.columns, axis=0) > 0]
        columns = (varying - varying.mean(axis=0)) / varying.std(axis=0)
        own = {"words": (words @ words.T).toarray(), "columns": columns @ columns.T}
        self.names, self.matrices = [], []
        for kind, gram in own.items():
            self.add(f"own_{kind}", gram)
        if columns.shape[1] > 0:
            distances = pdist(columns)
            width = np.median(distances[distances > 0])
            self.names.append("own_smooth")
            self.matrices.append(np.exp(-squareform(distances) ** 2 / (2 * width ** 2)))
            curves = curve_features(columns)
            if curves.shape[1] > 0:
                self.add("own_curves", curves @ curves.T)
        self.noises, fixed = [np.ones(n)], [np.ones(n)]
        if degree.any():
            a = data.adjacency
            sums = {kind: a @ (a @ gram).T for kind, gram in own.items()}  # A G A'
            sums["neighbours"] = (a @ a.T).toarray()
            share = 1 / np.maximum(degree, 1)
            for kind, gram in sums.items():
                self.add(f"sum_{kind}", gram)
            for kind, gram in sums.items():
                self.add(f"mean_{kind}", share[:, None] * gram * share)
            relative = degree / degree.mean()
            self.noises.append(relative)
            fixed += [relative, np.sqrt(relative)]
        # Orthonormal columns, so that the prior is isotropic.
        left, sizes, _ = np.linalg.svd(np.array(fixed).T, full_matrices=False)
        basis = np.sqrt(n) * left[:, sizes > 1e-9 * sizes[0]]
        self.fixed = FIXED_EFFECT_VARIANCE * basis @ basis.T
        self.num_variances = len(self.matrices) + len(self.noises)
        self.kept_rows, self.kept = None, None

    def add(self, name, gram):
        scale = np.trace(gram) / len(gram)
        if scale > 0:
            self.names.append(name)
            self.matrices.append(gram / scale)

    def among(self, rows):
        """The matrices of some nodes, fixed effects last, and their noise patterns."""
        if self.kept_rows is None or not np.array_equal(rows, self.kept_rows):
            inside = np.ix_(rows, rows)
            self.kept_rows = rows.copy()
            self.kept = ([m[inside] for m in self.matrices], self.fixed[inside],
                         [p[rows] for p in self.noises])
        return self.kept

    def between(self, rows, columns, variances):
        where = np.ix_(rows, columns)
        return sum((v * m[where] for v, m in zip(variances, self.matrices)), self.fixed[where])

    def __deepcopy__(self, memo):
        return self  # scikit-learn copies kernels often


# ---- scikit-learn ----------------------------------------------------------------------------

class WithScikitLearn:
    package = "scikit-learn"

    def __init__(self, grams, args):
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import Hyperparameter, Kernel

        class SumOfGrams(Kernel):
            """Nodes are given by their indices."""

            def __init__(self, grams, variances, u=1.0):
                self.grams, self.variances, self.u = grams, variances, u

            @property
            def hyperparameter_variances(self):
                bounds = np.tile(np.exp(LOG_BOUNDS), (len(self.variances), 1))
                return Hyperparameter("variances", "numeric", bounds, len(self.variances))

            def __call__(self, X, Y=None, eval_gradient=False):
                rows = X[:, 0].astype(int)
                if Y is not None:
                    return self.grams.between(rows, Y[:, 0].astype(int), self.variances)
                matrices, fixed, noises = self.grams.among(rows)
                of_groups = self.variances[:len(matrices)]
                of_noises = self.variances[len(matrices):]
                result = fixed.copy()
                for v, m in zip(of_groups, matrices):
                    result += v * m
                result[np.diag_indices_from(result)] += self.u * sum(
                    v * p for v, p in zip(of_noises, noises))
                if not eval_gradient:
                    return result
                gradient = np.zeros((len(rows), len(rows), len(self.variances)))
                for g, (v, m) in enumerate(zip(of_groups, matrices)):
                    gradient[:, :, g] = v * m
                for g, (v, p) in enumerate(zip(of_noises, noises), len(matrices)):
                    gradient[np.arange(len(rows)), np.arange(len(rows)), g] = self.u * v * p
                return result, gradient

            def diag(self, X):
                return np.diag(self(X)).copy()

            def is_stationary(self):
                return False

        self.kernel, self.regressor, self.grams, self.u = (
            SumOfGrams, GaussianProcessRegressor, grams, args.u)

    def learn_variances(self, rows, y):
        start = np.full(self.grams.num_variances, START)
        found = self.regressor(self.kernel(self.grams, start), alpha=JITTER).fit(rows[:, None], y)
        return found.kernel_.variances, -found.log_marginal_likelihood_value_

    def predict(self, train, y, test, variances):
        kernel = self.kernel(self.grams, variances, self.u)
        regressor = self.regressor(kernel, alpha=self.u * JITTER, optimizer=None)
        return regressor.fit(train[:, None], y).predict(test[:, None])


# ---- GPyTorch --------------------------------------------------------------------------------

class WithGPyTorch:
    package = "gpytorch"

    def __init__(self, grams, args):
        import gpytorch
        import torch
        torch.set_num_threads(args.threads)
        torch.set_default_dtype(torch.float64)
        self.torch, self.gpytorch, self.grams, self.u = torch, gpytorch, grams, args.u
        self.largest_cholesky = 10 ** 9 if args.solver == "cholesky" else 800
        pool = [torch.from_numpy(m) for m in grams.matrices]

        class SumOfGrams(gpytorch.kernels.Kernel):
            def __init__(self, log_variances, u):
                super().__init__()
                self.u, self.rows, self.kept = u, None, None
                self.register_parameter("log_variances", torch.nn.Parameter(log_variances))

            def forward(self, x1, x2, diag=False, **_):
                rows, columns = x1[..., 0].long(), x2[..., 0].long()
                variances = self.log_variances.exp()
                if diag:
                    return self.forward(x1, x2).diagonal()
                if not torch.equal(rows, columns):
                    return torch.from_numpy(grams.between(rows.numpy(), columns.numpy(),
                                                          variances.detach().numpy()))
                if self.rows is None or not torch.equal(rows, self.rows):
                    self.rows = rows
                    self.kept = ([m[rows][:, rows] for m in pool],
                                 torch.from_numpy(grams.fixed[np.ix_(rows, rows)]),
                                 [torch.from_numpy(p)[rows] for p in grams.noises])
                matrices, fixed, noises = self.kept
                noise = sum(v * p for v, p in zip(variances[len(matrices):], noises))
                groups = sum((v * m for v, m in zip(variances, matrices)), fixed)
                return groups + torch.diag(self.u * noise)

        class Process(gpytorch.models.ExactGP):
            def __init__(self, rows, y, log_variances, u):
                noise = torch.full((len(rows),), u * JITTER)
                super().__init__(torch.from_numpy(rows)[:, None].double(), torch.from_numpy(y),
                                 gpytorch.likelihoods.FixedNoiseGaussianLikelihood(noise))
                self.mean_module = gpytorch.means.ZeroMean()
                self.covar_module = SumOfGrams(log_variances, u)

            def forward(self, x):
                return gpytorch.distributions.MultivariateNormal(self.mean_module(x),
                                                                 self.covar_module(x))

        self.process = Process

    def settings(self):
        from contextlib import ExitStack
        stack, s = ExitStack(), self.gpytorch.settings
        for setting in (s.max_cholesky_size(self.largest_cholesky), s.skip_posterior_variances(),
                        s.min_fixed_noise(double_value=1e-12), s.debug(False)):
            stack.enter_context(setting)
        return stack

    def learn_variances(self, rows, y):
        start = self.torch.full((self.grams.num_variances,), float(np.log(START)))
        with self.settings():
            process = self.process(rows, y, start, 1.0).train()
            parameter = process.covar_module.log_variances
            likelihood = self.gpytorch.mlls.ExactMarginalLogLikelihood(process.likelihood, process)
            optimiser = self.torch.optim.LBFGS(  # scikit-learn stops at about the same change
                [parameter], max_iter=100, line_search_fn="strong_wolfe", tolerance_grad=1e-5,
                tolerance_change=1e-6)

            def evaluate():
                optimiser.zero_grad()
                mean = likelihood(process(*process.train_inputs), process.train_targets)
                loss = -len(rows) * mean
                loss.backward()
                return loss

            optimiser.step(evaluate)
            loss = evaluate().item()
        return parameter.detach().clamp(*LOG_BOUNDS).exp().numpy(), loss

    def predict(self, train, y, test, variances):
        with self.settings(), self.torch.no_grad():
            start = self.torch.from_numpy(np.log(variances))
            process = self.process(train, y, start, self.u).eval()
            return process(self.torch.from_numpy(test)[:, None].double()).mean.numpy()


LIBRARIES = {"scikit-learn": WithScikitLearn, "GPyTorch": WithGPyTorch}


def evaluate(args):
    clock = {"seconds": time.perf_counter, "cpu_seconds": time.process_time}
    spent, last = {kind: {} for kind in clock}, {kind: now() for kind, now in clock.items()}

    def finish(phase):
        for kind, now in clock.items():
            spent[kind][phase] = now() - last[kind]
            last[kind] = now()

    data = Data(args.folder, args.policies)
    finish("read")
    grams = Grams(data)
    finish("kernels")
    library = LIBRARIES[args.library](grams, args)
    finish("imports")
    fold = np.random.default_rng(0).permutation(np.arange(len(data.outcome)) % args.folds)
    learnt, predictions = [], np.empty((len(fold), 2))
    scaled = {}
    for arm in (0, 1):
        rows = np.flatnonzero(data.arm == arm)
        y = data.outcome[rows]
        scaled[arm] = rows, (y - y.mean()) / y.std(), y.mean(), y.std()
        variances, loss = library.learn_variances(rows, scaled[arm][1])
        names = [*grams.names, "noise_0", "noise_1"]
        learnt.append({"arm": arm, "nodes": len(rows), "negative_log_likelihood": loss,
                       "variances": dict(zip(names, variances.tolist()))})
    finish("variances")
    for arm, (rows, y, mean, sd) in scaled.items():
        variances = np.array(list(learnt[arm]["variances"].values()))
        for j in range(args.folds):
            train, test = fold[rows] != j, np.flatnonzero(fold == j)
            found = library.predict(rows[train], y[train], test, variances)
            predictions[test, arm] = mean + sd * found
    values = {name: float((p * predictions[:, 1] + (1 - p) * predictions[:, 0]).mean())
              for name, p in data.policies.items()}
    finish("folds")
    for phases in spent.values():
        del phases["imports"]
    return {"library": args.library, "version": importlib.metadata.version(library.package),
            "nodes": len(fold), "edges": data.adjacency.nnz // 2, "threads": args.threads,
            "u": args.u, "values": values, "arms": learnt, "phase_seconds": spent["seconds"],
            **{kind: sum(phases.values()) for kind, phases in spent.items()},
            "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--policies", type=pathlib.Path, required=True)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--u", type=float, default=0.1,
                        help="noise times this in the folds' solves")
    parser.add_argument("--solver", choices=["cholesky", "cg"], default="cholesky",
                        help="of GPyTorch; cg is its default above 800 nodes")
    print(json.dumps(evaluate(parser.parse_args())))


if __name__ == "__main__":
    main()
