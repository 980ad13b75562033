"""Integer arithmetic on arrays and NumPy scalars.

Everything wraps. NumPy computes signed: unsigned ops look at the same bits as unsigned, and i1, which NumPy takes for
truth values, is computed as an i8 of 0 and -1 where the sign matters.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .elements import by_element
from .errors import EvaluationError
from .signature import ElementwiseSignature, Function, Maker
from .undefined import split

__all__ = ["COMPARISONS", "INTEGER_OPS"]


def _plain(function: Function, on_bools: Function) -> Maker:
    def make(signature: ElementwiseSignature) -> Function:
        return on_bools if signature.operands[0].is_bool else _signed(function)(signature)

    return make


def _signed(function: Function) -> Maker:
    """`function` on signed numbers; its result has their type."""

    def make(signature: ElementwiseSignature) -> Function:
        element = signature.operands[0]
        if not (element.is_bool or element.is_narrow):
            return function
        return lambda *values: element.stored(function(*(element.signed(value) for value in values)))

    return make


def _unsigned(function: Function) -> Maker:
    """`function` on the same bits without a sign."""

    def make(signature: ElementwiseSignature) -> Function:
        element = signature.operands[0]
        if element.is_bool or element.is_narrow:
            return lambda *values: element.stored(function(*(element.unsigned(value) for value in values)))
        return lambda *values: function(*(element.unsigned(value) for value in values)).view(element.dtype)

    return make


def _no_zero(divisor: Any) -> None:
    data, undefined = split(divisor)
    if np.any(undefined):
        raise EvaluationError("the divisor was never written")
    if not np.all(data):
        raise EvaluationError("division by zero")


def _quotient(function: Function) -> Maker:
    """A signed `function` of a quotient that is defined."""

    def make(signature: ElementwiseSignature) -> Function:
        element = signature.operands[0]
        lowest = element.wrap(1 << (element.width - 1))

        def divide(a: Any, b: Any) -> Any:
            _no_zero(b)
            if not element.is_bool and np.any((split(a)[0] == lowest) & (split(b)[0] == -1)):
                raise EvaluationError(f"the quotient of {lowest} and -1 does not fit into its type")
            return function(a, b)

        return _signed(divide)(signature)

    return make


def _truncated(a: Any, b: Any) -> Any:
    quotient = a // b
    return quotient + ((quotient * b != a) & ((a < 0) != (b < 0))).astype(quotient.dtype)


def _ceil(a: Any, b: Any) -> Any:
    quotient = a // b
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


def _shift(function: Function, on: Callable[[Function], Maker]) -> Maker:
    """A shift by fewer bits than the type has, of numbers `on` which it is computed."""

    def make(signature: ElementwiseSignature) -> Function:
        width = signature.operands[0].width

        def shift(a: Any, b: Any) -> Any:
            data, _ = split(b)
            if np.any((data < 0) | (data >= width)):
                raise EvaluationError(f"a shift by more than {width - 1} bits")
            return function(a, b)

        return on(shift)(signature)

    return make


_ORDER = (operator.lt, operator.le, operator.gt, operator.ge)
COMPARISONS: tuple[tuple[Function, bool], ...] = (
    *((function, False) for function in (operator.eq, operator.ne, *_ORDER)),
    *((function, True) for function in _ORDER),
)
"""By predicate: the comparison, and whether it is unsigned."""


def _compare(signature: ElementwiseSignature) -> Function:
    function, unsigned = COMPARISONS[signature.predicate]
    element = signature.operands[0]
    as_numbers = element.unsigned if unsigned else element.signed
    return lambda a, b: function(as_numbers(a), as_numbers(b))


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

    def add(a: Any, b: Any) -> Any:
        one, other = element.unsigned(a), element.unsigned(b)
        total = element.stored(one + other)
        return total, element.unsigned(total) < one

    return add


INTEGER_OPS: dict[str, Maker] = {
    "arith.addi": _plain(operator.add, operator.xor),
    "arith.subi": _plain(operator.sub, operator.xor),
    "arith.muli": _plain(operator.mul, operator.and_),
    "arith.andi": _plain(operator.and_, operator.and_),
    "arith.ori": _plain(operator.or_, operator.or_),
    "arith.xori": _plain(operator.xor, operator.xor),
    "arith.divsi": _quotient(_truncated),
    "arith.floordivsi": _quotient(operator.floordiv),
    "arith.ceildivsi": _quotient(_ceil),
    "arith.remsi": _quotient(_remainder),
    "arith.divui": _unsigned(_divide_unsigned),
    "arith.ceildivui": _unsigned(_ceil_unsigned),
    "arith.remui": _unsigned(_remainder_unsigned),
    "arith.maxsi": _signed(np.maximum),
    "arith.minsi": _signed(np.minimum),
    "arith.maxui": _unsigned(np.maximum),
    "arith.minui": _unsigned(np.minimum),
    "arith.shli": _shift(operator.lshift, _signed),
    "arith.shrsi": _shift(operator.rshift, _signed),
    "arith.shrui": _shift(operator.rshift, _unsigned),
    "arith.cmpi": _compare,
    "arith.mulsi_extended": _extended(unsigned=False),
    "arith.mului_extended": _extended(unsigned=True),
    "arith.addui_extended": _add_extended,
}
