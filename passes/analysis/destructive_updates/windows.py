"""When memory is used by what was planned: windows of time, those that meet another one are found without a search.

Windows are kept in the order of their begins, with the latest end so far. From the last one that begins early enough
backwards, all that still may end late enough are looked at: as many as meet the window, but for those that lie in a
longer one around it.
"""

from __future__ import annotations

from bisect import bisect_left

from ..dispatch.binding_accesses import Window

__all__ = ["PlannedWindows"]


class PlannedWindows:
    """The windows in which one memory is used, each by the op that it was planned for."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._ops: list[int] = []
        self._latest: list[int] = []

    def add(self, window: Window, op: int) -> None:
        """Enter a window; two of one op that begin together are one."""
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
        """Return up to ``most`` of the ops whose windows meet ``window``."""
        found: list[int] = []
        place = bisect_left(self._begins, window[1]) - 1
        while place >= 0 and self._latest[place] > window[0] and len(found) < most:
            if self._ends[place] > window[0]:
                found.append(self._ops[place])
            place -= 1
        return found
