"""Stores of the runs of an ``scf.forall``, *threads*: what each of them inserts into the content that they share.

A thread's stores become insertions at the end of the loop, where all of them happen in no order. So the slices of two
stores of one thread must lie apart, or the later one must replace all that the earlier one wrote, which is then left
out. Which elements are stored must not depend on loops or branches inside of the thread. Two slices are compared as
sums of symbols, which are the same in one run of the body. Quadratic in a thread's stores to one memory, whose number
is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...dialects.dispatch import subset_of
from .binding_memories import BindingMemories, Problem, describe
from .index_sums import IndexSums
from .slices import Slice, SliceRelation, slice_of, slice_relation
from .snapshot import Snapshot

__all__ = ["Threads", "plan_threads"]

_MOST = 32
"""How many stores of one thread to one memory are compared with each other."""


@dataclass(frozen=True)
class Threads:
    """For a forall, the stores that are inserted at its end, in order; the other ones are replaced by these."""

    inserted: dict[int, tuple[int, ...]]
    problems: tuple[Problem, ...]


def plan_threads(
    snapshot: Snapshot, sums: IndexSums, bindings: BindingMemories, stored: dict[int, tuple[int, ...]]
) -> Threads:
    """Plan the insertions of all loops in ``stored`` that are parallel."""
    problems: list[Problem] = []
    stores: dict[int, dict[int, list[int]]] = {}
    for number, memory in enumerate(bindings.memories):
        for store in memory.stores:
            around = snapshot.block_op[snapshot.op_block[store]]
            if snapshot.op_name[around] == "scf.forall":
                stores.setdefault(around, {}).setdefault(number, []).append(store)
            loop = _forall_around(snapshot, stored, around)
            if loop >= 0:
                message = (
                    f"a store to {describe(memory.slot)} inside of '{snapshot.op_name[around]}' in an scf.forall, "
                    "whose threads can only store at the top level of the body; store there what the op returns"
                )
                problems.append(Problem(store, message, (("this is the scf.forall", loop),)))
    inserted: dict[int, tuple[int, ...]] = {}
    for loop, by_memory in stores.items():
        kept: list[int] = []
        for number, found in by_memory.items():
            last = _last_stores(snapshot, sums, found)
            if isinstance(last, int):
                slot = describe(bindings.memories[number].slot)
                message = f"a thread stores to {slot} twice, and the slices may overlap in part"
                note = ("the other store is here", found[0] if last != found[0] else found[-1])
                problems.append(Problem(last, f"{message}; store the whole part once", (note,)))
            else:
                kept.extend(last)
        inserted[loop] = tuple(sorted(kept))
    return Threads(inserted, tuple(problems))


def _forall_around(s: Snapshot, stored: dict[int, tuple[int, ...]], op: int) -> int:
    """Return an ``scf.forall`` around ``op``; -1 if there is none. All ops around a store are in ``stored``."""
    while (op := s.block_op[s.op_block[op]] if s.op_block[op] >= 0 else -1) in stored:
        if s.op_name[op] == "scf.forall":
            return op
    return -1


def _last_stores(s: Snapshot, sums: IndexSums, stores: Sequence[int]) -> list[int] | int:
    """Return those of ``stores`` that no later one replaces, or one that overlaps with another one in part."""
    if len(stores) == 1:
        return list(stores)
    if len(stores) > _MOST:
        return stores[_MOST]
    slices: list[Slice | None] = []
    for store in stores:
        subset = subset_of(s.ops[store])
        slices.append(None if subset is None else slice_of(subset, sums))
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
