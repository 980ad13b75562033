"""One linalg op on tensors as loops around vectors.

    for outer parallel loops, the lane loop and the rows:        in steps of the register tile
        read the accumulators of the tile
        for the loops that reduce: run the payload on each vector of the tile
        write the accumulators

Tensors are carried through the loops, so that everything can be in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ...analysis.schedule.epilogues import Epilogue
from ...analysis.schedule.joined_reductions import Join
from ...analysis.schedule.vector_plan import VectorPlan
from ...scheduling.rewriting.any_order import forget_promises
from .chosen_lanes import ChosenLanes
from .epilogue import Finish
from .frame import NestFrame, Place, Point
from .joined import Joined
from .lanes import Shared, broadcast, run_payload
from .partial_results import PartialResults
from .reads import Reader
from .register_tile import RegisterTile, build_loops
from .shared import build_shared

__all__ = ["build_nest"]


def build_nest(plan: VectorPlan, join: Join | None = None, epilogue: Epilogue | None = None) -> list[ir.Value]:
    """Build the loops at the current insertion point; return the replacements of the op's results.

    With a `join`, the replacement of the joined op's result comes last. With an `epilogue`, it is that of its result.
    """
    frame = NestFrame(plan, _measured(join) if join else None)
    fills = [None if _reads_elements(frame, plan, number) else _fill(frame, number) for number in frame.op.outputs]
    starts = [fill and fill.operands[0] for fill in fills]
    carried = [
        fill.operands[1] if fill else frame.operands[number]
        for number, fill in zip(frame.op.outputs, fills, strict=True)
    ]
    if not plan.reductions:
        first = plan.parallel.index(plan.lane_loop)
        return build_loops(
            frame, plan.parallel[:first], Point(), carried, _Elementwise(frame, plan.parallel[first:]).row
        )
    if plan.choice:
        return build_loops(frame, plan.parallel, Point(), carried, ChosenLanes(frame, starts, plan.choice).build)
    if not plan.combiner:
        finish = Finish(plan, epilogue) if epilogue else None
        carried = finish.carried if finish else carried
        return build_loops(frame, plan.parallel, Point(), carried, _Rows(frame, starts, finish).build)
    forget_promises(plan.structured)
    joined = Joined(plan, join) if join else None
    carried += joined.carried if joined else []
    return build_loops(frame, plan.parallel, Point(), carried, PartialResults(frame, starts, joined).build)


def _measured(join: Join) -> dict[ir.Value, ir.Value]:
    """Map the result of the joined op, which the nest is going to compute, to its init, which has the same sizes."""
    producer = join.producer
    return {producer.op.results[0]: producer.op.operands[producer.inputs]}


def _reads_elements(frame: NestFrame, plan: VectorPlan, output: int) -> bool:
    """Whether elements of an init are read, by the payload or as an input, other than as the start of a reduction."""
    init, op = frame.operands[output], frame.op
    as_input = any(op.reads[number] and frame.operands[number] == init for number in range(op.inputs))
    return as_input or (not plan.reductions and op.reads[output])


def _fill(frame: NestFrame, operand: int) -> ir.Operation | None:
    """Return the `linalg.fill` that an init comes from, if the op writes every element of it."""
    writes_all = all(index.loop is not None for index in frame.op.indices[operand])
    return defining_op(frame.operands[operand], "linalg.fill") if writes_all else None


class _Elementwise(RegisterTile):
    """No loop reduces: everything is read before anything is written."""

    def __init__(self, frame: NestFrame, inner: Sequence[int]) -> None:
        super().__init__(frame)
        self.inner = inner

    def row(self, point: Point, tensors: list[ir.Value]) -> list[ir.Value]:
        """Build the lane loop and those inside, after what their iterations share."""
        shared = build_shared(self.frame, point, {}, self.inner)
        return build_loops(self.frame, self.inner, point, tensors, partial(self.build, shared))

    def build(self, shared: Shared, point: Point, tensors: list[ir.Value]) -> list[ir.Value]:
        reader = Reader(self.frame, point, tensors)
        places = self.places(point, self.plan.parallel)
        vectors = [self.lanes(point, place, self.elements(reader, place, shared), shared) for place in places]
        values = run_payload(self.op.payload, vectors, self.plan.lanes)
        return self.write(point, places, values, tensors)


class _Rows(RegisterTile):
    """Each lane is a result of its own: an accumulator for each vector of each output.

    With `finish`, what is carried is the tensor of an epilogue, and inits are read where they are.
    """

    def __init__(self, frame: NestFrame, starts: Sequence[ir.Value | None], finish: Finish | None) -> None:
        super().__init__(frame, starts)
        self.finish = finish

    def build(self, point: Point, tensors: list[ir.Value]) -> list[ir.Value]:
        places = self.places(point, self.plan.parallel)
        first = self._first(point, places, [] if self.finish else tensors)
        outputs = len(self.op.outputs)
        last = build_loops(self.frame, self.plan.reductions, point, first, self._step)
        if self.finish:
            return self.finish.write_finished(point, places, last, tensors)
        values = [last[number : number + outputs] for number in range(0, len(last), outputs)]
        return self.write(point, places, values, tensors)

    def _first(self, point: Point, places: Sequence[Place], tensors: list[ir.Value]) -> list[ir.Value]:
        reader = Reader(self.frame, point, tensors)
        values: list[ir.Value] = []
        for place in places:
            for start, operand in zip(self.starts, self.op.outputs, strict=True):
                value = reader.element(operand, place) if start is None else start
                assert value is not None, "an op that reduces reads its inits"
                values.append(broadcast(value, self.plan.lanes))
        return values

    def _step(self, point: Point, accumulators: list[ir.Value]) -> list[ir.Value]:
        reader = Reader(self.frame, point)
        outputs = len(self.op.outputs)
        new = list(accumulators)
        places = self.places(point, self.plan.parallel)
        # Row by row: LLVM keeps this order, and what the vectors of a row share takes one register. Vector by vector
        # would keep what all rows need in registers, for which 16 are too few.
        for slot in sorted(range(len(places)), key=lambda slot: self._row(places[slot])):
            own = slice(slot * outputs, (slot + 1) * outputs)
            elements = [reader.element(operand, places[slot]) for operand in range(self.op.inputs)]
            vector = self.lanes(point, places[slot], [*elements, *accumulators[own]])
            (values,) = run_payload(self.op.payload, [vector], self.plan.lanes)
            new[own] = [broadcast(value, self.plan.lanes) for value in values]
        return new

    def _row(self, place: Place) -> list[int]:
        return [number for loop, number in place.items() if loop != self.plan.lane_loop]
