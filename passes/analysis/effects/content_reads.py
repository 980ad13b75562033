"""Which contents are needed: reads, propagated backwards through views and forwardings.

Making a view or forwarding a value reads nothing by itself. An operand that is viewed or
forwarded is *content-read* iff a value it flows into is. The closure is computed backwards over the flow edges with a
work list, each edge once, so it is linear.
"""

from __future__ import annotations

from .tables import EffectTables

__all__ = ["close_reads"]


def close_reads(tables: EffectTables, ops: range) -> None:
    """Compute ``content_reads`` and ``value_read`` backwards, and ``undefined`` forwards, over the flow edges."""
    s = tables.snapshot
    work: list[int] = []
    operands = s.nested_operands(ops)
    for operand in operands:
        if tables.reads[operand]:
            _mark_read(tables, operand, work)
    while work:
        for operand in tables.sources.get(work.pop(), ()):
            if not tables.content_reads[operand] and (operand in tables.forwards or not tables.writes[operand]):
                _mark_read(tables, operand, work)
    for operand in operands:
        _spread_undefined(tables, operand)


def _mark_read(tables: EffectTables, operand: int, work: list[int]) -> None:
    tables.content_reads[operand] = True
    value = tables.snapshot.operand_value[operand]
    if value >= 0 and not tables.value_read[value]:
        tables.value_read[value] = True
        work.append(value)


def _spread_undefined(tables: EffectTables, operand: int) -> None:
    """A view of a tensor without content has no content either."""
    ties = tables.ties.get(operand, ())
    if ties and not tables.writes[operand] and tables.undefined[tables.snapshot.operand_value[operand]]:
        for tie in ties:
            if tie.definite:
                tables.undefined[tie.value] = True
