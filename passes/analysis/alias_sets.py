"""Which values may and which must share memory, as decided so far.

Relations over the values of a snapshot:

may alias
    Union-find. Values in different sets never share memory. Each set (:class:`StorageSet`) keeps what a later
    question needs: its values that are live somewhere, sorted by where they begin and by where they end, and the
    writes decided in it, sorted by position.
may come from
    Edges from an equivalence class to the values whose buffer it may be, or be a part of. Two values share memory only
    if they have a common *origin*, that is, if both reach some class. May-alias sets do not know directions: a branch
    result that is one of two buffers puts both into one set. Origins tell them apart.
must be equivalent
    Union-find without path compression, so that a union can be taken back: the same addresses, the same layout.
must lie within
    A link from an equivalence class to a value and a slice of it: the class is exactly that view. A view whose slice
    is all of the value under another shape has a link without a slice.

Facts are only ever added; a *proposed* fact may be taken back before anything was concluded from it. So whatever was
concluded from a fact stays right, and a fact that is not known is treated as false by every rule that uses it.
"""

from __future__ import annotations

import enum
import sys
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from .slices import Slice

__all__ = ["Against", "AliasSets", "Equivalence", "Fact", "Spared", "StorageSet"]


class Equivalence:
    """Union-find by size whose unions can be undone in reverse order. O(log n) per question."""

    def __init__(self, values: range) -> None:
        self._first = values.start
        self._parent = list(values)
        self._size = [1] * len(values)
        self._log: list[tuple[int, int]] = []

    def find(self, value: int) -> int:
        """Return the representative of the values equivalent to ``value``."""
        parent, first = self._parent, self._first
        while (above := parent[value - first]) != value:
            value = above
        return value

    def union(self, first: int, second: int) -> int:
        """Make two values equivalent and return the representative."""
        a, b = self.find(first), self.find(second)
        if a == b:
            return a
        first = self._first
        if self._size[a - first] < self._size[b - first]:
            a, b = b, a
        self._parent[b - first] = a
        self._size[a - first] += self._size[b - first]
        self._log.append((a, b))
        return a

    def mark(self) -> int:
        """Return a point in time for :meth:`undo`."""
        return len(self._log)

    def undo(self, mark: int) -> None:
        """Take back every union since ``mark``."""
        while len(self._log) > mark:
            a, b = self._log.pop()
            self._parent[b - self._first] = b
            self._size[a - self._first] -= self._size[b - self._first]


class Against(enum.Enum):
    """What a write was compared with."""

    VALUE = "value"
    WRITE = "write"
    READONLY = "readonly"


Spared = tuple[int, Against, int]
"""(write, what it was compared with, the other operand or value)."""


class StorageSet:
    """One may-alias set: its live values, its decided writes and whether it may be written.

    ``by_begin`` holds (position of definition, last position of a read, value), ``by_end`` (last position of a read,
    position of definition, value), ``writes`` (position, operand); each is sorted. ``readonly`` are values whose
    buffers must not be written. ``rotating`` says that a loop swaps buffers of this set. ``spared`` are the questions
    that were answered by "no common origin": they have to be asked again when another edge connects members.
    ``first`` is the position of the earliest member, ``parallel`` the innermost beginning of a parallel region around a
    write (kept only where there are such regions).
    """

    __slots__ = ("by_begin", "by_end", "first", "parallel", "readonly", "rotating", "spared", "writes")

    def __init__(self) -> None:
        self.by_begin: list[tuple[int, int, int]] = []
        self.by_end: list[tuple[int, int, int]] = []
        self.writes: list[tuple[int, int]] = []
        self.readonly: list[int] = []
        self.spared: list[Spared] = []
        self.rotating = False
        self.first = sys.maxsize
        self.parallel = -1

    def __len__(self) -> int:
        return len(self.by_begin) + len(self.writes)

    def add_value(self, value: int, begin: int, end: int) -> None:
        """Enter a value that is live from ``begin`` until its last read at ``end``."""
        insort(self.by_begin, (begin, end, value))
        insort(self.by_end, (end, begin, value))

    def stabbed(self, position: int) -> Iterator[int]:
        """Yield the values defined before and read at or after ``position``.

        Walks the values that began or those that have not ended, whichever are fewer.
        """
        begun = bisect_left(self.by_begin, (position, -1, -1))
        ended = bisect_left(self.by_end, (position, -1, -1))
        if begun <= len(self.by_end) - ended:
            yield from (value for _, end, value in self.by_begin[:begun] if end >= position)
        else:
            yield from (value for _, begin, value in self.by_end[ended:] if begin < position)

    def writes_between(self, begin: int, end: int) -> Iterator[int]:
        """Yield the decided writes after ``begin`` and up to ``end``."""
        for index in range(bisect_right(self.writes, (begin, 1 << 62)), bisect_right(self.writes, (end, 1 << 62))):
            yield self.writes[index][1]

    def absorb(self, other: StorageSet) -> None:
        """Take over everything of ``other``, which should be the smaller set."""
        _merge_sorted(self.by_begin, other.by_begin)
        _merge_sorted(self.by_end, other.by_end)
        _merge_sorted(self.writes, other.writes)
        self.readonly.extend(other.readonly)
        self.spared.extend(other.spared)
        self.first = min(self.first, other.first)
        self.parallel = max(self.parallel, other.parallel)
        self.rotating = self.rotating or other.rotating


