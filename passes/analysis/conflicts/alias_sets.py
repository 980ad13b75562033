"""Which values may and which must share memory, as decided so far.

Relations over the values of a snapshot:

may alias
    Union-find. Values in different sets never share memory. Each set (:class:`StorageSet`) keeps the reads of its
    values and the writes decided in it, by time and place.
may come from
    Edges from an equivalence class to the values whose buffer it may be, or be a part of. Two values share memory only
    if they have a common *origin*, that is, if both reach some class. May-alias sets are undirected: a branch result
    that is one of two buffers puts both into one set. Origins still separate the two.
must be equivalent
    Union-find with undo: the same addresses, the same layout.
must lie within
    A link from an equivalence class to a value and a slice of it: the class is exactly that view. A reshaped view of
    all of the value has a link without a slice.

Facts are only ever added, except that a refused tie (``attempt.py``) undoes its own before anything is concluded from
them. So every conclusion from a fact stays right. Every rule treats an unknown fact as false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..index_sets.slices import Slice, SliceRelation, slice_relation
from ..ir.union_find import UnionFind
from .accesses import Region
from .storage_set import StorageSet

__all__ = ["AliasSets"]

_LONGEST_PATH = 64
"""How many views of views are followed. Stopping at an inner one is right too, merely less precise."""

_MOST_ORIGINS = 256
"""How many classes a search for a common origin visits before it assumes that there is one."""


_ABSENT = object()


class AliasSets:
    """The relations over the values of one function; initially no two values are related."""

    def __init__(self) -> None:
        self.equivalence = UnionFind()
        self._aliases = UnionFind()
        self.find = self._aliases.find
        """Return the representative of the values that may alias a value."""
        self._sets: dict[int, StorageSet] = {}
        self._links: dict[int, tuple[int, Slice | None, int]] = {}
        self._sources: dict[int, list[tuple[int, int]]] = {}
        self.made: dict[int, int] = {}
        """By class, the value in it that was stated to be an allocation site (:meth:`make`)."""
        self.goes_around = False
        """Whether some edge leads from one iteration to an earlier one."""
        self._frames: dict[int, tuple[int, int]] = {}
        self._entries: list[tuple[Any, Any, object]] = []
        """The undo log: table, key and previous entry of each fact; or the equivalence and its mark."""

    # --- may alias ---------------------------------------------------------------------------------------------

    def storage(self, value: int) -> StorageSet:
        """Return the set that ``value`` belongs to."""
        root = self.find(value)
        storage = self._sets.get(root)
        if storage is None:
            storage = self._sets[root] = StorageSet()
        return storage

    def merge(self, first: int, second: int) -> None:
        """Merge the sets of two values: their members may alias from now on. Near-linear over all merges."""
        a, b = self.find(first), self.find(second)
        if a == b:
            return
        set_a, set_b = self.storage(a), self.storage(b)
        larger, smaller = (set_b, set_a) if len(set_a) < len(set_b) else (set_a, set_b)
        larger.absorb(smaller, self.equivalence.find, self.locate)
        del self._sets[a], self._sets[b]
        self._sets[self._aliases.union(a, b)] = larger

    def settle(self) -> None:
        """Drop what only further decisions need: indexes that refer to these sets, which would not be freed at once."""
        for storage in self._sets.values():
            storage.drop_index()

    # --- facts with undo ---------------------------------------------------------------------------------------

    def mark(self) -> int:
        """Return the current position in the undo log, for :meth:`undo`."""
        return len(self._entries)

    def undo(self, mark: int) -> None:
        """Undo every fact stated since ``mark``."""
        while len(self._entries) > mark:
            table, key, before = self._entries.pop()
            if table is self.equivalence:
                self.equivalence.undo(key)
            elif before is _ABSENT:
                del table[key]
            else:
                table[key] = before

    def enter(self, table: dict[int, Any], key: int, entry: object) -> None:
        """Enter a fact into ``table`` and into the undo log."""
        self._entries.append((table, key, table.get(key, _ABSENT)))
        table[key] = entry

    def unite(self, first: int, second: int) -> None:
        """Make two values equivalent; the facts about either class hold for the merged one."""
        equivalence = self.equivalence
        a, b = equivalence.find(first), equivalence.find(second)
        if a == b:
            return
        self._entries.append((equivalence, equivalence.mark(), None))
        root = equivalence.union(a, b)
        other = b if root == a else a
        for known in (self.made, self._links, self._frames):
            if other in known and root not in known:
                self.enter(known, root, known[other])
        if other in self._sources:
            self._add_sources(root, self._sources[other])

    def link(self, view: int, source: int, slice_: Slice | None) -> None:
        """State that the class of ``view`` is exactly ``slice_`` of ``source``, or a reshape of all of it if None.

        A class keeps its first link. A second one would be true as well, but is not used.
        """
        self.come_from(view, source)
        root = self.equivalence.find(view)
        if root not in self._links and root != self.equivalence.find(source):
            self.enter(self._links, root, (source, slice_, view))

    def link_alike(self, value: int, sources: Sequence[int]) -> None:
        """State that ``value``, which is one of ``sources``, is the slice that all of them are, if they are one."""
        views = [self.viewed(self.equivalence.find(source)) for source in sources]
        first = views[0]
        if first is not None and all(
            view is not None and view[0] == first[0] and slice_relation(view[1], first[1]) is SliceRelation.EQUAL
            for view in views
        ):
            self.link(value, *first)

    def come_from(self, value: int, source: int, loop: int = -1) -> None:
        """State that the buffer of ``value`` may be, or lie in, that of ``source``.

        ``loop`` is the op of the loop whose earlier iteration ``source`` belongs to, -1 if it is of the same one.
        """
        self._add_sources(self.equivalence.find(value), ((source, loop),))
        self.goes_around = self.goes_around or loop >= 0

    def _add_sources(self, root: int, sources: Iterable[tuple[int, int]]) -> None:
        known = self._sources.setdefault(root, [])
        self._entries.append((known, slice(len(known), None), _ABSENT))
        known.extend(sources)

    def make(self, value: int) -> None:
        """State that ``value`` is an allocation site; must come before any other fact about it."""
        self.made[value] = value

    def sources(self, root: int) -> list[tuple[int, int]]:
        """Return the stated sources of class ``root``, with the loops (see :meth:`come_from`)."""
        return self._sources.get(root, [])

    def have_common_origin(self, first: int, second: int) -> bool:
        """Whether the buffers of two values may be the same memory. Bounded: a search that is too long returns True."""
        find, sources = self.equivalence.find, self._sources
        one, other = find(first), find(second)
        if one == other:
            return True
        # Search from both ends: a common origin is mostly near.
        mine, others = {one}, {other}
        work, waiting = [one], [other]
        while work or waiting:
            if not work:
                mine, others, work, waiting = others, mine, waiting, work
            if len(mine) > _MOST_ORIGINS:
                return True
            for source, _ in sources.get(work.pop(), ()):
                root = find(source)
                if root in others:
                    return True
                if root not in mine:
                    mine.add(root)
                    work.append(root)
            mine, others, work, waiting = others, mine, waiting, work
        return False

    def origins(self, value: int) -> set[int] | None:
        """Return the classes that the buffer of ``value`` may be, or lie in; None if there are too many."""
        find = self.equivalence.find
        found = {find(value)}
        work = list(found)
        while work:
            for source, _ in self._sources.get(work.pop(), ()):
                root = find(source)
                if root not in found:
                    found.add(root)
                    work.append(root)
            if len(found) > _MOST_ORIGINS:
                return None
        return found

    def path(self, value: int) -> list[tuple[int, Slice | None]]:
        """Return the views that ``value`` must lie in: (class, slice of that class), innermost first.

        The first entry is the value's own class; its slice is None, as is that of a reshaped view.
        """
        root = self.equivalence.find(value)
        steps: list[tuple[int, Slice | None]] = [(root, None)]
        seen = {root}
        while root in self._links and len(steps) < _LONGEST_PATH:
            source, slice_, _ = self._links[root]
            root = self.equivalence.find(source)
            if root in seen:
                break
            seen.add(root)
            steps.append((root, slice_))
        return steps

    def region(self, value: int, slice_: Slice | None) -> list[tuple[int, Slice | None]]:
        """Return the path of ``slice_`` of ``value``: the slice in the value's own class, then the views around it."""
        path = self.path(value)
        return path if slice_ is None else [(path[0][0], slice_), *path[1:]]

    def locate(self, value: int, slice_: Slice | None) -> Region:
        """Return the constant bounds of ``slice_`` of ``value`` in the classes on its path, where there are any."""
        root = self.equivalence.find(value)
        if root not in self._links:
            return {} if slice_ is None or slice_.box is None else {root: slice_.box}
        region = self.region(value, slice_)
        return {root: part.box for root, part in region if part is not None and part.box is not None}

    def path_values(self, value: int) -> list[int]:
        """Return ``value`` and the values that it must be a view of, innermost first."""
        found, seen = [value], set[int]()
        root = self.equivalence.find(value)
        while root in self._links and root not in seen:
            seen.add(root)
            found.append(self._links[root][0])
            root = self.equivalence.find(found[-1])
        return found

    def reshapes(self, value: int) -> Iterator[tuple[int, int]]:
        """Yield (view, class of its source) for ``value`` and the reshaped views around it, innermost first.

        The first entry is ``value`` in its own class; each further one is a reshaped view and its source's class.
        """
        root = self.equivalence.find(value)
        yield value, root
        seen = {root}
        while root in self._links and len(seen) < _LONGEST_PATH:
            source, slice_, view = self._links[root]
            root = self.equivalence.find(source)
            if slice_ is not None or root in seen:
                return
            seen.add(root)
            yield view, root

    def are_reshapes_of_one(self, first: int, second: int) -> bool:
        """Whether two values are in one class or are reshaped views of one, so that their elements have one order."""
        if self.equivalence.find(first) == self.equivalence.find(second):
            return True
        roots = {root for _, root in self.reshapes(first)}
        return any(root in roots for _, root in self.reshapes(second))

    def viewed(self, root: int) -> tuple[int, Slice] | None:
        """Return (class of the source, slice) if the class ``root`` must be a slice of another one."""
        if root not in self._links:
            return None
        source, slice_, _ = self._links[root]
        return None if slice_ is None else (self.equivalence.find(source), slice_)

    # --- rotation ----------------------------------------------------------------------------------------------

    def rotate(self, values: list[int], frame: int) -> None:
        """State that the classes of ``values`` never share memory with each other while all of them are in scope."""
        for index, root in enumerate([self.equivalence.find(value) for value in values]):
            self.enter(self._frames, root, (frame, index))

    def rotated_apart(self, first: int, second: int) -> bool:
        """Whether two values lie in different buffers of one rotation."""
        if not self._frames:
            return False
        a, b = self._frame_of(first), self._frame_of(second)
        return a is not None and b is not None and a[0] == b[0] and a[1] != b[1]

    def frame_of_class(self, value: int) -> tuple[int, int] | None:
        """Return the frame of the class of ``value`` itself, and its place in it; None if it has none."""
        return self._frames.get(self.equivalence.find(value))

    def _frame_of(self, value: int) -> tuple[int, int] | None:
        return next((self._frames[root] for root, _ in self.path(value) if root in self._frames), None)
