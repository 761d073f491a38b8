"""The commands of the program as functions."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _core
from ._answers import Effects, Rule, Sensitivity, Study
from ._columns import check_texts
from ._dataset import Dataset
from ._evaluation import Evaluation
from ._inputs import core_of
from ._options import as_seed, as_threads, encode
from ._policies import as_requests
from ._progress import Progress, watching


def evaluate(dataset: Dataset, policies: Any, estimators: Union[str, Sequence[str], None] = None, *,
             seed: int = 0, threads: int = 0, progress: Progress = None,
             **options: Any) -> Evaluation:
    """Policy values with confidence and sensitivity intervals.

    policies: a dictionary from names to policies, or a list of built-in names and files as the command
    line takes them ("treat-all", "always:sms", "policy.csv"). A policy is an array of probabilities (of
    treatment, or one column per arm), an array or Series of labels, a function of the features, a
    fitted classifier of scikit-learn, or a built-in name. Further options are those of cone evaluate,
    with _ for -.

    >>> import numpy, cone
    >>> data = cone.Dataset.load("demo")
    >>> answer = cone.evaluate(data, {"everyone": "treat-all", "half": numpy.full(len(data), 0.5)},
    ...                        estimators=["dr_ridge"])
    >>> sorted(answer.ranks)
    ['everyone', 'half', 'logged']
    """
    core = core_of(dataset, "evaluate")
    with watching(progress) as observer:
        record, text = _core.evaluate(core, as_requests(dataset, policies),
                                      encode({"estimators": estimators, **options}), as_seed(seed),
                                      as_threads(threads), observer)
    return Evaluation(record, text)


def effects(dataset: Dataset, *, seed: int = 0, threads: int = 0, progress: Progress = None,
            **options: Any) -> Effects:
    """Potential outcomes and treatment effects of every node by the network ridge.

    Options are those of cone effects, with _ for -.

    >>> import cone
    >>> data = cone.simulate(nodes=200, mean_degree=6, words=40, words_per_node=8, seed=1)
    >>> cone.effects(data).effect.shape
    (200, 1)
    """
    with watching(progress) as observer:
        found = _core.fit_ridge(core_of(dataset, "effects"), encode(options), as_seed(seed), as_threads(threads), observer)
    return Effects(dataset.ids, dataset.arms, found)


def learn(dataset: Dataset, *, seed: int = 0, threads: int = 0, progress: Progress = None,
          **options: Any) -> Rule:
    """Policy learning: the decision tree with the largest doubly robust score, and its cross-fitted value.
    Options are those of cone learn, with _ for -.

    >>> import cone
    >>> data = cone.simulate(nodes=200, mean_degree=6, words=40, words_per_node=8, seed=1)
    >>> rule = cone.learn(data, depth=1)
    >>> len(rule.labels), set(rule.labels) <= set(data.arms)
    (200, True)
    """
    with watching(progress) as observer:
        found = _core.learn(core_of(dataset, "learn"), encode(options), as_seed(seed), as_threads(threads), observer)
    return Rule(dataset.arms, found)


def sensitivity(dataset: Dataset, policies: Any, against: Any = "logged", *, seed: int = 0,
                threads: int = 0, progress: Progress = None, **options: Any) -> Sensitivity:
    """Sensitivity analysis: how strong unmeasured confounding must be to change a conclusion about the
    difference from the logged policy ("logged"), about the value itself ("none"), or about the
    difference from another policy in any form that evaluate() takes. Options are those of cone
    sensitivity, with _ for -.

    >>> import cone
    >>> data = cone.simulate(nodes=200, mean_degree=6, words=40, words_per_node=8, seed=1)
    >>> analysis = cone.sensitivity(data, {"everyone": "treat-all"}, against="treat-none", lambdas=3)
    >>> [policy["name"] for policy in analysis.record["policies"]]
    ['everyone']
    """
    core = core_of(dataset, "sensitivity")
    if isinstance(against, str):
        check_texts([against], "against")
        other: Any = (None, against, "")
    else:
        other = as_requests(dataset, {"against": against})[0]
    with watching(progress) as observer:
        record, text = _core.sensitivity(core, as_requests(dataset, policies), other,
                                         encode(options), as_seed(seed), as_threads(threads), observer)
    return Sensitivity(record, text)


def simulate(out: Optional[Union[str, os.PathLike[str]]] = None, *, seed: int = 0, threads: int = 0,
             progress: Progress = None, **options: Any) -> Dataset:
    """Simulates a dataset with known truth. out: the folder to write, as cone simulate does; without it
    no files are kept. Options are those of cone simulate, with _ for -.

    >>> import cone
    >>> data = cone.simulate(nodes=100, mean_degree=4, words=40, words_per_node=8, seed=1)
    >>> data.num_nodes, data.truth.shape
    (100, (100, 2))
    """
    import tempfile  # here, as it slows the import of cone

    with tempfile.TemporaryDirectory() as folder, watching(progress) as observer:
        target = os.path.join(folder, "simulation") if out is None else os.fspath(out)
        manifest = json.loads(_core.simulate(target, encode(options), as_seed(seed), as_threads(threads), observer))
        named = {"cluster": "cluster"} if "clusters" in manifest["data"] else {}
        made = Dataset.load(target, threads=threads, progress=False, **named)
        if out is None:
            made._core.forget_files("simulation")  # its folder is removed after this
        return made


def reproduce(what: str, *, data: Union[str, os.PathLike[str]] = "demo",
              out: Union[str, os.PathLike[str]], seed: int = 0, threads: int = 0,
              progress: Progress = None, **options: Any) -> Study:
    """A simulation study with known truth: "table1", "table2", "figure2", "values", "worlds", "effects",
    "ablation" or "coverage". Writes tables and finished jobs to the folder out, where an interrupted
    study is resumed. Options are those of cone reproduce, with _ for -.

    >>> import cone, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = cone.reproduce("effects", out=folder, simulations=2, estimators=["dm_ols1"])
    >>> study.failures
    []
    """
    with watching(progress) as observer:
        found = _core.reproduce(what, os.fspath(data), os.fspath(out), encode(options), as_seed(seed),
                                as_threads(threads), observer)
    return Study(found)
