"""Integer arithmetic on arrays and NumPy scalars.

Everything wraps. NumPy computes signed: unsigned ops look at the same bits as unsigned, and i1, which NumPy takes for
truth values, is computed as an i8 of 0 and -1 where the sign matters.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .elements import by_element
from .errors import EvaluationError
from .signature import ElementwiseSignature, Function, Maker
from .undefined import split

__all__ = ["COMPARISONS", "INTEGER_OPS"]


def _plain(function: Function, on_bools: Function) -> Maker:
    return lambda signature: on_bools if signature.operands[0].is_bool else function


def _signed(function: Function) -> Maker:
    """`function` on signed numbers; its result has their type."""

    def make(signature: ElementwiseSignature) -> Function:
        if not signature.operands[0].is_bool:
            return function
        return lambda *values: (function(*(-value.astype(np.int8) for value in values)) & 1).astype(np.bool_)

    return make


def _unsigned(function: Function) -> Maker:
    """`function` on the same bits without a sign."""

    def make(signature: ElementwiseSignature) -> Function:
        element = signature.operands[0]
        if element.is_bool:
            return lambda *values: function(*(value.astype(np.uint8) for value in values)).astype(np.bool_)
        unsigned = np.dtype(f"u{element.dtype.itemsize}")
        return lambda *values: function(*(value.view(unsigned) for value in values)).view(element.dtype)

    return make


def _no_zero(divisor: Any) -> None:
    data, undefined = split(divisor)
    if np.any(undefined):
        raise EvaluationError("the divisor was never written")
    if not np.all(data):
        raise EvaluationError("division by zero")


def _no_overflow(a: Any, b: Any) -> None:
    data, lowest = split(a)[0], np.iinfo(a.dtype).min
    if np.any((data == lowest) & (split(b)[0] == -1)):
        raise EvaluationError(f"the quotient of {lowest} and -1 does not fit into its type")


def _floor(a: Any, b: Any) -> Any:
    _no_zero(b)
    _no_overflow(a, b)
    return a // b


def _truncated(a: Any, b: Any) -> Any:
    quotient = _floor(a, b)
    return quotient + ((quotient * b != a) & ((a < 0) != (b < 0))).astype(quotient.dtype)


def _ceil(a: Any, b: Any) -> Any:
    quotient = _floor(a, b)
    return quotient + (quotient * b != a).astype(quotient.dtype)


def _remainder(a: Any, b: Any) -> Any:
    return a - _truncated(a, b) * b


def _divide_unsigned(a: Any, b: Any) -> Any:
    _no_zero(b)
    return a // b


def _ceil_unsigned(a: Any, b: Any) -> Any:
    quotient = _divide_unsigned(a, b)
    return quotient + (quotient * b != a).astype(quotient.dtype)


def _remainder_unsigned(a: Any, b: Any) -> Any:
    _no_zero(b)
    return a % b


def _shift(function: Function) -> Function:
    def shift(a: Any, b: Any) -> Any:
        data, _ = split(b)
        if np.any((data < 0) | (data >= 8 * a.dtype.itemsize)):
            raise EvaluationError(f"a shift by more than {8 * a.dtype.itemsize - 1} bits")
        return function(a, b)

    return shift


_ORDER = (operator.lt, operator.le, operator.gt, operator.ge)
COMPARISONS: tuple[tuple[Function, bool], ...] = (
    *((function, False) for function in (operator.eq, operator.ne, *_ORDER)),
    *((function, True) for function in _ORDER),
)
"""By predicate: the comparison, and whether it is unsigned."""


def _compare(signature: ElementwiseSignature) -> Function:
    function, unsigned = COMPARISONS[signature.predicate]
    element = signature.operands[0]
    if element.is_bool:
        sign = 1 if unsigned else -1
        return lambda a, b: function(sign * a.astype(np.int8), sign * b.astype(np.int8))
    if not unsigned:
        return function
    bits = np.dtype(f"u{element.dtype.itemsize}")
    return lambda a, b: function(a.view(bits), b.view(bits))


def _extended(*, unsigned: bool) -> Maker:
    """A product of twice the width, in two halves, through Python's integers."""

    def make(signature: ElementwiseSignature) -> Function:
        element = signature.operands[0]
        mask = (1 << element.width) - 1

        def low(a: Any, b: Any) -> int:
            return element.wrap(int(a) * int(b))

        def high(a: Any, b: Any) -> int:
            product = (int(a) & mask) * (int(b) & mask) if unsigned else int(a) * int(b)
            return element.wrap(product >> element.width)

        parts = [by_element(part, 2, element.dtype) for part in (low, high)]
        return lambda a, b: tuple(part(a, b) for part in parts)

    return make


def _add_extended(signature: ElementwiseSignature) -> Function:
    element = signature.operands[0]
    if element.is_bool:
        return lambda a, b: (a ^ b, a & b)
    unsigned = np.dtype(f"u{element.dtype.itemsize}")

    def add(a: Any, b: Any) -> Any:
        total = a.view(unsigned) + b.view(unsigned)
        return total.view(element.dtype), total < a.view(unsigned)

    return add


INTEGER_OPS: dict[str, Maker] = {
    "arith.addi": _plain(operator.add, operator.xor),
    "arith.subi": _plain(operator.sub, operator.xor),
    "arith.muli": _plain(operator.mul, operator.and_),
    "arith.andi": lambda _: operator.and_,
    "arith.ori": lambda _: operator.or_,
    "arith.xori": lambda _: operator.xor,
    "arith.divsi": _signed(_truncated),
    "arith.floordivsi": _signed(_floor),
    "arith.ceildivsi": _signed(_ceil),
    "arith.remsi": _signed(_remainder),
    "arith.divui": _unsigned(_divide_unsigned),
    "arith.ceildivui": _unsigned(_ceil_unsigned),
    "arith.remui": _unsigned(_remainder_unsigned),
    "arith.maxsi": _signed(np.maximum),
    "arith.minsi": _signed(np.minimum),
    "arith.maxui": _unsigned(np.maximum),
    "arith.minui": _unsigned(np.minimum),
    "arith.shli": _signed(_shift(operator.lshift)),
    "arith.shrsi": _signed(_shift(operator.rshift)),
    "arith.shrui": _unsigned(_shift(operator.rshift)),
    "arith.cmpi": _compare,
    "arith.mulsi_extended": _extended(unsigned=False),
    "arith.mului_extended": _extended(unsigned=True),
    "arith.addui_extended": _add_extended,
}
