"""Encodes keywords for the compiled part: one JSON object, with the names of the flags."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _core
from ._columns import as_label, check_texts
from ._tables import as_table


def _plain(value: Any, name: str) -> Any:
    """The value for JSON: NumPy's scalars and arrays are numbers and lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(entry, name) for entry in value]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        check_texts([value], name)
    elif isinstance(value, (int, float)) and not -1e300 < value < 1e300:
        raise _core.Error(f"{name}: {value if isinstance(value, float) else 'a number of that size'} is not a "
                          "finite number; pass one")
    elif not isinstance(value, (int, float)):
        raise _core.Error(f"{name}: cannot be {value!r}; pass a number, a text or a list of them")
    return value


def _costs(value: Any) -> Any:
    """{"sms": 0.4, "email": "price"} as values of the flag: LABEL=NUMBER or LABEL=COLUMN."""
    if isinstance(value, Mapping):
        return [f"{as_label(label)}={cost}" for label, cost in value.items()]
    return value


def as_seed(value: Any) -> int:
    """A valid seed."""
    try:
        seed = operator.index(value)
    except TypeError:
        seed = -1
    if not 0 <= seed < 2**64:
        raise _core.Error(f"seed: {value!r} is not a seed; pass a whole number from 0 to {2**64 - 1}")
    return seed


def as_threads(value: Any) -> int:
    """A number of threads; the compiled part checks the range."""
    try:
        return max(-1, min(operator.index(value), 2**31 - 1))
    except TypeError:
        raise _core.Error(f"threads: {value!r} is not a number of threads; pass a whole number, 0 for one per "
                          "core") from None


def encode(options: Mapping[str, Any]) -> str:
    """JSON text of the options that are set; None stands for the default."""
    given = {name: value for name, value in options.items() if value is not None}
    if "cost" in given:
        given["cost"] = _costs(given["cost"])
    for name in ("control", "rank_arm"):
        if name in given:
            given[name] = as_label(given[name])
    return json.dumps({name: _plain(value, name) for name, value in given.items()})


def refuse_unknown(given: Iterable[str], known: Sequence[str]) -> None:
    """Refuses unknown names that the compiled part does not see, with its message."""
    for name in given:
        if name not in known:
            import difflib  # for mistakes only

            near = difflib.get_close_matches(name, known, 1)
            raise _core.Error(f"{name}: is not an option; " + (f"did you mean {near[0]}?" if near else
                                                           f"choose from {', '.join(known)}"))


def options(function: str = "evaluate") -> Any:
    """The keywords of a function beyond those of its signature: "evaluate", "effects", "learn",
    "sensitivity", "simulate", "reproduce", or "load" for Dataset.load and similar. One row each, with
    default, allowed values and meaning; a data frame if pandas is installed.

    >>> import cone
    >>> len(cone.options("evaluate")) > 40
    True
    """
    rows = []
    for line in _core.list_options(str(function)):
        may_be = ", ".join(line["choices"]) or line["kind"]
        if line["range"] not in ("", "a finite number"):
            may_be += ", " + line["range"]
        rows.append({"keyword": line["name"], "default": line["default"], "may_be": may_be,
                     "meaning": line["help"]})
    return as_table(rows)
