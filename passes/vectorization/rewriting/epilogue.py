"""An elementwise op on the results of a reduction, before they are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlir import ir
from mlir.dialects import tensor

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.index_math import Number, add, multiply
from ...analysis.linalg.structured_op import Structured
from ...analysis.schedule.epilogues import Epilogue
from ...analysis.schedule.vector_plan import VectorPlan
from .frame import NestFrame, Place, Point
from .lanes import Shared, run_payload
from .reads import Reader
from .register_tile import RegisterTile

__all__ = ["Finish"]


class Finish(RegisterTile):
    """Builds the op of an epilogue on the accumulators of the reduction of `plan`."""

    def __init__(self, plan: VectorPlan, epilogue: Epilogue) -> None:
        self._operands = epilogue.operands
        self._loops = epilogue.loops
        self._sizes = plan.structured.sizes
        reduction, consumer = plan.structured, epilogue.consumer
        tile = {loop: plan.tile[own[-1]] for loop, own in self._loops.items() if own[-1] in plan.tile}
        own = replace(plan, structured=consumer, lane_loop=epilogue.lane_loop(plan), tile=tile)
        # The result is not there, but its sizes are those of the init.
        replaced: dict[ir.Value, ir.Value] = {reduction.op.results[0]: reduction.op.operands[reduction.inputs]}
        if epilogue.in_place:
            replaced = {consumer.op.operands[consumer.inputs]: _memory(reduction, epilogue.collapse)}
        super().__init__(NestFrame(own, replaced))

    @property
    def carried(self) -> list[ir.Value]:
        """The initial tensor that the result is written to."""
        return [self.frame.operands[self.op.inputs]]

    def write_finished(
        self, point: Point, places: Sequence[Place], values: Sequence[ir.Value], tensors: list[ir.Value]
    ) -> list[ir.Value]:
        """Compute the op on `values`, the vectors at `places`, and write the results; all reads come first."""
        own = self._point(point)
        moved = [self._place(place) for place in places]
        reader, shared = Reader(self.frame, own, tensors), Shared()
        vectors = [
            self.lanes(
                own, place, self.elements(reader, place, shared, given=dict.fromkeys(self._operands, value)), shared
            )
            for place, value in zip(moved, values, strict=True)
        ]
        return self.write(own, moved, run_payload(self.op.payload, vectors, self.plan.lanes), tensors)

    def _point(self, point: Point) -> Point:
        """Return the point in the loops of the op."""
        first: dict[int, Number] = {}
        for loop, own in self._loops.items():
            number = point.first[own[0]]
            for one in own[1:]:
                number = add(multiply(number, self._sizes[one] or 0), point.first[one])
            first[loop] = number
        return Point(first, {loop: point.segments[own[-1]] for loop, own in self._loops.items()})

    def _place(self, place: Place) -> Place:
        return {loop: place[own[-1]] for loop, own in self._loops.items() if own[-1] in place}


def _memory(reduction: Structured, collapse: ir.Operation | None) -> ir.Value:
    """Return what the fill of a reduction's init fills, collapsed as the result is."""
    fill = defining_op(reduction.op.operands[reduction.inputs], "linalg.fill")
    assert fill is not None, "the analysis demands one"
    if collapse is None:
        return fill.operands[1]
    return tensor.collapse_shape(collapse.results[0].type, fill.operands[1], collapse.attributes["reassociation"])
