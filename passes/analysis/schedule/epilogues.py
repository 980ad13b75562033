"""Elementwise ops that are computed before a reduction stores its results: bias, normalization, activation, sums.

A reduction with results in the lanes has them in registers when its loops end. An elementwise op that alone reads them
is computed there, and only its own result is stored. It may read the results through a `tensor.collapse_shape`.

The op is an *epilogue* of the reduction if

* it has one result, which may be computed where the results would be, and only parallel loops, each of which is a loop
  of the reduction, or is several of them that were collapsed, the last one fastest;
* the loops of the register tile are the fastest of their dimensions, and vectors of a collapsed lane loop are full;
* along its lane loop, its result is contiguous, and all its operands are contiguous or do not vary;
* it has no polynomial, which needs registers itself;
* the results are more than half of the L1 cache, which otherwise still holds them when the op reads them: that saves
  little, and code for each vector of the register tile is larger than a loop;
* nothing between the two uses what the reduction reads, since that moves to its epilogue.

Linear in the ops, and in the uses of what a reduction reads, up to a bound; nothing is changed. No upstream
counterpart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ....dialects.tensor.shapes import reassociation_of
from ..linalg.structured_op import Structured, type_bytes
from ..linalg.vector_payload import has_polynomial
from .machine import Machine
from .vector_plan import VectorPlan

__all__ = ["Epilogue", "find_epilogue", "may_move"]

_MOST_USES = 64
"""With more uses of an operand there is no epilogue: to look at all of them for each user takes too long."""


@frozen
class Epilogue:
    """An elementwise op that is computed with the results of a reduction.

    Attributes:
        consumer: the op.
        operands: its inputs that are the result.
        in_place: whether its init is the result, too, which starts from a fill then.
        loops: for each loop of the op the loops of the reduction that it is, the fastest last.
        collapse: the `tensor.collapse_shape` between the two, if there is one.
    """

    consumer: Structured
    operands: tuple[int, ...]
    in_place: bool
    loops: Mapping[int, tuple[int, ...]]
    collapse: ir.Operation | None

    def lane_loop(self, plan: VectorPlan) -> int:
        """The loop of the op that has the lanes."""
        return next(loop for loop, own in self.loops.items() if own[-1] == plan.lane_loop)


def find_epilogue(
    plan: VectorPlan, others: Mapping[ir.Value, VectorPlan], taken: Collection[ir.Value], machine: Machine
) -> Epilogue | None:
    """Return the epilogue of the reduction of `plan` on `machine`, if it has one.

    `others` maps results to the plans of their ops; those of ops that are computed elsewhere are in `taken`.
    """
    reduction = plan.structured
    if not plan.reductions or plan.reduces_in_lanes or len(reduction.outputs) != 1:
        return None
    value, collapse = reduction.op.results[0], None
    if _is_small(value.type, machine):
        return None
    user = _only_user(value)
    if user is not None and user.name == "tensor.collapse_shape":
        collapse, value = user, user.results[0]
        user = _only_user(value)
    other = others.get(user.results[0]) if user is not None and len(user.results) == 1 else None
    if other is None or user is None or user.results[0] in taken or user.block != reduction.op.block:
        return None
    found = _matched(plan, other.structured, value, collapse)
    return found if found is not None and may_move(reduction.op, user) else None


def _is_small(type_: ir.Type, machine: Machine) -> bool:
    """Whether half of the first cache holds a value of this type."""
    shaped = ir.ShapedType(type_)
    return shaped.has_static_shape and type_bytes(shaped) <= machine.l1 // 2


def _only_user(value: ir.Value) -> ir.Operation | None:
    users = [use.owner.operation for use in islice(value.uses, _MOST_USES)]
    return users[0] if users and all(user == users[0] for user in users) else None


def _matched(plan: VectorPlan, consumer: Structured, value: ir.Value, collapse: ir.Operation | None) -> Epilogue | None:
    """Return the epilogue if its loops are those of the reduction, and its operands are read side by side."""
    reduction = plan.structured
    operands = tuple(number for number in range(consumer.inputs) if consumer.op.operands[number] == value)
    in_place = any(consumer.op.operands[number] == value for number in consumer.outputs)
    if not all(consumer.parallel) or len(consumer.outputs) != 1 or not operands or has_polynomial(consumer):
        return None
    if any(consumer.indices[number] != consumer.indices[operands[0]] for number in operands):
        return None
    if in_place and (consumer.reads[consumer.inputs] or not _starts_from_fill(reduction)):
        return None
    written = [index.loop for index in reduction.indices[reduction.inputs]]
    read = [index.loop for index in consumer.indices[operands[0]]]
    groups = reassociation_of(collapse) if collapse is not None else [[dimension] for dimension in range(len(written))]
    if len(read) != len(groups) or set(read) != set(consumer.loops) or len(set(read)) != len(read) or None in written:
        return None
    loops = {
        loop: tuple(written[dimension] or 0 for dimension in group)
        for loop, group in zip(read, groups, strict=True)
        if loop is not None
    }
    if not set(plan.tile) <= {own[-1] for own in loops.values()} or not _is_full(plan, loops):
        return None
    if collapse is not None and None in consumer.sizes:
        return None
    found = Epilogue(consumer, operands, in_place, loops, collapse)
    lanes = found.lane_loop(plan)
    scattered = any(
        consumer.depends(number, lanes) and not consumer.is_contiguous(number, lanes)
        for number in range(len(consumer.indices))
    )
    return None if scattered or not consumer.is_contiguous(consumer.inputs, lanes) else found


def _is_full(plan: VectorPlan, loops: Mapping[int, tuple[int, ...]]) -> bool:
    """Whether no vector of collapsed loops, whose sizes are static, reaches beyond the end."""
    lanes = plan.structured.sizes[plan.lane_loop]
    collapsed = any(len(own) > 1 and own[-1] == plan.lane_loop for own in loops.values())
    return not collapsed or (lanes is not None and lanes % plan.lanes == 0)


def _starts_from_fill(reduction: Structured) -> bool:
    """Whether nothing of the init is read, as the accumulators start from the value of a fill."""
    init = reduction.op.operands[reduction.inputs]
    as_input = any(reduction.op.operands[number] == init for number in range(reduction.inputs))
    return not as_input and defining_op(init, "linalg.fill") is not None


def may_move(reduction: ir.Operation, user: ir.Operation) -> bool:
    """Whether no op between `reduction` and its `user` uses a tensor that the reduction reads."""
    for value in reduction.operands:
        if not isinstance(value.type, ir.ShapedType):
            continue
        uses = list(islice(value.uses, _MOST_USES + 1))
        if len(uses) > _MOST_USES:
            return False
        for use in uses:
            other = _in_block_of(use.owner.operation, user)
            if other is None or other == reduction:
                continue
            if reduction.is_before_in_block(other) and other.is_before_in_block(user):
                return False
    return True


def _in_block_of(op: ir.Operation, neighbour: ir.Operation) -> ir.Operation | None:
    """Return the op in the block of `neighbour` that is `op`, or has it in a region; None if there is none."""
    while op.block != neighbour.block:
        around = op.parent
        if around is None or around.operation.parent is None:
            return None
        op = around.operation
    return op
