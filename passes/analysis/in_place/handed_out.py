"""Which buffers may be handed out as memrefs that others write: those that the function allocates itself.

Memory of a caller, of a callee, of a constant or behind a memref may be read where nothing of it is known here.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..conflicts.decisions import Decision
from ..effects.reader import TensorEffects

__all__ = ["is_made_here"]

_MOST_VALUES = 256
"""How many values a walk to the allocation sites visits before it gives up."""


def is_made_here(effects: TensorEffects, value: int, decisions: Mapping[int, Decision]) -> bool:
    """Whether the buffer of ``value`` was allocated by an op of the same function, once all else is decided."""
    s = effects.snapshot
    if effects.undefined[value]:  # Nothing reads it, so nothing would keep others from writing it later.
        return False
    work, seen = [value], {value}
    while work:
        current = work.pop()
        sources = effects.sources.get(current, ())
        if len(seen) > _MOST_VALUES or not _may_be_followed(effects, current, bool(sources)):
            return False
        for operand in sources:
            decided = decisions.get(operand)
            if decided is not None and not decided.in_place:
                continue
            source = s.operand_value[operand]
            if source not in seen:
                seen.add(source)
                work.append(source)
    return True


def _may_be_followed(effects: TensorEffects, value: int, has_sources: bool) -> bool:
    """Whether it is known that ``value`` is an allocation of its op, or lies in the buffers of its sources."""
    s = effects.snapshot
    op = s.value_op[value]
    if op < 0:
        return has_sources
    model = effects.model(op)
    if model is None or s.op_name[op] == "func.call" or value in effects.readonly:
        return False
    return has_sources or model.bufferizes_to_allocation(s.ops[op], s.value_index[value])
