"""Slices that are the whole of a tensor, because their sizes are the tensor's, also if these are dynamic.

Such a slice is no part of its tensor but the tensor itself: viewed, it is the same buffer with the same layout;
inserted into, nothing of the destination is left. Op models see static sizes only. Here dynamic ones are compared as
values (``sizes.py``). See docs/theory/slices.md. Linear in the slices times their rank.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....dialects.bufferizable import Relation
from ..index_sets.slices import Slice
from ..index_sets.sums import IndexSums
from .sizes import has_size
from .tables import EffectTables, Tie

__all__ = ["mark_whole_slices"]


def mark_whole_slices(effects: EffectTables, sums: IndexSums, ops: Iterable[int]) -> None:
    """Enter slices of ``ops`` that are whole tensors as such. All ties and forwardings must be entered before."""
    s = effects.snapshot
    if not effects.slices:
        return
    for operand in [operand for op in ops for operand in s.operands(op) if operand in effects.slices]:
        slice_ = effects.slices[operand]
        # Cheap questions first.
        if slice_.offsets.count(0) < len(slice_.offsets) or slice_.strides.count(1) < len(slice_.strides):
            continue
        value, ties = s.operand_value[operand], effects.ties.get(operand, ())
        if not _keeps_type(effects, operand, value, ties) or not _has_sizes(effects, sums, slice_, value):
            continue
        del effects.slices[operand]
        effects.whole_slices.add(operand)
        effects.ties[operand] = tuple(
            tie._replace(relation=Relation.EQUIVALENT) if tie.relation is Relation.VIEW else tie for tie in ties
        )
        effects.reads[operand] = effects.keeps[operand] = False


def _keeps_type(effects: EffectTables, operand: int, value: int, ties: tuple[Tie, ...]) -> bool:
    """Whether what is viewed or inserted has the type of the whole tensor, so that no dimension is dropped."""
    s = effects.snapshot
    source = effects.redundant_source.get(operand)
    views = [tie.value for tie in ties if tie.relation is Relation.VIEW]
    others = views if source is None else [*views, s.operand_value[source]]
    return bool(others) and all(s.values[other].type == s.values[value].type for other in others)


def _has_sizes(effects: EffectTables, sums: IndexSums, slice_: Slice, value: int) -> bool:
    return all(has_size(effects, sums, value, d, size) for d, size in enumerate(slice_.sizes))
