"""Sweeps that run several at a time over the rows of a tensor, as `analysis/time_skew.py` has planned them.

    for each group of sweeps:
        for each block of rows, and some more for the sweeps that are behind:
            for each pair of sweeps of the group: the rows of the one, then those of the other, further back

What is left of an odd number of sweeps runs in the loop that was there.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from ...dialects.bufferizable import Subset
from ...dialects.structured import index_constant
from ...dialects.subsets import extract_slice, insert_slice, mixed_subset
from ..analysis.time_skew import TimeSkew
from .loops import Number, Segment, add, as_value, build_loop, multiply
from .smaller import Sized, Tile, build_smaller, slice_type, take_slice

__all__ = ["skew"]


def skew(plan: TimeSkew) -> None:
    """Build the skewed sweeps in front of the loop, which gets the last one. Linear in the ops of its body."""
    loop = plan.loop
    body = loop.regions[0].blocks[0]
    for op in list(body.operations):
        if op.operation.name == "arith.constant":
            op.operation.move_before(loop)
    lower, upper, step, *initial = loop.operands
    with ir.InsertionPoint(loop), loop.location:
        trips = _trips(lower, upper, step)
        pairs = arith.divui(trips, index_constant(2))
        versions = [initial[plan.old], initial[1 - plan.old]]
        versions = _Skewed(plan).groups(pairs, versions)
        rest = arith.remui(trips, index_constant(2))
        zero, one = index_constant(0), index_constant(1)
    for number, value in enumerate([zero, rest, one]):
        loop.operands[number] = value
    loop.operands[3 + plan.old], loop.operands[4 - plan.old] = versions


def _trips(lower: ir.Value, upper: ir.Value, step: ir.Value) -> ir.Value:
    """Return how many iterations there are; bounds are signed, the step is positive."""
    length = arith.maxsi(arith.subi(upper, lower), index_constant(0))
    return arith.ceildivui(length, step)


class _Skewed:
    """Builds the loops around a sweep of a few rows."""

    def __init__(self, plan: TimeSkew) -> None:
        self.plan = plan
        self.op = Sized(plan.structured)
        size = plan.written.sizes[0]
        assert isinstance(size, int), "the slice has known bounds"
        self.height = size
        self.old = plan.loop.regions[0].blocks[0].arguments[plan.old + 1]

    def groups(self, pairs: ir.Value, versions: list[ir.Value]) -> list[ir.Value]:
        """Build all pairs of sweeps."""
        plan = self.plan
        most = plan.sweeps // 2
        blocks = -(-(self.height + (plan.sweeps - 1) * plan.shift) // plan.rows)

        def group(first: Number, carried: list[ir.Value]) -> list[ir.Value]:
            left = arith.subi(pairs, as_value(first))
            own = arith.minui(left, index_constant(most))
            return build_loop(
                Segment(0, blocks * plan.rows, plan.rows, 1),
                carried,
                lambda row, values: build_loop(
                    Segment(0, own, 1, 1), values, lambda pair, both: self.pair(row, pair, both)
                ),
            )

        return build_loop(Segment(0, pairs, most, 1), versions, group)

    def pair(self, row: Number, pair: Number, versions: list[ir.Value]) -> list[ir.Value]:
        """Build a sweep from the one version to the other, and one back, which is further behind."""
        even, odd = versions
        shift = self.plan.shift
        first = arith.subi(as_value(row), as_value(multiply(pair, 2 * shift)))
        odd = self.sweep(even, odd, first)
        even = self.sweep(odd, even, arith.subi(first, index_constant(shift)))
        return [even, odd]

    def sweep(self, source: ir.Value, target: ir.Value, first: ir.Value) -> ir.Value:
        """Build the sweep of the block of rows from `first` on, as far as there are such rows."""
        zero, height = index_constant(0), index_constant(self.height)
        begin = arith.minsi(arith.maxsi(first, zero), height)
        end = arith.maxsi(arith.minsi(arith.addi(first, index_constant(self.plan.rows)), height), begin)
        tiles = {self.plan.row: Tile(begin, arith.subi(end, begin))}
        op = self.plan.structured
        inputs = [self.input(operand, source, tiles) for operand in range(op.inputs)]
        written = self.plan.written
        part = Subset(
            (add(written.offsets[0], begin), *written.offsets[1:]),
            (tiles[self.plan.row].size, *written.sizes[1:]),
            written.strides,
        )
        start = extract_slice(target, part, slice_type(target, part))
        smaller = build_smaller(op, [*inputs, start], tiles)
        return insert_slice(smaller.results[0], target, part)

    def input(self, operand: int, source: ir.Value, tiles: dict[int, Tile]) -> ir.Value:
        """Return the part of an input that the rows need; a slice of the old version is one of `source`."""
        value = self.op.operands[operand]
        whole = self.old_slice(value)
        if whole is not None:
            tile = tiles[self.plan.row]
            offsets = (add(whole.offsets[0], tile.first), *whole.offsets[1:])
            part = Subset(offsets, (tile.size, *whole.sizes[1:]), whole.strides)
            return extract_slice(source, part, slice_type(source, part))
        if not isinstance(value.type, ir.RankedTensorType):
            return value
        return take_slice(value, self.op.subset(operand, value, tiles))

    def old_slice(self, value: ir.Value) -> Subset | None:
        """Return which slice of the old version `value` is, if it is one."""
        if isinstance(value.owner, ir.Block) or value.owner.operation.name != "tensor.extract_slice":
            return None
        slice_ = value.owner.operation
        return mixed_subset(slice_, 1) if slice_.operands[0] == self.old else None
