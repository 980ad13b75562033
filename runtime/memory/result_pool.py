"""Pool of large results that callers have dropped, for the results of later calls.

The kernel maps and zeroes each page of fresh memory at the first write: for a result of many megabytes that takes
longer than the computation. Freed memory often goes back to the system, so each call would pay for it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

__all__ = ["LEAST_BYTES", "ResultPool", "refused", "release_shared"]

LEAST_BYTES = 1 << 20
"""Smaller blocks stay in the heap of `malloc` anyway."""
_MOST_BLOCKS = 2
"""A loop whose result is its next argument needs two."""
_REFERENCES = 2
"""The reference count of an otherwise unreferenced block: the variable, and the argument of `getrefcount`."""
_COUNTS = getattr(sys, "_is_gil_enabled", lambda: True)


def release_shared() -> None:
    """Drop the blocks that results of dynamic sizes share."""
    _SHARED.clear()


def refused(nbytes: int) -> MemoryError:
    """What is raised where so many bytes cannot be had."""
    return MemoryError(f"the program asked for {nbytes} bytes of memory, and the system refused them")


_MOST_SHARED = 4
_SHARED: list[np.ndarray[Any, Any]] = []
"""The blocks of all results of dynamic sizes: each size by itself would keep its own."""


class ResultPool:
    """Blocks for one result. A block that an array, a view or a buffer still refers to is never given out again.

    It keeps up to two blocks, or shares four with others, from which it takes those of at most twice the size. Several
    threads may use it at once: only one of them has a block that it took out of the list.
    """

    def __init__(self, nbytes: int, *, shared: bool = False) -> None:
        self._nbytes = nbytes
        self._blocks: list[np.ndarray[Any, Any]] = _SHARED if shared else []
        self._most = _MOST_SHARED if shared else _MOST_BLOCKS

    def take(self) -> np.ndarray[Any, Any]:
        """Return a block, with arbitrary contents; raises `MemoryError` if the system has none."""
        for _ in range(len(self._blocks)):
            try:
                block = self._blocks.pop(0)
            except IndexError:
                break
            free = sys.getrefcount(block) == _REFERENCES and _COUNTS()
            self._blocks.append(block)
            if free and self._nbytes <= block.nbytes <= 2 * self._nbytes:
                return block
        try:
            block = np.empty(self._nbytes, np.uint8)
        except (MemoryError, ValueError):  # the latter for more than an address can count
            raise refused(self._nbytes) from None
        self._blocks.append(block)
        del self._blocks[: -self._most]
        return block
