"""An elementwise op in the loop of a reduction: each vector of its result is written, and goes on in its register."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlir import ir
from mlir.dialects import vector

from ...analysis.schedule.joined_reductions import Join
from ...analysis.schedule.vector_plan import VectorPlan
from .frame import Frame, Place, Point, last_dimension
from .lanes import Lanes, broadcast, run_payload
from .reads import Reader
from .shared import Shared, build_shared

__all__ = ["Joined"]


class Joined:
    """Builds the op of `join` where the reduction of `plan` stands."""

    def __init__(self, plan: VectorPlan, join: Join) -> None:
        self.operands = frozenset(join.operands)
        self._loops = join.loops
        tile = {join.loops[loop]: count for loop, count in plan.tile.items()}
        lanes = join.loops[plan.lane_loop]
        self._inner = [join.loops[loop] for loop in plan.reductions]
        self._op = join.producer
        self._frame = Frame(replace(plan, structured=join.producer, lane_loop=lanes, tile=tile))
        self._shared: list[Shared] = []

    @property
    def carried(self) -> list[ir.Value]:
        """The tensor that the result is written to, at the beginning."""
        return [self._frame.operands[self._op.inputs]]

    def enter(self, point: Point, rows: Sequence[Place]) -> None:
        """Build what the loops that reduce share, for each of `rows`."""
        own = self._point(point)
        self._shared = [build_shared(self._frame, own, self._place(row), self._inner) for row in rows]

    def step(
        self, point: Point, places: Sequence[tuple[int, Place]], target: ir.Value
    ) -> tuple[list[ir.Value], ir.Value]:
        """Compute the vectors at `places`, each with the number of its row, and write them; all reads come first.

        Returns the vectors, and `target` after the writes.
        """
        own = self._point(point)
        reader = Reader(self._frame, own, [target])
        vectors = [self._lanes(reader, own, self._place(place), self._shared[row]) for row, place in places]
        lanes = self._frame.plan.lanes
        results = [broadcast(value, lanes) for (value,) in run_payload(self._op.payload, vectors, lanes)]
        for (_, place), computed in zip(places, results, strict=True):
            target = self._write(computed, target, own, self._place(place))
        return results, target

    def _lanes(self, reader: Reader, point: Point, place: Place, shared: Shared) -> Lanes:
        elements = [
            None if argument in shared.values else reader.element(operand, place)
            for operand, argument in enumerate(self._op.payload.arguments)
        ]
        return Lanes(elements, lambda loop: self._frame.iteration(loop, point, place), shared.values, shared.quotients)

    def _write(self, computed: ir.Value, target: ir.Value, point: Point, place: Place) -> ir.Value:
        indices = self._frame.indices(self._op.inputs, point, place)
        in_bounds = [not self._frame.is_masked(point, place)]
        map_ = last_dimension(len(indices))
        return vector.TransferWriteOp(target.type, computed, target, indices, map_, in_bounds=in_bounds).results[0]

    def _point(self, point: Point) -> Point:
        """Return where the loops of the op stand."""
        return Point(
            {self._loops[loop]: number for loop, number in point.first.items()},
            {self._loops[loop]: segment for loop, segment in point.segments.items()},
        )

    def _place(self, place: Place) -> Place:
        return {self._loops[loop]: number for loop, number in place.items()}
