"""One linalg op on tensors as loops around vectors.

    for outer parallel loops, the lane loop and the rows:        in steps of the register tile
        read the accumulators of the tile
        for the loops that reduce: run the payload on each vector of the tile
        write the accumulators

Tensors are carried through the loops, so that everything can be in place.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith, tensor, vector

from ..analysis.vector_payload import NEUTRAL_KINDS
from ..analysis.vector_plan import VectorPlan
from ..tiling.loops import build_loop, segments
from .frame import Frame, Place, Point, last_dimension
from .lanes import broadcast, run_payload, vector_type
from .neutral import neutral_element
from .reads import Reader
from .shared import Shared, build_shared

__all__ = ["build_nest"]

_Inside = Callable[[Point, list[ir.Value]], list[ir.Value]]


def build_nest(plan: VectorPlan) -> list[ir.Value]:
    """Build the loops at the current insertion point; return what takes the place of the op's results."""
    frame = Frame(plan)
    fills = [_fill(frame, number) for number in frame.op.outputs]
    starts = [fill and fill.operands[0] for fill in fills]
    carried = [
        fill.operands[1] if fill else frame.operands[number]
        for number, fill in zip(frame.op.outputs, fills, strict=True)
    ]
    if not plan.reductions:
        first = plan.parallel.index(plan.lane_loop)
        return _loops(frame, plan.parallel[:first], Point(), carried, _Elementwise(frame, plan.parallel[first:]).row)
    inside = (_Lanes if plan.combiner else _Rows)(frame, starts).build
    return _loops(frame, plan.parallel, Point(), carried, inside)


def _fill(frame: Frame, operand: int) -> ir.Operation | None:
    """Return the `linalg.fill` that an init comes from, if the op writes every element of it."""
    owner = frame.operands[operand].owner
    if isinstance(owner, ir.Block) or owner.name != "linalg.fill":
        return None
    return owner.operation if all(index.loop is not None for index in frame.op.indices[operand]) else None


def _loops(
    frame: Frame, loops: Sequence[int], point: Point, carried: list[ir.Value], inside: _Inside
) -> list[ir.Value]:
    """Build `loops` around what `inside` builds, in steps of the register tile, with what is left at the ends."""
    if not loops:
        return inside(point, carried)
    loop, *others = loops
    unit = frame.plan.lanes if loop == frame.plan.lane_loop else 1
    for segment in segments(frame.sizes[loop], unit, frame.plan.tile.get(loop, 1)):
        carried = build_loop(
            segment,
            carried,
            lambda number, values, segment=segment: _loops(
                frame, others, point.at(loop, number, segment), values, inside
            ),
        )
    return carried


class _Tile:
    """Builds one register tile."""

    def __init__(self, frame: Frame, starts: Sequence[ir.Value | None] = ()) -> None:
        self.frame = frame
        self.plan = frame.plan
        self.op = frame.op
        self.starts = starts

    def places(self, point: Point, loops: Sequence[int]) -> list[Place]:
        """Return all places of the tile in those of its loops that are among `loops`."""
        tiled = [loop for loop in self.plan.tile if loop in loops]
        counts = [range(point.segments[loop].count) for loop in tiled]
        return [dict(zip(tiled, numbers, strict=True)) for numbers in itertools.product(*counts)]

    def payload(
        self, point: Point, place: Place, elements: list[ir.Value | None], shared: Shared | None = None
    ) -> list[ir.Value]:
        """Build the payload for the vectors at `place`; `shared` is what all of them share."""
        known = shared or Shared()

        def iteration(loop: int) -> ir.Value:
            return self.frame.iteration(loop, point, place)

        return run_payload(
            self.op.payload, elements, iteration, self.plan.lanes, shared=known.values, quotients=known.quotients
        )

    def write(
        self, point: Point, places: Sequence[Place], values: Sequence[Sequence[ir.Value]], tensors: list[ir.Value]
    ) -> list[ir.Value]:
        """Write, for each of `places`, a vector (a scalar, if lanes were combined) into each output."""
        written = list(tensors)
        for place, own in zip(places, values, strict=True):
            for number, (operand, value) in enumerate(zip(self.op.outputs, own, strict=True)):
                written[number] = self._write_one(value, written[number], operand, point, place)
        return written

    def _write_one(self, value: ir.Value, target: ir.Value, operand: int, point: Point, place: Place) -> ir.Value:
        indices = self.frame.indices(operand, point, place)
        if not self.op.depends(operand, self.plan.lane_loop):
            return tensor.insert(value, target, indices)
        in_bounds = [not self.frame.is_masked(point, place)]
        lanes = broadcast(value, self.plan.lanes)
        map_ = last_dimension(len(indices))
        return vector.TransferWriteOp(target.type, lanes, target, indices, map_, in_bounds=in_bounds).results[0]


