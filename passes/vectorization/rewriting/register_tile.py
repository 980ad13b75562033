"""A register tile: its places, its payload and its writes, and the loops that step from tile to tile."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, tensor, vector

from ...analysis.linalg.slice_extents import slice_extents
from ...scheduling.rewriting.loops import build_loop, segments
from .frame import NestFrame, Place, Point
from .lanes import Lanes, Shared, broadcast, last_dimension, vector_type
from .reads import Reader

__all__ = ["Inside", "RegisterTile", "build_loops"]

Inside = Callable[[Point, list[ir.Value]], list[ir.Value]]
"""Builds the body of the innermost loop from the carried values; returns the values to yield."""


def build_loops(
    frame: NestFrame, loops: Sequence[int], point: Point, carried: list[ir.Value], inside: Inside
) -> list[ir.Value]:
    """Build `loops` around what `inside` builds, in steps of the register tile, with remainders.

    One or two rows that accumulate alone would wait for their own results; halves of more rows do not.
    """
    if not loops:
        return inside(point, carried)
    loop, *others = loops
    plan = frame.plan
    unit = plan.lanes if loop == plan.lane_loop else 1
    halves = bool(plan.reductions) and loop != plan.lane_loop
    operand, dimension = frame.op.places[loop]
    known = slice_extents(frame.operands[operand], dimension)
    for segment in segments(frame.sizes[loop], unit, plan.tile.get(loop, 1), halves=halves, known=known):
        carried = build_loop(
            segment,
            carried,
            lambda number, values, segment=segment: build_loops(
                frame, others, point.at(loop, number, segment), values, inside
            ),
        )
    return carried


class RegisterTile:
    """Builds one register tile."""

    def __init__(self, frame: NestFrame, starts: Sequence[ir.Value | None] = ()) -> None:
        self.frame = frame
        self.plan = frame.plan
        self.op = frame.op
        self.starts = starts

    def places(self, point: Point, loops: Sequence[int]) -> list[Place]:
        """Return all places of the tile in those of its loops that are among `loops`."""
        tiled = [loop for loop in self.plan.tile if loop in loops]
        counts = [range(point.segments[loop].count) for loop in tiled]
        return [dict(zip(tiled, numbers, strict=True)) for numbers in itertools.product(*counts)]

    def lanes(self, point: Point, place: Place, elements: list[ir.Value | None], shared: Shared | None = None) -> Lanes:
        """Return the vector at `place` to run the payload for; `shared` is built for all places."""
        masked = self.frame.is_masked(point, place)
        return Lanes(elements, lambda loop: self.frame.iteration(loop, point, place), shared or Shared(), masked)

    def elements(
        self,
        reader: Reader,
        place: Place,
        shared: Shared,
        count: int | None = None,
        given: Mapping[int, ir.Value] | None = None,
    ) -> list[ir.Value | None]:
        """Return the first `count` arguments of the payload at `place`, None for those in `shared`.

        Operands in `given` are not read.
        """
        known = given or {}
        return [
            known[operand]
            if operand in known
            else None
            if argument in shared.values
            else reader.element(operand, place)
            for operand, argument in enumerate(list(self.op.payload.arguments)[:count])
        ]

    def masked(self, value: ir.Value, old: ir.Value, point: Point, place: Place) -> ir.Value:
        """Build `value`, with `old` in lanes beyond the end."""
        if not self.frame.is_masked(point, place):
            return value
        bits = vector_type(ir.IntegerType.get_signless(1), self.plan.lanes)
        return arith.select(vector.create_mask(bits, [self.frame.left(point, place)]), value, old)

    def write(
        self, point: Point, places: Sequence[Place], values: Sequence[Sequence[ir.Value]], tensors: list[ir.Value]
    ) -> list[ir.Value]:
        """Write a vector (a scalar, if lanes were combined) into each output for each of `places`."""
        written = list(tensors)
        for place, own in zip(places, values, strict=True):
            for number, (operand, value) in enumerate(zip(self.op.outputs, own, strict=True)):
                written[number] = self.write_one(value, written[number], operand, point, place)
        return written

    def write_one(self, value: ir.Value, target: ir.Value, operand: int, point: Point, place: Place) -> ir.Value:
        """Write `value` into the element, or the lanes, of output `operand` at `place`; return the new tensor."""
        indices = self.frame.indices(operand, point, place)
        if not self.op.depends(operand, self.plan.lane_loop):
            return tensor.insert(value, target, indices)
        in_bounds = [not self.frame.is_masked(point, place)]
        lanes = broadcast(value, self.plan.lanes)
        map_ = last_dimension(len(indices))
        return vector.TransferWriteOp(target.type, lanes, target, indices, map_, in_bounds=in_bounds).results[0]
