"""Progress of a run: by tqdm if it is installed, else one line on the terminal."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Optional, Union

#: Called with the current phase and the fraction of the run that is done (0 to 1).
Watcher = Callable[[str, float], object]
Progress = Union[bool, Watcher, None]

_PATIENCE = 1.0  # seconds before anything is shown


class _Observer:
    """Turns steps within stages into a fraction of the run."""

    def __init__(self, show: Callable[[str, float], object]) -> None:
        self._show = show
        self._label, self._begin, self._end = "", 0.0, 1.0

    def enter(self, label: str, begin: float, end: float) -> None:
        self._label, self._begin, self._end = label, begin, end

    def update(self, phase: str, done: int, total: int) -> None:
        within = done / total if total else 0.0
        share = self._begin + (self._end - self._begin) * min(within, 1.0)
        self._show(f"{self._label}: {phase}" if self._label else phase, share)


class _Line:
    """One line on a terminal, rewritten."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, what: str, share: float) -> None:
        text = f"{share:4.0%} {what}"[:79]
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def close(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


class _Bar:
    """A tqdm bar."""

    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(total=100, leave=False, bar_format="{l_bar}{bar}| {elapsed}<{remaining}")

    def show(self, what: str, share: float) -> None:
        self._bar.set_description_str(what, refresh=False)
        self._bar.n = round(100 * share, 1)
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


def _make_display() -> Union[_Bar, _Line]:
    try:
        return _Bar(importlib.import_module("tqdm.auto").tqdm)
    except ImportError:
        return _Line()


class watching:
    """The observer of one run, as a context: with watching(progress) as observer.

    progress: None shows a bar on terminals and in notebooks after a second, False nothing, True a
    bar anywhere; a callable gets the current phase and the fraction of the run that is done, and may
    raise to stop the run.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._display: Optional[Union[_Bar, _Line]] = None
        self._start = time.monotonic()

    def _show(self, what: str, share: float) -> None:
        if self._display is None:
            if time.monotonic() - self._start < _PATIENCE:
                return
            self._display = _make_display()
        self._display.show(what, share)

    def __enter__(self) -> Optional[_Observer]:
        if callable(self._progress):
            return _Observer(self._progress)
        wanted = self._progress
        if wanted is None:
            wanted = "ipykernel" in sys.modules or sys.stderr.isatty()
        return _Observer(self._show) if wanted else None

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        value: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._display is not None:
            self._display.close()
