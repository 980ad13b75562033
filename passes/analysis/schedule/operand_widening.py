"""Inputs of a linalg op to widen beforehand, because the op would widen each of their elements many times.

In `c[i, j] += extf(a[i, k]) * extf(b[k, j])` an element of `a` is widened for each column, and one of `b` for each row.
Elements that are loaded along the lanes are widened a vector at a time, and the rows of a register tile share that. The
others are widened one by one before they are broadcast, which takes longer than the products that use them; elements
that are already wide are broadcast from memory at no cost.

Costs are counted in instructions for each element, where `L` is the number of lanes, and `n` the number of reads of the
element that do not share a widening:

* as it is, in the lanes: `n / L`,
* as it is, one by one: `2 n`,
* a copy: `16 / L`, as it takes a load, a store, and space in the caches.

Linear in the op; nothing is changed.
"""

from __future__ import annotations

from math import prod

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ..linalg.structured_op import Structured, as_structured
from .machine import Machine
from .vector_plan import VectorPlan, find_plan

__all__ = ["Widening", "find_widening"]

_EXTENSIONS = frozenset({"arith.extf", "arith.extsi", "arith.extui"})
_COPY, _ALONE = 16, 2
"""The costs of copying a vector, and of widening a single element, in instructions."""


@frozen
class Widening:
    """Inputs to widen: for each of `operands` the payload op that extends its element and is its only user."""

    structured: Structured
    operands: dict[int, ir.Operation]


def find_widening(op: ir.Operation, machine: Machine) -> Widening | None:
    """Return which inputs of linalg op `op` to widen, None if widening does not pay or it cannot be vectorized."""
    structured = as_structured(op)
    if structured is None or all(structured.parallel):
        return None
    found = {operand: _extension(structured, operand) for operand in range(structured.inputs)}
    extensions = {operand: one for operand, one in found.items() if one is not None}
    plan = find_plan(op, machine) if extensions else None
    if plan is None:
        return None
    chosen = {operand: one for operand, one in extensions.items() if _pays(plan, operand)}
    return Widening(structured, chosen) if chosen else None


def _extension(structured: Structured, operand: int) -> ir.Operation | None:
    """Return the op that widens the elements of an input, if that is their only use."""
    if not isinstance(structured.op.operands[operand].type, ir.RankedTensorType) or not structured.indices[operand]:
        return None
    users = [use.owner.operation for use in structured.payload.arguments[operand].uses]
    if len(users) != 1 or users[0].name not in _EXTENSIONS or users[0].block != structured.payload:
        return None
    return users[0]


def _pays(plan: VectorPlan, operand: int) -> bool:
    """Whether a wide copy of an input costs less than widening its elements at each read."""
    structured, lanes = plan.structured, plan.lanes
    others = [loop for loop in structured.loops if not structured.depends(operand, loop)]
    reads = prod(-(-structured.size(loop) // _shared(plan, loop)) for loop in others)
    each = 1 / lanes if structured.depends(operand, plan.lane_loop) else _ALONE
    return reads * each > _COPY / lanes


def _shared(plan: VectorPlan, loop: int) -> int:
    """Return how many iterations of `loop` share the loads of a register tile."""
    return plan.tile.get(loop, 1) * (plan.lanes if loop == plan.lane_loop else 1)
