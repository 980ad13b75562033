"""Complex arithmetic, as far as the project's programs use it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step
from .handlers import Handler

__all__ = ["OPS"]


def _binary(function: Callable[[Any, Any], Any]) -> Handler:
    def handler(decoder: Decoder, op: ir.Operation) -> Step:
        a, b = decoder.all(list(op.operands))
        result = decoder.slot(op.results[0])

        def step(registers: Registers) -> None:
            registers[result] = function(registers[a], registers[b])

        return step

    return handler


def _unary(function: Callable[[Any], Any]) -> Handler:
    def handler(decoder: Decoder, op: ir.Operation) -> Step:
        source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])

        def step(registers: Registers) -> None:
            registers[result] = function(registers[source])

        return step

    return handler


def _constant(decoder: Decoder, op: ir.Operation) -> Step:
    result, element = decoder.slot(op.results[0]), decoder.element(op.results[0].type)
    parts = [ir.FloatAttr(part).value for part in ir.ArrayAttr(op.attributes["value"])]
    value = element.dtype.type(complex(*parts))

    def step(registers: Registers) -> None:
        registers[result] = value

    return step


def _create(decoder: Decoder, op: ir.Operation) -> Step:
    real, imaginary = decoder.all(list(op.operands))
    result, dtype = decoder.slot(op.results[0]), decoder.element(op.results[0].type).dtype

    def step(registers: Registers) -> None:
        registers[result] = dtype.type(complex(registers[real], registers[imaginary]))

    return step


OPS: dict[str, Handler] = {
    "complex.constant": _constant,
    "complex.create": _create,
    "complex.add": _binary(operator.add),
    "complex.sub": _binary(operator.sub),
    "complex.mul": _binary(operator.mul),
    "complex.neg": _unary(operator.neg),
    "complex.conj": _unary(np.conj),
    "complex.re": _unary(lambda value: value.real),
    "complex.im": _unary(lambda value: value.imag),
}
