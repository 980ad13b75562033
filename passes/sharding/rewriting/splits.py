"""How tensors are split over the axes of a grid, and the types of their shards."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ...framework.errors import PassFailure

__all__ = ["RankGrid", "Split", "read_split", "whole"]

Split = tuple[tuple[int, ...], ...]
"""For each dimension of a tensor the grid axes that split it, the major one first."""


@frozen
class RankGrid:
    """The grid that a program is partitioned for: its symbol and its extents."""

    name: str
    shape: tuple[int, ...]

    def parts(self, axes: Sequence[int]) -> int:
        """Into how many parts these axes split a dimension."""
        return prod(self.shape[axis] for axis in axes)

    def local_type(self, type_: ir.RankedTensorType, split: Split) -> ir.RankedTensorType:
        """The type of a shard: sizes that the parts do not divide are dynamic."""
        sizes: list[int] = []
        for dimension, (size, axes) in enumerate(zip(type_.shape, split, strict=True)):
            parts = self.parts(axes)
            known = not type_.is_dynamic_dim(dimension) and size % parts == 0
            sizes.append(size if not axes else size // parts if known else ir.ShapedType.get_dynamic_size())
        return ir.RankedTensorType.get(sizes, type_.element_type, type_.encoding)


def whole(type_: Any) -> Split:
    """The split of a tensor that is on every rank."""
    return ((),) * type_.rank


def read_split(op: ir.Operation, rank: int) -> Split:
    """The split that a `shard.shard` asks for. Raises `PassFailure` for halos and uneven offsets."""
    sharding = defining_op(op.operands[1], "shard.sharding")
    if sharding is None:
        raise PassFailure("the sharding of a 'shard.shard' must be the result of a 'shard.sharding'", op)
    for name in ("static_halo_sizes", "static_sharded_dims_offsets"):
        if name in sharding.attributes and len(ir.DenseI64ArrayAttr(sharding.attributes[name])):
            raise PassFailure("shardings with halos or offsets are not partitioned; leave them out", sharding)
    text = str(sharding.attributes["split_axes"]).removeprefix("#shard<axisarray[").removesuffix("]>").replace(" ", "")
    parts = text[1:-1].split("],[") if text else []
    split = tuple(tuple(int(axis) for axis in part.split(",") if axis) for part in parts)
    used = [axis for axes in split for axis in axes]
    if len(split) > rank or len(set(used)) < len(used):
        raise PassFailure(f"a tensor of rank {rank} cannot be split by {text}: an axis splits one dimension", sharding)
    return split + ((),) * (rank - len(split))
