"""Which contents are needed, and which there are: both follow views and forwardings.

Making a view or forwarding a value reads nothing by itself. An operand that is viewed or
forwarded is *content-read* iff a value it flows into is. So is one that its op writes, and otherwise needs only for the
elements that it leaves as they were, iff its result is. A view of what has no content has none, nor has what regions
and branches forward if nothing that they forward has. Both closures are computed over the flow edges with a
work list, each edge once, so they are linear.
"""

from __future__ import annotations

from collections.abc import Sequence

from .tables import EffectTables

__all__ = ["close_reads"]


def close_reads(tables: EffectTables, ops: range) -> None:
    """Compute ``content_reads`` and ``value_read`` backwards, and ``undefined`` forwards, over the flow edges."""
    s = tables.snapshot
    work: list[int] = []
    operands = s.nested_operands(ops)
    for operand in operands:
        if tables.reads[operand] and not (tables.skip_dead and tables.keeps[operand]):
            _mark_read(tables, operand, work)
    while work:
        for operand in tables.sources.get(work.pop(), ()):
            passes = operand in tables.forwards or not tables.writes[operand] or tables.keeps[operand]
            if passes and not tables.content_reads[operand]:
                _mark_read(tables, operand, work)
    _spread_undefined(tables, operands)


def _mark_read(tables: EffectTables, operand: int, work: list[int]) -> None:
    tables.content_reads[operand] = True
    value = tables.snapshot.operand_value[operand]
    if value >= 0 and not tables.value_read[value]:
        tables.value_read[value] = True
        work.append(value)


def _spread_undefined(tables: EffectTables, operands: Sequence[int]) -> None:
    """Mark what only comes from tensors without content; begins with all that could and takes back what does not."""
    undefined, sources, values = tables.undefined, tables.sources, tables.snapshot.operand_value

    def is_without(operand: int) -> bool:
        return values[operand] >= 0 and bool(undefined[values[operand]])

    if not any(undefined[values[operand]] for operand in operands if values[operand] >= 0):
        return  # Almost always.
    ties, forwards = tables.ties, tables.forwards
    flowing = (operand for operand in operands if operand in ties or operand in forwards)
    handed = {operand: targets for operand in flowing if (targets := _handed_to(tables, operand))}
    candidates = {
        target
        for targets in handed.values()
        for target in targets
        if all(target in handed.get(source, ()) for source in sources[target])
    }
    for value in candidates:
        undefined[value] = True
    work = [value for value in candidates if not all(map(is_without, sources[value]))]
    while work:
        value = work.pop()
        if not undefined[value]:
            continue
        undefined[value] = False
        for use in tables.snapshot.value_uses[value]:
            work.extend(target for target in handed.get(use, ()) if target in candidates)


def _handed_to(tables: EffectTables, operand: int) -> list[int]:
    """Return the values that have the content of ``operand``, or of a part of it, if it is where they come from."""
    if tables.writes[operand]:
        return []
    viewed = (tie.value for tie in tables.ties.get(operand, ()) if tie.definite)
    return [*viewed, *tables.forwards.get(operand, ())]
