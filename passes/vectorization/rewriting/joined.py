"""An elementwise op in the loop of a reduction: each vector of its result is written, and used from its register."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlir import ir

from ...analysis.schedule.joined_reductions import Join
from ...analysis.schedule.vector_plan import VectorPlan
from .frame import NestFrame, Place, Point
from .lanes import Shared, broadcast, run_payload
from .reads import Reader
from .register_tile import RegisterTile
from .shared import build_shared

__all__ = ["Joined"]


class Joined(RegisterTile):
    """Builds the op of `join` in the loop of the reduction of `plan`."""

    def __init__(self, plan: VectorPlan, join: Join) -> None:
        self.operands = frozenset(join.operands)
        self._loops = join.loops
        tile = {join.loops[loop]: count for loop, count in plan.tile.items()}
        lanes = join.loops[plan.lane_loop]
        self._inner = [join.loops[loop] for loop in plan.reductions]
        self._shared: list[Shared] = []
        super().__init__(NestFrame(replace(plan, structured=join.producer, lane_loop=lanes, tile=tile)))

    @property
    def carried(self) -> list[ir.Value]:
        """The initial tensor that the result is written to."""
        return [self.frame.operands[self.op.inputs]]

    def enter(self, point: Point, rows: Sequence[Place]) -> None:
        """Build the values that the iterations of the reduction loops share, for each of `rows`."""
        own = self._point(point)
        self._shared = [build_shared(self.frame, own, self._place(row), self._inner) for row in rows]

    def step(
        self, point: Point, places: Sequence[tuple[int, Place]], target: ir.Value
    ) -> tuple[list[ir.Value], ir.Value]:
        """Compute the vectors at `places`, each with the number of its row, and write them; all reads come first.

        Returns the vectors, and `target` after the writes.
        """
        own = self._point(point)
        reader = Reader(self.frame, own, [target])
        moved = [(self._shared[row], self._place(place)) for row, place in places]
        vectors = [self.lanes(own, place, self.elements(reader, place, known), known) for known, place in moved]
        lanes = self.plan.lanes
        results = [broadcast(value, lanes) for (value,) in run_payload(self.op.payload, vectors, lanes)]
        for (_, place), computed in zip(moved, results, strict=True):
            target = self.write_one(computed, target, self.op.inputs, own, place)
        return results, target

    def _point(self, point: Point) -> Point:
        """Return the point in the loops of the op."""
        return Point(
            {self._loops[loop]: number for loop, number in point.first.items()},
            {self._loops[loop]: segment for loop, segment in point.segments.items()},
        )

    def _place(self, place: Place) -> Place:
        return {self._loops[loop]: number for loop, number in place.items()}
