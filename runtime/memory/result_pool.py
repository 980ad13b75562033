"""Memory of large results that callers have dropped, for the results of later calls.

The system gives fresh memory page by page, filled with zeros, when it is first written: for a result of many megabytes
that takes longer than to compute it. What is dropped often goes back to the system, though, and so each call would pay.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

__all__ = ["LEAST_BYTES", "ResultPool"]

LEAST_BYTES = 1 << 20
"""Smaller blocks stay with the process anyway."""
_MOST_BLOCKS = 2
"""As a loop needs whose result is its next argument."""
_REFERENCES = 2
"""How many there are to a block that only we know: the variable, and the argument that it is counted by."""
_COUNTS = getattr(sys, "_is_gil_enabled", lambda: True)


class ResultPool:
    """Blocks of one size. One that somebody still has, as an array, a view or a buffer, is never given out again.

    It keeps up to two blocks, as long as it lives. Safe to use from several threads at once: only one of them has a
    block that it took out of the list.
    """

    def __init__(self, nbytes: int) -> None:
        self._nbytes = nbytes
        self._blocks: list[np.ndarray[Any, Any]] = []

    def take(self) -> np.ndarray[Any, Any]:
        """Return a block of bytes, with any contents."""
        for _ in range(len(self._blocks)):
            try:
                block = self._blocks.pop(0)
            except IndexError:
                break
            free = sys.getrefcount(block) == _REFERENCES and _COUNTS()
            self._blocks.append(block)
            if free:
                return block
        block = np.empty(self._nbytes, np.uint8)
        self._blocks.append(block)
        del self._blocks[:-_MOST_BLOCKS]
        return block
