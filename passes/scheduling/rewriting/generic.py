"""Replacing a linalg op by a `linalg.generic` with the same loops and outputs, but other inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import tensor

from ....dialects.support.defining_ops import is_inside
from ....dialects.support.index_math import tensor_size
from ...analysis.ir.traversal import loops_around
from ...analysis.linalg.structured_op import OperandIndex, Structured

__all__ = [
    "affine_map",
    "build_generic",
    "create_generic",
    "empty_for_copy",
    "hand_over",
    "move_payload",
    "place_of_copy",
    "renumbered",
]


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


def renumbered(indices: Sequence[OperandIndex], place: Mapping[int, int]) -> list[OperandIndex]:
    """Return the same indices of loops that have new numbers, each in `place` of its old one."""
    return [
        OperandIndex({place[loop]: factor for loop, factor in index.coefficients.items()}, index.constant)
        for index in indices
    ]


def build_generic(structured: Structured, inputs: Sequence[tuple[ir.Value, ir.AffineMap]]) -> ir.Operation:
    """Create before an op a `linalg.generic` with other `inputs`, each with its map, and an empty payload."""
    loops = len(structured.sizes)
    inits = [
        (structured.op.operands[number], affine_map(loops, structured.indices[number])) for number in structured.outputs
    ]
    return create_generic(structured.op, inputs, inits, structured.parallel)


def create_generic(
    op: ir.Operation,
    inputs: Sequence[tuple[ir.Value, ir.AffineMap]],
    inits: Sequence[tuple[ir.Value, ir.AffineMap]],
    parallel: Sequence[bool],
) -> ir.Operation:
    """Create before `op` a `linalg.generic` with loops that are `parallel` or reduce, and an empty payload."""
    operands = [*inputs, *inits]
    names = {True: "parallel", False: "reduction"}
    with ir.InsertionPoint(op), op.location:
        kinds = {one: ir.Attribute.parse(f"#linalg.iterator_type<{names[one]}>") for one in set(parallel)}
        new = ir.Operation.create(
            "linalg.generic",
            results=[value.type for value, _ in inits],
            operands=[value for value, _ in operands],
            attributes={
                "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for _, map_ in operands]),
                "iterator_types": ir.ArrayAttr.get([kinds[one] for one in parallel]),
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
    move_payload(structured, new, elements)
    for old, result in zip(structured.op.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    structured.op.erase()


def move_payload(structured: Structured, new: ir.Operation, elements: Sequence[ir.Value]) -> None:
    """Move the payload of an op, which is to be erased then, to the end of that of `new`, on `elements`."""
    block = new.regions[0].blocks[0]
    for old, element in zip(structured.payload.arguments, elements, strict=True):
        old.replace_all_uses_with(element)
    for one in list(structured.payload.operations):
        block.append(one.operation)


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
