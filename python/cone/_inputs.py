"""Names the constructor for an argument that is not a Dataset."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

from . import _core
from ._arrays import is_arrow, is_frame, is_graph

if TYPE_CHECKING:
    from ._dataset import Dataset


def _name_constructor(value: Any) -> str:
    roles = 'treatment="...", outcome="..."'
    if is_frame(value):
        return f"Dataset.from_pandas(frame, {roles})"
    if is_arrow(value):
        return f"Dataset.from_arrow(table, {roles})"
    if is_graph(value):
        return f"Dataset.from_networkx(graph, {roles})"
    if isinstance(value, (str, os.PathLike)):
        return "Dataset.load(path)"
    return "Dataset.from_arrays(features=..., treatment=..., outcome=...)"


def refuse_input(name: str, value: Any, function: str, wanted: str) -> NoReturn:
    kind = type(value)
    title = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.split('.')[0]}.{kind.__name__}"
    raise _core.Error(f"{name}: is a {title} where {function} takes {wanted}; make a dataset by "
                      f"cone.{_name_constructor(value)}")


def core_of(dataset: Dataset, function: str) -> _core.Dataset:
    """The compiled part of a Dataset; for anything else, an error that says how to make one."""
    core = getattr(dataset, "_core", None)
    if not isinstance(core, _core.Dataset):
        refuse_input("dataset", dataset, f"{function}()", "a cone.Dataset")
    return core
