"""Floats of 8 bits as integers: how their bits become those of an f32, and the other way round."""

from __future__ import annotations

import struct
from enum import Enum

from mlir import ir
from mlir.dialects import arith

from ....dialects.support.frozen_classes import frozen
from ....dialects.support.number_types import number_constant, number_type, with_number_type
from .wide_truncation import rounded_to_odd

__all__ = ["SMALL_FLOATS", "convert", "is_converted"]

_F32_MANTISSA, _F32_BIAS = 23, 127
_F32_INFINITY, _F32_NAN, _F32_MOST = 0x7F800000, 0x7FC00000, 0x7FFFFFFF
_SIGN, _REST = 0x80, 0x7F


class _Specials(Enum):
    """What a type has besides finite numbers."""

    IEEE = "infinities and NaN, in the largest exponent"
    FN = "NaN, all bits of exponent and mantissa"
    FNUZ = "NaN, in the place of the negative zero"


@frozen
class _Format:
    """A type of 8 bits, one of which is the sign."""

    mantissa: int
    bias: int
    specials: _Specials

    @property
    def infinity(self) -> int:
        """The bits of infinity, where there is one."""
        return _REST >> self.mantissa << self.mantissa

    @property
    def least_normal(self) -> float:
        """The least positive number that is not subnormal."""
        return 2.0 ** (1 - self.bias)

    @property
    def shift(self) -> int:
        """By how many bits the mantissa of an f32 is longer."""
        return _F32_MANTISSA - self.mantissa

    @property
    def nan(self) -> int:
        """The bits of a NaN, a quiet one where there are others."""
        if self.specials is _Specials.IEEE:
            return self.infinity | 1 << (self.mantissa - 1)
        return _REST if self.specials is _Specials.FN else _SIGN


SMALL_FLOATS = {
    "f8E5M2": _Format(2, 15, _Specials.IEEE),
    "f8E4M3": _Format(3, 7, _Specials.IEEE),
    "f8E3M4": _Format(4, 3, _Specials.IEEE),
    "f8E4M3FN": _Format(3, 7, _Specials.FN),
    "f8E5M2FNUZ": _Format(2, 16, _Specials.FNUZ),
    "f8E4M3FNUZ": _Format(3, 8, _Specials.FNUZ),
    "f8E4M3B11FNUZ": _Format(3, 11, _Specials.FNUZ),
}
"""The types that `convert` knows."""
_WIDE = ("f16", "bf16", "f32", "f64")


def is_converted(source: ir.Type, target: ir.Type) -> bool:
    """Whether `convert` takes numbers or vectors of these types."""
    names = [str(number_type(type_)) for type_ in (source, target)]
    return any(name in SMALL_FLOATS for name in names) and all(name in SMALL_FLOATS or name in _WIDE for name in names)


def convert(value: ir.Value, target: ir.Type) -> ir.Value:
    """Build what a cast of `value` to `target` gives, one of which has 8 bits."""
    source = str(number_type(value.type))
    wanted = str(number_type(target))
    single = with_number_type(value.type, ir.F32Type.get())
    if source in SMALL_FLOATS:
        value = _extended(value, SMALL_FLOATS[source])
    elif source == "f64":
        value = rounded_to_odd(value)
    elif source != "f32":
        value = arith.extf(single, value)
    if wanted in SMALL_FLOATS:
        return _truncated(value, target, SMALL_FLOATS[wanted])
    if wanted == "f32":
        return value
    return arith.extf(target, value) if wanted == "f64" else arith.truncf(target, value)


