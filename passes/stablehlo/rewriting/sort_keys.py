"""Comparators of sorts as keys: unsigned integers whose order is that of the comparator.

A comparator that asks whether `k(a) < k(b)`, with one function `k` of one operand, orders elements as integers do that
are computed of `k(a)` bit by bit: a sort may then look at their digits, or at their minima, and needs no comparator.

| comparator, of numbers x and y | key |
|---|---|
| `compare LT, x, y` of integers | the integer, without its sign bit turned if it has one |
| `compare LT, x, y, TOTALORDER` | the bits of the float; all are turned if it is negative, else the sign bit |
| `compare LT, x, y, FLOAT`; also if NaN is said to be greatest; JAX's | the same, -0 as 0 and NaN as one positive NaN |
| any of these with `GT`, or with x and y swapped | the complement |

`FLOAT` alone says nothing of NaN, which is no strict weak order; NaN is greatest then.
"""

from __future__ import annotations

import enum
from typing import Any

from mlir import ir
from mlir.dialects import arith

from ....dialects.support.cloning import attributes_of, clone_with
from ....dialects.support.defining_ops import defining_op, parent_block
from ....dialects.support.frozen_classes import frozen
from .attributes import comparison_direction, enum_value
from .scalars import as_tensor, as_type, is_unsigned, scalar_of, signless

__all__ = ["KeyOrder", "SortKey", "SortedOperand", "decoded_key", "is_zero_or_nan", "key_bits", "recognized_key"]

_FUNCTIONS = frozenset(
    f"stablehlo.{name}"
    for name in ("abs", "and", "bitcast_convert", "compare", "constant", "convert", "negate", "not", "or", "select")
)
"""Ops that compute the same of the same operands each time."""
_FLOATS = ("f16", "bf16", "f32", "f64")
_NANS = ("0x7E00", "0x7FC0", "0x7FC00000", "0x7FF8000000000000")
"""The positive quiet NaN of each type, as attributes write it."""


class KeyOrder(enum.Enum):
    """How the numbers that are compared are ordered."""

    SIGNED = "signed"
    UNSIGNED = "unsigned"
    TOTAL = "total"
    """Of floats, by sign and bits."""
    NUMBERS = "numbers"
    """Of floats: zeros are equal, NaNs are equal and greatest."""


@frozen
class SortKey:
    """What the comparator compares: `value`, computed of its block argument `argument`, of operand `operand`."""

    operand: int
    argument: ir.Value
    value: ir.Value
    order: KeyOrder
    descending: bool

    @property
    def type(self) -> ir.Type:
        """The type of the numbers that are compared, an integer as a signless one."""
        return signless(ir.RankedTensorType(self.value.type).element_type)

    @property
    def width(self) -> int:
        """How many bits the key has."""
        return int(_width(self.type))

    @property
    def is_element(self) -> bool:
        """Whether the element itself is compared, so that the key tells it, but for zeros and NaN if they are equal."""
        return bool(self.value == self.argument)


@frozen
class SortedOperand:
    """An operand of a sort, of elements of `type`, whose result is used.

    `is_place` if it numbers the elements of each line and is not what is compared: it need not be read then.
    """

    operand: int
    type: ir.Type
    is_place: bool = False


def _width(type_: Any) -> int:
    return int(type_.width)


