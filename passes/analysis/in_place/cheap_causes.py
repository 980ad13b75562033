"""Operands that are in place, although a buffer of their own would save a copy elsewhere.

A copy is made because a write ``w`` would destroy what ``r`` reads. If what is written or read was brought into that
buffer by an operand whose refusal costs no copy, that operand is the cheaper one to refuse. In loops it was decided
before the loop's init was: a loop's body comes first, as it tells what the loop yields.

Likewise ``w`` itself, if its refusal costs no copy and several operands have buffers of their own because of it: one
buffer for ``w`` is fewer.

Refusing an operand is always right. Linear in the copies: each is followed a bounded number of ties back.
"""

from __future__ import annotations

from ..conflicts.decisions import Conflict
from ..effects.reader import TensorEffects
from .decision_record import costs_no_copy
from .function_decisions import FunctionAnalysis

__all__ = ["cheap_causes"]

_LONGEST = 64
"""How many ties are followed back from an access."""


def cheap_causes(effects: TensorEffects, analysis: FunctionAnalysis) -> dict[int, Conflict]:
    """Return tied operands whose refusal costs no copy, each with a conflict for which ``analysis`` copies another."""
    found: dict[int, Conflict] = {}
    blamed: set[int] = set()
    for decision in analysis.decisions.values():
        conflict = decision.conflict
        if conflict is None:
            continue
        if conflict.write in blamed and _is_cheap(effects, analysis, conflict.write):
            found.setdefault(conflict.write, conflict)
        blamed.add(conflict.write)
        if not decision.copies:
            continue
        for access in (conflict.read, conflict.write):
            cause = _cause(effects, analysis, access) if access >= 0 else -1
            if cause >= 0:
                found.setdefault(cause, conflict)
    return found


def _cause(effects: TensorEffects, analysis: FunctionAnalysis, access: int) -> int:
    """Return the nearest such operand, back along the ties from the value at operand ``access``; -1 for none."""
    value = effects.snapshot.operand_value[access]
    for _ in range(_LONGEST):
        sources = effects.sources.get(value, ())
        if len(sources) != 1 or sources[0] not in effects.ties:
            return -1
        (operand,) = sources
        if not _may_be_refused(effects, analysis, operand):
            return -1
        if costs_no_copy(effects, operand):
            return operand
        value = effects.snapshot.operand_value[operand]
    return -1


def _is_cheap(effects: TensorEffects, analysis: FunctionAnalysis, write: int) -> bool:
    return write in effects.ties and costs_no_copy(effects, write) and _may_be_refused(effects, analysis, write)


def _may_be_refused(effects: TensorEffects, analysis: FunctionAnalysis, operand: int) -> bool:
    decision = analysis.decisions.get(operand)
    return decision is not None and decision.in_place and not effects.must_in_place[operand]
