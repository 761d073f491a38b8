"""Says so where OpenBLAS chose kernels that are too old for the processor."""

from __future__ import annotations

import os
import warnings

from . import _core


def check_kernels() -> None:
    """The program starts itself anew with better kernels; a package cannot do that to its user."""
    loaded, better = _core.blas_kernels()
    if better is None or "OPENBLAS_CORETYPE" in os.environ:
        return
    warnings.warn(
        f"OpenBLAS does not know this processor and chose its oldest kernels ({loaded}); set "
        f"OPENBLAS_CORETYPE={better} before Python starts: runs are then up to three times as fast, "
        "and their last digits those of the program", RuntimeWarning, stacklevel=3)