class _Elementwise(_Tile):
    """No loop reduces: everything is read before anything is written."""

    def __init__(self, frame: Frame, inner: Sequence[int]) -> None:
        super().__init__(frame)
        self.inner = inner

    def row(self, point: Point, tensors: list[ir.Value]) -> list[ir.Value]:
        """Build the loop of the lanes and those in it, after what they share."""
        shared = build_shared(self.frame, point, {}, self.inner)
        return _loops(self.frame, self.inner, point, tensors, partial(self.build, shared))

    def build(self, shared: Shared, point: Point, tensors: list[ir.Value]) -> list[ir.Value]:
        reader = Reader(self.frame, point, tensors)
        places = self.places(point, self.plan.parallel)
        arguments = self.op.payload.arguments
        values = [
            self.payload(
                point,
                place,
                [
                    None if argument in shared.values else reader.element(operand, place)
                    for operand, argument in enumerate(arguments)
                ],
                shared,
            )
            for place in places
        ]
        return self.write(point, places, values, tensors)


class _Rows(_Tile):
    """The lanes are elements of their own: an accumulator for each vector of each output."""

    def build(self, point: Point, tensors: list[ir.Value]) -> list[ir.Value]:
        places = self.places(point, self.plan.parallel)
        first = self._first(point, places, tensors)
        outputs = len(self.op.outputs)
        last = _loops(self.frame, self.plan.reductions, point, first, self._step)
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
        new: list[ir.Value] = []
        for slot, place in enumerate(self.places(point, self.plan.parallel)):
            old = accumulators[slot * outputs : (slot + 1) * outputs]
            elements = [reader.element(operand, place) for operand in range(self.op.inputs)]
            values = self.payload(point, place, [*elements, *old])
            new.extend(broadcast(value, self.plan.lanes) for value in values)
        return new


class _Lanes(_Tile):
    """The lanes are partial results: an accumulator for each row and each vector of the lane loop."""

    def build(self, point: Point, tensors: list[ir.Value]) -> list[ir.Value]:
        combiner = self.plan.combiner
        assert combiner is not None
        rows = self.places(point, self.plan.parallel)
        vectors = self.plan.tile[self.plan.lane_loop]
        neutral = broadcast(neutral_element(combiner), self.plan.lanes)
        shared = [build_shared(self.frame, point, row, self.plan.reductions) for row in rows]
        first = [neutral] * (len(rows) * vectors)
        sums = _loops(self.frame, self.plan.reductions, point, first, partial(self._step, shared))
        values = [
            [self._combine(combiner, sums[slot * vectors : (slot + 1) * vectors], point, row, tensors[0])]
            for slot, row in enumerate(rows)
        ]
        return self.write(point, rows, values, tensors)

    def _step(self, shared: Sequence[Shared], point: Point, accumulators: list[ir.Value]) -> list[ir.Value]:
        reader = Reader(self.frame, point)
        loop = self.plan.lane_loop
        new = list(accumulators)
        for row_number, row in enumerate(self.places(point, self.plan.parallel)):
            for number in range(point.segments[loop].count):
                place = {**row, loop: number}
                slot = row_number * self.plan.tile[loop] + number
                known = shared[row_number]
                elements = [
                    None if argument in known.values else reader.element(operand, place)
                    for operand, argument in enumerate(list(self.op.payload.arguments)[: self.op.inputs])
                ]
                (value,) = self.payload(point, place, [*elements, new[slot]], known)
                new[slot] = self._masked(broadcast(value, self.plan.lanes), new[slot], point, place)
        return new

    def _masked(self, value: ir.Value, old: ir.Value, point: Point, place: Place) -> ir.Value:
        """Keep `old` in lanes beyond the end."""
        if not self.frame.is_masked(point, place):
            return value
        bits = vector_type(ir.IntegerType.get_signless(1), self.plan.lanes)
        return arith.select(vector.create_mask(bits, [self.frame.left(point, place)]), value, old)

    def _combine(
        self, combiner: ir.Operation, partials: Sequence[ir.Value], point: Point, row: Place, target: ir.Value
    ) -> ir.Value:
        """Return all lanes of `partials` and the init, combined."""
        (start,) = self.starts
        if start is None:
            start = tensor.extract(target, self.frame.indices(self.op.inputs, point, row))
        while len(partials) > 1:
            joined = [
                ir.Operation.create(combiner.name, results=[left.type], operands=[left, right]).result
                for left, right in zip(partials[::2], partials[1::2], strict=False)
            ]
            partials = [*joined, *(partials[-1:] if len(partials) % 2 else [])]
        kind = ir.Attribute.parse(f"#vector.kind<{NEUTRAL_KINDS[combiner.name]}>")
        # In order, one lane after the other, the sum would take longer than that of a short row.
        free = ir.Attribute.parse("#arith.fastmath<reassoc>")
        return vector.reduction(start.type, kind, partials[0], acc=start, fastmath=free)
