"""Sweeps that run several at a time over the rows of a tensor, as `schedule/time_skew.py` has planned them.

    for each group of sweeps:
        for each block of rows, and more blocks for the sweeps that lag behind:
            for each pair of sweeps of the group: the rows of the one, then those of the other, further back

The last one of an odd number of sweeps runs in the original loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, scf

from ....dialects.bufferizable import Subset
from ....dialects.structured import index_constant
from ....dialects.subsets import insert_slice, mixed_subset, parallel_insert_slice
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.index_math import Number, add, as_value
from ...analysis.schedule.time_skew import TimeSkew
from .bands import Band, BandTiles, moved_slice
from .loops import Segment, build_loop
from .smaller import Sized, build_smaller, take_slice

__all__ = ["skew"]


def skew(plan: TimeSkew) -> None:
    """Build the skewed sweeps before the loop, which keeps the last one. Linear in the ops of its body."""
    loop = plan.loop
    body = loop.regions[0].blocks[0]
    for op in list(body.operations):
        if op.operation.name == "arith.constant":
            op.operation.move_before(loop)
    lower, upper, step, *initial = loop.operands
    with ir.InsertionPoint(loop), loop.location:
        trips = _trips(lower, upper, step)
        pairs = arith.divui(trips, index_constant(2))
        versions = _Skewed(plan).groups(pairs, [initial[plan.old], initial[1 - plan.old]])
        rest = arith.remui(trips, index_constant(2))
        zero, one = index_constant(0), index_constant(1)
    for number, value in enumerate([zero, rest, one]):
        loop.operands[number] = value
    loop.operands[3 + plan.old], loop.operands[4 - plan.old] = versions


def _trips(lower: ir.Value, upper: ir.Value, step: ir.Value) -> ir.Value:
    """Build the trip count; bounds are signed, the step is positive."""
    length = arith.maxsi(arith.subi(upper, lower), index_constant(0))
    return arith.ceildivui(length, step)


class _Skewed:
    """Builds the loops around a sweep of a few rows."""

    def __init__(self, plan: TimeSkew) -> None:
        self.plan = plan
        self.op = Sized(plan.structured)
        size, begin = plan.written.sizes[0], plan.written.offsets[0]
        assert isinstance(size, int) and isinstance(begin, int), "the slice has known bounds"
        self.height, self.begin = size, begin
        self.old = plan.loop.regions[0].blocks[0].arguments[plan.old + 1]
        self.shape = ir.RankedTensorType(self.old.type).shape

    def groups(self, pairs: ir.Value, versions: list[ir.Value]) -> list[ir.Value]:
        """Build all pairs of sweeps."""
        most, bands = self.plan.sweeps // 2, self.plan.bands

        def group(first: Number, carried: list[ir.Value]) -> list[ir.Value]:
            left = arith.subi(pairs, as_value(first))
            own = arith.minui(left, index_constant(most))
            if bands == 1:
                return self.blocks(self.rows(0, self.height), own, carried)
            # One loop for both parts, as its code is large once it is vectorized.
            parts = Segment(0, 2, 1, 1)
            return build_loop(parts, carried, lambda part, values: self.on_threads(as_value(part), own, values))

        return build_loop(Segment(0, pairs, most, 1), versions, group)

    def on_threads(self, part: ir.Value, own: ir.Value, versions: list[ir.Value]) -> list[ir.Value]:
        """Build a part of a group of `own` pairs: the inside of the bands (0), or the rest at their borders (1)."""
        forall = scf.ForallOp([0], [self.plan.bands], [1], versions)
        thread, *shared = list(forall.body.arguments)
        with ir.InsertionPoint(forall.body):
            *rows, size = self.own_rows(part, thread)
            band, others = self.rows(*rows), self.shape[1:]
            subset = Subset((band.origin, *[0] * len(others)), (size, *others), (1,) * len(self.shape))
            results = self.blocks(band, own, [take_slice(tensor, subset) for tensor in shared])
            ends = scf.InParallelOp()
            with ir.InsertionPoint(ends.operation.regions[0].blocks[0]):
                for new, old in zip(results, shared, strict=True):
                    parallel_insert_slice(new, old, subset)
        return list(forall.operation.results)

    def own_rows(self, part: ir.Value, thread: ir.Value) -> list[ir.Value]:
        """Build the arguments of `rows`, and how many rows to slice, for `part` of the band of a thread."""
        equal, zero = arith.CmpIPredicate.eq, index_constant(0)
        is_first = arith.cmpi(equal, thread, zero)
        is_last = arith.cmpi(equal, thread, index_constant(self.plan.bands - 1))
        at_border = arith.cmpi(equal, part, index_constant(1))
        # The last band has no border after it: no rows, and no blocks of them.
        nothing = 0, 0, 0, -self.plan.shift, 0, 0
        choices = zip(self.inner(thread, is_first, is_last), self.border(thread), nothing, strict=True)
        return [
            arith.select(at_border, arith.select(is_last, as_value(none), as_value(border)), as_value(inner))
            for inner, border, none in choices
        ]

    def inner(self, thread: ir.Value, is_first: ir.Value, is_last: ir.Value) -> tuple[Number, ...]:
        """Build the rows that a band can compute without its neighbours."""
        shift, zero = index_constant(self.plan.shift), index_constant(0)
        lower, upper = self.row_of(thread), self.row_of(arith.addi(thread, index_constant(1)))
        begin = index_constant(self.begin)
        origin = arith.select(is_first, zero, arith.addi(lower, begin))
        end = arith.select(is_last, index_constant(self.shape[0]), arith.addi(upper, begin))
        return (
            arith.select(is_first, zero, arith.addi(lower, shift)),
            arith.select(is_last, upper, arith.subi(upper, shift)),
            arith.select(is_first, zero, shift),
            arith.select(is_last, zero, index_constant(-self.plan.shift)),
            origin,
            arith.subi(end, origin),
        )

    def border(self, thread: ir.Value) -> tuple[Number, ...]:
        """Build the rows that are left at the border between a band and the next one."""
        shift, reach = self.plan.shift, (self.plan.sweeps + 1) * self.plan.shift
        row = self.row_of(arith.addi(thread, index_constant(1)))
        return add(row, -shift), add(row, shift), -shift, shift, add(row, self.begin - reach), 2 * reach

    def row_of(self, border: ir.Value) -> ir.Value:
        """Build the first row after a border; that of border 0 is 0."""
        return arith.divui(arith.muli(border, index_constant(self.height)), index_constant(self.plan.bands))

    def rows(self, lower: Number, upper: Number, rise: Number = 0, grow: Number = 0, origin: Number = 0) -> Band:
        """Return a band of rows."""
        plan = self.plan
        return Band(0, plan.row, plan.shift, plan.rows, lower, upper, rise, grow, origin)

    def blocks(self, band: Band, own: ir.Value, versions: list[ir.Value]) -> list[ir.Value]:
        """Build a group of `own` pairs of sweeps of a band, block by block, one stripe after the other."""
        bands = [band]
        if (stripes := self.plan.stripes) is not None:
            width = self.plan.written.sizes[1]
            bands.insert(0, Band(1, stripes.loop, stripes.shift, stripes.size, 0, width))

        def nest(firsts: tuple[Number, ...], carried: list[ir.Value]) -> list[ir.Value]:
            if len(firsts) < len(bands):
                one = bands[len(firsts)]
                segment = Segment(one.lower, one.end(self.plan.sweeps), one.step, 1)
                return build_loop(segment, carried, lambda first, values: nest((*firsts, first), values))
            blocks = list(zip(bands, firsts, strict=True))
            return build_loop(Segment(0, own, 1, 1), carried, lambda pair, both: self.pair(blocks, pair, both))

        return nest((), versions)

    def pair(self, blocks: Sequence[tuple[Band, Number]], pair: Number, versions: list[ir.Value]) -> list[ir.Value]:
        """Build a sweep from one version to the other, and one back, which lags behind it."""
        even, odd = versions
        odd = self.sweep(even, odd, [(band, band.tile(first, pair, 0)) for band, first in blocks])
        even = self.sweep(odd, even, [(band, band.tile(first, pair, 1)) for band, first in blocks])
        return [even, odd]

    def sweep(self, source: ir.Value, target: ir.Value, parts: BandTiles) -> ir.Value:
        """Build a sweep over a tile of each band."""
        op = self.plan.structured
        inputs = [self.input(operand, source, parts) for operand in range(op.inputs)]
        part = moved_slice(self.plan.written, parts)
        tiles = {band.loop: tile for band, tile in parts}
        smaller = build_smaller(op, [*inputs, take_slice(target, part)], tiles)
        return insert_slice(smaller.results[0], target, part)

    def input(self, operand: int, source: ir.Value, parts: BandTiles) -> ir.Value:
        """Return the slice of an input that the tiles need; slices of the old version become slices of `source`."""
        value = self.op.operands[operand]
        slice_ = defining_op(value, "tensor.extract_slice")
        if slice_ is not None and slice_.operands[0] == self.old:
            return take_slice(source, moved_slice(mixed_subset(slice_, 1), parts))
        return take_slice(value, self.op.subset(operand, value, {band.loop: tile for band, tile in parts}))
