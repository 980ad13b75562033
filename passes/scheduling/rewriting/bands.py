"""Bands: the rows that the sweeps of a group compute, block by block, each sweep behind the one before."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from ....dialects.bufferizable import Subset
from ....dialects.structured import index_constant
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number, add, as_value, multiply, subtract
from .smaller import Tile

__all__ = ["Band", "BandTiles", "moved_slice"]


@frozen
class Band:
    """The part of a dimension that a group of sweeps computes.

    Attributes:
        dimension: which one.
        loop: the loop of the op over it.
        shift: by how much each sweep lags behind the one before.
        step: how much each sweep does at a time.
        lower: where the first sweep begins.
        upper: where it ends.
        rise: how much further up each sweep begins than the one before.
        grow: how much further up it ends.
        origin: where in the whole tensors the given versions begin.
    """

    dimension: int
    loop: int
    shift: int
    step: int
    lower: Number
    upper: Number
    rise: Number = 0
    grow: Number = 0
    origin: Number = 0

    def end(self, sweeps: int) -> Number:
        """Build where the last block of `sweeps` sweeps ends."""
        return add(self.upper, multiply(add(self.grow, self.shift), sweeps - 1))

    def tile(self, first: Number, pair: Number, later: int) -> Tile:
        """Build the tile of the block at `first` for sweep `later` (0 or 1) of a pair; it may be empty."""

        def moved(start: Number, by: Number) -> ir.Value:
            return as_value(add(start, add(multiply(pair, multiply(by, 2)), multiply(by, later))))

        first = moved(first, -self.shift)
        lower, upper = moved(self.lower, self.rise), moved(self.upper, self.grow)
        begin = arith.minsi(arith.maxsi(first, lower), upper)
        end = arith.maxsi(arith.minsi(arith.addi(first, index_constant(self.step)), upper), begin)
        return Tile(begin, arith.subi(end, begin))

    def place(self, tile: Tile) -> Number:
        """Build where `tile` is in the given versions."""
        return subtract(tile.first, self.origin)


BandTiles = Sequence[tuple[Band, Tile]]
"""A tile of each band."""


def moved_slice(whole: Subset, parts: BandTiles) -> Subset:
    """Build the subset of a slice that the tiles select."""
    offsets, sizes = list(whole.offsets), list(whole.sizes)
    for band, tile in parts:
        offsets[band.dimension] = add(offsets[band.dimension], band.place(tile))
        sizes[band.dimension] = tile.size
    return Subset(tuple(offsets), tuple(sizes), whole.strides)
