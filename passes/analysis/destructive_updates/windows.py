"""The intervals of time in which planned rewrites use memory, with a fast lookup of overlapping ones.

Windows are sorted by their begins, each with the latest end so far. A lookup scans backwards from the last window that
begins early enough, until no earlier one can end late enough. It visits the overlapping windows, and those that
precede the window inside of a longer overlapping one.
"""

from __future__ import annotations

from bisect import bisect_left

from ..dispatch.binding_accesses import Window

__all__ = ["PlannedWindows"]


class PlannedWindows:
    """The windows in which one memory is used, each with the op that it was planned for."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._ops: list[int] = []
        self._latest: list[int] = []

    def add(self, window: Window, op: int) -> None:
        """Enter a window; two of one op with the same begin are merged."""
        begin, end = window
        place = bisect_left(self._begins, begin)
        if place < len(self._ops) and self._ops[place] == op and self._begins[place] == begin:
            self._ends[place] = max(self._ends[place], end)
        else:
            for numbers, number in ((self._begins, begin), (self._ends, end), (self._ops, op)):
                numbers.insert(place, number)
            self._latest.insert(place, self._latest[place - 1] if place else begin)
        while place < len(self._latest) and self._latest[place] < end:
            self._latest[place] = end
            place += 1

    def meeting(self, window: Window, most: int) -> list[int]:
        """Return up to ``most`` of the ops whose windows overlap ``window``."""
        found: list[int] = []
        place = bisect_left(self._begins, window[1]) - 1
        while place >= 0 and self._latest[place] > window[0] and len(found) < most:
            if self._ends[place] > window[0]:
                found.append(self._ops[place])
            place -= 1
        return found
