"""Reductions that choose elements, in the lanes: each lane chooses its own; the lanes choose among them at the end."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tensor, vector

from ...analysis.linalg.choice_programs import Taking
from ...analysis.linalg.element_choices import Choice
from .frame import NestFrame, Place, Point
from .lanes import Lanes, broadcast, build_op, compute_values, run_payload
from .reads import Reader
from .register_tile import RegisterTile, build_loops

__all__ = ["ChosenLanes"]

_Chosen = list[ir.Value]
"""A value for each output: a vector of choices, or a scalar."""


class ChosenLanes(RegisterTile):
    """Builds a reduction that chooses, with an accumulator for each row, vector of the lane loop, and output.

    Every lane starts from the init: choosing it more than once changes nothing.
    """

    def __init__(self, frame: NestFrame, starts: Sequence[ir.Value | None], choice: Choice) -> None:
        super().__init__(frame, starts)
        self.choice = choice

    def build(self, point: Point, tensors: list[ir.Value]) -> list[ir.Value]:
        """Build the reduction loops, and write the results; return the tensors after that."""
        rows = self.places(point, self.plan.parallel)
        vectors, outputs = self.plan.tile[self.plan.lane_loop], len(self.op.outputs)
        first = [value for row in rows for _ in range(vectors) for value in self._start(point, row, tensors)]
        last = build_loops(self.frame, self.plan.reductions, point, first, self._step)
        chosen = [last[number : number + outputs] for number in range(0, len(last), outputs)]
        values = [self._combine(chosen[slot * vectors : (slot + 1) * vectors]) for slot in range(len(rows))]
        return self.write(point, rows, values, tensors)

    def _start(self, point: Point, row: Place, tensors: Sequence[ir.Value]) -> _Chosen:
        values = [
            tensor.extract(target, self.frame.indices(operand, point, row)) if start is None else start
            for start, target, operand in zip(self.starts, tensors, self.op.outputs, strict=True)
        ]
        return [broadcast(value, self.plan.lanes) for value in values]

    def _step(self, point: Point, carried: list[ir.Value]) -> list[ir.Value]:
        reader = Reader(self.frame, point)
        loop, outputs = self.plan.lane_loop, len(self.op.outputs)
        vectors = range(point.segments[loop].count)
        new = list(carried)
        rows = self.places(point, self.plan.parallel)
        places: list[Place] = [{**row, loop: vector} for row in rows for vector in vectors]
        slots = [(row * self.plan.tile[loop] + vector) * outputs for row in range(len(rows)) for vector in vectors]
        lanes: list[Lanes] = []
        for place, slot in zip(places, slots, strict=True):
            elements = [reader.element(operand, place) for operand in range(self.op.inputs)]
            lanes.append(self.lanes(point, place, [*elements, *carried[slot : slot + outputs]]))
        olds = [carried[slot : slot + outputs] for slot in slots]
        for place, slot, old, values in zip(places, slots, olds, self._chosen(lanes, olds), strict=True):
            new[slot : slot + outputs] = [
                self.masked(broadcast(value, self.plan.lanes), before, point, place)
                for value, before in zip(values, old, strict=True)
            ]
        return new

    def _chosen(self, lanes: Sequence[Lanes], olds: Sequence[_Chosen]) -> list[_Chosen]:
        """Build what is chosen between `olds` and the elements in `lanes`, the next ones in each lane."""
        taking, count = self.choice.taking, self.plan.lanes
        if taking is None:
            return run_payload(self.op.payload, lanes, count)
        found = compute_values(self.op.payload, lanes, count, self.choice.elements)
        chosen: list[_Chosen] = []
        for old, values in zip(olds, found, strict=True):
            new = [broadcast(value, count) for value in values]
            is_taken = _build_taking(taking, old[taking.output], new[taking.output])
            chosen.append([arith.select(is_taken, one, other) for one, other in zip(new, old, strict=True)])
        return chosen

    def _combine(self, chosen: Sequence[_Chosen]) -> _Chosen:
        """Build the choice among all vectors, then among halves of lanes until one is left."""
        lanes = self.plan.lanes
        while len(chosen) > 1:
            pairs = zip(chosen[::2], chosen[1::2], strict=False)
            joined = [self._choose(left, right, lanes) for left, right in pairs]
            chosen = [*joined, *(chosen[-1:] if len(chosen) % 2 else [])]
        (values,) = chosen
        while lanes > 1:
            half = lanes // 2
            values = self._choose(
                [vector.shuffle(value, value, list(range(half))) for value in values],
                [vector.shuffle(value, value, list(range(half, lanes))) for value in values],
                half,
            )
            lanes = half
        return [vector.extract(value, [], [0]) for value in values]

    def _choose(self, left: _Chosen, right: _Chosen, lanes: int) -> _Chosen:
        """Build the choice between two vectors for each output."""
        number = self.choice.ordered_by
        if number is not None:
            is_ordered = arith.cmpi(arith.CmpIPredicate.sle, left[number], right[number])
            pairs = list(zip(left, right, strict=True))
            left = [arith.select(is_ordered, one, other) for one, other in pairs]
            right = [arith.select(is_ordered, other, one) for one, other in pairs]
        accumulators = [self.op.payload.arguments[operand] for operand in self.op.outputs]
        known = dict(zip([*accumulators, *self.choice.elements], [*left, *right], strict=True))
        for op in self.choice.ops:
            value = build_op(op, known, lanes)
            assert value is not None, "no product is among ops that choose"
            known[op.results[0]] = value
        *_, terminator = self.op.payload.operations
        return [known[value] for value in terminator.operation.operands]


def _build_taking(taking: Taking, old: ir.Value, new: ir.Value) -> ir.Value:
    """Build whether `new` is taken in place of `old`, in each lane."""
    if not isinstance(ir.VectorType(old.type).element_type, ir.FloatType):
        return arith.cmpi(arith.CmpIPredicate(taking.predicate), old, new)
    is_taken = arith.cmpf(arith.CmpFPredicate(taking.predicate), old, new)
    return arith.andi(arith.cmpf(arith.CmpFPredicate.ORD, old, old), is_taken) if taking.only_numbers else is_taken
