"""Vectors of f32, and of the bits of them, with operators that build ops at the current insertion point.

Only `arith` ops and `math.fma` are built: one rounding each, which is the same on any machine, with or without
instructions for it. Nothing carries fast-math flags, so that no later pass may reorder what the error bounds rest on.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as math_ops

__all__ = ["INFINITY", "NAN", "Bits", "Condition", "Floats", "bits_of", "polynomial"]

INFINITY = math.inf
NAN = math.nan


def bits_of(number: float) -> int:
    """Return the bit pattern of `number` in f32, as a signed integer."""
    return struct.unpack("<i", struct.pack("<f", number))[0]


def _splat(type_: ir.Type, element: ir.Attribute) -> ir.Value:
    return arith.constant(type_, ir.DenseElementsAttr.get_splat(type_, element))


class Condition:
    """A vector of i1."""

    def __init__(self, value: ir.Value) -> None:
        self.value = value

    def __and__(self, other: Condition) -> Condition:
        return Condition(arith.andi(self.value, other.value))

    def __or__(self, other: Condition) -> Condition:
        return Condition(arith.ori(self.value, other.value))

    def select(self, yes: Floats | float, no: Floats | float) -> Floats:
        """Return `yes` in the lanes where this holds, `no` in the others; one of them must be a vector."""
        like = yes if isinstance(yes, Floats) else no
        assert isinstance(like, Floats), "the type of the lanes must be known"
        return Floats(arith.select(self.value, like.lift(yes).value, like.lift(no).value))


class Bits:
    """A vector of i32."""

    def __init__(self, value: ir.Value) -> None:
        self.value = value

    def _lift(self, other: Bits | int) -> ir.Value:
        if isinstance(other, Bits):
            return other.value
        return _splat(self.value.type, ir.IntegerAttr.get(ir.IntegerType.get_signless(32), other))

    def __add__(self, other: Bits | int) -> Bits:
        return Bits(arith.addi(self.value, self._lift(other)))

    def __sub__(self, other: Bits | int) -> Bits:
        return Bits(arith.subi(self.value, self._lift(other)))

    def __and__(self, other: Bits | int) -> Bits:
        return Bits(arith.andi(self.value, self._lift(other)))

    def __or__(self, other: Bits | int) -> Bits:
        return Bits(arith.ori(self.value, self._lift(other)))

    def __xor__(self, other: Bits | int) -> Bits:
        return Bits(arith.xori(self.value, self._lift(other)))

    def __lshift__(self, count: int) -> Bits:
        return Bits(arith.shli(self.value, self._lift(count)))

    def __rshift__(self, count: int) -> Bits:
        """Shift, with copies of the sign coming in."""
        return Bits(arith.shrsi(self.value, self._lift(count)))

    def is_zero(self) -> Condition:
        """Tell which lanes are zero."""
        return Condition(arith.cmpi(arith.CmpIPredicate.eq, self.value, self._lift(0)))

    def floats(self) -> Floats:
        """Return the numbers that have these bits."""
        return Floats(arith.bitcast(_with_element(self.value.type, ir.F32Type.get()), self.value))

    def converted(self) -> Floats:
        """Return these integers as numbers."""
        return Floats(arith.sitofp(_with_element(self.value.type, ir.F32Type.get()), self.value))


class Floats:
    """A vector of f32. Comparisons are false in lanes that are NaN."""

    def __init__(self, value: ir.Value) -> None:
        self.value = value

    def lift(self, other: Floats | float) -> Floats:
        """Return `other` as a vector of the same type."""
        if isinstance(other, Floats):
            return other
        return Floats(_splat(self.value.type, ir.FloatAttr.get(ir.F32Type.get(), other)))

    def __add__(self, other: Floats | float) -> Floats:
        return Floats(arith.addf(self.value, self.lift(other).value))

    def __sub__(self, other: Floats | float) -> Floats:
        return Floats(arith.subf(self.value, self.lift(other).value))

    def __rsub__(self, other: float) -> Floats:
        return Floats(arith.subf(self.lift(other).value, self.value))

    def __mul__(self, other: Floats | float) -> Floats:
        return Floats(arith.mulf(self.value, self.lift(other).value))

    def __truediv__(self, other: Floats | float) -> Floats:
        return Floats(arith.divf(self.value, self.lift(other).value))

    def __rtruediv__(self, other: float) -> Floats:
        return Floats(arith.divf(self.lift(other).value, self.value))

    def __neg__(self) -> Floats:
        return Floats(arith.negf(self.value))

    def times_plus(self, factor: Floats | float, term: Floats | float) -> Floats:
        """Return this times `factor` plus `term`, rounded once."""
        return Floats(math_ops.fma(self.value, self.lift(factor).value, self.lift(term).value))

    def abs(self) -> Floats:
        """Return the numbers without their signs."""
        return Floats(math_ops.absf(self.value))

    def sqrt(self) -> Floats:
        """Return the square roots, rounded once."""
        return Floats(math_ops.sqrt(self.value))

    def with_sign_of(self, other: Floats) -> Floats:
        """Return the numbers, which are not negative, with the signs of `other`, zeros and NaN included."""
        return (self.bits() | (other.bits() & bits_of(-0.0))).floats()

    def bits(self) -> Bits:
        """Return the bit patterns."""
        return Bits(arith.bitcast(_with_element(self.value.type, ir.IntegerType.get_signless(32)), self.value))

    def __lt__(self, other: Floats | float) -> Condition:
        return self._compare(arith.CmpFPredicate.OLT, other)

    def __gt__(self, other: Floats | float) -> Condition:
        return self._compare(arith.CmpFPredicate.OGT, other)

    def equals(self, other: Floats | float) -> Condition:
        """Tell where both are the same number; zeros of different sign are."""
        return self._compare(arith.CmpFPredicate.OEQ, other)

    def at_most(self, limit: float) -> Floats:
        """Return `limit` where these numbers are larger; NaN stays."""
        return (self > limit).select(limit, self)

    def at_least(self, limit: float) -> Floats:
        """Return `limit` where these numbers are smaller; NaN stays."""
        return (self < limit).select(limit, self)

    def _compare(self, predicate: arith.CmpFPredicate, other: Floats | float) -> Condition:
        return Condition(arith.cmpf(predicate, self.value, self.lift(other).value))


def _with_element(type_: ir.Type, element: ir.Type) -> ir.VectorType:
    return ir.VectorType.get(ir.VectorType(type_).shape, element)


def polynomial(x: Floats, coefficients: Sequence[float]) -> Floats:
    """Return the polynomial with these coefficients, the constant first, in Horner's form: an fma for each."""
    *lower, highest = coefficients
    total = x.lift(highest)
    for coefficient in reversed(lower):
        total = total.times_plus(x, coefficient)
    return total
