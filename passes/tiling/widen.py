"""Wide copies of operands, and the op that reads them."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import linalg, tensor

from ...dialects.structured import index_constant
from ..analysis.operand_widening import Widening
from .generic import affine_map, build_generic, place_of_copy

__all__ = ["widen_operands"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def widen_operands(widening: Widening) -> ir.Operation:
    """Replace the op by a `linalg.generic` that reads wide copies, and return it.

    They are made in front of it, and of the loops around it that do not change the operand; one for operands that are
    the same value.
    """
    structured = widening.structured
    op, block = structured.op, structured.payload
    loops = len(structured.sizes)
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
        inputs.append((value, affine_map(loops, structured.indices[operand])))
    new = build_generic(structured, inputs)
    arguments = list(new.regions[0].blocks[0].arguments)
    for operand, (old, argument) in enumerate(zip(block.arguments, arguments, strict=True)):
        extension = widening.operands.get(operand)
        if extension is None:
            old.replace_all_uses_with(argument)
        else:
            extension.results[0].replace_all_uses_with(argument)
            extension.erase()
    for one in list(block.operations):
        new.regions[0].blocks[0].append(one.operation)
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.erase()
    return new


def _widened(value: ir.Value, extension: ir.Operation) -> ir.Value:
    """Build a copy of `value` with `extension` done to each element."""
    type_ = ir.RankedTensorType(value.type)
    sizes: list[int | ir.Value] = [
        tensor.dim(value, index_constant(dimension)) if size == _DYNAMIC else size
        for dimension, size in enumerate(type_.shape)
    ]
    empty = tensor.empty(sizes, extension.results[0].type)
    identity = ir.AffineMap.get_identity(type_.rank)
    parallel = linalg.IteratorType.parallel
    copy = linalg.GenericOp([empty.type], [value], [empty], [identity] * 2, [parallel] * type_.rank)
    block = copy.regions[0].blocks.append(type_.element_type, extension.results[0].type)
    with ir.InsertionPoint(block):
        wide = ir.Operation.create(extension.name, results=[extension.results[0].type], operands=[block.arguments[0]])
        linalg.YieldOp([wide.result])
    return copy.results[0]
