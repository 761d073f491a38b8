"""Chooses OpenBLAS kernels for the processor, as the program does."""

from __future__ import annotations

import os
import sys
import threading
import warnings

from . import _core


#: Modules in which threads of notebooks, debuggers and pools wait.
_WAITING = {"threading", "selectors", "asyncio", "queue", "concurrent", "socketserver", "ipykernel", "zmq", "tornado",
            "IPython", "debugpy", "pydevd", "_pydevd_bundle"}


def _may_calculate() -> bool:
    """Whether another thread may be in OpenBLAS: one that is not waiting in these modules."""
    own = threading.get_ident()
    return any(str(frame.f_globals.get("__name__")).partition(".")[0] not in _WAITING
               for ident, frame in sys._current_frames().items() if ident != own)


def choose_kernels() -> None:
    """OpenBLAS identifies processors by number, and uses its oldest kernels for one that is newer than
    itself: the network ridge is then three times slower. The program restarts itself with better ones;
    here OpenBLAS chooses again, if no other thread can be computing."""
    loaded, better = _core.blas_kernels()
    if better is None or "OPENBLAS_CORETYPE" in os.environ:
        return
    if not _may_calculate():
        _core.choose_kernels(better)
    if _core.blas_kernels()[1] is not None:
        warnings.warn(
            f"OpenBLAS does not know this processor and chose its oldest kernels ({loaded}); set "
            f"OPENBLAS_CORETYPE={better} before Python starts: runs are then up to three times as fast, "
            "and their last digits those of the program", RuntimeWarning, stacklevel=3)
