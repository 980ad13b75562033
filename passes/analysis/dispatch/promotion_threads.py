"""Stores in an ``scf.forall``, as insertions of each *thread* (iteration of its body) into the shared content.

A thread's stores become insertions at the end of the loop, which are unordered. So the slices of two stores of one
thread must be disjoint, or the later one must overwrite all of the earlier one, which is then dropped. The set of
stored elements must not depend on loops or branches inside of the thread. A load of exactly a slice that the thread
stored before is replaced by the stored value, which does not depend on stores of other threads. Slices are compared as
sums of symbols, which are the same in one iteration. Quadratic in a thread's stores to one memory, whose number is
bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.dispatch import subset_of
from ....dialects.support.frozen_classes import frozen
from ..index_sets.slices import Slice, SliceRelation, slice_of, slice_relation
from ..index_sets.sums import IndexSums
from ..ir.snapshot import Snapshot
from .binding_memories import BindingMemories, BindingRefusal

__all__ = ["ThreadStores", "plan_threads"]

_MOST = 32
"""How many stores of one thread to one memory are compared with each other."""


@frozen
class ThreadStores:
    """For a forall, the stores that become insertions at its end, in order; they overwrite all dropped ones."""

    inserted: dict[int, tuple[int, ...]]
    forwarded: dict[int, int]
    """For a load, the reaching store of the same thread; -1 if the thread has stored none of its elements."""
    problems: tuple[BindingRefusal, ...]


def plan_threads(
    snapshot: Snapshot, sums: IndexSums, bindings: BindingMemories, stored: dict[int, tuple[int, ...]]
) -> ThreadStores:
    """Plan the insertions of all loops in ``stored`` that are parallel."""
    problems: list[BindingRefusal] = []
    stores: dict[int, dict[int, list[int]]] = {}
    for number, memory in enumerate(bindings.memories):
        for store in memory.stores:
            around = snapshot.block_op[snapshot.op_block[store]]
            if snapshot.op_name[around] == "scf.forall":
                stores.setdefault(around, {}).setdefault(number, []).append(store)
            loop = _forall_around(snapshot, stored, around)
            if loop >= 0:
                message = (
                    f"a store to {memory.slot} inside of '{snapshot.op_name[around]}' in an scf.forall, "
                    "whose threads can only store at the top level of the body; store there what the op returns"
                )
                problems.append(BindingRefusal(store, message, (("this is the scf.forall", loop),)))
    inserted: dict[int, tuple[int, ...]] = {}
    for loop, by_memory in stores.items():
        kept: list[int] = []
        for number, found in by_memory.items():
            last = _last_stores(snapshot, sums, found)
            if isinstance(last, int):
                slot = bindings.memories[number].slot
                message = f"a thread stores to {slot} twice, and the slices may overlap in part"
                note = ("the other store is here", found[0] if last != found[0] else found[-1])
                problems.append(BindingRefusal(last, f"{message}; store the whole part once", (note,)))
            else:
                kept.extend(last)
        inserted[loop] = tuple(sorted(kept))
    forwarded = _forwarded(snapshot, sums, bindings, stores) if not problems else {}
    return ThreadStores(inserted, forwarded, tuple(problems))


def _forwarded(
    s: Snapshot, sums: IndexSums, bindings: BindingMemories, stores: dict[int, dict[int, list[int]]]
) -> dict[int, int]:
    found: dict[int, int] = {}
    for number, memory in enumerate(bindings.memories):
        if not any(number in by_memory for by_memory in stores.values()):
            continue
        for load in memory.loads:
            thread = s.block_op[s.op_block[load]]
            while thread != bindings.function and number not in stores.get(thread, ()):
                thread = s.block_op[s.op_block[thread]]
            before = [store for store in stores.get(thread, {}).get(number, ()) if store < load]
            source = _source(s, sums, load, before) if before else None
            if source is not None:
                found[load] = source
    return found


def _source(s: Snapshot, sums: IndexSums, load: int, stores: Sequence[int]) -> int | None:
    """Return the last of ``stores`` that overlaps ``load``, -1 if there is none, None if it is not the same slice."""
    loaded = _slice(s, sums, load)
    for store in reversed(stores):
        relation = _relation(loaded, _slice(s, sums, store))
        if relation is SliceRelation.DISJOINT:
            continue
        same = loaded == _slice(s, sums, store) and s.ops[load].results[0].type == s.ops[store].operands[0].type
        return store if same else None
    return -1


def _slice(s: Snapshot, sums: IndexSums, access: int) -> Slice | None:
    subset = subset_of(s.ops[access])
    return None if subset is None else slice_of(subset, sums)


def _forall_around(s: Snapshot, stored: dict[int, tuple[int, ...]], op: int) -> int:
    """Return an ``scf.forall`` around ``op``; -1 if there is none. All ops around a store are in ``stored``."""
    while (op := s.block_op[s.op_block[op]] if s.op_block[op] >= 0 else -1) in stored:
        if s.op_name[op] == "scf.forall":
            return op
    return -1


def _last_stores(s: Snapshot, sums: IndexSums, stores: Sequence[int]) -> list[int] | int:
    """Return those of ``stores`` that no later one overwrites, or a store that partly overlaps another one."""
    if len(stores) == 1:
        return list(stores)
    if len(stores) > _MOST:
        return stores[_MOST]
    slices = [_slice(s, sums, store) for store in stores]
    kept: list[int] = []
    for i, store in enumerate(stores):
        relations = [_relation(slices[i], later) for later in slices[i + 1 :]]
        if any(relation in (SliceRelation.EQUAL, SliceRelation.CONTAINED) for relation in relations):
            continue
        if any(relation is not SliceRelation.DISJOINT for relation in relations):
            return store
        kept.append(store)
    return kept


def _relation(earlier: Slice | None, later: Slice | None) -> SliceRelation:
    if later is None:
        return SliceRelation.CONTAINED
    return SliceRelation.UNKNOWN if earlier is None else slice_relation(earlier, later)
