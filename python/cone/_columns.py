"""Columns of users' tables as the compiled part takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _core

if TYPE_CHECKING:  # numpy.typing takes 8 ms to import
    import numpy.typing as npt

    #: bool, int64 or float64, or texts with None for what is missing.
    Cells = Union[npt.NDArray[Any], list[Optional[str]]]


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN, NaT
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"  # pandas.NA is not even unequal to itself


def as_texts(values: Any) -> list[Optional[str]]:
    """Every value as text; what is missing is None."""
    return [None if _is_missing(value) else str(value) for value in values]


def as_label(value: Any) -> Optional[str]:
    """The label of an arm as the program has it: texts as they are, 1, 1.0, True and NumPy's as "1"."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, (bool, int)) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    if isinstance(value, float):
        return repr(value)
    if value is None or isinstance(value, str):
        return value
    raise _core.Error(f"{value!r} is no label of an arm; bring a text or a number")


def as_cells(column: Any) -> Cells:
    """A column of a data frame, an array or a list: numbers as numbers, all else as text."""
    dtype = getattr(column, "dtype", None)
    if str(dtype) in ("boolean", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32",
                      "UInt64", "Float32", "Float64"):  # pandas' own, which may lack values
        if not column.isna().any():
            column = column.to_numpy(dtype=str(dtype).lower().replace("boolean", "bool"))
        elif str(dtype) == "boolean":
            return as_texts(column)
        else:
            column = column.to_numpy(dtype="float64", na_value=np.nan)
    array = np.asarray(column)
    if array.ndim != 1:
        raise ValueError(f"a column has one dimension, this has {array.ndim}")
    if array.dtype.kind == "b":
        return array
    if array.dtype.kind == "i":
        return array.astype(np.int64, copy=False)
    if array.dtype.kind in "uf":
        return array.astype(np.float64, copy=False)
    if array.dtype.kind in "mM":  # dates and spans as text, which the loader knows and refuses
        return as_texts(np.datetime_as_string(array).tolist() if array.dtype.kind == "M" else column)
    return as_texts(array.tolist())


def is_numeric(cells: Cells) -> bool:
    return isinstance(cells, np.ndarray)
