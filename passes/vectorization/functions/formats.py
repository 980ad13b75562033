"""The formats of floats that functions are computed in, and constants that each format has its own of."""

from __future__ import annotations

import struct
from typing import Generic, TypeVar

from ....dialects.support.frozen_classes import frozen

__all__ = ["FORMATS", "Both", "Format"]

T = TypeVar("T")


@frozen
class Format:
    """A format of IEEE 754.

    Attributes:
        width: how many bits a number has.
        mantissa: how many bits of the fraction are stored.
        bias: what is added to the exponent of 2.
    """

    width: int
    mantissa: int
    bias: int

    @property
    def rounder(self) -> float:
        """1.5 * 2^23 in f32: adding it rounds to an integer, ties to even."""
        return 1.5 * 2.0**self.mantissa

    @property
    def least_normal(self) -> float:
        """The smallest positive number with all of its digits."""
        return 2.0 ** (1 - self.bias)

    def bits_of(self, number: float) -> int:
        """Return the bit pattern of `number`, as a signed integer."""
        codes = "fi" if self.width == 32 else "dq"
        return struct.unpack(f"<{codes[1]}", struct.pack(f"<{codes[0]}", number))[0]


FORMATS = {"f32": Format(32, 23, 127), "f64": Format(64, 52, 1023)}
"""The formats by the names of their types."""


@frozen
class Both(Generic[T]):
    """A constant of f32 and the one of f64: coefficients of a degree, parts of a number, where a formula begins."""

    f32: T
    f64: T

    def of(self, format_: Format) -> T:
        """Return the constant for `format_`."""
        return self.f32 if format_.width == 32 else self.f64