def _extended(value: ir.Value, format_: _Format) -> ir.Value:
    """A number of 8 bits as an f32."""
    bits = with_number_type(value.type, ir.IntegerType.get_signless(32))
    single = with_number_type(value.type, ir.F32Type.get())
    byte = arith.bitcast(with_number_type(value.type, ir.IntegerType.get_signless(8)), value)
    word = arith.extui(bits, byte)
    rest = arith.andi(word, number_constant(bits, _REST))
    shifted = arith.shli(rest, number_constant(bits, format_.shift))
    # The exponent is too small by the difference of the biases; the product is exact.
    scaled = arith.mulf(arith.bitcast(single, shifted), number_constant(single, 2.0 ** (_F32_BIAS - format_.bias)))
    size = arith.bitcast(bits, scaled)
    if format_.specials is _Specials.IEEE:
        is_special = arith.cmpi(arith.CmpIPredicate.uge, rest, number_constant(bits, format_.infinity))
        special = arith.ori(shifted, number_constant(bits, _F32_INFINITY))
    else:
        found = rest if format_.specials is _Specials.FN else word
        is_special = arith.cmpi(arith.CmpIPredicate.eq, found, number_constant(bits, format_.nan))
        special = number_constant(bits, _F32_NAN)
    size = arith.select(is_special, special, size)
    sign = arith.shli(arith.andi(word, number_constant(bits, _SIGN)), number_constant(bits, 24))
    return arith.bitcast(single, arith.ori(size, sign))


def _truncated(value: ir.Value, target: ir.Type, format_: _Format) -> ir.Value:
    """The number of 8 bits next to an f32."""
    bits = with_number_type(value.type, ir.IntegerType.get_signless(32))
    word = arith.bitcast(bits, value)
    size = arith.andi(word, number_constant(bits, _F32_MOST))
    least_normal = number_constant(bits, _bits(format_.least_normal))
    is_small = arith.cmpi(arith.CmpIPredicate.ult, size, least_normal)
    rest = arith.select(is_small, _subnormal(size, format_), _normal(size, format_))
    is_nan = arith.cmpi(arith.CmpIPredicate.ugt, size, number_constant(bits, _F32_INFINITY))
    sign = arith.andi(arith.shrui(word, number_constant(bits, 24)), number_constant(bits, _SIGN))
    nan = number_constant(bits, format_.nan)
    if format_.specials is _Specials.FNUZ:
        is_nan = arith.ori(is_nan, arith.cmpi(arith.CmpIPredicate.ugt, rest, number_constant(bits, _REST)))
        is_zero = arith.cmpi(arith.CmpIPredicate.eq, rest, number_constant(bits, 0))
        found = arith.select(is_nan, nan, arith.select(is_zero, rest, arith.ori(rest, sign)))
    else:
        most = format_.infinity if format_.specials is _Specials.IEEE else format_.nan
        found = arith.ori(arith.select(is_nan, nan, arith.minui(rest, number_constant(bits, most))), sign)
    byte = arith.trunci(with_number_type(value.type, ir.IntegerType.get_signless(8)), found)
    return arith.bitcast(target, byte)


def _normal(size: ir.Value, format_: _Format) -> ir.Value:
    """The bits of a number that is not subnormal, beyond those of the largest one if it is too large."""
    last = arith.andi(arith.shrui(size, number_constant(size.type, format_.shift)), number_constant(size.type, 1))
    half = number_constant(size.type, (1 << (format_.shift - 1)) - 1)
    rounded = arith.shrui(arith.addi(arith.addi(size, half), last), number_constant(size.type, format_.shift))
    return arith.subi(rounded, number_constant(size.type, (_F32_BIAS - format_.bias) << format_.mantissa))


def _subnormal(size: ir.Value, format_: _Format) -> ir.Value:
    """The bits of a subnormal number: a sum with a number whose last bit is worth as much as theirs rounds it."""
    single = with_number_type(size.type, ir.F32Type.get())
    unit = 2.0 ** (format_.shift + 1 - format_.bias)
    rounded = arith.addf(arith.bitcast(single, size), number_constant(single, unit))
    return arith.subi(arith.bitcast(size.type, rounded), number_constant(size.type, _bits(unit)))


def _bits(number: float) -> int:
    return int.from_bytes(struct.pack("<f", number), "little")
