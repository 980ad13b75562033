"""Bring a tensor from one split to another: slices where nothing has to be sent, gathers elsewhere.

A dimension whose axes change is gathered whole, then sliced. Slices by axes that split nothing else come first, so
that less is gathered.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tensor

from ....dialects.bufferizable import Subset
from ....dialects.shard.grids import balanced_extent
from ....dialects.subsets import extract_slice
from ....dialects.support.index_math import Number, add, as_value, multiply, tensor_size
from .splits import RankGrid, Split

__all__ = ["empty_of", "part_extent", "reshard"]


def reshard(grid: RankGrid, value: ir.Value, type_: ir.RankedTensorType, have: Split, want: Split) -> ir.Value:
    """Build the shard of a tensor of whole type `type_` with the split `want` from the one with `have`."""
    have_now = list(have)
    used = {axis for axes in have for axis in axes}
    dimensions = range(type_.rank)
    for dimension in dimensions:
        if have_now[dimension] == () and want[dimension] and not used & set(want[dimension]):
            value = _slice(grid, value, type_, have_now, dimension, want[dimension])
            have_now[dimension] = want[dimension]
    for dimension in dimensions:
        if have_now[dimension] not in ((), want[dimension]):
            value = _gather(grid, value, type_, have_now, dimension)
            have_now[dimension] = ()
    for dimension in dimensions:
        if have_now[dimension] != want[dimension]:
            value = _slice(grid, value, type_, have_now, dimension, want[dimension])
            have_now[dimension] = want[dimension]
    return value


def _gather(
    grid: RankGrid, value: ir.Value, type_: ir.RankedTensorType, have: Sequence[tuple[int, ...]], dimension: int
) -> ir.Value:
    axes = have[dimension]
    if grid.parts(axes) == 1:
        return value
    after = [() if number == dimension else split for number, split in enumerate(have)]
    wanted = grid.local_type(type_, tuple(after))
    local = ir.RankedTensorType(value.type)
    made = wanted
    if local.is_dynamic_dim(dimension):
        sizes = list(wanted.shape)
        sizes[dimension] = ir.ShapedType.get_dynamic_size()
        made = ir.RankedTensorType.get(sizes, wanted.element_type, wanted.encoding)
    gathered = ir.Operation.create(
        "shard.all_gather",
        results=[made],
        operands=[value],
        attributes={
            "grid": ir.FlatSymbolRefAttr.get(grid.name),
            "grid_axes": ir.Attribute.parse(f"array<i16: {', '.join(map(str, axes))}>"),
            "gather_axis": ir.IntegerAttr.get(ir.IndexType.get(), dimension),
        },
    ).result
    return gathered if made == wanted else tensor.cast(wanted, gathered)


def part_extent(grid: RankGrid, size: Number, axes: Sequence[int]) -> tuple[Number, Number]:
    """Build the offset and size of this rank's part of a dimension."""
    position = ir.Operation.create(
        "shard.process_multi_index",
        results=[ir.IndexType.get()] * len(axes),
        attributes={
            "grid": ir.FlatSymbolRefAttr.get(grid.name),
            "axes": ir.Attribute.parse(f"array<i16: {', '.join(map(str, axes))}>"),
        },
    )
    part: Number = 0
    for axis, coordinate in zip(axes, position.results, strict=True):
        part = add(multiply(part, grid.shape[axis]), coordinate)
    return balanced_extent(size, grid.parts(axes), as_value(part))


def _slice(
    grid: RankGrid,
    value: ir.Value,
    type_: ir.RankedTensorType,
    have: Sequence[tuple[int, ...]],
    dimension: int,
    axes: tuple[int, ...],
) -> ir.Value:
    if grid.parts(axes) == 1:
        return value
    after = tuple(axes if number == dimension else split for number, split in enumerate(have))
    sizes: list[Number] = [tensor_size(value, number) for number in range(type_.rank)]
    offsets: list[Number] = [0] * type_.rank
    offsets[dimension], sizes[dimension] = part_extent(grid, sizes[dimension], axes)
    wanted = grid.local_type(type_, after)
    if 0 in type_.shape:
        # Where there are no elements even offset 0 is out of bounds.
        return empty_of(wanted, [size for d, size in enumerate(sizes) if wanted.is_dynamic_dim(d)])
    return extract_slice(value, Subset(tuple(offsets), tuple(sizes), (1,) * type_.rank), wanted)


def empty_of(type_: ir.RankedTensorType, dynamic: Sequence[Number]) -> ir.Value:
    """Build `tensor.empty` of a type, with these dynamic sizes."""
    given = iter(dynamic)
    sizes = [as_value(next(given)) if type_.is_dynamic_dim(d) else type_.shape[d] for d in range(type_.rank)]
    return tensor.EmptyOp(sizes, type_.element_type).result
