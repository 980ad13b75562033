"""Quotients and remainders of integers, by floats that have more digits: processors divide no vectors of integers.

a / b for |a|, |b| <= 2^w is rounded to a float q of p digits, then cut off. Both are exact as floats. A quotient that
is no integer is at least 1 / |b| from the next one n, which is |a / b| / |a|, so at least 2^-w of it; rounding moves it
by 2^-p of it or less, and p is larger than w. So q is not n, and on the same side of it. Integers of up to 16 bits are
divided in f32 (24 digits), those of 32 bits in f64 (53).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mlir import ir
from mlir.dialects import arith

from ....dialects.support.number_types import with_number_type

__all__ = ["QUOTIENTS"]

_IN_F32 = 16
"""Integers of so many bits have quotients in f32."""
Values = Sequence[ir.Value]


def _quotient(left: ir.Value, right: ir.Value, *, signed: bool) -> ir.Value:
    width = ir.IntegerType(ir.VectorType(left.type).element_type).width
    wide = with_number_type(left.type, ir.F32Type.get() if width <= _IN_F32 else ir.F64Type.get())
    to_float, to_integer = (arith.sitofp, arith.fptosi) if signed else (arith.uitofp, arith.fptoui)
    return to_integer(left.type, arith.divf(to_float(wide, left), to_float(wide, right)))


def _remainder(left: ir.Value, right: ir.Value, *, signed: bool) -> ir.Value:
    return arith.subi(left, arith.muli(_quotient(left, right, signed=signed), right))


def _each(build: Callable[..., ir.Value], *, signed: bool) -> Callable[[Values, Values], list[ir.Value]]:
    return lambda lefts, rights: [build(left, right, signed=signed) for left, right in zip(lefts, rights, strict=True)]


QUOTIENTS: Mapping[str, Callable[[Values, Values], list[ir.Value]]] = {
    "divsi": _each(_quotient, signed=True),
    "divui": _each(_quotient, signed=False),
    "remsi": _each(_remainder, signed=True),
    "remui": _each(_remainder, signed=False),
}
"""Names of ops of `arith` -> what builds them for several vectors."""
