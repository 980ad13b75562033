"""Floating-point arithmetic, comparisons, and conversions between element types."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .elements import Element
from .signature import ElementwiseSignature, Function, Maker

__all__ = ["CONVERSIONS", "FLOAT_OPS", "maximum", "select"]


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


def _from_unsigned(value: Any, source: Element) -> Any:
    return value.astype(np.uint8) if source.is_bool else value.view(np.dtype(f"u{source.dtype.itemsize}"))


def _extend_unsigned(signature: ElementwiseSignature) -> Function:
    source, dtype = signature.operands[0], signature.results[0].dtype
    return lambda value: _from_unsigned(value, source).astype(dtype)


def _extend_signed(signature: ElementwiseSignature) -> Function:
    source, dtype = signature.operands[0], signature.results[0].dtype
    if source.is_bool:
        return lambda value: (-value.astype(np.int8)).astype(dtype)
    return lambda value: value.astype(dtype)


def _stored(value: Any, result: Element) -> Any:
    """The lowest bits of integers, as the result type has them."""
    return (value & 1).astype(np.bool_) if result.is_bool else value.astype(result.dtype)


def _truncate(signature: ElementwiseSignature) -> Function:
    result = signature.results[0]
    return lambda value: _stored(value, result)


def _to_integer(wide: type[np.integer[Any]]) -> Maker:
    """Toward zero; through 64 bits, so that narrow types wrap and the rest is what the processor gives."""

    def make(signature: ElementwiseSignature) -> Function:
        result = signature.results[0]
        return lambda value: _stored(value.astype(np.float64).astype(wide), result)

    return make


def _bitcast(signature: ElementwiseSignature) -> Function:
    source, result = signature.operands[0], signature.results[0]
    if source.is_bool or result.is_bool:
        return _cast(signature)
    return lambda value: value.view(result.dtype)


CONVERSIONS: dict[str, Maker] = {
    "arith.extf": _cast,
    "arith.truncf": _cast,
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
