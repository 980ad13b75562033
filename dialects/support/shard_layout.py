"""Which part of a tensor each rank of a grid has: numbers only, shared by passes, evaluator and runtime.

Ranks are numbered row-major: the last axis of the grid changes fastest. A dimension of size `s` that is split into `n`
parts is *balanced*: the first `s mod n` parts have one element more than the others, which have `s div n`. Where
several axes split a dimension, the first one named is the major one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from .frozen_classes import frozen

__all__ = ["ShardLayout", "balanced_part", "grid_position"]


def balanced_part(size: int, parts: int, part: int) -> tuple[int, int]:
    """The offset and the size of one part of a dimension."""
    least, longer = divmod(size, parts)
    return part * least + min(part, longer), least + (part < longer)


def grid_position(rank: int, grid: Sequence[int]) -> tuple[int, ...]:
    """The coordinates of a rank."""
    position: list[int] = []
    for extent in reversed(grid):
        rank, coordinate = divmod(rank, extent)
        position.append(coordinate)
    return tuple(reversed(position))


@frozen
class ShardLayout:
    """How a tensor lies on a grid of ranks.

    Attributes:
        grid: the extents of the grid.
        axes: for each dimension of the tensor the grid axes that split it; along all other axes it is replicated.
        halo: for each dimension how many elements of the neighbours a shard has before and after its own.
    """

    grid: tuple[int, ...]
    axes: tuple[tuple[int, ...], ...]
    halo: tuple[tuple[int, int], ...]

    def parts(self, dimension: int) -> int:
        """Into how many parts the dimension is split."""
        return prod(self.grid[axis] for axis in self.axes[dimension])

    def part(self, rank: int, dimension: int) -> int:
        """Which of these parts the rank has."""
        position, number = grid_position(rank, self.grid), 0
        for axis in self.axes[dimension]:
            number = number * self.grid[axis] + position[axis]
        return number

    def extent(self, rank: int, dimension: int, size: int) -> tuple[int, int]:
        """The offset and size of what the rank owns of a dimension of that size, without halo."""
        return balanced_part(size, self.parts(dimension), self.part(rank, dimension))

    def owned(self, rank: int, whole: Sequence[int]) -> tuple[slice, ...]:
        """What the rank owns of a tensor of that shape, without halo: slices of the whole."""
        extents = (self.extent(rank, dimension, size) for dimension, size in enumerate(whole))
        return tuple(slice(offset, offset + size) for offset, size in extents)

    def inside(self, rank: int, whole: Sequence[int]) -> tuple[slice, ...]:
        """Where the owned elements are in the rank's shard: slices that leave its halo out."""
        extents = (self.extent(rank, dimension, size)[1] for dimension, size in enumerate(whole))
        return tuple(slice(before, before + size) for size, (before, _) in zip(extents, self.halo, strict=True))

    def local_shape(self, rank: int, whole: Sequence[int]) -> tuple[int, ...]:
        """The shape of the rank's shard, its halo included."""
        extents = (self.extent(rank, dimension, size)[1] for dimension, size in enumerate(whole))
        return tuple(before + size + after for size, (before, after) in zip(extents, self.halo, strict=True))
