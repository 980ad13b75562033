"""An index of reads and writes of memory, by live range and by the elements they touch.

A may-alias set can hold many accesses. A new decision concerns only those that overlap it in time and place. An
:class:`AccessIndex` finds these without visiting the others.

*Time* is the position in the snapshot. A read covers the interval from the definition of its value to the last moment
at which it may happen; a write covers its own position. *Place* is a box: the constant bounds, per dimension, of the
elements of an equivalence class that the access touches. A bound that is not constant is open. Accesses with disjoint
boxes in one class touch different elements at any time, because constants do not change: they never conflict. Nothing
else is concluded here: an access without a box, or with boxes in other classes only, is found by its time alone.

Reads are hashed by the binary logarithm of their length and by their beginning in units of that length. Boxes are
hashed likewise, per dimension. A query visits two cells a dimension for each length that occurs. Adding an access takes
constant time. A query takes constant time plus its hits plus the accesses of other classes at that time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import NamedTuple

from ..index_sets.slices import Box, Slice

__all__ = ["AccessIndex", "Read", "Region", "Write"]


class Read(NamedTuple):
    """Operand ``operand`` reads ``slice`` of ``value`` (all of it if None), somewhere after ``begin`` up to ``end``."""

    begin: int
    end: int
    operand: int
    value: int
    slice: Slice | None


class Write(NamedTuple):
    """Operand ``operand`` writes ``slice`` of ``value`` (all of it if None) at ``position``."""

    position: int
    operand: int
    value: int
    slice: Slice | None


Region = dict[int, Box]
"""The box of an access in each enclosing equivalence class, innermost first; classes without a box are left out."""

Locate = Callable[[int, Slice | None], Region]

_Placed = tuple[Read, Box | None]

_FEW = 16
"""Up to this number of reads, searching a list is faster than a hash table."""

_MANY_CELLS = 64
"""The largest number of cells that one query visits."""

_SHELVES = 8
"""For how many classes a set indexes boxes; accesses without a box in any of them are found by time alone."""


def _meet(first: Box | None, second: Box | None) -> bool:
    """Whether two boxes in one class may have elements in common."""
    if first is None or second is None or len(first) != len(second):
        return True
    return all(a is None or b is None or (a[0] <= b[1] and b[0] <= a[1]) for a, b in zip(first, second, strict=True))


class _Timeline:
    """The accesses of one cell, indexed by time."""

    __slots__ = ("_buckets", "_few", "_levels", "_moments", "_writes")

    def __init__(self) -> None:
        self._few: list[_Placed] = []
        self._buckets: dict[tuple[int, int], list[_Placed]] | None = None
        self._levels: set[int] = set()
        # In descending order of position: most decisions come in that order, and appending to a list is cheap.
        self._moments: list[int] = []
        self._writes: list[tuple[Write, Box | None]] = []

    def add_read(self, read: Read, box: Box | None) -> None:
        if self._buckets is None:
            self._few.append((read, box))
            if len(self._few) <= _FEW:
                return
            self._buckets = {}
            for placed in self._few:
                self._enter(self._buckets, placed)
            self._few = []
            return
        self._enter(self._buckets, (read, box))

    def _enter(self, buckets: dict[tuple[int, int], list[_Placed]], placed: _Placed) -> None:
        read = placed[0]
        level = (read.end - read.begin).bit_length()
        self._levels.add(level)
        buckets.setdefault((level, read.begin >> level), []).append(placed)

    def add_write(self, write: Write, box: Box | None) -> None:
        index = bisect_left(self._moments, -write.position)
        self._moments.insert(index, -write.position)
        self._writes.insert(index, (write, box))

    def reads_at(self, position: int, box: Box | None) -> Iterator[Read]:
        """Yield the reads that overlap ``box`` and whose live range contains ``position``."""
        for placed in (self._few, *self._cells(position)):
            for read, place in placed:
                if read.begin < position <= read.end and _meet(place, box):
                    yield read

    def _cells(self, position: int) -> Iterator[list[_Placed]]:
        if self._buckets is not None:
            for level in self._levels:
                cell = position >> level
                yield self._buckets.get((level, cell), [])
                yield self._buckets.get((level, cell - 1), [])

    def writes_between(self, begin: int, end: int, box: Box | None) -> Iterator[Write]:
        """Yield the writes that overlap ``box``, after ``begin`` and up to ``end``."""
        for index in range(bisect_left(self._moments, -end), bisect_left(self._moments, -begin)):
            write, place = self._writes[index]
            if _meet(place, box):
                yield write


class _Shelf:
    """The accesses with a box in the class of value ``anchor``, indexed by time and by size and place of the box."""

    __slots__ = ("_all", "_levels", "anchor")

    def __init__(self, anchor: int) -> None:
        self.anchor = anchor
        self._all = _Timeline()
        self._levels: dict[tuple[int, ...], dict[tuple[int, ...], _Timeline]] = {}

    def homes(self, box: Box) -> tuple[_Timeline, _Timeline]:
        """Return the two timelines that accesses with ``box`` are entered into: that of all boxes, that of its cell."""
        level = tuple(-1 if bounds is None else (bounds[1] - bounds[0]).bit_length() for bounds in box)
        cell = tuple(0 if bounds is None else bounds[0] >> k for k, bounds in zip(level, box, strict=True))
        return self._all, self._levels.setdefault(level, {}).setdefault(cell, _Timeline())

    def around(self, box: Box | None) -> Iterator[_Timeline]:
        """Yield timelines that together hold every access that may overlap ``box``; None means all elements.

        If too many cells would be visited, this is the timeline of all accesses instead.
        """
        cells = None if box is None else self._cells(box)
        if cells is None:
            yield self._all
        else:
            yield from cells

    def _cells(self, box: Box) -> list[_Timeline] | None:
        found: list[_Timeline] = []
        count = 0
        for level, cells in self._levels.items():
            if len(level) != len(box):
                return None
            ranges: list[range] = []
            for k, bounds in zip(level, box, strict=True):
                if bounds is None and k >= 0:
                    return None
                ranges.append(
                    range(1) if bounds is None or k < 0 else range((bounds[0] >> k) - 1, (bounds[1] >> k) + 1)
                )
            count += prod(len(r) for r in ranges)
            if count > _MANY_CELLS:
                return None
            found.extend(cells[cell] for cell in product(*ranges) if cell in cells)
        return found


class AccessIndex:
    """Accesses by time and place; ``find`` returns the class of a value, ``locate`` the boxes of a slice of it.

    An access keeps the place that is known when it is entered. Facts stated later are used for whole shelves only: see
    :meth:`_timelines`.
    """

    __slots__ = ("_anywhere", "_find", "_locate", "_shelves")

    def __init__(self, find: Callable[[int], int], locate: Locate) -> None:
        self._find = find
        self._locate = locate
        self._anywhere = _Timeline()
        self._shelves: list[_Shelf] = []

    def add_read(self, read: Read) -> None:
        """Enter ``read``."""
        timelines, box = self._place(self._locate(read.value, read.slice))
        for timeline in timelines:
            timeline.add_read(read, box)

    def add_write(self, write: Write) -> None:
        """Enter ``write``."""
        timelines, box = self._place(self._locate(write.value, write.slice))
        for timeline in timelines:
            timeline.add_write(write, box)

    def _place(self, region: Region) -> tuple[tuple[_Timeline, ...], Box | None]:
        if not region:
            return (self._anywhere,), None
        for shelf in self._shelves:
            box = region.get(self._find(shelf.anchor))
            if box is not None:
                return shelf.homes(box), box
        if len(self._shelves) == _SHELVES:
            return (self._anywhere,), None
        anchor, box = next(reversed(region.items()))
        self._shelves.append(_Shelf(anchor))
        return self._shelves[-1].homes(box), box

    def reads_at(self, position: int, value: int, slice_: Slice | None) -> Iterator[Read]:
        """Yield the reads that may concern a write to ``slice_`` of ``value`` at ``position``."""
        for timeline, box in self._timelines(self._locate(value, slice_)):
            yield from timeline.reads_at(position, box)

    def writes_between(self, begin: int, end: int, value: int, slice_: Slice | None) -> Iterator[Write]:
        """Yield the writes, after ``begin`` and up to ``end``, that may concern a read of ``slice_`` of ``value``."""
        for timeline, box in self._timelines(self._locate(value, slice_)):
            yield from timeline.writes_between(begin, end, box)

    def _timelines(self, region: Region) -> Iterator[tuple[_Timeline, Box | None]]:
        """Yield the timelines that may hold accesses overlapping ``region``, each with the box in its class.

        If the region has no box in the class of a shelf, the whole shelf is searched, unless the class as a whole is
        disjoint from the region in a class around both.
        """
        yield self._anywhere, None
        for shelf in self._shelves:
            box = region.get(self._find(shelf.anchor))
            if box is None and region:
                around = self._locate(shelf.anchor, None)
                if any(not _meet(region[root], around[root]) for root in region.keys() & around.keys()):
                    continue
            for timeline in shelf.around(box):
                yield timeline, box
