"""One may-alias set: the accesses to memory that several values may share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..index_sets.slices import Slice
from .accesses import AccessIndex, Locate, Read, Write

__all__ = ["Question", "StorageSet"]


class Question(NamedTuple):
    """Whether ``write`` conflicts with ``other`` in shared memory; a value represents its read-only buffer."""

    write: Write
    other: Read | Write | int

    @property
    def values(self) -> tuple[int, int]:
        """The two values whose buffers may be one."""
        return self.write.value, self.other if isinstance(self.other, int) else self.other.value


_SMALL = 16
"""Up to this number of accesses, a set has no index and is searched linearly."""


class StorageSet:
    """The live reads of one may-alias set, the writes decided in it, and whether it may be written.

    ``readonly`` are values whose buffers must not be written. ``rotating``: a loop swaps buffers of this set.
    ``spared`` are the questions answered by "no common origin", by the classes of their values at that time; they are
    asked again when another edge connects members. ``first`` is the position of the earliest member. ``confined`` holds
    the writes that must stay within a parallel region, by its block (kept only where there are such regions).

    A set of more than a few accesses has an :class:`AccessIndex`.
    """

    __slots__ = (
        "_index",
        "confined",
        "first",
        "first_begin",
        "first_write",
        "last_end",
        "last_write",
        "readonly",
        "reads",
        "rotating",
        "spared",
        "writes",
    )

    def __init__(self) -> None:
        self._index: AccessIndex | None = None
        self.reads: list[Read] = []
        self.writes: list[Write] = []
        self.readonly: list[int] = []
        self.spared: dict[tuple[int, int], list[Question]] = {}
        self.rotating = False
        self.first = self.first_begin = self.first_write = sys.maxsize
        self.last_end = self.last_write = -1
        self.confined: dict[int, list[Write]] = {}

    def __len__(self) -> int:
        return len(self.reads) + len(self.writes)

    def add_read(self, read: Read) -> None:
        """Enter a read of a member."""
        self.reads.append(read)
        self.first_begin = min(self.first_begin, read.begin)
        self.last_end = max(self.last_end, read.end)
        if self._index is not None:
            self._index.add_read(read)

    def add_write(self, write: Write) -> None:
        """Enter a write that was decided to be in place."""
        self.writes.append(write)
        self.first_write = min(self.first_write, write.position)
        self.last_write = max(self.last_write, write.position)
        if self._index is not None:
            self._index.add_write(write)

    def absorb(self, other: StorageSet, find: Callable[[int], int], locate: Locate) -> None:
        """Merge ``other``, which should be the smaller set, into this one. Linear in ``other``.

        ``find`` and ``locate`` are those of :class:`AccessIndex`.
        """
        if self._index is None and len(self) + len(other) > _SMALL:
            self._index = AccessIndex(find, locate)
            for read in self.reads:
                self._index.add_read(read)
            for write in self.writes:
                self._index.add_write(write)
        for read in other.reads:
            self.add_read(read)
        for write in other.writes:
            self.add_write(write)
        self.readonly.extend(other.readonly)
        for questions in other.spared.values():
            self.spare(questions, find)
        self.first = min(self.first, other.first)
        for block, writes in other.confined.items():
            self.confined.setdefault(block, []).extend(writes)
        self.rotating = self.rotating or other.rotating

    def spare(self, questions: list[Question], find: Callable[[int], int]) -> None:
        """Keep questions about two classes; the list is this set's from now on."""
        first, second = questions[0].values
        key = find(first), find(second)
        known = self.spared.get(key, [])
        larger, smaller = (known, questions) if len(known) > len(questions) else (questions, known)
        larger.extend(smaller)
        self.spared[key] = larger

    def drop_index(self) -> None:
        """Drop the index: the set is searched linearly from now on."""
        self._index = None

    def may_meet(self, written: StorageSet) -> bool:
        """Whether some write of ``written`` falls between the first definition and the last read of this set."""
        return self.first_begin < written.last_write and written.first_write <= self.last_end

    def reads_at(self, position: int, value: int, slice_: Slice | None) -> Iterator[Read]:
        """Yield the reads that may concern a write to ``slice_`` of ``value`` at ``position``."""
        if self._index is not None:
            yield from self._index.reads_at(position, value, slice_)
            return
        for read in self.reads:
            if read.begin < position <= read.end:
                yield read

    def writes_between(self, begin: int, end: int, value: int, slice_: Slice | None) -> Iterator[Write]:
        """Yield the writes, after ``begin`` and up to ``end``, that may concern a read of ``slice_`` of ``value``."""
        if self._index is not None:
            yield from self._index.writes_between(begin, end, value, slice_)
            return
        for write in self.writes:
            if begin < write.position <= end:
                yield write
