"""Search for a runtime of OpenMP, where threads of our own cannot run: LLVM's, or Intel's, with the same entry points.

GNU's (`libgomp`) has others and cannot be used. The package `intel-openmp` (extra `openmp`) brings one; on Debian
`libomp5` does.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Iterator
from ctypes.util import find_library
from functools import cache
from pathlib import Path

__all__ = ["find_openmp", "is_openmp"]

_NAMES = ("libomp.so", "libomp.so.5", "libiomp5.so")
_ENTRY = "__kmpc_fork_call"


@cache
def find_openmp() -> str | None:
    """Return the path, or the name for the loader, of a runtime; None if none can be loaded."""
    for candidate in _candidates():
        try:
            library = ctypes.CDLL(candidate)
        except OSError:
            continue
        if is_openmp(library):
            return candidate
    return None


def is_openmp(library: ctypes.CDLL) -> bool:
    """Whether a library is a runtime of OpenMP."""
    return hasattr(library, _ENTRY)


def _candidates() -> Iterator[str]:
    folders = {Path(sys.prefix) / "lib", *(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib"))}
    for folder in sorted(folders):
        for name in _NAMES:
            if (folder / name).exists():
                yield str(folder / name)
    yield from _NAMES
    yield from (found for name in ("omp", "iomp5") if (found := find_library(name)))
