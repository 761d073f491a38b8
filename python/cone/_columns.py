"""Converts columns of users' tables to what the compiled part takes."""

from __future__ import annotations

import datetime
import numbers
from typing import TYPE_CHECKING, Any, Iterable, Optional, Union

import numpy as np

from . import _core

if TYPE_CHECKING:  # numpy.typing takes 8 ms to import
    import numpy.typing as npt

    #: bool, int64 or float64, or texts with None for missing values.
    Cells = Union[npt.NDArray[Any], list[Optional[str]]]

#: pandas' nullable types.
_NULLABLE = ("boolean", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64",
             "Float32", "Float64")
#: Integers up to this are exact in float64.
LARGEST_EXACT = 2**53 - 1


def _is_missing(value: Any) -> bool:
    if value is None or value is np.ma.masked:
        return True
    try:
        return bool(value != value)  # NaN, NaT
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"  # pandas.NA is not even unequal to itself


def _from_nullable(column: Any, dtype: str) -> npt.NDArray[Any]:
    plain = dtype.lower().replace("boolean", "bool")
    if not column.isna().any():
        found: npt.NDArray[Any] = column.to_numpy(dtype=plain)
    elif plain.startswith("float"):
        found = column.to_numpy(dtype="float64", na_value=np.nan)
    else:
        found = column.to_numpy(dtype=object, na_value=None)
    return found


def _without_mask(value: Any) -> npt.NDArray[Any]:
    """Masked cells are missing, whatever their values."""
    masked: Any = np.ma  # NumPy does not type it
    mask: npt.NDArray[np.bool_] = masked.getmaskarray(value)
    array: npt.NDArray[Any] = masked.getdata(value)
    if not mask.any() or array.dtype.kind == "V":
        return array
    array = array.astype(np.float64 if array.dtype.kind == "f" else object)
    array[mask] = np.nan if array.dtype.kind == "f" else None
    return array


def as_array(value: Any, name: str) -> npt.NDArray[Any]:
    """Converts every array argument. Missing values are NaN among floats, and None, NA or NaN in arrays
    of objects; masked cells are missing too. name: of the argument, for messages."""
    dtype = str(getattr(value, "dtype", ""))
    if dtype in _NULLABLE and hasattr(value, "isna"):
        return _from_nullable(value, dtype)
    try:
        if isinstance(value, (list, tuple)) and any(isinstance(row, np.ma.MaskedArray) for row in value):
            masked: Any = np.ma  # np.asarray() drops the masks of rows
            has_cells = any(row is masked.masked for row in value)
            value = ([None if row is masked.masked else row for row in value] if has_cells else
                     masked.array(value))
        array = _without_mask(value) if isinstance(value, np.ma.MaskedArray) else np.asarray(value)
        if array.dtype.kind == "f" and isinstance(value, (list, tuple)) and any(
                isinstance(cell, int) and abs(cell) > LARGEST_EXACT for cell in value):
            array = np.array(value, dtype=object)  # NumPy turns 0 and 2**63 into floats
    except (TypeError, ValueError, OverflowError) as fault:
        raise _core.Error(f"{name}: is not an array ({fault}); pass one row per node") from fault
    if array.dtype.kind == "V":
        raise _core.Error(f"{name}: is a structured array; pass plain numbers or texts, or a data frame")
    if array.dtype.kind == "c":
        raise _core.Error(f"{name}: holds complex numbers; pass real ones")
    if array.ndim == 0:
        raise _core.Error(f"{name}: is a single value or not an array ({type(value).__name__}); pass one row "
                          "per node")
    return array


def as_column(value: Any, name: str) -> npt.NDArray[Any]:
    """A one-dimensional array."""
    array = as_array(value, name)
    if array.ndim == 2 and array.shape[1] == 1:
        return array.reshape(-1)
    if array.ndim != 1:
        raise _core.Error(f"{name}: has shape {array.shape}; pass one value per node")
    return array


def _as_text(value: Any) -> Optional[str]:
    if _is_missing(value):
        return None
    return value.decode() if isinstance(value, bytes) else str(value)


