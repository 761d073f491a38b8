"""HTML reports, as cone report makes them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol, Union

from . import _core


class Recorded(Protocol):
    """A result of evaluate(), learn() or sensitivity()."""

    def to_json(self) -> str: ...


def write_page(records: Sequence[Recorded], path: Union[str, os.PathLike[str]]) -> None:
    """Writes one self-contained page."""
    extension = os.path.splitext(os.fspath(path))[1]
    if extension.lower() not in ("", ".html", ".htm"):
        raise _core.Error(f"report: {os.fspath(path)} would hold HTML; name a file .html (a browser prints "
                          "it as PDF)")
    page = _core.report_html([record.to_json() for record in records])
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(page)
