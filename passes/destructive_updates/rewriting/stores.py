"""Rewrite destructive updates as planned: to loads and stores of tiles, in loops that carry fewer tensors.

All decisions are taken before. The order is: initial stores of sources and final reloads, reads and updates, then loops
and branches from the inside out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir

from ...analysis.destructive_updates.chains import Link, UpdateAccess
from ...analysis.destructive_updates.outcomes import ReadFrom, UpdateRewrite, is_whole_update, late_numbers
from ...analysis.ir.snapshot import Snapshot
from ...analysis.ir.traversal import find_ops
from ...analysis.linalg.payload_effects import find_effect, is_pure
from .carried import drop
from .tiles import StoreTarget, load_tile, place_of, replace_insertion, replace_read, replace_whole, store_tile

__all__ = ["StoreRewriter", "erase_dead"]


class StoreRewriter:
    """Rewrites the program of one snapshot, whose positions are invalid afterwards."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._links: dict[int, list[Link]] = {}
        self._places: dict[int, StoreTarget] = {}
        self._moved: dict[int, int] = {}
        self._now: dict[int, ir.Value] = {}
        """By reloaded value, the reload that replaces it."""

    def apply(
        self, rewrites: Sequence[UpdateRewrite], tiles: Iterable[tuple[int, int]], redundant: Iterable[int]
    ) -> None:
        """Apply ``rewrites``, turn slices of whole loads into loads, drop stores. Linear in the changed ops."""
        s = self._snapshot
        for store in redundant:
            s.ops[store].erase()
        places = {rewrite.store: place_of(s.ops[rewrite.store]) for rewrite in rewrites}
        for rewrite in rewrites:
            self._begin_and_end(rewrite, places[rewrite.store])
        done: set[int] = set()
        for rewrite in rewrites:
            done.update(access.op for access in rewrite.update.reads)
            self._read(rewrite, places[rewrite.store])
        for rewrite in rewrites:
            for access in rewrite.update.updates:
                self._update(access, places[rewrite.store], is_readable=rewrite.is_readable)
            for link in rewrite.update.links:
                self._links.setdefault(link.op, []).append(link)
        for slice_, load in tiles:
            if slice_ not in done:
                replace_read(s.ops[slice_], self._loaded_from(load))
        for op in sorted(self._links, key=lambda op: s.op_exit[op]):
            drop(s.ops[op], self._links[op])

    def _begin_and_end(self, rewrite: UpdateRewrite, place: StoreTarget) -> None:
        """Store the source first if planned, replace other uses by a reload, and drop the store."""
        s = self._snapshot
        first, last, old = s.ops[rewrite.first], s.ops[rewrite.update.ops[-1]], s.ops[rewrite.store]
        value, source = s.values[rewrite.update.value], self._source(rewrite)
        location = old.location
        self._move_numbers(rewrite)
        old.erase()
        if rewrite.copies_source:
            with ir.InsertionPoint(first), location:
                store_tile(source, place, None)
        if rewrite.reloads:
            with ir.InsertionPoint.after(last), location:
                reloaded = self._now[rewrite.update.value] = load_tile(place, None, value.type)
            value.replace_all_uses_with(reloaded)

    def _update(self, access: UpdateAccess, place: StoreTarget, *, is_readable: bool) -> None:
        s = self._snapshot
        if is_whole_update(s, access):
            replace_whole(s.ops[access.op], s.operand_index(access.operand), place, is_readable=is_readable)
        else:
            replace_insertion(s.ops[access.op], place)

    def _move_numbers(self, rewrite: UpdateRewrite) -> None:
        """Move the ops that compute the stored slice of the target before the chain."""
        s = self._snapshot
        late, begin = late_numbers(s, rewrite.store, rewrite.update), s.op_enter[rewrite.first]
        for op in late if isinstance(late, list) else ():
            # Another chain may need it even earlier.
            if begin < self._moved.get(op, s.op_enter[op]):
                s.ops[op].move_before(s.ops[rewrite.first])
                self._moved[op] = begin

    def _source(self, rewrite: UpdateRewrite) -> ir.Value:
        source = rewrite.update.source
        return self._now.get(source, self._snapshot.values[source])

    def _read(self, rewrite: UpdateRewrite, place: StoreTarget) -> None:
        s = self._snapshot
        source = self._source(rewrite)
        if rewrite.reads is ReadFrom.SOURCE_BINDING:
            place = self._loaded_from(s.value_op[rewrite.update.source])
        for access in rewrite.update.reads:
            if rewrite.reads is ReadFrom.SOURCE:
                s.ops[access.op].operands[s.operand_index(access.operand)] = source
            else:
                replace_read(s.ops[access.op], place)

    def _loaded_from(self, load: int) -> StoreTarget:
        """Return the memory that ``load`` reads; independent of the current position of the load."""
        if load not in self._places:
            self._places[load] = place_of(self._snapshot.ops[load])
        return self._places[load]


def erase_dead(function: ir.Operation) -> None:
    """Erase pure ops without uses. Linear in the ops of ``function``."""
    found = find_ops(function)
    while found:
        op = found.pop()
        results = list(op.results)
        unused = results and all(next(iter(result.uses), None) is None for result in results)
        if unused and _is_pure(op):
            op.erase()


def _is_pure(op: ir.Operation) -> bool:
    """Whether neither ``op`` nor any op in its regions has an effect."""
    # A loop whose results are unused may still write memory.
    return op.name == "dispatch.load" or (
        is_pure(op) and all(find_effect(block) is None for region in op.regions for block in region)
    )
