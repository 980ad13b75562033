"""Positions of ranks in a grid, as arithmetic on the number of the rank."""

from __future__ import annotations

from math import prod

from mlir import ir
from mlir.dialects import arith

from ....dialects.shard.grids import grid_shape, mpi_op
from ....dialects.subsets import elements
from ....dialects.support.index_math import index_constant

__all__ = ["POSITIONS", "lower_position"]

POSITIONS = ("shard.process_multi_index", "shard.process_linear_index", "shard.grid_shape")


def lower_position(op: ir.Operation) -> None:
    """Put arithmetic on the rank in the world in the place of an op that asks for a position, or for the grid."""
    grid, index = grid_shape(op), ir.IndexType.get()
    axes = elements(op.attributes["axes"]) if "axes" in op.attributes else []
    chosen = axes or list(range(len(grid)))
    values: list[ir.Value] = [index_constant(grid[axis]) for axis in chosen]
    if op.name != "shard.grid_shape":
        world = mpi_op("mpi.comm_world", [], [ir.Type.parse("!mpi.comm")]).result
        number = mpi_op("mpi.comm_rank", [world], [ir.IntegerType.get_signless(32)]).result
        rank = arith.index_cast(index, number)
        values = [rank]
        if op.name == "shard.process_multi_index":
            highs = [arith.divui(rank, index_constant(prod(grid[axis + 1 :]))) for axis in chosen]
            values = [arith.remui(high, index_constant(grid[axis])) for high, axis in zip(highs, chosen, strict=True)]
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    op.erase()
