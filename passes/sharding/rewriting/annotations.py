"""Annotations of whole programs: which argument, and which result, is split by which axes of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir

from ...analysis.ir.traversal import find_ops
from ...framework.errors import PassFailure

__all__ = ["GRID_NAME", "Axes", "annotate"]

GRID_NAME = "grid"
Axes = Sequence[int | Sequence[int] | None]
"""For each dimension of a tensor the axis that splits it, several of them with the major one first, or None."""


def annotate(
    function: ir.Operation, grid: Sequence[int], arguments: Mapping[int, Axes], results: Mapping[int, Axes]
) -> None:
    """Insert `shard.shard` for arguments and results of a function, by number, and the grid into its module.

    Raises `PassFailure` for numbers and dimensions that are not there, before anything is changed.
    """
    block = function.regions[0].blocks[0]
    last = list(block.operations)[-1].operation
    places = (("argument", arguments, list(block.arguments)), ("result", results, list(last.operands)))
    for word, chosen, values in places:
        for number, axes in chosen.items():
            _check(function, f"{word} {number}", values[number] if 0 <= number < len(values) else None, axes, grid)
    module = function.parent
    assert module is not None, "a function is in a module"
    if not find_ops(module.operation, "shard.grid"):
        text = f"shard.grid @{GRID_NAME}(shape = {'x'.join(map(str, grid))})"
        ir.InsertionPoint.at_block_begin(module.operation.regions[0].blocks[0]).insert(
            ir.Operation.parse(text, context=function.context)
        )
    with function.location:
        for number, axes in results.items():
            with ir.InsertionPoint(last):
                last.operands[number] = _annotation(last.operands[number], axes).result
        for number, axes in arguments.items():
            argument = block.arguments[number]
            with ir.InsertionPoint.at_block_begin(block):
                made = _annotation(argument, axes)
            argument.replace_all_uses_except(made.result, made)


def _check(function: ir.Operation, place: str, value: ir.Value | None, axes: Axes, grid: Sequence[int]) -> None:
    if value is None or not isinstance(value.type, ir.RankedTensorType):
        raise PassFailure(f"{place} is no ranked tensor of the function, and cannot be split", function)
    if len(axes) != value.type.rank:
        many = "1 dimension" if value.type.rank == 1 else f"{value.type.rank} dimensions"
        message = f"{place} is a {value.type} of {many}, but {axes} has {len(axes)}; write an axis or None for each"
        raise PassFailure(message, function)
    used = [axis for one in axes for axis in _listed(one)]
    if len(set(used)) != len(used) or not all(0 <= axis < len(grid) for axis in used):
        raise PassFailure(f"{place} is a {value.type}, which {axes} does not split over {list(grid)}", function)


def _listed(axes: int | Sequence[int] | None) -> list[int]:
    return [] if axes is None else [axes] if isinstance(axes, int) else list(axes)


def _annotation(value: ir.Value, axes: Axes) -> ir.Operation:
    split = ", ".join(str(_listed(one)) for one in axes)
    sharding = ir.Operation.create(
        "shard.sharding",
        results=[ir.Type.parse("!shard.sharding")],
        attributes={
            "grid": ir.FlatSymbolRefAttr.get(GRID_NAME),
            "split_axes": ir.Attribute.parse(f"#shard<axisarray[{split}]>"),
            "static_sharded_dims_offsets": ir.DenseI64ArrayAttr.get([]),
            "static_halo_sizes": ir.DenseI64ArrayAttr.get([]),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0]),
        },
    )
    return ir.Operation.create("shard.shard", results=[value.type], operands=[value, sharding.results[0]])
