"""Sort of one short line by ranks: how many elements of the line stand in front of each.

    words = (key, place) of each element, as integers that all differ
    ranks = 0
    for j < n:
      ranks += words[j] < words  # of all n elements at once, in vectors
    result[ranks[i]] = element[i] for i < n

A place breaks ties, so the sort is stable. A line of n elements takes n * n comparisons, without a branch, and eight of
them or more are one operation: up to about a hundred elements, nothing is faster that keeps the order of equal ones. If
the key leaves no room for the place, j < i breaks ties.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tensor, vector

from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import index_constant
from .loops import loop
from .scalars import integer_of
from .sort_keys import SortedOperand, SortKey, key_bits

__all__ = ["RankSort"]

_LANES = 8
_PLACE_BITS = 16
_LESS = arith.CmpIPredicate.slt

Values = Sequence[ir.Value]


def _word() -> ir.IntegerType:
    return ir.IntegerType.get_signless(64)


def _splat(value: int) -> ir.Value:
    type_ = ir.VectorType.get([_LANES], _word())
    return arith.constant(type_, ir.DenseElementsAttr.get_splat(type_, ir.IntegerAttr.get(_word(), value)))


@frozen
class RankSort:
    """A sort of lines of `size` elements by `key`; `sources` say what the results are."""

    key: SortKey
    size: int
    sources: Sequence[SortedOperand]

    @property
    def _parts(self) -> range:
        """Where the vectors of a line begin."""
        return range(0, self.size, _LANES)

    @property
    def _is_packed(self) -> bool:
        return self.key.width < 64 - _PLACE_BITS

    def scratch(self) -> list[ir.Value]:
        """Build what `sort` needs besides the lines, for all of them."""
        padded = len(self._parts) * _LANES
        copies = [tensor.empty([self.size], source.type) for source in self.sources if not source.is_place]
        return [tensor.empty([padded], _word()), tensor.empty([padded], _word()), *copies]

    def sort(self, keyed: ir.Value, lines: Values, scratch: Values) -> list[ir.Value]:
        """Build the sort of `lines`, one for each of `sources`, by the elements of `keyed`."""
        words, ranks, *copies = scratch
        words, *copies = self._read(keyed, lines, words, copies)
        for number, rank in zip(self._parts, self._ranks(words), strict=True):
            ranks = self._write_part(rank, ranks, number)
        return self._place(ranks, lines, copies)

    def _read(self, keyed: ir.Value, lines: Values, words: ir.Value, copies: Values) -> Values:
        """Build the loop that makes words, and copies of what is moved."""
        copied = [line for line, source in zip(lines, self.sources, strict=True) if not source.is_place]

        def step(place: ir.Value, carried: list[ir.Value]) -> Values:
            elements = [tensor.extract(line, [place]) for line in copied]
            news = [self._word_of(tensor.extract(keyed, [place]), place), *elements]
            return [tensor.insert(new, target, [place]) for new, target in zip(news, carried, strict=True)]

        made = loop(0, self.size, [words, *copies], step)
        zero, end = arith.constant(_word(), 0), len(self._parts) * _LANES
        (padded,) = loop(self.size, end, made[:1], lambda place, carried: [tensor.insert(zero, carried[0], [place])])
        return [padded, *made[1:]]

    def _word_of(self, number: ir.Value, place: ir.Value) -> ir.Value:
        """Build what is compared, as an integer with a sign."""
        bits, word = key_bits(self.key, number), _word()
        if not self._is_packed:
            return arith.xori(bits, arith.constant(word, -(1 << 63)))
        shifted = arith.shli(arith.extui(word, bits), arith.constant(word, _PLACE_BITS))
        return arith.ori(shifted, arith.index_cast(word, place))

    def _map(self) -> ir.AffineMapAttr:
        return ir.AffineMapAttr.get(ir.AffineMap.get_identity(1))

    def _read_part(self, words: ir.Value, first: int) -> ir.Value:
        type_, zero = ir.VectorType.get([_LANES], _word()), arith.constant(_word(), 0)
        return vector.transfer_read(type_, words, [index_constant(first)], self._map(), zero, [True])

    def _write_part(self, part: ir.Value, ranks: ir.Value, first: int) -> ir.Value:
        write = vector.TransferWriteOp(ranks.type, part, ranks, [index_constant(first)], self._map(), in_bounds=[True])
        return write.results[0]

    def _ranks(self, words: ir.Value) -> Values:
        """Build the ranks of all elements, in vectors."""
        parts = [self._read_part(words, first) for first in self._parts]

        def step(place: ir.Value, carried: list[ir.Value]) -> Values:
            one = vector.broadcast(ir.VectorType.get([_LANES], _word()), tensor.extract(words, [place]))
            number = integer_of(place, _word())
            return [
                arith.addi(rank, arith.extui(rank.type, self._is_before(one, part, number, first)))
                for rank, part, first in zip(carried, parts, self._parts, strict=True)
            ]

        return loop(0, self.size, [_splat(0) for _ in self._parts], step)

    def _is_before(self, one: ir.Value, others: ir.Value, number: ir.Value, first: int) -> ir.Value:
        """Build whether the element `one`, at place `number`, stands in front of those from place `first` on."""
        less = arith.cmpi(_LESS, one, others)
        if self._is_packed:
            return less
        attribute = ir.DenseElementsAttr.get(
            [ir.IntegerAttr.get(_word(), first + lane) for lane in range(_LANES)], one.type
        )
        is_later = arith.cmpi(_LESS, vector.broadcast(one.type, number), arith.constant(one.type, attribute))
        is_equal = arith.cmpi(arith.CmpIPredicate.eq, one, others)
        return arith.ori(less, arith.andi(is_equal, is_later))

    def _place(self, ranks: ir.Value, lines: Values, copies: Values) -> list[ir.Value]:
        """Build the loop that writes each element where its rank says."""
        remaining = iter(copies)
        originals = [None if source.is_place else next(remaining) for source in self.sources]

        def step(place: ir.Value, carried: list[ir.Value]) -> Values:
            to = arith.index_castui(ir.IndexType.get(), tensor.extract(ranks, [place]))
            news = [
                integer_of(place, source.type) if original is None else tensor.extract(original, [place])
                for source, original in zip(self.sources, originals, strict=True)
            ]
            return [tensor.insert(new, line, [to]) for new, line in zip(news, carried, strict=True)]

        return list(loop(0, self.size, lines, step))
