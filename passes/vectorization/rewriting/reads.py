"""Reads of operands as vectors, or as scalars where all lanes need the same element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlir import ir
from mlir.dialects import arith, tensor, vector

from ....dialects.structured import index_constant
from ....dialects.support.index_math import Number, add, as_value, multiply
from ...analysis.schedule.vector_plan import is_strided
from .frame import NestFrame, Place, Point
from .lanes import last_dimension, padding, transpose_square, vector_type

__all__ = ["Reader"]


class Reader:
    """Reads elements at one point of the loops, once for all places of the tile that need the same one.

    `tensors` are the outputs as the loops carry them. They are read instead of the inits, and of inputs that are the
    same value at the same indices: each element is read before it is written, so the update can be in place.
    """

    def __init__(self, frame: NestFrame, point: Point, tensors: Sequence[ir.Value] = ()) -> None:
        self._frame = frame
        self._point = point
        self._tensors = list(tensors)
        self._known: dict[tuple[int, tuple[int, ...]], ir.Value] = {}

    def element(self, operand: int, place: Place) -> ir.Value | None:
        """Return the element of `operand` at `place`, a scalar if all lanes share it; None if it is not used."""
        op = self._frame.op
        if not op.reads[operand]:
            return None
        source = self._source(operand)
        if not isinstance(source.type, ir.RankedTensorType):
            return source
        key = self._key(operand, place)
        if key not in self._known:
            self._known[key] = self._load(source, operand, place)
        return self._known[key]

    def _key(self, operand: int, place: Place) -> tuple[int, tuple[int, ...]]:
        op = self._frame.op
        return operand, tuple(number for loop, number in place.items() if op.depends(operand, loop))

    def _source(self, operand: int) -> ir.Value:
        op, operands = self._frame.op, self._frame.operands
        for init, carried in zip(op.outputs, self._tensors, strict=False):
            same = operands[operand] == operands[init] and op.indices[operand] == op.indices[init]
            if operand == init or same:
                return carried
        return operands[operand]

    def _load(self, source: ir.Value, operand: int, place: Place) -> ir.Value:
        frame = self._frame
        indices = frame.indices(operand, self._point, place)
        if not frame.op.depends(operand, frame.plan.lane_loop):
            return tensor.extract(source, indices)
        type_ = vector_type(ir.RankedTensorType(source.type).element_type, frame.plan.lanes)
        if not frame.op.is_contiguous(operand, frame.plan.lane_loop):
            if self._is_turned(operand):
                return self._turn(source, operand, type_, place)
            if is_strided(frame.op, operand, frame.plan.lane_loop, frame.plan.lanes):
                return self._strided(source, operand, type_, place)
            return self._gather(source, operand, type_, place)
        in_bounds = [not frame.is_masked(self._point, place)]
        return vector.transfer_read(type_, source, indices, last_dimension(len(indices)), padding(type_), in_bounds)

    def _is_turned(self, operand: int) -> bool:
        """Whether `operand` is read along the row loop, and there are enough rows for that to pay."""
        turned = self._frame.plan.turned
        if turned is None or not self._frame.op.is_contiguous(operand, turned):
            return False
        return self._point.segments[turned].count * 4 >= self._frame.plan.lanes

    def _turn(self, source: ir.Value, operand: int, type_: ir.VectorType, place: Place) -> ir.Value:
        """Read a square along its rows, transpose it, and keep its columns for the other places."""
        frame, turned = self._frame, self._frame.plan.turned
        assert turned is not None
        count = self._point.segments[turned].count
        corner = {**place, turned: 0}
        zero, in_bounds = padding(type_), [count == frame.plan.lanes]
        columns = [
            vector.transfer_read(type_, source, at, last_dimension(len(at)), zero, in_bounds)
            for at in self._lanes(operand, corner)
        ]
        rows = transpose_square(columns)
        for number in range(count):
            moved = {**place, turned: number}
            self._known[self._key(operand, moved)] = rows[number]
        return self._known[self._key(operand, place)]

    def _strided(self, source: ir.Value, operand: int, type_: ir.VectorType, place: Place) -> ir.Value:
        """Read as many vectors as a step has elements, the last one up to the last lane; keep what the lanes need.

        Their elements lie between those of the first and the last lane, so they are in bounds if these are.
        """
        frame, lanes = self._frame, self._frame.plan.lanes
        step = frame.op.step(operand, frame.plan.lane_loop)
        *others, first = frame.indices(operand, self._point, place)
        in_bounds, map_ = [not frame.is_masked(self._point, place)], last_dimension(len(others) + 1)
        starts = [*range(0, lanes * (step - 1), lanes), (lanes - 1) * (step - 1)]
        parts = [
            vector.transfer_read(type_, source, [*others, as_value(add(first, at))], map_, padding(type_), in_bounds)
            for at in starts
        ]
        found = parts[0]
        for number, part in enumerate(parts[1:], 1):
            own = [step * lane // lanes for lane in range(lanes)]
            kept = [step * lane if number == 1 else lane for lane in range(lanes)]
            mask = [
                lanes + step * lane - starts[number] if of == number else keep if of < number else 0
                for lane, (of, keep) in enumerate(zip(own, kept, strict=True))
            ]
            found = vector.shuffle(found, part, mask)
        return found

    def _gather(self, source: ir.Value, operand: int, type_: ir.VectorType, place: Place) -> ir.Value:
        return vector.from_elements(type_, [tensor.extract(source, at) for at in self._lanes(operand, place)])

    def _lanes(self, operand: int, place: Place) -> Iterator[list[ir.Value]]:
        """Yield the indices for each lane; a lane beyond the end reads the element of the last iteration."""
        frame, loop = self._frame, self._frame.plan.lane_loop
        indices = frame.indices(operand, self._point, place)
        last: ir.Value | None = None
        if frame.is_masked(self._point, place):
            last = arith.subi(frame.left(self._point, place), index_constant(1))
        for lane in range(frame.plan.lanes):
            step: Number = lane if last is None else arith.minui(index_constant(lane), last)
            yield [
                as_value(add(index, multiply(step, own.coefficient(loop)))) if own.coefficient(loop) else index
                for index, own in zip(indices, frame.op.indices[operand], strict=True)
            ]
