"""Integer arithmetic on Python integers: quick functions for the ops that index computations are made of."""

from __future__ import annotations

import operator

from .elements import Element
from .integer_ops import COMPARISONS
from .signature import ElementwiseSignature, Function, Maker

__all__ = ["SCALAR_INTEGER_OPS", "is_scalar_integer"]


def _wrapped(function: Function) -> Maker:
    def make(signature: ElementwiseSignature) -> Function:
        half = 1 << (signature.results[0].width - 1)
        mask = 2 * half - 1
        return lambda a, b: ((function(a, b) + half) & mask) - half

    return make


def _compare_scalars(signature: ElementwiseSignature) -> Function:
    function, unsigned = COMPARISONS[signature.predicate]
    if not unsigned:
        return function
    mask = (1 << signature.operands[0].width) - 1
    return lambda a, b: function(a & mask, b & mask)


def _resize(signature: ElementwiseSignature) -> Function:
    half = 1 << (signature.results[0].width - 1)
    mask = 2 * half - 1
    return lambda a: ((a + half) & mask) - half


def _extend_unsigned(signature: ElementwiseSignature) -> Function:
    source, result = signature.operands[0].width, signature.results[0].width
    if source >= result:
        return _resize(signature)
    mask = (1 << source) - 1
    return lambda a: a & mask


SCALAR_INTEGER_OPS: dict[str, Maker] = {
    "arith.addi": _wrapped(operator.add),
    "arith.subi": _wrapped(operator.sub),
    "arith.muli": _wrapped(operator.mul),
    "arith.andi": lambda _: operator.and_,
    "arith.ori": lambda _: operator.or_,
    "arith.xori": lambda _: operator.xor,
    "arith.cmpi": _compare_scalars,
    "arith.index_cast": _resize,
    "arith.extsi": _resize,
    "arith.trunci": _resize,
    "arith.extui": _extend_unsigned,
    "arith.index_castui": _extend_unsigned,
}
"""The same on Python integers in the signed range; no operand or result is an i1, but of a comparison's results."""


def is_scalar_integer(name: str, operands: tuple[Element, ...], results: tuple[Element, ...]) -> bool:
    """Whether the quick function on Python integers computes the op."""
    if name not in SCALAR_INTEGER_OPS or any(element.is_bool for element in operands):
        return False
    return name == "arith.cmpi" or not any(element.is_bool for element in results)
