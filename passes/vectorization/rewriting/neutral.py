"""Neutral elements of the ops that reductions combine with."""

from __future__ import annotations

import math

from mlir import ir
from mlir.dialects import arith

__all__ = ["neutral_element"]

_FLOATS = {
    "arith.addf": -0.0,
    "arith.mulf": 1.0,
    "arith.maximumf": -math.inf,
    "arith.minimumf": math.inf,
    "arith.maxnumf": math.nan,
    "arith.minnumf": math.nan,
}


def neutral_element(combiner: ir.Operation) -> ir.Value:
    """Create the constant that is the neutral element of `combiner`.

    That of an addition is -0.0, since 0.0 + -0.0 is 0.0; that of `maxnumf` is NaN, which it ignores.
    """
    type_ = combiner.results[0].type
    if isinstance(type_, ir.FloatType):
        return arith.constant(type_, _FLOATS[combiner.name])
    width = type_.width if isinstance(type_, ir.IntegerType) else 64
    least = -(1 << (width - 1))
    integers = {
        "arith.addi": 0,
        "arith.muli": 1,
        "arith.maxsi": least,
        "arith.minsi": -least - 1,
        "arith.maxui": 0,
        "arith.minui": -1,
        "arith.andi": -1,
        "arith.ori": 0,
        "arith.xori": 0,
    }
    return arith.constant(type_, integers[combiner.name])
