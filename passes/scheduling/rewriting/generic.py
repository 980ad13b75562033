"""Replacing a linalg op by a `linalg.generic` with the same loops and outputs, but other inputs."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tensor

from ....dialects.support.defining_ops import is_inside
from ....dialects.support.index_math import tensor_size
from ...analysis.ir.traversal import loops_around
from ...analysis.linalg.structured_op import OperandIndex, Structured

__all__ = ["affine_map", "build_generic", "empty_for_copy", "hand_over", "place_of_copy"]


def affine_map(loops: int, indices: Sequence[OperandIndex]) -> ir.AffineMap:
    """Return the map from `loops` loops to `indices`."""
    return ir.AffineMap.get(loops, 0, [_expression(index) for index in indices])


def _expression(index: OperandIndex) -> ir.AffineExpr:
    if index.loop is not None:
        return ir.AffineDimExpr.get(index.loop)
    total: ir.AffineExpr = ir.AffineConstantExpr.get(index.constant)
    for loop, factor in index.coefficients.items():
        total = total + ir.AffineDimExpr.get(loop) * factor
    return total


def build_generic(structured: Structured, inputs: Sequence[tuple[ir.Value, ir.AffineMap]]) -> ir.Operation:
    """Create before an op a `linalg.generic` with other `inputs`, each with its map, and an empty payload."""
    op = structured.op
    inits = [op.operands[number] for number in structured.outputs]
    loops = len(structured.sizes)
    maps = [map_ for _, map_ in inputs]
    maps += [affine_map(loops, structured.indices[number]) for number in structured.outputs]
    names = {True: "parallel", False: "reduction"}
    with ir.InsertionPoint(op), op.location:
        kinds = {
            parallel: ir.Attribute.parse(f"#linalg.iterator_type<{names[parallel]}>")
            for parallel in set(structured.parallel)
        }
        new = ir.Operation.create(
            "linalg.generic",
            results=[result.type for result in op.results],
            operands=[*(value for value, _ in inputs), *inits],
            attributes={
                "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
                "iterator_types": ir.ArrayAttr.get([kinds[parallel] for parallel in structured.parallel]),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), len(inits)]),
            },
            regions=1,
        )
        types = [_element(value.type) for value in new.operands]
        ir.Block.create_at_start(new.regions[0], types)
    return new


def hand_over(structured: Structured, new: ir.Operation, elements: Sequence[ir.Value]) -> None:
    """Move the payload of an op to the end of that of `new`, on `elements`; then replace the op by `new`.

    Linear in the payload, which is not copied.
    """
    op, block = structured.op, new.regions[0].blocks[0]
    for old, element in zip(structured.payload.arguments, elements, strict=True):
        old.replace_all_uses_with(element)
    for one in list(structured.payload.operations):
        block.append(one.operation)
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    op.erase()


def empty_for_copy(value: ir.Value, element: ir.Type, order: Sequence[int]) -> ir.Value:
    """Build an empty tensor of `element`s with the dimensions of `value`, in this order."""
    return tensor.empty([tensor_size(value, dimension) for dimension in order], element)


def place_of_copy(op: ir.Operation, value: ir.Value) -> ir.Operation:
    """Return the op before which to copy `value` for `op`: the outermost `scf.for` around `op` that does not define it.

    A copy has no side effect, so it may be made for a loop without iterations.
    """
    place = op
    for loop in loops_around(op):
        if is_inside(value, loop):
            break
        place = loop
    return place


def _element(type_: ir.Type) -> ir.Type:
    return ir.ShapedType(type_).element_type if isinstance(type_, ir.ShapedType) else type_
