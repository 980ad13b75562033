"""Sort of many lines at once, one in each lane of vectors, by Batcher's odd-even merges.

    for p = 1, 2, 4, ... < n:
      for k = p, p / 2, ..., 1:
        for each j, j + k < n, which are k apart in one block of 2 p:
          rows[j], rows[j + k] = min(rows[j], rows[j + k]), max(rows[j], rows[j + k])  # of all lanes

A row holds the elements of one place of all lines. What is exchanged depends on places alone, so there is no branch,
and minimum and maximum are one instruction each. Such a sort is not stable: it is for keys that tell the elements, of
which equal ones are alike.
"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith, scf, tensor, vector

from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import index_constant
from .loops import loop, loop_nest
from .scalars import as_type
from .sort_keys import KeyOrder, SortKey, is_zero_or_nan

__all__ = ["SortingNetwork"]

_VECTOR_BITS = 512
_MOST_LANES = 32


Values = list[ir.Value]


@frozen
class SortingNetwork:
    """A sort of groups of lines of a tensor by `key`, which tells the elements.

    Lines have `size` elements along dimension `dim`; those of a group are beside each other in dimension `across`.
    """

    key: SortKey
    size: int
    dim: int
    across: int

    @property
    def lanes(self) -> int:
        """The number of lines of a group."""
        return min(_MOST_LANES, _VECTOR_BITS // self.key.width)

    @property
    def scratch_type(self) -> ir.RankedTensorType:
        """The type of what `sort` needs besides."""
        return ir.RankedTensorType.get([self.size, self.lanes], self.row_type.element_type)

    def sort(self, value: ir.Value, first: Values, rows: ir.Value, by_lines: Callable[[], ir.Value]) -> ir.Value:
        """Build the sort of the group of `value` at indices `first`, by `by_lines` if it has zeros or NaN.

        Of these the key does not tell the elements, if it takes zeros for equal.
        """
        rows, is_special = self._read(value, first, rows)
        if self.key.order is not KeyOrder.NUMBERS:
            return self._write(self._sorted(rows), value, first)
        choice = scf.IfOp(is_special, [value.type], has_else=True)
        with ir.InsertionPoint(choice.regions[0].blocks[0]):
            scf.YieldOp([by_lines()])
        with ir.InsertionPoint(choice.regions[1].blocks[0]):
            scf.YieldOp([self._write(self._sorted(rows), value, first)])
        return choice.results[0]

    def _indices(self, first: Values, place: ir.Value, lane: ir.Value) -> Values:
        """The indices of an element of the group at `first`."""
        indices = list(first)
        indices[self.dim] = place
        indices[self.across] = arith.addi(first[self.across], lane)
        return indices

    def _read(self, value: ir.Value, first: Values, rows: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Build the loops that make rows of integers, and whether any element is a zero or NaN."""
        is_float = isinstance(self.key.type, ir.FloatType)

        def step(at: Values, carried: Values) -> Values:
            number = tensor.extract(value, self._indices(first, *at))
            special = arith.ori(carried[1], is_zero_or_nan(number)) if is_float else carried[1]
            return [tensor.insert(self._integer(number), carried[0], at), special]

        false = arith.constant(ir.IntegerType.get_signless(1), 0)
        made = loop_nest([self.size, self.lanes], [rows, false], step)
        return made[0], made[1]

    def _write(self, rows: ir.Value, value: ir.Value, first: Values) -> ir.Value:
        def step(at: Values, carried: Values) -> Values:
            number = self._element(tensor.extract(rows, at))
            return [tensor.insert(number, carried[0], self._indices(first, *at))]

        return loop_nest([self.size, self.lanes], [value], step)[0]

    def _turned(self, bits: ir.Value) -> ir.Value:
        """Build the integer with a sign in the order of `bits`, or the other way round."""
        word = ir.IntegerType(bits.type)
        if self.key.order is KeyOrder.SIGNED:
            return bits
        if self.key.order is KeyOrder.UNSIGNED:
            return arith.xori(bits, arith.constant(word, -(1 << (word.width - 1))))
        sign = arith.shrsi(bits, arith.constant(word, word.width - 1))
        return arith.xori(bits, arith.andi(sign, arith.constant(word, (1 << (word.width - 1)) - 1)))

    def _integer(self, number: ir.Value) -> ir.Value:
        word = self.row_type.element_type
        return self._turned(
            arith.bitcast(word, number) if isinstance(number.type, ir.FloatType) else as_type(number, word)
        )

    def _element(self, number: ir.Value) -> ir.Value:
        type_ = ir.RankedTensorType(self.key.value.type).element_type
        bits = self._turned(number)
        return arith.bitcast(type_, bits) if isinstance(type_, ir.FloatType) else as_type(bits, type_)

    @property
    def row_type(self) -> ir.VectorType:
        """The type of a row."""
        return ir.VectorType.get([self.lanes], ir.IntegerType.get_signless(self.key.width))

    def _row(self, rows: ir.Value, place: ir.Value) -> ir.Value:
        """Build the read of a row."""
        zero = arith.constant(self.row_type.element_type, 0)
        return vector.transfer_read(self.row_type, rows, [place, index_constant(0)], self._map(), zero, [True])

    def _with_row(self, rows: ir.Value, place: ir.Value, row: ir.Value) -> ir.Value:
        """Build the write of a row."""
        at = [place, index_constant(0)]
        return vector.TransferWriteOp(rows.type, row, rows, at, self._map(), in_bounds=[True]).results[0]

    def _map(self) -> ir.AffineMapAttr:
        return ir.AffineMapAttr.get(ir.AffineMap.get(2, 0, [ir.AffineDimExpr.get(1)]))

    def _sorted(self, rows: ir.Value) -> ir.Value:
        """Build the sort of the columns of `rows`."""
        one, two = index_constant(1), index_constant(2)

        def merges(level: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            block = arith.shli(two, level)

            def exchanges(number: ir.Value, inner: list[ir.Value]) -> list[ir.Value]:
                distance = arith.shli(one, arith.subi(level, number))
                is_first = arith.cmpi(arith.CmpIPredicate.eq, number, index_constant(0))
                first = arith.select(is_first, index_constant(0), distance)
                return [self._exchange_all(inner[0], first, distance, block)]

            return list(loop(0, arith.addi(level, one), carried, exchanges))

        return loop(0, (self.size - 1).bit_length(), [rows], merges)[0]

    def _exchange_all(self, rows: ir.Value, first: ir.Value, distance: ir.Value, block: ir.Value) -> ir.Value:
        """Build the exchanges of rows that are `distance` apart, in one block each, from row `first` on."""
        end = arith.subi(index_constant(self.size), distance)
        step = arith.addi(distance, distance)
        last = arith.subi(block, index_constant(1))

        def runs(start: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            other = arith.addi(start, distance)
            is_across = arith.cmpi(arith.CmpIPredicate.eq, arith.andi(other, last), index_constant(0))
            stop = arith.select(is_across, start, arith.minui(other, end))
            return list(loop(start, stop, carried, lambda place, inner: [self._exchange(inner[0], place, distance)]))

        return _strided(first, end, step, rows, runs)

    def _exchange(self, rows: ir.Value, place: ir.Value, distance: ir.Value) -> ir.Value:
        other = arith.addi(place, distance)
        pair = self._row(rows, place), self._row(rows, other)
        least, greatest = arith.minsi(*pair), arith.maxsi(*pair)
        if self.key.descending:
            least, greatest = greatest, least
        return self._with_row(self._with_row(rows, place, least), other, greatest)


def _strided(
    first: ir.Value, end: ir.Value, step: ir.Value, rows: ir.Value,
    body: Callable[[ir.Value, list[ir.Value]], list[ir.Value]],
) -> ir.Value:  # fmt: skip
    new = scf.ForOp(first, end, step, [rows])
    with ir.InsertionPoint(new.body):
        scf.YieldOp(body(new.induction_variable, list(new.inner_iter_args)))
    return new.results[0]
