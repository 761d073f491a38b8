"""Rows as a data frame if pandas is installed."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any


def as_table(rows: list[dict[str, Any]]) -> Any:
    """A pandas.DataFrame, or the list itself if pandas is not installed."""
    if importlib.util.find_spec("pandas") is None:
        return rows
    pandas: Any = importlib.import_module("pandas")
    return pandas.DataFrame(rows)