def check_texts(texts: Iterable[Optional[str]], name: str) -> None:
    """Refuses text that UTF-8 cannot encode: half of a surrogate pair."""
    present = [text for text in texts if text is not None]
    try:
        "".join(present).encode()
    except UnicodeEncodeError:
        broken = next(text for text in present if any("\ud800" <= c <= "\udfff" for c in text))
        raise _core.Error(f"{name}: {broken!a} is not valid text (half of a surrogate pair); pass "
                          "text that UTF-8 can encode") from None


def as_texts(values: Any, name: str = "column") -> list[Optional[str]]:
    """Every value as text; missing values are None."""
    try:
        texts = [_as_text(value) for value in values]
    except UnicodeDecodeError as fault:
        raise _core.Error(f"{name}: holds bytes that are not UTF-8; decode them first") from fault
    except ValueError as fault:  # str() of a number of more than 4,300 digits
        raise _core.Error(f"{name}: holds a number that is too long; pass one of at most 1e100") from fault
    check_texts(texts, name)
    return texts


def as_label(value: Any) -> Optional[str]:
    """The label of an arm as the program writes it: texts as they are, 1, 1.0, True and NumPy's as "1"."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
    if isinstance(value, (bool, int)) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        check_texts([value], "arm label")
    if value is None or isinstance(value, str):
        return value
    raise _core.Error(f"{value!r} is not an arm label; pass a text or a number")


def as_cells(column: Any, name: str) -> Cells:
    """A column of a data frame, an array or a list: numbers as numbers, all else as text."""
    array = as_column(column, name)
    kind = array.dtype.kind
    if kind == "b":
        return array
    if kind == "i" or (kind == "u" and (array.size == 0 or int(array.max()) < 2**63)):
        return array.astype(np.int64, copy=False)
    if kind == "f":
        return array.astype(np.float64, copy=False)
    if kind == "M":  # dates as text, which the loader recognises and refuses
        return as_texts(np.datetime_as_string(array).tolist(), name)
    cells = array.tolist()
    for cell in cells:
        if isinstance(cell, (complex, datetime.timedelta, np.timedelta64)) or kind == "m":
            raise _core.Error(f"{name}: holds {'time spans' if kind == 'm' else type(cell).__name__}; "
                              "pass numbers, such as days")
    return as_texts(cells, name)


def is_numeric(cells: Cells) -> bool:
    return isinstance(cells, np.ndarray)


def as_labels(cells: Cells) -> Cells:
    """Arm labels: integers that float64 cannot represent exactly become texts."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "i" and cells.size and (
            int(cells.max()) > LARGEST_EXACT or int(cells.min()) < -LARGEST_EXACT):
        return as_texts(cells.tolist())
    return cells


def _as_number(value: Any, name: str, row: int) -> float:
    if _is_missing(value):
        return float("nan")
    try:
        # Decimal is a Number, and so are complex ones.
        if isinstance(value, (str, bytes)) or not isinstance(value, (numbers.Number, np.number, np.bool_)):
            raise TypeError
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        shown = repr(value)
        raise _core.Error(f"row {row}, {name}: {shown[:40]}{'...' if len(shown) > 40 else ''} is not a number "
                          "of at most 1e100; correct it") from None


def holds_fractions(array: npt.NDArray[Any]) -> bool:
    """Whether objects are numbers or missing, and some of them not integers: then none is a label."""
    present = [cell for cell in array.flat if not _is_missing(cell)]
    are_numbers = all(isinstance(cell, numbers.Number) and not isinstance(cell, complex) for cell in present)
    return are_numbers and any(not isinstance(cell, numbers.Integral) and cell % 1 != 0 for cell in present)


def as_numbers(value: Any, name: str) -> npt.NDArray[np.float64]:
    """An array of float64; missing values are NaN."""
    array = as_array(value, name)
    if array.dtype.kind in "biuf":
        return np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype.kind in "mM":
        raise _core.Error(f"{name}: holds {array.dtype}; pass numbers")
    width = int(np.prod(array.shape[1:]))
    cells = [_as_number(cell, name, k // max(width, 1)) for k, cell in enumerate(array.flat)]
    return np.array(cells, dtype=np.float64).reshape(array.shape)
