"""Copies of windows with a dimension for each loop, and an op on merged loops that reads them."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import linalg, tensor

from ....dialects.support.defining_ops import defining_op
from ....dialects.tensor.shapes import reassociation
from ...analysis.linalg.structured_op import OperandIndex, Structured
from ...analysis.schedule.window_unfolding import Unfolding
from .generic import affine_map, create_generic, move_payload
from .linalg_ops import replace_op

__all__ = ["unfold"]

_FILL = "linalg.fill"


def unfold(unfolding: Unfolding) -> ir.Operation:
    """Replace an op by a `linalg.generic` on merged loops, and return that. Linear in its operands and its payload."""
    structured = unfolding.structured
    op = structured.op
    with ir.InsertionPoint(op), op.location:
        inputs = [_input(unfolding, operand) for operand in range(structured.inputs)]
        init = structured.inputs
        groups = _dimensions(unfolding, init)
        start = _start(op.operands[init], groups)
        map_ = _map(unfolding, init)
    parallel = [structured.parallel[group[0]] for group in unfolding.groups]
    new = create_generic(op, inputs, [(start, map_)], parallel)
    move_payload(structured, new, list(new.regions[0].blocks[0].arguments))
    with ir.InsertionPoint(op), op.location:
        result = _expanded(new.results[0], op.results[0].type, groups)
    replace_op(op, [result])
    return new


def _input(unfolding: Unfolding, operand: int) -> tuple[ir.Value, ir.AffineMap]:
    """Return an input of the new op, and its map."""
    structured = unfolding.structured
    value = structured.op.operands[operand]
    if operand in unfolding.copies:
        value = _copied(structured, operand, unfolding.copies[operand])
    if isinstance(value.type, ir.RankedTensorType):
        value = _collapsed(value, _dimensions(unfolding, operand))
    return value, _map(unfolding, operand)


def _copied(structured: Structured, operand: int, order: Sequence[int]) -> ir.Value:
    """Build a copy of an input with a dimension for each loop of `order`."""
    value = structured.op.operands[operand]
    element = ir.RankedTensorType(value.type).element_type
    empty = tensor.empty([structured.size(loop) for loop in order], element)
    place = {loop: number for number, loop in enumerate(order)}
    # A loop that is left out has one iteration.
    indices = [
        OperandIndex(
            {place[loop]: factor for loop, factor in index.coefficients.items() if loop in place}, index.constant
        )
        for index in structured.indices[operand]
    ]
    maps = [affine_map(len(order), indices), ir.AffineMap.get_identity(len(order))]
    copy = linalg.GenericOp([empty.type], [value], [empty], maps, [linalg.IteratorType.parallel] * len(order))
    block = copy.regions[0].blocks.append(element, element)
    with ir.InsertionPoint(block):
        linalg.YieldOp([block.arguments[0]])
    return copy.results[0]


def _rows(unfolding: Unfolding, operand: int) -> list[int | None]:
    """Return the loop of each dimension of an operand, after it was copied; None for one that has one element."""
    if operand in unfolding.copies:
        return list(unfolding.copies[operand])
    kept = {loop for group in unfolding.groups for loop in group}
    return [
        next((loop for loop in index.coefficients if loop in kept), None)
        for index in unfolding.structured.indices[operand]
    ]


def _map(unfolding: Unfolding, operand: int) -> ir.AffineMap:
    """Return the map of an operand of the new op."""
    rows = _rows(unfolding, operand)
    numbers = [number for row in rows for number, group in enumerate(unfolding.groups) if row == group[0]]
    return affine_map(len(unfolding.groups), [OperandIndex({number: 1}) for number in numbers])


def _dimensions(unfolding: Unfolding, operand: int) -> list[list[int]]:
    """Return the dimensions of an operand that become one each; those with one element go with their neighbours."""
    first = {group[0] for group in unfolding.groups}
    groups: list[list[int]] = []
    waiting: list[int] = []
    for dimension, row in enumerate(_rows(unfolding, operand)):
        if row in first:
            groups.append([*waiting, dimension])
            waiting = []
        elif groups:
            groups[-1].append(dimension)
        else:
            waiting.append(dimension)
    return groups


def _collapsed(value: ir.Value, groups: Sequence[Sequence[int]]) -> ir.Value:
    type_ = ir.RankedTensorType(value.type)
    if len(groups) == type_.rank:
        return value
    shape = [_product(type_.shape, group) for group in groups]
    collapsed = ir.RankedTensorType.get(shape, type_.element_type)
    expanded = defining_op(value, "tensor.expand_shape")
    if expanded is not None and expanded.attributes["reassociation"] == reassociation(groups):
        return expanded.operands[0]
    return tensor.collapse_shape(collapsed, value, reassociation(groups))


def _expanded(value: ir.Value, type_: ir.Type, groups: Sequence[Sequence[int]]) -> ir.Value:
    if value.type == type_:
        return value
    return tensor.expand_shape(type_, value, reassociation(groups), [], ir.RankedTensorType(type_).shape)


def _start(init: ir.Value, groups: Sequence[Sequence[int]]) -> ir.Value:
    """Return the collapsed init; a fill is one of the collapsed tensor, from which vectors may start."""
    fill = defining_op(init, _FILL)
    if fill is None:
        return _collapsed(init, groups)
    target = _collapsed(fill.operands[1], groups)
    new = linalg.FillOp([target.type], [fill.operands[0]], [target])
    linalg.fill_builtin_region(new.operation)
    return new.operation.results[0]


def _product(shape: Sequence[int], group: Sequence[int]) -> int:
    total = 1
    for dimension in group:
        total *= shape[dimension]
    return total
