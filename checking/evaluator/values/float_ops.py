"""Floating-point arithmetic, comparisons, and conversions between element types."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .signature import ElementwiseSignature, Function, Maker
from .undefined import split, tidy

__all__ = ["CONVERSIONS", "FLOAT_OPS", "maximum", "select"]

_BUILTIN = 1
"""What NumPy says of its own types."""


def maximum(a: Any, b: Any) -> Any:
    """IEEE's maximum: NaN wins, and 0 is above -0, which NumPy does not promise."""
    return np.where((a == 0) & (b == 0), a + b, np.maximum(a, b))


def _minimum(a: Any, b: Any) -> Any:
    return np.where((a == 0) & (b == 0), -(-a + -b), np.minimum(a, b))


def _ordered(function: Function) -> Function:
    return lambda a, b: function(a, b) & (a == a) & (b == b)  # noqa: PLR0124


def _unordered(function: Function) -> Function:
    return lambda a, b: function(a, b) | (a != a) | (b != b)  # noqa: PLR0124


_RELATIONS = (operator.eq, operator.gt, operator.ge, operator.lt, operator.le, operator.ne)

PREDICATES: tuple[Function, ...] = (
    lambda a, b: (a == a) & (a != a),  # noqa: PLR0124
    *(_ordered(function) for function in _RELATIONS),
    lambda a, b: (a == a) & (b == b),  # noqa: PLR0124
    *(_unordered(function) for function in _RELATIONS),
    lambda a, b: (a != a) | (b != b),  # noqa: PLR0124
    lambda a, b: (a == a) | (a != a),  # noqa: PLR0124
)
"""By predicate: false, ordered relations, ordered, unordered relations, unordered, true."""

FLOAT_OPS: dict[str, Maker] = {
    "arith.addf": lambda _: operator.add,
    "arith.subf": lambda _: operator.sub,
    "arith.mulf": lambda _: operator.mul,
    "arith.divf": lambda _: operator.truediv,
    "arith.remf": lambda _: np.fmod,
    "arith.negf": lambda _: operator.neg,
    "arith.maximumf": lambda _: maximum,
    "arith.minimumf": lambda _: _minimum,
    "arith.maxnumf": lambda _: np.fmax,
    "arith.minnumf": lambda _: np.fmin,
    "arith.cmpf": lambda signature: PREDICATES[signature.predicate],
}


def select(condition: Any, a: Any, b: Any) -> Any:
    """Element by element."""
    return np.where(condition, a, b)


def _cast(signature: ElementwiseSignature) -> Function:
    dtype = signature.results[0].dtype
    return lambda value: value.astype(dtype)


def _extend_unsigned(signature: ElementwiseSignature) -> Function:
    source, dtype = signature.operands[0], signature.results[0].dtype
    return lambda value: source.unsigned(value).astype(dtype)


def _extend_signed(signature: ElementwiseSignature) -> Function:
    source, dtype = signature.operands[0], signature.results[0].dtype
    return lambda value: source.signed(value).astype(dtype)


def _truncate(signature: ElementwiseSignature) -> Function:
    source, result = signature.operands[0], signature.results[0]
    return lambda value: result.stored(source.signed(value))


def _to_integer(wide: type[np.integer[Any]]) -> Maker:
    """Toward zero; through 64 bits, so that narrow types wrap and the rest is what the processor gives."""

    def make(signature: ElementwiseSignature) -> Function:
        result = signature.results[0]
        return lambda value: result.stored(value.astype(np.float64).astype(wide))

    return make


def _bitcast(signature: ElementwiseSignature) -> Function:
    source, result = signature.operands[0], signature.results[0]
    if source.is_bool or result.is_bool:
        return _cast(signature)
    return lambda value: value.view(result.dtype)


def _truncate_float(signature: ElementwiseSignature) -> Function:
    """Rounded once; `ml_dtypes` rounds f64 to f32 first."""
    source, dtype = signature.operands[0].dtype, signature.results[0].dtype
    if source != np.float64 or dtype.isbuiltin == _BUILTIN:
        return _cast(signature)

    def truncate(value: Any) -> Any:
        data, undefined = split(value)
        return tidy(_rounded_to_odd(data).astype(dtype), undefined)

    return truncate


def _rounded_to_odd(value: Any) -> Any:
    """Numbers of f64 as the f32 beside each that ends in 1, unless they are f32; these round as the f64 does."""
    with np.errstate(over="ignore"):
        near = np.asarray(value).astype(np.float32)
    bits, back = near.view(np.uint32), near.astype(np.float64)
    moved = np.where(np.abs(back) < np.abs(value), bits + 1, bits - 1).astype(np.uint32).view(np.float32)
    return np.where((back != value) & (bits & 1 == 0) & ~np.isnan(value), moved, near)[()]


CONVERSIONS: dict[str, Maker] = {
    "arith.extf": _cast,
    "arith.truncf": _truncate_float,
    "arith.extsi": _extend_signed,
    "arith.extui": _extend_unsigned,
    "arith.trunci": _truncate,
    "arith.index_cast": lambda s: _truncate(s) if s.results[0].is_bool else _extend_signed(s),
    "arith.index_castui": lambda s: _truncate(s) if s.results[0].width <= s.operands[0].width else _extend_unsigned(s),
    "arith.sitofp": _extend_signed,
    "arith.uitofp": _extend_unsigned,
    "arith.fptosi": _to_integer(np.int64),
    "arith.fptoui": _to_integer(np.uint64),
    "arith.bitcast": _bitcast,
    "arith.select": lambda _: select,
}
