"""Converts policies in all accepted forms to what the compiled part takes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _core
from ._answers import Labels, Rule
from ._columns import as_array, as_numbers, as_texts, check_texts, holds_fractions
from ._dataset import Dataset

if TYPE_CHECKING:  # numpy.typing takes 8 ms to import
    import numpy.typing as npt

    #: A built-in name or file, a list of labels, or probabilities (nodes, or nodes × arms).
    Policy = Union[str, list[str], npt.NDArray[np.float64]]
    #: A name, the policy, and the checksum of the data that it was learnt from.
    Request = tuple[Optional[str], Policy, str]


def _by_label(table: Any, labels: Sequence[Any], arms: Sequence[str], name: str) -> Any:
    """Columns that have labels, in the order of the arms."""
    column_of = {str(label): k for k, label in enumerate(labels)}
    column_of.update({str(int(label)): k for k, label in enumerate(labels)
                      if isinstance(label, (bool, np.bool_, float)) and label == int(label)})
    missing = [arm for arm in arms if arm not in column_of]
    if missing or len(labels) != len(arms):
        raise _core.Error(f"{name}: its classes are {', '.join(map(str, labels))} where the arms are "
                          f"{', '.join(arms)}; fit it to the treatment of the data")
    return as_array(table, name)[:, [column_of[arm] for arm in arms]]


def _align(value: Any, dataset: Dataset, name: str) -> Any:
    """Rows of a Series or a data frame in the order of the nodes, by their labels: those of the data's
    own index, else the names of the nodes. An index that only counts means the order of rows."""
    if not (hasattr(value, "index") and hasattr(value, "reindex")):
        return value
    if value.index.has_duplicates:
        raise _core.Error(f"{name}: its index names some nodes twice; pass one row per node")
    frame = dataset.frame
    if hasattr(frame, "reindex"):
        if value.index.equals(frame.index):
            return value
        kept = frame.index if dataset._kept_rows is None else frame.index[dataset._kept_rows]
        if kept.isin(value.index).all():
            return value.reindex(kept)
    row_of = {text: row for row, text in enumerate(as_texts(value.index))}
    lacking = [label for label in dataset.ids if label not in row_of]
    if not lacking:
        return value.iloc[[row_of[label] for label in dataset.ids]]
    counts = type(value.index).__name__ == "RangeIndex" and value.index.start == 0
    if counts and not hasattr(frame, "reindex"):
        return value
    raise _core.Error(f"{name}: its index lacks {len(lacking)} of the nodes, such as '{lacking[0]}'; "
                      "pass the labels of the nodes as its index, or an array in their order")


def _refuse_ambiguous(array: npt.NDArray[Any], arms: Sequence[str], name: str) -> None:
    """Refuses zeros and ones that may be arm labels or probabilities of the second arm: the same only if
    the arms are called 0 and 1."""
    if array.ndim != 1 or array.dtype.kind not in "biuf" or len(arms) != 2 or arms == ["0", "1"]:
        return
    values = np.unique(array)
    if len(values) in (1, 2) and np.isin(values, (0, 1)).all():
        if {str(int(value)) for value in values} <= set(arms):
            raise _core.Error(f"{name}: may hold labels or probabilities of arm '{arms[1]}'; pass one "
                              "column per arm, or labels as texts")


def _resolve(dataset: Dataset, name: str, value: Any) -> Policy:
    if isinstance(value, (str, os.PathLike)):
        check_texts([os.fspath(value)], name)
        return os.fspath(value)
    if hasattr(value, "predict_proba"):
        value = _by_label(value.predict_proba(dataset.frame), value.classes_, dataset.arms, name)
    elif hasattr(value, "predict"):
        value = value.predict(dataset.frame)
    elif callable(value):
        value = value(dataset.frame.copy() if hasattr(dataset.frame, "copy") else dataset.frame)
    value = _align(value, dataset, name)
    if hasattr(value, "columns"):
        value = _by_label(value, list(value.columns), dataset.arms, name)
    array = as_array(value, name)
    if array.dtype.kind == "O" and all(isinstance(cell, (bool, np.bool_)) for cell in array.flat):
        array = array.astype(bool)
    if array.dtype.kind == "O" and (array.ndim == 2 or holds_fractions(array)):
        array = as_numbers(array, name)
    if array.dtype.kind in "mM":
        raise _core.Error(f"{name}: holds {array.dtype}; pass one probability or label per node")
    if array.ndim not in (1, 2):
        raise _core.Error(f"{name}: has shape {array.shape}; pass one probability or label per node, "
                          "or one probability per node and arm")
    kept = dataset._kept_rows
    if kept is not None and len(array) == dataset.num_nodes + len(dataset.left_out):
        array = array[kept]
    _refuse_ambiguous(array, dataset.arms, name)
    is_whole = array.dtype.kind in "iu" and array.ndim == 1
    if array.dtype.kind not in "biuf" or (is_whole and dataset.arms != ["0", "1"]):
        return ["" if label is None else label for label in as_texts(array.tolist(), name)]
    return np.ascontiguousarray(array, dtype=np.float64)


def as_requests(dataset: Dataset, policies: Any) -> list[Request]:
    """From a built-in name, a list of names and files, or a mapping from names to policies."""
    if isinstance(policies, (str, os.PathLike)):
        policies = [policies]
    if policies is None or (hasattr(policies, "__len__") and len(policies) == 0):
        raise _core.Error("policies: are empty; pass a name such as \"treat-all\", a list of names and "
                          "files, or a dictionary from names to policies")
    requests: list[Request] = []
    if isinstance(policies, Mapping):
        check_texts(map(str, policies), "policies")
        for name, value in policies.items():
            labels = value.labels if isinstance(value, Rule) else value
            learnt_from = labels.learnt_from if isinstance(labels, Labels) else ""
            requests.append((str(name), _resolve(dataset, str(name), labels), learnt_from))
        return requests
    if not hasattr(policies, "__iter__"):
        raise _core.Error("policies: a policy has no name; pass a dictionary from names to policies")
    for value in policies:
        if not isinstance(value, (str, os.PathLike)):
            raise _core.Error("policies: one of them has no name; pass a dictionary from names to "
                              "policies")
        if not os.fspath(value):
            raise _core.Error("policies: one of them is an empty text; pass a name such as "
                              "\"treat-all\", or a file")
        check_texts([os.fspath(value)], "policies")
        requests.append((None, os.fspath(value), ""))
    return requests
