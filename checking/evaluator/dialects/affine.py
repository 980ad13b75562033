"""Affine expressions and maps as functions, and affine.apply, affine.min and affine.max."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import on_values
from ..values.errors import EvaluationError
from ..values.signature import Function

__all__ = ["OPS", "compile_expression", "compile_map"]

Expression = Callable[[Sequence[Any]], Any]
"""From the values of the dimensions, then of the symbols: integers, or arrays of them."""


def _positive(divisor: Any) -> Any:
    if np.any(divisor <= 0):
        raise EvaluationError("an affine expression divides by a number that is not positive")
    return divisor


def compile_expression(expression: Any, dimensions: int) -> Expression:
    """A function that computes an affine expression; symbols come after that many dimensions."""
    if isinstance(expression, ir.AffineDimExpr):
        position = expression.position
        return lambda values: values[position]
    if isinstance(expression, ir.AffineSymbolExpr):
        place = dimensions + expression.position
        return lambda values: values[place]
    if isinstance(expression, ir.AffineConstantExpr):
        constant = expression.value
        return lambda values: constant
    a = compile_expression(expression.lhs, dimensions)
    b = compile_expression(expression.rhs, dimensions)
    if isinstance(expression, ir.AffineAddExpr):
        return lambda values: a(values) + b(values)
    if isinstance(expression, ir.AffineMulExpr):
        return lambda values: a(values) * b(values)
    if isinstance(expression, ir.AffineModExpr):
        return lambda values: a(values) % _positive(b(values))
    if isinstance(expression, ir.AffineFloorDivExpr):
        return lambda values: a(values) // _positive(b(values))
    return lambda values: -(-a(values) // _positive(b(values)))


def compile_map(map_: ir.AffineMap) -> list[Expression]:
    """The functions of a map's results."""
    return [compile_expression(result, map_.n_dims) for result in map_.results]


@on_values
def _apply(_decoder: Decoder, op: ir.Operation) -> Function:
    (function,) = compile_map(ir.AffineMapAttr(op.attributes["map"]).value)
    return lambda *values: function(values)


@on_values
def _extreme(_decoder: Decoder, op: ir.Operation) -> Function:
    functions = compile_map(ir.AffineMapAttr(op.attributes["map"]).value)
    choose = min if op.name == "affine.min" else max
    return lambda *values: choose([function(values).__index__() for function in functions])


OPS: dict[str, Handler] = {"affine.apply": _apply, "affine.min": _extreme, "affine.max": _extreme}
