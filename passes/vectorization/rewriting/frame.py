"""Where the loops around vectors are, and which element of an operand that selects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mlir import ir
from mlir.dialects import arith

from ....dialects.support.frozen_classes import record
from ....dialects.support.index_math import Number, add, as_value, multiply
from ...analysis.linalg.structured_op import OperandIndex
from ...analysis.schedule.vector_plan import VectorPlan
from ...scheduling.rewriting.loops import Segment
from ...scheduling.rewriting.smaller import loop_sizes
from .iterations import iterations_from

__all__ = ["NestFrame", "Place", "Point"]

Place = Mapping[int, int]
"""A place in the register tile: for each of its loops the number of the vector or row."""


@record
class Point:
    """A point in the loop nest: the first index of the tile in each loop, and the current segment."""

    first: dict[int, Number] = field(default_factory=dict[int, Number])
    segments: dict[int, Segment] = field(default_factory=dict[int, Segment])

    def at(self, loop: int, number: Number, segment: Segment) -> Point:
        """Return this point, with `loop` at `number` in `segment`."""
        return Point({**self.first, loop: number}, {**self.segments, loop: segment})


class NestFrame:
    """A plan with its operands and trip counts; builds a `tensor.dim` for each dynamic one.

    `replaced` maps operands that are not built yet to tensors of the same sizes.
    """

    def __init__(self, plan: VectorPlan, replaced: Mapping[ir.Value, ir.Value] | None = None) -> None:
        self.plan = plan
        self.op = plan.structured
        self.operands = [(replaced or {}).get(value, value) for value in self.op.op.operands]
        self.sizes = loop_sizes(self.op, self.operands)

    def index(self, index: OperandIndex, point: Point, place: Place) -> Number:
        """Return `index` for the first lane at `place`."""
        total: Number = index.constant
        offset = 0
        for loop, factor in index.coefficients.items():
            total = add(total, multiply(point.first[loop], factor))
            width = self.plan.lanes if loop == self.plan.lane_loop else 1
            offset += factor * place.get(loop, 0) * width
        return add(total, offset)

    def indices(self, operand: int, point: Point, place: Place) -> list[ir.Value]:
        """Return the indices into `operand` for the first lane at `place`."""
        return [as_value(self.index(index, point, place)) for index in self.op.indices[operand]]

    def iteration(self, loop: int, point: Point, place: Place) -> ir.Value:
        """Build the number of the iteration in `loop`, a vector for the lane loop."""
        first = as_value(self.index(OperandIndex({loop: 1}), point, place))
        return iterations_from(first, self.plan.lanes) if loop == self.plan.lane_loop else first

    def is_masked(self, point: Point, place: Place) -> bool:
        """Return whether the vector at `place` may reach beyond the end of the lane loop."""
        segment = point.segments[self.plan.lane_loop]
        return segment.masked and place.get(self.plan.lane_loop, 0) == segment.count - 1

    def left(self, point: Point, place: Place) -> ir.Value:
        """Build the number of iterations of the lane loop from the first lane at `place` on."""
        loop = self.plan.lane_loop
        first = as_value(self.index(OperandIndex({loop: 1}), point, place))
        return arith.subi(as_value(self.sizes[loop]), first)