_Entry = TypeVar("_Entry", tuple[int, int], tuple[int, int, int])


def _merge_sorted(mine: list[_Entry], theirs: list[_Entry]) -> None:
    """Bring a few sorted entries into a longer sorted list; many are left to the sort, which merges runs."""
    if len(theirs) > 8:
        mine.extend(theirs)
        mine.sort()
    else:
        for entry in theirs:
            insort(mine, entry)


@dataclass(frozen=True, slots=True)
class Fact:
    """What a statement to :class:`AliasSets` changed, so that it can be taken back."""

    mark: int
    linked: int
    framed: int
    root: int
    sources: int


class AliasSets:
    """The relations over the values with numbers in ``values``; all start apart."""

    def __init__(self, values: range) -> None:
        self.equivalence = Equivalence(values)
        self._first = values.start
        self._parent = list(values)
        self._sets: dict[int, StorageSet] = {}
        self._links: dict[int, tuple[int, Slice | None, int]] = {}
        self._sources: dict[int, list[int]] = {}
        self._frames: dict[int, tuple[int, int]] = {}

    # --- may alias ---------------------------------------------------------------------------------------------

    def find(self, value: int) -> int:
        """Return the representative of the values that may alias ``value``."""
        parent, first = self._parent, self._first
        root = value
        while (above := parent[root - first]) != root:
            root = above
        while (above := parent[value - first]) != root:
            parent[value - first], value = root, above
        return root

    def storage(self, value: int) -> StorageSet:
        """Return the set that ``value`` belongs to."""
        root = self.find(value)
        storage = self._sets.get(root)
        if storage is None:
            storage = self._sets[root] = StorageSet()
        return storage

    def merge(self, first: int, second: int) -> None:
        """Let the values of two sets share memory from now on. Near-linear over all merges."""
        a, b = self.find(first), self.find(second)
        if a == b:
            return
        set_a, set_b = self.storage(a), self.storage(b)
        if len(set_a) < len(set_b):
            a, b, set_a, set_b = b, a, set_b, set_a
        set_a.absorb(set_b)
        self._parent[b - self._first] = a
        del self._sets[b]

    # --- facts that can be taken back --------------------------------------------------------------------------

    def unite(self, first: int, second: int) -> Fact:
        """Make two values equivalent; what was known of either class stays known."""
        mark = self.equivalence.mark()
        a, b = self.equivalence.find(first), self.equivalence.find(second)
        root = self.equivalence.union(a, b)
        other = b if root == a else a
        linked = framed = -1
        sources = 0
        if other != root:
            if other in self._links and root not in self._links:
                self._links[root] = self._links[other]
                linked = root
            if other in self._frames and root not in self._frames:
                self._frames[root] = self._frames[other]
                framed = root
            sources = len(self._sources.get(other, ()))
            if sources:
                self._sources.setdefault(root, []).extend(self._sources[other])
        return Fact(mark, linked, framed, root, sources)

    def link(self, view: int, source: int, slice_: Slice | None) -> Fact:
        """State that the class of ``view`` is exactly ``slice_`` of ``source``; all of it, reshaped, if that is None.

        A class keeps its first link: a second one would be true as well, it is merely not used.
        """
        fact = self.come_from(view, source)
        root = fact.root
        if root in self._links or root == self.equivalence.find(source):
            return fact
        self._links[root] = (source, slice_, view)
        return Fact(fact.mark, root, -1, root, fact.sources)

    def come_from(self, value: int, source: int) -> Fact:
        """State that the buffer of ``value`` may be, or lie in, that of ``source``."""
        root = self.equivalence.find(value)
        self._sources.setdefault(root, []).append(source)
        return Fact(self.equivalence.mark(), -1, -1, root, 1)

    def take_back(self, fact: Fact) -> None:
        """Undo a fact; later ones must have been undone before."""
        if fact.linked >= 0:
            del self._links[fact.linked]
        if fact.framed >= 0:
            del self._frames[fact.framed]
        if fact.sources:
            del self._sources[fact.root][-fact.sources :]
        self.equivalence.undo(fact.mark)

    def have_common_origin(self, first: int, second: int) -> bool:
        """Whether the buffers of two values may be the same memory. Linear in the branches behind them."""
        return not self._origins(first).isdisjoint(self._origins(second))

    def _origins(self, value: int) -> set[int]:
        find = self.equivalence.find
        seen = {find(value)}
        work = list(seen)
        while work:
            for source in self._sources.get(work.pop(), ()):
                root = find(source)
                if root not in seen:
                    seen.add(root)
                    work.append(root)
        return seen

    def path(self, value: int) -> list[tuple[int, Slice | None]]:
        """Return the views that ``value`` is known to lie in: (class, slice of that class), innermost first.

        The first entry is the value's own class; its slice is None, as is that of a reshaped view.
        """
        root = self.equivalence.find(value)
        steps: list[tuple[int, Slice | None]] = [(root, None)]
        seen = {root}
        while root in self._links:
            source, slice_, _ = self._links[root]
            root = self.equivalence.find(source)
            if root in seen:
                break
            seen.add(root)
            steps.append((root, slice_))
        return steps

    def reshapes(self, value: int) -> Iterator[tuple[int, int]]:
        """Yield (view, class of its source) for ``value`` and the reshaped views around it, innermost first.

        The first entry is ``value`` in its own class; each further one is a reshaped view and its source's class.
        """
        root = self.equivalence.find(value)
        yield value, root
        seen = {root}
        while root in self._links:
            source, slice_, view = self._links[root]
            root = self.equivalence.find(source)
            if slice_ is not None or root in seen:
                return
            seen.add(root)
            yield view, root

    def viewed(self, root: int) -> tuple[int, int, Slice] | None:
        """Return (view, class of its source, slice) if the class ``root`` is known to be a slice of another one."""
        if root not in self._links:
            return None
        source, slice_, view = self._links[root]
        return None if slice_ is None else (view, self.equivalence.find(source), slice_)

    # --- rotation ----------------------------------------------------------------------------------------------

    def rotate(self, values: list[int], frame: int) -> list[int]:
        """State that the classes of ``values`` never share memory with each other while all of them are in scope.

        Return what :meth:`stop_rotating` takes.
        """
        roots = [self.equivalence.find(value) for value in values]
        for index, root in enumerate(roots):
            self._frames[root] = (frame, index)
        return roots

    def stop_rotating(self, token: list[int]) -> None:
        """Take back what :meth:`rotate` stated and returned ``token`` for."""
        for root in token:
            del self._frames[root]

    def rotated_apart(self, first: int, second: int) -> bool:
        """Whether two values lie in different buffers of one rotation."""
        a, b = self._frame_of(first), self._frame_of(second)
        return a is not None and b is not None and a[0] == b[0] and a[1] != b[1]

    def _frame_of(self, value: int) -> tuple[int, int] | None:
        return next((self._frames[root] for root, _ in self.path(value) if root in self._frames), None)
