"""Reductions in the lanes: each lane has a partial result; the lanes are combined after the loops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mlir import ir
from mlir.dialects import tensor, vector

from ...analysis.linalg.vector_payload import NEUTRAL_KINDS
from .extremes import is_ordered_by_bits, reduce_by_bits
from .frame import NestFrame, Place, Point
from .joined import Joined
from .lanes import Lanes, Shared, broadcast, run_payload
from .neutral import neutral_element
from .reads import Reader
from .register_tile import RegisterTile, build_loops
from .shared import build_shared

__all__ = ["PartialResults"]


class PartialResults(RegisterTile):
    """Each lane is a partial result: an accumulator for each row and each vector of the lane loop.

    The tensor of a joined op comes after the accumulators, and after the outputs.
    """

    def __init__(self, frame: NestFrame, starts: Sequence[ir.Value | None], joined: Joined | None) -> None:
        super().__init__(frame, starts)
        self.joined = joined

    def build(self, point: Point, tensors: list[ir.Value]) -> list[ir.Value]:
        """Build the reduction loops, and write the results; return the tensors after that."""
        combiner = self.plan.combiner
        assert combiner is not None
        rows = self.places(point, self.plan.parallel)
        vectors = self.plan.tile[self.plan.lane_loop]
        neutral = broadcast(neutral_element(combiner), self.plan.lanes)
        shared = [build_shared(self.frame, point, row, self.plan.reductions) for row in rows]
        if self.joined:
            self.joined.enter(point, rows)
        first = [*[neutral] * (len(rows) * vectors), *tensors[1:]]
        last = build_loops(self.frame, self.plan.reductions, point, first, partial(self._step, shared))
        values = [
            [self._combine(combiner, last[slot * vectors : (slot + 1) * vectors], point, row, tensors[0])]
            for slot, row in enumerate(rows)
        ]
        return self.write(point, rows, values, [tensors[0], *last[len(rows) * vectors :]])

    def _step(self, shared: Sequence[Shared], point: Point, carried: list[ir.Value]) -> list[ir.Value]:
        reader = Reader(self.frame, point)
        loop = self.plan.lane_loop
        new = list(carried)
        rows = self.places(point, self.plan.parallel)
        places = [
            (number, {**row, loop: vector})
            for number, row in enumerate(rows)
            for vector in range(point.segments[loop].count)
        ]
        computed: list[ir.Value] = []
        if self.joined:
            computed, new[-1] = self.joined.step(point, places, new[-1])
        slots = [row * self.plan.tile[loop] + place[loop] for row, place in places]
        vectors: list[Lanes] = []
        for step, (row, place) in enumerate(places):
            given = dict.fromkeys(self.joined.operands, computed[step]) if self.joined else {}
            elements = self.elements(reader, place, shared[row], self.op.inputs, given)
            vectors.append(self.lanes(point, place, [*elements, new[slots[step]]], shared[row]))
        values = run_payload(self.op.payload, vectors, self.plan.lanes)
        for slot, (_, place), (value,) in zip(slots, places, values, strict=True):
            new[slot] = self.masked(broadcast(value, self.plan.lanes), new[slot], point, place)
        return new

    def _combine(
        self, combiner: ir.Operation, partials: Sequence[ir.Value], point: Point, row: Place, target: ir.Value
    ) -> ir.Value:
        """Build the combination of all lanes of `partials` and the init."""
        (start,) = self.starts
        if start is None:
            start = tensor.extract(target, self.frame.indices(self.op.inputs, point, row))
        while len(partials) > 1:
            joined = [
                ir.Operation.create(combiner.name, results=[left.type], operands=[left, right]).result
                for left, right in zip(partials[::2], partials[1::2], strict=False)
            ]
            partials = [*joined, *(partials[-1:] if len(partials) % 2 else [])]
        if is_ordered_by_bits(combiner.name, start.type):
            extreme = reduce_by_bits(combiner.name, partials[0])
            return ir.Operation.create(combiner.name, results=[start.type], operands=[extreme, start]).result
        kind = ir.Attribute.parse(f"#vector.kind<{NEUTRAL_KINDS[combiner.name]}>")
        # Summing the lanes in order would take longer than a short row.
        free = ir.Attribute.parse("#arith.fastmath<reassoc>")
        return vector.reduction(start.type, kind, partials[0], acc=start, fastmath=free)
