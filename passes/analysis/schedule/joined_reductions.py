"""Elementwise ops with several users that can be computed in the loop of a reduction that reads their result.

Such an op (the differences from a mean, the exponentials of a softmax) cannot be fused into the reduction, since its
result has to be stored; but the reduction can use each vector as it is stored, instead of loading it again.

The op is *joined* with the reduction if

* it has one result and only parallel loops, and the reduction reads each element of that result once: the dimensions of
  the result are a permutation of the loops of the reduction;
* along the lane loop of the reduction, the op's result and all its operands are contiguous;
* it has other users, and all of them come after the reduction, since the op moves there.

Linear in the ops, and in the uses of their results; nothing is changed. No upstream counterpart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ..linalg.structured_op import Structured
from .vector_plan import VectorPlan

__all__ = ["Join", "find_join"]


@frozen
class Join:
    """An elementwise op that is computed in the loop of a reduction.

    Attributes:
        producer: the op.
        operands: the inputs of the reduction that are its result.
        loops: for each loop of the reduction the loop of the op that it is.
    """

    producer: Structured
    operands: tuple[int, ...]
    loops: Mapping[int, int]


def find_join(plan: VectorPlan, others: Mapping[ir.Value, VectorPlan], taken: Collection[ir.Value]) -> Join | None:
    """Return which op is joined with the reduction of `plan`.

    `others` maps results to the plans of their ops; ops whose result is in `taken` are already joined.
    """
    reduction = plan.structured
    if plan.combiner is None:
        return None
    for operand in range(reduction.inputs):
        value = reduction.op.operands[operand]
        other = others.get(value)
        if other is None or value in taken or not reduction.reads[operand]:
            continue
        join = _join(plan, operand, other.structured)
        if join is not None and _come_later(value, reduction.op):
            return join
    return None


def _join(plan: VectorPlan, operand: int, producer: Structured) -> Join | None:
    reduction = plan.structured
    value, read = reduction.op.operands[operand], reduction.indices[operand]
    if not all(producer.parallel) or len(producer.op.results) != 1 or producer.op.block != reduction.op.block:
        return None
    operands = tuple(number for number, other in enumerate(reduction.op.operands) if other == value)
    if any(number >= reduction.inputs or reduction.indices[number] != read for number in operands):
        return None
    written = producer.indices[producer.inputs]
    loops = {
        mine.loop: own.loop
        for mine, own in zip(read, written, strict=True)
        if mine.loop is not None and own.loop is not None
    }
    if not len(read) == len(loops) == len(reduction.sizes) == len(producer.sizes):
        return None
    lanes = loops[plan.lane_loop]
    scattered = any(
        producer.depends(number, lanes) and not producer.is_contiguous(number, lanes)
        for number in range(len(producer.indices))
    )
    is_stored_side_by_side = producer.is_contiguous(producer.inputs, lanes) and not scattered
    return Join(producer, operands, loops) if is_stored_side_by_side else None


def _come_later(value: ir.Value, reduction: ir.Operation) -> bool:
    """Whether `value` has users besides `reduction`, all of them after it in its block, or nested in ops after it."""
    others = 0
    for use in value.uses:
        user = use.owner.operation
        is_inside = user.block != reduction.block
        while user.block != reduction.block and user.parent is not None:
            user = user.parent.operation
        if user == reduction:
            if is_inside:
                return False  # Its payload extracts any element, which may not be computed yet.
            continue
        if not reduction.is_before_in_block(user):
            return False
        others += 1
    return others > 0