def recognized_key(op: ir.Operation) -> SortKey | None:
    """Return what the comparator of a `stablehlo.sort` compares, if it is a key. Changes nothing."""
    (block,) = op.regions[0].blocks
    *_, terminator = block.operations
    (decided,) = terminator.operands
    comparison = _before_nan(decided) or defining_op(decided, "stablehlo.compare")
    if comparison is None or comparison_direction(comparison) not in ("LT", "GT"):
        return None
    left, right = comparison.operands
    arguments = list(block.arguments)
    for number in range(len(arguments)):
        if _corresponds(left, right, arguments[number], arguments[number ^ 1], set()):
            order = _order(comparison)
            if order is None:
                return None
            if _is_plain(left, arguments[number]):
                left, order = arguments[number], KeyOrder.NUMBERS
            descending = (comparison_direction(comparison) == "GT") != (number % 2 == 1)
            return SortKey(number // 2, arguments[number], left, order, descending)
    return None


def _order(comparison: ir.Operation) -> KeyOrder | None:
    type_: Any = ir.RankedTensorType(comparison.operands[0].type).element_type
    kind = enum_value(comparison, "compare_type", "NOTYPE")
    if isinstance(type_, ir.FloatType):
        if str(type_) not in _FLOATS:
            return None
        return KeyOrder.TOTAL if kind == "TOTALORDER" else KeyOrder.NUMBERS
    if not isinstance(type_, ir.IntegerType) or type_.width not in (1, 8, 16, 32, 64):
        return None
    return KeyOrder.UNSIGNED if kind == "UNSIGNED" or is_unsigned(type_) else KeyOrder.SIGNED


def _corresponds(
    left: ir.Value, right: ir.Value, one: ir.Value, other: ir.Value, seen: set[tuple[ir.Value, ir.Value]]
) -> bool:
    """Whether `right` is computed of `other` as `left` is of `one`, and both of nothing else."""
    if (left, right) in seen or (left == one and right == other):
        return True
    ops = [op for op in (defining_op(left), defining_op(right)) if op is not None]
    if len(ops) < 2 or any(op.name not in _FUNCTIONS or op.regions for op in ops) or ops[0].name != ops[1].name:
        return False
    if attributes_of(ops[0]) != attributes_of(ops[1]) or left.type != right.type:
        return False
    seen.add((left, right))
    pairs = zip(ops[0].operands, ops[1].operands, strict=True)
    return all(_corresponds(*pair, one, other, seen) for pair in pairs)


def _compares(value: ir.Value, direction: str) -> tuple[ir.Value, ir.Value] | None:
    """The operands, if `value` compares floats in `direction`, NaN unordered."""
    op = defining_op(value, "stablehlo.compare")
    if op is None or comparison_direction(op) != direction or enum_value(op, "compare_type", "FLOAT") != "FLOAT":
        return None
    left, right = op.operands
    return (left, right) if isinstance(ir.RankedTensorType(left.type).element_type, ir.FloatType) else None


def _before_nan(value: ir.Value) -> ir.Operation | None:
    """The comparison `c` of floats in `c or (least is a number and greatest is NaN)`, which makes NaN the greatest."""
    both = defining_op(value, "stablehlo.or")
    beside = defining_op(both.operands[1], "stablehlo.and") if both is not None else None
    if both is None or beside is None:
        return None
    for direction in ("LT", "GT"):
        pair = _compares(both.operands[0], direction)
        if pair is None:
            continue
        least, greatest = pair if direction == "LT" else pair[::-1]
        is_number, is_nan = _compares(beside.operands[0], "EQ"), _compares(beside.operands[1], "NE")
        if is_number == (least, least) and is_nan == (greatest, greatest):
            return defining_op(both.operands[0], "stablehlo.compare")
    return None


def _is_plain(value: ir.Value, argument: ir.Value) -> bool:
    """Whether a float is `argument`, but for 0 that replaces -0, and one positive NaN that replaces any."""
    outer = defining_op(value, "stablehlo.select")
    inner = defining_op(outer.operands[2], "stablehlo.select") if outer is not None else None
    if outer is None or inner is None or inner.operands[2] != argument:
        return False
    zero = _compares(inner.operands[0], "EQ")
    nan = _constant_text(outer.operands[1])
    return (
        _compares(outer.operands[0], "NE") == (argument, argument)
        and zero is not None
        and zero[0] == argument
        and all("dense<0.000000e+00>" in _constant_text(each) for each in (zero[1], inner.operands[1]))
        and any(f"dense<{each}>" in nan for each in _NANS)
    )


def _constant_text(value: ir.Value) -> str:
    op = defining_op(value, "stablehlo.constant")
    return "" if op is None else str(op.attributes["value"])


def _compared(key: SortKey, number: ir.Value) -> ir.Value:
    """Build what the comparator compares of an element."""
    known: dict[ir.Value, ir.Value] = {key.argument: as_tensor(number, key.argument.type)}
    needed, work = set[ir.Operation](), [key.value]
    while work:
        op = defining_op(work.pop())
        if op is not None and op not in needed:
            needed.add(op)
            work += op.operands
    for each in parent_block(key.argument).operations:
        if each.operation in needed:
            clone_with(each.operation, known)
    return scalar_of(known[key.value])


def _all_ones(type_: ir.Type) -> ir.Value:
    return arith.constant(type_, -1)


def _sign_bit(type_: ir.IntegerType) -> ir.Value:
    return arith.constant(type_, -(1 << (type_.width - 1)))


def key_bits(key: SortKey, number: ir.Value) -> ir.Value:
    """Build the key of an element, an integer of `key.width` bits."""
    word = ir.IntegerType.get_signless(key.width)
    compared = number if key.is_element else _compared(key, number)
    if key.order in (KeyOrder.SIGNED, KeyOrder.UNSIGNED):
        bits = as_type(compared, word)
        bits = arith.xori(bits, _sign_bit(word)) if key.order is KeyOrder.SIGNED else bits
    else:
        bits = arith.bitcast(word, compared)
        if key.order is KeyOrder.NUMBERS:
            zero = arith.constant(compared.type, 0.0)
            bits = arith.select(arith.cmpf(arith.CmpFPredicate.OEQ, compared, zero), arith.constant(word, 0), bits)
            nan = arith.bitcast(word, arith.constant(compared.type, float("nan")))
            bits = arith.select(arith.cmpf(arith.CmpFPredicate.UNO, compared, compared), nan, bits)
        turned = arith.shrsi(bits, arith.constant(word, key.width - 1))
        bits = arith.xori(bits, arith.ori(turned, _sign_bit(word)))
    return arith.xori(bits, _all_ones(word)) if key.descending else bits


def decoded_key(key: SortKey, bits: ir.Value) -> ir.Value:
    """Build the number that `bits` is the key of; any zero and any NaN if the order is `KeyOrder.NUMBERS`."""
    word = ir.IntegerType(bits.type)
    bits = arith.xori(bits, _all_ones(word)) if key.descending else bits
    if key.order in (KeyOrder.SIGNED, KeyOrder.UNSIGNED):
        bits = arith.xori(bits, _sign_bit(word)) if key.order is KeyOrder.SIGNED else bits
        return as_type(bits, ir.RankedTensorType(key.value.type).element_type)
    turned = arith.xori(arith.shrsi(bits, arith.constant(word, key.width - 1)), _all_ones(word))
    return arith.bitcast(key.type, arith.xori(bits, arith.ori(turned, _sign_bit(word))))


def is_zero_or_nan(number: ir.Value) -> ir.Value:
    """Build whether a float is 0, -0 or NaN."""
    return arith.cmpf(arith.CmpFPredicate.UEQ, number, arith.constant(number.type, 0.0))
