"""Divisions of integers that cannot trap, whatever the operands are: of scalars, or of vectors lane by lane.

A frontend whose divisions are defined for all numbers replaces divisors that MLIR's are not defined for:

    zero = divisor == 0
    over = (dividend == least) & (divisor == -1)
    quotient = dividend / select(zero | over, 1, divisor)
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import arith

from ....dialects.support.constants import constant_integer, is_splat, number_of
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.number_types import number_type

__all__ = ["SAFE_BITS", "divides_safely", "has_constant_divisor"]

SAFE_BITS = 32
"""Divisions of up to so many bits are done by floats on vectors; of more, lane by lane."""
_WIDTHS = frozenset({8, 16, SAFE_BITS})
_SIGNED = frozenset({"arith.divsi", "arith.remsi"})
_UNSIGNED = frozenset({"arith.divui", "arith.remui"})


def divides_safely(op: ir.Operation) -> bool:
    """Whether `op` is a division or remainder of integers with a divisor that is a constant, or replaced, as needed.

    Linear in the alternatives of the condition.
    """
    if op.name not in _SIGNED | _UNSIGNED:
        return False
    type_ = number_type(op.results[0].type)
    if not isinstance(type_, ir.IntegerType) or type_.width not in _WIDTHS:
        return False
    signed, dividend, divisor = op.name in _SIGNED, op.operands[0], _scalar(op.operands[1])
    if (choice := defining_op(divisor, "arith.select")) is None:
        return _is_safe(divisor, signed)
    condition, replacement, original = choice.operands
    if not _is_safe(_scalar(replacement), signed):
        return False
    alternatives = list(_parts(condition, "arith.ori"))
    return any(_asks(one, original, 0) for one in alternatives) and (
        not signed or any(_overflows(one, dividend, original, type_.width) for one in alternatives)
    )


def has_constant_divisor(op: ir.Operation) -> bool:
    """Whether all lanes of `op`, a division, are divided by one constant."""
    return _number(_scalar(op.operands[1])) is not None


def _scalar(value: ir.Value) -> ir.Value:
    """What all lanes of `value` are, if that is known."""
    while (broadcast := defining_op(value, "vector.broadcast")) is not None:
        value = broadcast.operands[0]
    return value


def _number(value: ir.Value) -> int | None:
    return ir.IntegerAttr(number_of(value)).value if is_splat(value) else constant_integer(value)


def _is_safe(divisor: ir.Value, signed: bool) -> bool:
    number = _number(divisor)
    return number is not None and number != 0 and not (signed and number == -1)


def _parts(condition: ir.Value, operation: str) -> Iterator[ir.Value]:
    """The values that `condition` consists of by an `operation`."""
    condition = _scalar(condition)
    if (op := defining_op(condition, operation)) is None:
        yield condition
        return
    for operand in op.operands:
        yield from _parts(operand, operation)


def _asks(condition: ir.Value, value: ir.Value, number: int) -> bool:
    """Whether `condition` is that `value` is `number`."""
    comparison = defining_op(condition, "arith.cmpi")
    if comparison is None or ir.IntegerAttr(comparison.attributes["predicate"]).value != arith.CmpIPredicate.eq:
        return False
    left, right = map(_scalar, comparison.operands)
    return left == _scalar(value) and _number(right) == number


def _overflows(condition: ir.Value, dividend: ir.Value, divisor: ir.Value, width: int) -> bool:
    """Whether `condition` holds where the least number is divided by -1."""
    least = -(1 << (width - 1))
    return all(_asks(one, divisor, -1) or _asks(one, dividend, least) for one in _parts(condition, "arith.andi"))
