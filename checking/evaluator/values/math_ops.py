"""The math dialect. What IEEE does not fix comes from the C library, as in compiled code, so that digits agree.

Narrower floats are computed in f32 and rounded, as the lowering does.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .elements import Element, by_element
from .errors import EvaluationError
from .signature import ElementwiseSignature, Function, Maker

__all__ = ["MATH_OPS"]


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m"))


@cache
def _c_function(name: str, arity: int, *, single: bool) -> Function:
    """A function of the C library on arrays of f32 (`single`) or f64."""
    number = ctypes.c_float if single else ctypes.c_double
    function = _library()[f"{name}f" if single else name]
    function.argtypes, function.restype = [number] * arity, number
    return by_element(function, arity, np.dtype(np.float32 if single else np.float64))


def _widened(element: Element, function: Function) -> Function:
    """`function` in f32 for narrower types."""
    if element.width >= 32:
        return function
    return lambda *values: function(*(value.astype(np.float32) for value in values)).astype(element.dtype)


def _libm(name: str, arity: int = 1) -> Maker:
    def make(signature: ElementwiseSignature) -> Function:
        element = signature.operands[0]
        if element.kind != "float":
            raise EvaluationError(f"elements of type {element.spelling} are not supported here; floats are")
        return _widened(element, _c_function(name, arity, single=element.width <= 32))

    return make


def _numpy(function: Function) -> Maker:
    return lambda signature: _widened(signature.operands[0], function)


def _expm1(signature: ElementwiseSignature) -> Function:
    """By exp and its logarithm, as it is expanded; a difference would leave nothing of small numbers."""
    element = signature.operands[0]
    exp, log = (_c_function(name, 1, single=element.width <= 32) for name in ("exp", "log"))

    def expm1(value: Any) -> Any:
        one = value.dtype.type(1)
        power = exp(value)
        difference = power - one
        corrected = difference * (value / log(power))
        is_far = (difference == -one) | (power + one == power)
        return np.where(power == one, value, np.where(is_far, difference, corrected))[()]

    return _widened(element, expm1)


def _rsqrt(value: Any) -> Any:
    return value.dtype.type(1) / np.sqrt(value)


def _integer_power(signature: ElementwiseSignature) -> Function:
    element = signature.operands[0]

    def power(base: Any, exponent: Any) -> Any:
        result = pow(int(base), abs(int(exponent)))
        if exponent < 0:
            if base == 0:
                raise EvaluationError("division by zero")
            result = result if abs(int(base)) == 1 else 0
        return element.wrap(result)

    return by_element(power, 2, element.dtype)


def _fpowi(signature: ElementwiseSignature) -> Function:
    """By repeated squaring, as it is expanded."""
    element = signature.operands[0]

    def power(base: Any, exponent: Any) -> Any:
        one = np.ones_like(base)
        result, factor, left = one, base, np.abs(exponent)
        while np.any(left > 0):
            result = np.where((left & 1) == 1, result * factor, result)
            factor, left = factor * factor, left >> 1
        return np.where(exponent < 0, one / result, result)

    if element.width >= 32:
        return power
    return lambda base, exponent: power(base.astype(np.float32), exponent).astype(element.dtype)


def _bits(count: Callable[[int, int], int]) -> Maker:
    """A function of an integer's bits and width."""

    def make(signature: ElementwiseSignature) -> Function:
        element = signature.operands[0]
        mask = (1 << element.width) - 1
        return by_element(lambda value: count(int(value) & mask, element.width), 1, element.dtype)

    return make


def _sincos(signature: ElementwiseSignature) -> Function:
    parts = [_libm("sin")(signature), _libm("cos")(signature)]
    return lambda value: tuple(part(value) for part in parts)


def _is_normal(signature: ElementwiseSignature) -> Function:
    import ml_dtypes

    least = ml_dtypes.finfo(signature.operands[0].dtype).smallest_normal
    return lambda value: np.isfinite(value) & (np.abs(value) >= least)


def _clamp(value: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(value, low), high)


_SAME_NAME = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2")

MATH_OPS: dict[str, Maker] = {
    **{f"math.{name}": _libm(name) for name in (*_SAME_NAME, "log", "log10", "log2", "sin", "sinh", "tan", "tanh")},
    "math.atan2": _libm("atan2", 2),
    "math.powf": _libm("pow", 2),
    "math.log1p": _libm("log1p"),
    "math.expm1": _expm1,
    "math.sincos": _sincos,
    "math.fma": _libm("fma", 3),
    "math.rsqrt": _numpy(_rsqrt),
    "math.sqrt": _numpy(np.sqrt),
    "math.absf": lambda _: np.abs,
    "math.absi": lambda s: lambda value: s.operands[0].stored(np.abs(s.operands[0].signed(value))),
    "math.ceil": _numpy(np.ceil),
    "math.floor": _numpy(np.floor),
    "math.trunc": _numpy(np.trunc),
    "math.roundeven": _numpy(np.rint),
    "math.round": _libm("round"),
    "math.copysign": _numpy(np.copysign),
    "math.clampf": _numpy(_clamp),
    "math.fpowi": _fpowi,
    "math.ipowi": _integer_power,
    "math.ctlz": _bits(lambda bits, width: width - bits.bit_length()),
    "math.cttz": _bits(lambda bits, width: (bits & -bits).bit_length() - 1 if bits else width),
    "math.ctpop": _bits(lambda bits, width: bits.bit_count()),
    "math.isnan": lambda _: np.isnan,
    "math.isinf": lambda _: np.isinf,
    "math.isfinite": lambda _: np.isfinite,
    "math.isnormal": _is_normal,
}
