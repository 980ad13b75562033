"""Transposed or widened copies of operands before an op, and the op on these copies."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import linalg

from ...analysis.schedule.operand_transposition import Transposition
from ...analysis.schedule.operand_widening import Widening
from .generic import affine_map, build_generic, empty_for_copy, hand_over, place_of_copy

__all__ = ["transpose_operands", "widen_operands"]


def transpose_operands(transposition: Transposition) -> None:
    """Replace the op by a `linalg.generic` that reads transposed copies.

    They are made before it, and before the loops around it that do not define the operand.
    """
    structured = transposition.structured
    op = structured.op
    inputs: list[tuple[ir.Value, ir.AffineMap]] = []
    for operand in range(structured.inputs):
        value, indices = op.operands[operand], structured.indices[operand]
        order = transposition.operands.get(operand)
        if order is not None:
            with ir.InsertionPoint(place_of_copy(op, value)), op.location:
                value = _transposed(value, order)
            indices = [indices[dimension] for dimension in order]
        inputs.append((value, affine_map(len(structured.sizes), indices)))
    new = build_generic(structured, inputs)
    hand_over(structured, new, list(new.regions[0].blocks[0].arguments))


def _transposed(value: ir.Value, order: Sequence[int]) -> ir.Value:
    empty = empty_for_copy(value, ir.RankedTensorType(value.type).element_type, order)
    op = linalg.TransposeOp([empty.type], value, empty, list(order)).operation
    linalg.fill_builtin_region(op)
    return op.results[0]


def widen_operands(widening: Widening) -> None:
    """Replace the op by a `linalg.generic` that reads wide copies.

    They are made where `transpose_operands` makes them; one for operands that are the same value.
    """
    structured = widening.structured
    op = structured.op
    copies: dict[tuple[ir.Value, str, str], ir.Value] = {}
    inputs: list[tuple[ir.Value, ir.AffineMap]] = []
    for operand in range(structured.inputs):
        value = op.operands[operand]
        extension = widening.operands.get(operand)
        if extension is not None:
            key = value, extension.name, str(extension.results[0].type)
            if key not in copies:
                with ir.InsertionPoint(place_of_copy(op, value)), op.location:
                    copies[key] = _widened(value, extension)
            value = copies[key]
        inputs.append((value, affine_map(len(structured.sizes), structured.indices[operand])))
    new = build_generic(structured, inputs)
    arguments = list(new.regions[0].blocks[0].arguments)
    for operand, extension in widening.operands.items():
        extension.results[0].replace_all_uses_with(arguments[operand])
        extension.erase()
    hand_over(structured, new, arguments)


def _widened(value: ir.Value, extension: ir.Operation) -> ir.Value:
    """Build a copy of `value` with `extension` applied to each element."""
    type_ = ir.RankedTensorType(value.type)
    empty = empty_for_copy(value, extension.results[0].type, range(type_.rank))
    identity = ir.AffineMap.get_identity(type_.rank)
    parallel = linalg.IteratorType.parallel
    copy = linalg.GenericOp([empty.type], [value], [empty], [identity] * 2, [parallel] * type_.rank)
    block = copy.regions[0].blocks.append(type_.element_type, extension.results[0].type)
    with ir.InsertionPoint(block):
        wide = ir.Operation.create(extension.name, results=[extension.results[0].type], operands=[block.arguments[0]])
        linalg.YieldOp([wide.result])
    return copy.results[0]
