"""Loops on integers, for the ops `gcd` and `power` of `decompositions/native_ops.py`."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from .native_loops import of_elements, while_loop

__all__ = ["common_divisor", "power"]

Values = Sequence[ir.Value]
Types = Sequence[ir.Type]


def common_divisor(operands: Values, types: Types) -> Values:
    """The greatest common divisor of two elements; of the least number and zero it is that number, as in PyTorch."""
    zero = arith.constant(ir.RankedTensorType(types[0]).element_type, 0)

    def absolute(number: ir.Value) -> ir.Value:
        is_negative = arith.cmpi(arith.CmpIPredicate.slt, number, zero)
        return arith.select(is_negative, arith.subi(zero, number), number)

    def goes_on(carried: list[ir.Value]) -> ir.Value:
        return arith.cmpi(arith.CmpIPredicate.ne, carried[0], zero)

    def step(carried: list[ir.Value]) -> Values:
        divisor, number = carried
        return [arith.remsi(number, divisor), divisor]

    return of_elements(operands, types[0], lambda given: while_loop(list(map(absolute, given)), goes_on, step)[1])


def power(operands: Values, types: Types) -> Values:
    """One element to the power of the other, by squares; with a negative exponent what is left of a quotient of 1."""
    type_ = ir.RankedTensorType(types[0]).element_type
    zero, one, minus = (arith.constant(type_, number) for number in (0, 1, -1))

    def goes_on(carried: list[ir.Value]) -> ir.Value:
        return arith.cmpi(arith.CmpIPredicate.ne, carried[1], zero)

    def step(carried: list[ir.Value]) -> Values:
        square, left, found = carried
        is_odd = arith.trunci(ir.IntegerType.get_signless(1), left)
        found = arith.select(is_odd, arith.muli(found, square), found)
        return [arith.muli(square, square), arith.shrui(left, one), found]

    def of_one(given: Values) -> ir.Value:
        base, exponent = given
        is_negative = arith.cmpi(arith.CmpIPredicate.slt, exponent, zero)
        is_unit = arith.ori(*(arith.cmpi(arith.CmpIPredicate.eq, base, unit) for unit in (one, minus)))
        # The powers of 1 and -1 are those with the last bit of the exponent.
        counted = arith.select(is_negative, arith.andi(exponent, one), exponent)
        found = while_loop([base, counted, one], goes_on, step)[2]
        return arith.select(is_negative, arith.select(is_unit, found, zero), found)

    return of_elements(operands, types[0], of_one)
