"""Sort of one line by the digits of its keys: bytes, least significant first.

    records = (key, place) of each element
    for each byte of the keys, less the least one:
      counts = how many records have each value of the byte; the sums of those below, where the first goes
      scratch = the records, each at its count, which grows by 1
      swap records and scratch
    results = elements of the places, or keys turned back

Each pass keeps the order of records whose bytes are equal, so the sort is stable. A line of n elements takes n steps
for each byte, without a branch that depends on elements. Less the least one, small integers have few bytes: pairs of
bytes, from the highest on, that are 0 in all keys then take no pass. A record is one word of 64 bits if the key has 32
at most. It has no place if the key tells the element and nothing else is moved.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, math, scf, tensor

from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number, index_constant
from .loops import loop
from .scalars import as_type, signless
from .sort_keys import KeyOrder, SortedOperand, SortKey, decoded_key, is_zero_or_nan, key_bits

__all__ = ["RadixSort"]

_BITS = 8
_COUNTS = 1 << _BITS

Values = Sequence[ir.Value]


def _integer(width: int) -> ir.IntegerType:
    return ir.IntegerType.get_signless(width)


def _to_index(number: ir.Value) -> ir.Value:
    return arith.index_castui(ir.IndexType.get(), number)


@frozen
class RadixSort:
    """A sort of lines of `size` elements by `key`; `sources` say what the results are."""

    key: SortKey
    size: int
    sources: Sequence[SortedOperand]

    def _is_told(self, source: SortedOperand) -> bool:
        """Whether keys tell the elements, but for zeros and NaN."""
        return source.operand == self.key.operand and self.key.is_element

    def _is_copied(self, source: SortedOperand) -> bool:
        return not source.is_place and not (self._is_told(source) and self.key.order is not KeyOrder.NUMBERS)

    @property
    def _has_places(self) -> bool:
        return any(source.is_place or self._is_copied(source) for source in self.sources)

    @property
    def _is_packed(self) -> bool:
        return self._has_places and self.key.width <= 32

    @property
    def _field_types(self) -> list[ir.Type]:
        if self._is_packed:
            return [_integer(64)]
        return [_integer(max(self.key.width, 8)), *([_integer(32)] if self._has_places else [])]

    def scratch(self) -> list[ir.Value]:
        """Build what `sort` needs besides the lines, for all of them."""
        copies = [source.type for source in self.sources if self._is_copied(source)]
        lines = [tensor.empty([self.size], type_) for type_ in (*self._field_types, *self._field_types, *copies)]
        return [*lines, tensor.empty([_COUNTS], _integer(32))]

    def sort(self, keyed: ir.Value, lines: Values, scratch: Values) -> list[ir.Value]:
        """Build the sort of `lines`, one for each of `sources`, by the elements of `keyed`."""
        count = len(self._field_types)
        records, others, copies = scratch[:count], scratch[count : 2 * count], scratch[2 * count : -1]
        records, copies, (least, greatest) = self._read(keyed, lines, records, copies)
        base = self._word(least)
        digits = -(-self.key.width // _BITS)

        def pass_twice(level: ir.Value, carried: list[ir.Value]) -> Values:
            first = arith.muli(level, index_constant(2))
            targets, counts = self._pass(first, base, carried[:count], carried[count:-1], carried[-1])
            second = arith.addi(first, index_constant(1))
            return [*reversed_halves(self._pass(second, base, targets, carried[:count], counts), targets)]

        def reversed_halves(passed: tuple[Values, ir.Value], targets: Values) -> Values:
            return [*passed[0], *targets, passed[1]]

        *both, counts = loop(0, self._pairs(least, greatest), [*records, *others, scratch[-1]], pass_twice)
        records, others = both[:count], both[count:]
        if digits % 2:
            records, _ = self._pass(index_constant(digits - 1), base, records, others, counts)
        return self._write(records, lines, copies)

    def _read(self, keyed: ir.Value, lines: Values, records: Values, copies: Values) -> tuple[Values, Values, Values]:
        """Build the loop that makes records, copies of what is read again, and the least and the greatest key."""
        copied = [line for line, source in zip(lines, self.sources, strict=True) if self._is_copied(source)]
        word = _integer(self.key.width)

        def step(place: ir.Value, carried: list[ir.Value]) -> Values:
            least, greatest, *targets = carried
            bits = key_bits(self.key, tensor.extract(keyed, [place]))
            news = [*self._fields(bits, place), *(tensor.extract(line, [place]) for line in copied)]
            stored = [tensor.insert(new, target, [place]) for new, target in zip(news, targets, strict=True)]
            return [arith.minui(least, bits), arith.maxui(greatest, bits), *stored]

        ends = arith.constant(word, -1), arith.constant(word, 0)
        least, greatest, *made = loop(0, self.size, [*ends, *records, *copies], step)
        return made[: len(records)], made[len(records) :], (least, greatest)

    def _pairs(self, least: ir.Value, greatest: ir.Value) -> Number:
        """How many pairs of bytes the keys have, from the lowest on, that are not all alike without `least`."""
        if self.key.width <= _BITS:
            return 0
        word = _integer(self.key.width)
        bits = arith.subi(arith.constant(word, self.key.width), math.ctlz(arith.subi(greatest, least)))
        pairs = arith.divui(arith.addi(bits, arith.constant(word, 2 * _BITS - 1)), arith.constant(word, 2 * _BITS))
        return _to_index(pairs)

    def _word(self, bits: ir.Value) -> ir.Value:
        """Build the first field of a record with a key and without a place."""
        wide = self._field_types[0]
        word = bits if bits.type == wide else arith.extui(wide, bits)
        return arith.shli(word, arith.constant(wide, 32)) if self._is_packed else word

    def _fields(self, bits: ir.Value, place: ir.Value) -> list[ir.Value]:
        word = self._word(bits)
        if self._is_packed:
            return [arith.ori(word, arith.index_cast(word.type, place))]
        return [word, arith.index_cast(_integer(32), place)] if self._has_places else [word]

    def _pass(
        self, digit: ir.Value, base: ir.Value, sources: Values, targets: Values, counts: ir.Value
    ) -> tuple[Values, ir.Value]:
        """Build the sort of `sources` into `targets` by one byte of the keys, without that of `base`."""
        word, number = self._field_types[0], _integer(32)
        shift = arith.index_cast(word, arith.muli(digit, index_constant(_BITS)))
        shift = arith.addi(shift, arith.constant(word, 32)) if self._is_packed else shift
        mask = arith.constant(word, -1 if ir.IntegerType(word).width == _BITS else _COUNTS - 1)
        zero, one = (arith.constant(number, value) for value in (0, 1))

        def bucket(field: ir.Value) -> ir.Value:
            return _to_index(arith.andi(arith.shrui(arith.subi(field, base), shift), mask))

        def count(place: ir.Value, carried: list[ir.Value]) -> Values:
            at = [bucket(tensor.extract(sources[0], [place]))]
            return [tensor.insert(arith.addi(tensor.extract(carried[0], at), one), carried[0], at)]

        def start(place: ir.Value, carried: list[ir.Value]) -> Values:
            below, sums = carried
            here = tensor.extract(sums, [place])
            return [arith.addi(below, here), tensor.insert(below, sums, [place])]

        def move(place: ir.Value, carried: list[ir.Value]) -> Values:
            *lines, starts = carried
            fields = [tensor.extract(source, [place]) for source in sources]
            at = [bucket(fields[0])]
            to = tensor.extract(starts, at)
            moved = [tensor.insert(field, line, [_to_index(to)]) for field, line in zip(fields, lines, strict=True)]
            return [*moved, tensor.insert(arith.addi(to, one), starts, at)]

        (counts,) = loop(0, _COUNTS, [counts], lambda place, carried: [tensor.insert(zero, carried[0], [place])])
        (counts,) = loop(0, self.size, [counts], count)
        _, counts = loop(0, _COUNTS, [zero, counts], start)
        *moved, counts = loop(0, self.size, [*targets, counts], move)
        return moved, counts

    def _write(self, records: Values, lines: Values, copies: Values) -> list[ir.Value]:
        """Build the loop that makes results of sorted records."""
        remaining = iter(copies)
        originals = [next(remaining) if self._is_copied(source) else None for source in self.sources]

        def step(place: ir.Value, carried: list[ir.Value]) -> Values:
            fields = [tensor.extract(record, [place]) for record in records]
            found = [self._element(*each, fields) for each in zip(self.sources, originals, strict=True)]
            return [tensor.insert(new, line, [place]) for new, line in zip(found, carried, strict=True)]

        return list(loop(0, self.size, lines, step))

    def _element(self, source: SortedOperand, original: ir.Value | None, fields: Values) -> ir.Value:
        """Build the element of a result that a record stands for."""
        place = arith.trunci(_integer(32), fields[0]) if self._is_packed else fields[-1]
        if source.is_place:
            word = ir.IntegerType(signless(source.type))
            return as_type(place if word.width == 32 else arith.extui(word, place), source.type)
        if original is not None and not self._is_told(source):
            return tensor.extract(original, [_to_index(place)])
        bits = fields[0]
        if self._is_packed:
            bits = arith.shrui(bits, arith.constant(bits.type, 32))
        if bits.type != _integer(self.key.width):
            bits = arith.trunci(_integer(self.key.width), bits)
        number = decoded_key(self.key, bits)
        if original is None:
            return number
        choice = scf.IfOp(is_zero_or_nan(number), [number.type], has_else=True)
        with ir.InsertionPoint(choice.regions[0].blocks[0]):
            scf.YieldOp([tensor.extract(original, [_to_index(place)])])
        with ir.InsertionPoint(choice.regions[1].blocks[0]):
            scf.YieldOp([number])
        return choice.results[0]
