"""A lower bound on allocations: proves an outcome of the in-place analysis cheapest without trying other orders.

A *clash* is a set of operands of which every sound outcome refuses at least one. If all of them were in place, a write
``w`` and a value ``v`` that is read after ``w`` would be in one buffer, because chains of equivalent ties lead from one
value to both. Disjoint clashes cost an allocation each. So an outcome without copies is the cheapest if each operand
that it refuses has a clash of its own, disjoint from the others. See docs/theory/foundations.md.

Only clashes that no rule can resolve count: ops of one block outside of loops, accesses to whole tensors, and writes
that are not redundant. Linear in the operands, since no operand is followed twice.
"""

from __future__ import annotations

from dataclasses import replace

from ..conflicts.decisions import Conflict, Decision, Rule, Strategy
from ..effects.reader import TensorEffects
from ..index_sets.slices import SliceRelation, slice_relation
from .function_decisions import FunctionAnalysis

__all__ = ["clash_of", "has_fewest_allocations"]

_CERTAIN = frozenset({Rule.READ_AFTER_WRITE, Rule.READ_BY_WRITER})

_LONGEST = 256
"""The largest number of ties followed for one clash."""


def has_fewest_allocations(effects: TensorEffects, analysis: FunctionAnalysis) -> bool:
    """Whether no order of decisions needs fewer allocations than ``analysis``, which copies only what it refuses.

    What it copies is refused in every outcome, then. False where this cannot be proved.
    """
    taken: set[int] = set()
    for decision in analysis.decisions.values():
        if decision.in_place:
            continue
        if decision.strategy is not Strategy.OUT_OF_PLACE or decision.conflict is None:
            return False
        clash = _alone(effects, decision) if decision.copies else clash_of(effects, decision.conflict)
        if not clash or not taken.isdisjoint(clash):
            return False
        taken |= clash
    return True


def _alone(effects: TensorEffects, decision: Decision) -> set[int]:
    """Return the operand of ``decision`` if it is never in place, whatever else is: it writes what is still read."""
    operand, conflict = decision.operand, decision.conflict
    if conflict is None or effects.snapshot.operand_value[operand] != conflict.value:
        return set()
    return {operand} if _is_certain(effects, replace(conflict, write=operand)) else set()


def clash_of(effects: TensorEffects, conflict: Conflict) -> set[int]:
    """Return operands that cannot all be in place because of ``conflict``; empty if this cannot be proved."""
    if not _is_certain(effects, conflict):
        return set()
    s = effects.snapshot
    found = {conflict.write}
    first, second = s.operand_value[conflict.write], conflict.value
    while first != second and len(found) < _LONGEST:
        # The source of a tie has a smaller number than its result, so the later value is not a source of the other.
        first, second = min(first, second), max(first, second)
        operand = _only_source(effects, second)
        if operand < 0:
            return set()
        found.add(operand)
        second = s.operand_value[operand]
    return found if first == second else set()


def _is_certain(effects: TensorEffects, conflict: Conflict) -> bool:
    """Whether the write must destroy the content that is read, once both are in one buffer."""
    s, write, read = effects.snapshot, conflict.write, conflict.read
    if conflict.rule not in _CERTAIN or min(write, read, conflict.value) < 0:
        return False
    if not effects.writes[write] or write in effects.redundant_source or effects.shared_outputs:
        return False
    if effects.copied_operand(write) >= 0:
        return False
    if s.operand_value[read] != conflict.value or not _must_overlap(effects, conflict):
        return False
    if not effects.content_reads[read] or effects.undefined[conflict.value]:
        return False
    writer, reader = s.operand_op[write], s.operand_op[read]
    block = s.op_block[writer]
    if s.op_block[reader] != block or s.value_block[conflict.value] != block or s.block_loop[block] >= 0:
        return False
    if writer == reader and (effects.writes[read] or _may_overlap(effects, read, write)):
        return False
    return s.value_position[conflict.value] < s.op_enter[writer] <= s.op_enter[reader]


def _must_overlap(effects: TensorEffects, conflict: Conflict) -> bool:
    """Whether no rule tells the elements that are written from those that are read: all, or those of one value."""
    write, read, slices = conflict.write, conflict.read, effects.slices
    if write not in slices and read not in slices:
        return True
    if effects.snapshot.operand_value[write] != conflict.value or effects.writes[read]:
        return False
    if write not in slices or read not in slices:
        return True
    return slice_relation(slices[write], slices[read]) is SliceRelation.EQUAL


def _may_overlap(effects: TensorEffects, read: int, write: int) -> bool:
    """Whether it may be harmless that an op reads ``read`` and writes ``write`` in one buffer."""
    s, op = effects.snapshot, effects.snapshot.operand_op[write]
    model = effects.model(op)
    return model is None or model.is_not_conflicting(s.ops[op], s.operand_index(read), s.operand_index(write))


def _only_source(effects: TensorEffects, value: int) -> int:
    """Return the operand that ``value`` is equivalent to if it is in place; -1 if there may be another source."""
    sources = effects.sources.get(value, ())
    if len(sources) != 1 or effects.snapshot.operand_value[sources[0]] < 0:
        return -1
    return sources[0] if effects.is_same_buffer(sources[0], value) else -1
