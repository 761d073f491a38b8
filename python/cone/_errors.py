"""Attributes of errors that the Python layer raises."""

from __future__ import annotations

from typing import Any

from ._core import Error, printable


class _Faults:
    """One fault, read from "place: what; advice". Errors of the compiled part have their own list."""

    def __get__(self, error: Any, owner: Any = None) -> list[dict[str, str]]:
        if error is None:
            return []
        place, _, rest = str(error).partition(": ")
        what, _, advice = rest.partition("; ")
        return [{"place": place, "what": what, "advice": advice}]


def complete_errors() -> None:
    """Gives every error a kind and faults, and a text without control characters."""
    setattr(Error, "kind", "usage")
    setattr(Error, "faults", _Faults())
    setattr(Error, "__str__", lambda error: printable(ValueError.__str__(error)))
