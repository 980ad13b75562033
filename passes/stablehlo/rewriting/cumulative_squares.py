"""Cumulative sums and the like along rows, on vectors: squares of elements are transposed in registers, and back.

    for each square of n rows and n columns, in the order of the columns:
      columns = transposed(rows of the square)
      for each column: total = total + column; column = total
      rows of the result = transposed(columns)

A column has an element of each row in its lanes, so each element is computed of the one before as if by itself: sums
are rounded in the same order. Eight rows are computed together, by several squares if these are smaller; and two
squares of each row in a step, which fill a cache line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, vector

from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number, add, as_value, multiply
from ...vectorization.rewriting.lanes import last_dimension, padding, transpose_square, vector_type
from .loops import loop

__all__ = ["ROWS", "CumulativeSquares", "squares_of"]

ROWS = 8
"""How many rows are computed together."""
_SQUARES = 2
"""How many squares of a row are computed in one step."""
_VECTOR_BYTES = 32
_FLOATS = {
    "stablehlo.add": arith.addf,
    "stablehlo.multiply": arith.mulf,
    "stablehlo.maximum": arith.maximumf,
    "stablehlo.minimum": arith.minimumf,
}
_INTEGERS = {
    "stablehlo.add": arith.addi,
    "stablehlo.multiply": arith.muli,
    "stablehlo.maximum": arith.maxsi,
    "stablehlo.minimum": arith.minsi,
}
_ELEMENTS = frozenset({"f64", "f32", "f16", "bf16", "i8", "i16", "i32", "i64"})


@frozen
class CumulativeSquares:
    """Eight rows of `size` elements; `position` gives the index of a step, from the beginning or from the end.

    Attributes:
        side: the rows and columns of a square.
        function: the op, of two vectors.
        size: the number of elements of a row.
        from_end: whether rows begin at their end.
    """

    side: int
    function: Callable[[ir.Value, ir.Value], ir.Value]
    size: int
    from_end: bool

    @property
    def done(self) -> int:
        """How many elements of a row are computed by squares."""
        return self.size - self.size % self._step

    @property
    def _step(self) -> int:
        return _SQUARES * self.side

    def build(
        self, source: ir.Value, target: ir.Value, start: ir.Value, row: Sequence[ir.Value]
    ) -> tuple[ir.Value, list[ir.Value]]:
        """Build the loop over squares; `row` is where the first row begins.

        Returns the new `target`, and the last element of each row.
        """
        *outer, first = row
        groups = range(0, ROWS, self.side)
        totals = [vector.broadcast(vector_type(start.type, self.side), start) for _ in groups]

        def step(number: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            base = add(self.size - self._step, multiply(number, -self._step)) if self.from_end else None
            base = multiply(number, self._step) if base is None else base
            new, *totals = carried
            places = [[*outer, as_value(add(first, row)), as_value(base)] for row in range(ROWS)]
            for number_of_group, group in enumerate(groups):
                rows = places[group : group + self.side]
                new, totals[number_of_group] = self._group(source, new, totals[number_of_group], rows)
            return [new, *totals]

        new, *totals = loop(0, self.size // self._step, [target, *totals], step)
        lanes = range(self.side)
        return new, [vector.extract(total, [], [lane]) for total in totals for lane in lanes]

    def _group(
        self, source: ir.Value, target: ir.Value, total: ir.Value, rows: Sequence[Sequence[ir.Value]]
    ) -> tuple[ir.Value, ir.Value]:
        """Build the squares of some rows, which begin at the places `rows`."""
        type_ = ir.VectorType(total.type)
        squares = range(0, self._step, self.side)
        for square in reversed(squares) if self.from_end else squares:
            places = [_along(row, square) for row in rows]
            map_ = last_dimension(len(places[0]))
            read = [vector.transfer_read(type_, source, place, map_, padding(type_), [True]) for place in places]
            columns = transpose_square(read)
            for number in reversed(range(self.side)) if self.from_end else range(self.side):
                total = columns[number] = self.function(total, columns[number])
            for place, row in zip(places, transpose_square(columns), strict=True):
                target = vector.TransferWriteOp(target.type, row, target, place, map_, in_bounds=[True]).results[0]
        return target, total


def _along(place: Sequence[ir.Value], by: Number) -> list[ir.Value]:
    *outer, last = place
    return [*outer, as_value(add(last, by))]


def squares_of(function: str, shape: Sequence[int], element: ir.Type, *, from_end: bool) -> CumulativeSquares | None:
    """How the rows of a tensor of `shape` are computed by squares; None if they are too few, or too short."""
    if str(element) not in _ELEMENTS or len(shape) < 2:
        return None
    is_float = isinstance(element, ir.FloatType)
    bits = element.width if is_float else ir.IntegerType(element).width
    side = min(ROWS, _VECTOR_BYTES * 8 // bits)
    squares = CumulativeSquares(side, (_FLOATS if is_float else _INTEGERS)[function], shape[-1], from_end)
    return squares if squares.done and shape[-2] >= ROWS else None
