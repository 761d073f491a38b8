"""What the program's commands do, as functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _core
from ._dataset import Dataset
from ._evaluation import Evaluation
from ._options import encode
from ._policies import as_requests
from ._progress import Progress, watching


def evaluate(dataset: Dataset, policies: Any, estimators: Union[str, Sequence[str], None] = None, *,
             seed: int = 0, threads: int = 0, progress: Progress = None,
             **options: Any) -> Evaluation:
    """What policies would have achieved, with intervals and warnings.

    policies: a dictionary from names to policies, or a list of words and files as the command line
    takes them ("treat-all", "always:sms", "policy.csv"). A policy is an array of probabilities (of
    treatment, or one column per arm), an array or Series of labels, a function of the features, a
    fitted classifier of scikit-learn, or one of the words. Further options are those of cone
    evaluate, with _ for -.

    >>> import numpy, cone
    >>> data = cone.Dataset.load("demo")
    >>> answer = cone.evaluate(data, {"everyone": "treat-all", "half": numpy.full(len(data), 0.5)},
    ...                        estimators=["dr_ridge"])
    >>> sorted(answer.ranks)
    ['everyone', 'half', 'what was done']
    """
    with watching(progress) as observer:
        record, text = _core.evaluate(dataset._core, as_requests(dataset, policies),
                                      encode({"estimators": estimators, **options}), seed, threads,
                                      observer)
    return Evaluation(record, text)
