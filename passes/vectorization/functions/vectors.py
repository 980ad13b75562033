"""Vectors of f32 or f64, of their bits, and of masks, with operators that build ops at the current insertion point.

Only `arith` ops and `math.fma`, `absf`, `floor`, `trunc` and `sqrt` are built: each rounds once, with the same result
on any machine. None has fast-math flags, so that no later pass may reorder what the error bounds rest on.

Each object represents several vectors that are computed in lockstep: each op is built for all of them before the next
one. A polynomial is a chain in which each step depends on the one before; the processor overlaps the steps of other
vectors that are next to it, and all of them use the same constant at the same time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as math_ops

from ....dialects.support.number_types import number_constant, number_type, with_number_type
from .formats import FORMATS, Both, Format

__all__ = ["INFINITY", "NAN", "Bits", "Floats", "Mask", "polynomial"]

INFINITY = math.inf
NAN = math.nan


def _each(build: Callable[..., ir.Value], *operands: Sequence[ir.Value]) -> list[ir.Value]:
    """Build an op for each of the vectors."""
    return [build(*one) for one in zip(*operands, strict=True)]


def _splat(like: Sequence[ir.Value], number: float) -> list[ir.Value]:
    """Return a constant for each of `like`, the same one."""
    type_ = like[0].type
    return [number_constant(type_, number)] * len(like)


class _Vectors:
    """Vectors of one type."""

    def __init__(self, values: Sequence[ir.Value]) -> None:
        self.values = values


class Mask(_Vectors):
    """Vectors of i1."""

    def select(self, yes: Floats | float, no: Floats | float) -> Floats:
        """Return `yes` in the lanes where the mask is set, `no` in the others; one of them must be a vector."""
        like = yes if isinstance(yes, Floats) else no
        assert isinstance(like, Floats), "the type of the lanes must be known"
        return Floats(_each(arith.select, self.values, like.lift(yes).values, like.lift(no).values))

    def __and__(self, other: Mask) -> Mask:
        return Mask(_each(arith.andi, self.values, other.values))

    def __or__(self, other: Mask) -> Mask:
        return Mask(_each(arith.ori, self.values, other.values))

    def __xor__(self, other: Mask) -> Mask:
        return Mask(_each(arith.xori, self.values, other.values))


class Bits(_Vectors):
    """Vectors of i32 or i64."""

    @property
    def format(self) -> Format:
        """The format of numbers with so many bits."""
        return FORMATS[str(number_type(self.values[0].type)).replace("i", "f")]

    def _lift(self, other: Bits | int) -> Sequence[ir.Value]:
        if isinstance(other, Bits):
            return other.values
        return _splat(self.values, other)

    def __add__(self, other: Bits | int) -> Bits:
        return Bits(_each(arith.addi, self.values, self._lift(other)))

    def __sub__(self, other: Bits | int) -> Bits:
        return Bits(_each(arith.subi, self.values, self._lift(other)))

    def __rsub__(self, other: int) -> Bits:
        return Bits(_each(arith.subi, self._lift(other), self.values))

    def __and__(self, other: Bits | int) -> Bits:
        return Bits(_each(arith.andi, self.values, self._lift(other)))

    def __or__(self, other: Bits | int) -> Bits:
        return Bits(_each(arith.ori, self.values, self._lift(other)))

    def __xor__(self, other: Bits | int) -> Bits:
        return Bits(_each(arith.xori, self.values, self._lift(other)))

    def __lshift__(self, count: int) -> Bits:
        return Bits(_each(arith.shli, self.values, self._lift(count)))

    def __rshift__(self, count: int) -> Bits:
        """Shift, with zeros coming in: before AVX-512 there is no other shift of i64."""
        return Bits(_each(arith.shrui, self.values, self._lift(count)))

    def shifted_with_sign(self, count: int) -> Bits:
        """Shift right, with copies of the sign coming in."""
        return Bits(_each(arith.shrsi, self.values, self._lift(count)))

    def is_below(self, limit: int) -> Mask:
        """Tell which lanes are below `limit` as numbers without a sign."""
        return Mask(_each(partial(arith.cmpi, arith.CmpIPredicate.ult), self.values, self._lift(limit)))

    def is_at_least(self, limit: int) -> Mask:
        """Tell which lanes are not below `limit` as numbers without a sign."""
        return Mask(_each(partial(arith.cmpi, arith.CmpIPredicate.uge), self.values, self._lift(limit)))

    def is_zero(self) -> Mask:
        """Tell which lanes are zero."""
        return Mask(_each(partial(arith.cmpi, arith.CmpIPredicate.eq), self.values, self._lift(0)))

    def floats(self) -> Floats:
        """Return the numbers that have these bits."""
        return Floats(_cast(arith.bitcast, self.values, self._float_type()))

    def rounded(self) -> Floats:
        """Return the integers as numbers, rounded once."""
        return Floats(_cast(arith.sitofp, self.values, self._float_type()))

    def _float_type(self) -> ir.Type:
        return ir.F32Type.get() if self.format.width == 32 else ir.F64Type.get()


class Floats(_Vectors):
    """Vectors of f32 or f64. Comparisons are false in lanes that are NaN."""

    @property
    def format(self) -> Format:
        """The format of the numbers."""
        return FORMATS[str(number_type(self.values[0].type))]

    def lift(self, other: Floats | float) -> Floats:
        """Return `other` as a vector of the same type."""
        if isinstance(other, Floats):
            return other
        return Floats(_splat(self.values, other))

    def __add__(self, other: Floats | float) -> Floats:
        return Floats(_each(arith.addf, self.values, self.lift(other).values))

    def __sub__(self, other: Floats | float) -> Floats:
        return Floats(_each(arith.subf, self.values, self.lift(other).values))

    def __rsub__(self, other: float) -> Floats:
        return Floats(_each(arith.subf, self.lift(other).values, self.values))

    def __mul__(self, other: Floats | float) -> Floats:
        return Floats(_each(arith.mulf, self.values, self.lift(other).values))

    def __truediv__(self, other: Floats | float) -> Floats:
        return Floats(_each(arith.divf, self.values, self.lift(other).values))

    def __rtruediv__(self, other: float) -> Floats:
        return Floats(_each(arith.divf, self.lift(other).values, self.values))

    def __neg__(self) -> Floats:
        return Floats(_each(arith.negf, self.values))

    def times_plus(self, factor: Floats | float, term: Floats | float) -> Floats:
        """Return this times `factor` plus `term`, rounded once."""
        return Floats(_each(math_ops.fma, self.values, self.lift(factor).values, self.lift(term).values))

    def abs(self) -> Floats:
        """Return the numbers without their signs."""
        return Floats(_each(math_ops.absf, self.values))

    def sqrt(self) -> Floats:
        """Return the square roots, rounded once."""
        return Floats(_each(math_ops.sqrt, self.values))

    def floor(self) -> Floats:
        """Return the largest integers that are not larger."""
        return Floats(_each(math_ops.floor, self.values))

    def trunc(self) -> Floats:
        """Return the integers next to these numbers, towards zero."""
        return Floats(_each(math_ops.trunc, self.values))

    def with_sign_of(self, other: Floats) -> Floats:
        """Return the numbers, which are not negative, with the signs of `other`, zeros and NaN included."""
        return (self.bits() | (other.bits() & self.format.bits_of(-0.0))).floats()

    def bits(self) -> Bits:
        """Return the bit patterns."""
        return Bits(_cast(arith.bitcast, self.values, ir.IntegerType.get_signless(self.format.width)))

    def __ge__(self, other: Floats | float) -> Mask:
        return self._compare(arith.CmpFPredicate.OGE, other)

    def __lt__(self, other: Floats | float) -> Mask:
        return self._compare(arith.CmpFPredicate.OLT, other)

    def __gt__(self, other: Floats | float) -> Mask:
        return self._compare(arith.CmpFPredicate.OGT, other)

    def equals(self, other: Floats | float) -> Mask:
        """Tell where both are the same number; zeros of different sign are."""
        return self._compare(arith.CmpFPredicate.OEQ, other)

    def differs(self, other: Floats | float) -> Mask:
        """Tell where both are different numbers, or one is NaN."""
        return self._compare(arith.CmpFPredicate.UNE, other)

    def at_most(self, limit: float) -> Floats:
        """Return `limit` where these numbers are larger; NaN stays."""
        return (self > limit).select(limit, self)

    def at_least(self, limit: float) -> Floats:
        """Return `limit` where these numbers are smaller; NaN stays."""
        return (self < limit).select(limit, self)

    def _compare(self, predicate: arith.CmpFPredicate, other: Floats | float) -> Mask:
        return Mask(_each(partial(arith.cmpf, predicate), self.values, self.lift(other).values))


def _cast(build: Callable[..., ir.Value], values: Sequence[ir.Value], element: ir.Type) -> list[ir.Value]:
    return _each(partial(build, with_number_type(values[0].type, element)), values)


_LONG, _LOWEST = 11, 4
"""From how many coefficients on a polynomial has two chains, and how many of them come after these."""


def polynomial(x: Floats, coefficients: Both[tuple[float, ...]], *, start: Sequence[float] = ()) -> Floats:
    """Return the polynomial with these coefficients, the constant first, in Horner's form: an fma for each.

    `start` are coefficients before the others, the same ones in each format. A long polynomial has its even and its odd
    powers in two chains, which take half of the time; not those of the lowest powers, which the result depends on most.
    """
    own = coefficients.of(x.format)
    if len(own) < _LONG:
        return _horner(x, (*start, *own))
    square = x * x
    first, rest = (*start, *own[:_LOWEST]), own[_LOWEST:]
    total = _horner(square, rest[1::2]).times_plus(x, _horner(square, rest[::2]))
    return _continued(x, total, first)


def _horner(x: Floats, coefficients: Sequence[float]) -> Floats:
    return _continued(x, x.lift(coefficients[-1]), coefficients[:-1])


def _continued(x: Floats, total: Floats, coefficients: Sequence[float]) -> Floats:
    """Return `total` as the factor of the next power after those of `coefficients`."""
    for coefficient in reversed(coefficients):
        total = total.times_plus(x, coefficient)
    return total
