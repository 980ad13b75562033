"""Disjoint sets of numbers that are joined two at a time, and whose unions can be taken back in reverse order."""

from __future__ import annotations

__all__ = ["UnionFind"]


class UnionFind:
    """Union by size without path compression, so that a union can be undone. Every number is in a set of its own first.

    O(log n) per question and union, n being the size of the set.
    """

    __slots__ = ("_log", "_parent", "_size")

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}
        """For each number that represents no set, one that is closer to the representative."""
        self._size: dict[int, int] = {}
        self._log: list[tuple[int, int]] = []

    def find(self, number: int) -> int:
        """Return the representative of the set that ``number`` is in."""
        parent = self._parent
        while number in parent:
            number = parent[number]
        return number

    def union(self, first: int, second: int) -> int:
        """Join the sets of two numbers and return the representative: that of the larger set, or of ``first``."""
        a, b = self.find(first), self.find(second)
        if a == b:
            return a
        size_a, size_b = self._size.get(a, 1), self._size.get(b, 1)
        if size_a < size_b:
            a, b = b, a
        self._parent[b] = a
        self._size[a] = size_a + size_b
        self._log.append((a, b))
        return a

    def mark(self) -> int:
        """Return a point in time for :meth:`undo`."""
        return len(self._log)

    def undo(self, mark: int) -> None:
        """Take back every union since ``mark``."""
        while len(self._log) > mark:
            a, b = self._log.pop()
            del self._parent[b]
            self._size[a] -= self._size.get(b, 1)
