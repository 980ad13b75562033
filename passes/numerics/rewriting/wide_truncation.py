"""f64 as f32 rounded to odd, so that a second truncation rounds correctly."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from ....dialects.support.number_types import number_constant, with_number_type

__all__ = ["rounded_to_odd"]


def rounded_to_odd(value: ir.Value) -> ir.Value:
    """Return the f32 next to an f64: itself, or the neighbour whose last bit is 1."""
    single = with_number_type(value.type, ir.F32Type.get())
    bits = with_number_type(value.type, ir.IntegerType.get_signless(32))
    near = arith.truncf(single, value)
    back = arith.extf(value.type, near)
    inexact = arith.cmpf(arith.CmpFPredicate.ONE, back, value)
    word, one = arith.bitcast(bits, near), number_constant(bits, 1)
    is_even = arith.cmpi(arith.CmpIPredicate.eq, arith.andi(word, one), number_constant(bits, 0))
    # The words of negative numbers grow with the size of the number, too: it is sizes that are compared.
    is_negative = arith.cmpi(arith.CmpIPredicate.slt, word, number_constant(bits, 0))
    is_above = arith.cmpf(arith.CmpFPredicate.OGT, back, value)
    is_larger = arith.xori(is_above, is_negative)
    other = arith.addi(word, arith.select(is_larger, number_constant(bits, -1), one))
    return arith.bitcast(single, arith.select(arith.andi(inexact, is_even), other, word))
