"""Transposed copies of operands, and the op that reads them."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import linalg

from ...analysis.schedule.operand_transposition import Transposition
from .generic import affine_map, build_generic, empty_for_copy, hand_over, place_of_copy

__all__ = ["transpose_operands"]


def transpose_operands(transposition: Transposition) -> ir.Operation:
    """Replace the op by a `linalg.generic` that reads transposed copies, and return it.

    They are made in front of it, and of the loops around it that do not change the operand.
    """
    structured = transposition.structured
    op = structured.op
    loops = len(structured.sizes)
    inputs: list[tuple[ir.Value, ir.AffineMap]] = []
    with ir.InsertionPoint(op), op.location:
        for operand in range(structured.inputs):
            value, indices = op.operands[operand], structured.indices[operand]
            order = transposition.operands.get(operand)
            if order is not None:
                with ir.InsertionPoint(place_of_copy(op, value)):
                    value = _transposed(value, order)
                indices = [indices[dimension] for dimension in order]
            inputs.append((value, affine_map(loops, indices)))
    new = build_generic(structured, inputs)
    hand_over(structured, new, list(new.regions[0].blocks[0].arguments))
    return new


def _transposed(value: ir.Value, order: Sequence[int]) -> ir.Value:
    empty = empty_for_copy(value, ir.RankedTensorType(value.type).element_type, order)
    op = linalg.TransposeOp([empty.type], value, empty, list(order)).operation
    linalg.fill_builtin_region(op)
    return op.results[0]
