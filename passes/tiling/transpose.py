"""Transposed copies of operands, and the op that reads them."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import linalg, tensor

from ...dialects.structured import index_constant
from ..analysis.operand_transposition import Transposition
from .generic import affine_map, build_generic, place_of_copy

__all__ = ["transpose_operands"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


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
    block = new.regions[0].blocks[0]
    for old, argument in zip(structured.payload.arguments, block.arguments, strict=True):
        old.replace_all_uses_with(argument)
    for one in list(structured.payload.operations):
        block.append(one.operation)
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.erase()
    return new


def _transposed(value: ir.Value, order: Sequence[int]) -> ir.Value:
    type_ = ir.RankedTensorType(value.type)
    sizes: list[int | ir.Value] = []
    for dimension in order:
        size = type_.shape[dimension]
        sizes.append(tensor.dim(value, index_constant(dimension)) if size == _DYNAMIC else size)
    empty = tensor.empty(sizes, type_.element_type)
    op = linalg.TransposeOp([empty.type], value, empty, list(order)).operation
    linalg.fill_builtin_region(op)
    return op.results[0]
