"""arith and math on scalars, vectors and tensors; which function computes an op is in the tables of `*_ops.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, transfer
from .elements import Element, constant_array, scalar_value
from .errors import EvaluationError
from .float_ops import CONVERSIONS, FLOAT_OPS
from .handlers import Handler
from .integer_ops import INTEGER_OPS
from .math_ops import MATH_OPS
from .memory import MemRef
from .scalar_integer_ops import SCALAR_INTEGER_OPS, is_scalar_integer
from .signature import ElementwiseSignature, Maker
from .undefined import UNDEFINED, Undefined

__all__ = ["OPS", "array_function", "constant_value", "elementwise_maker"]

_MAKERS: dict[str, Maker] = {**INTEGER_OPS, **FLOAT_OPS, **CONVERSIONS, **MATH_OPS}

NUMPY_SCALARS = frozenset(
    {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.negf", "arith.extf", "arith.truncf", "math.absf"}
)
"""Ops whose function gives a NumPy scalar for NumPy scalars, and no operand of which is an integer."""


def elementwise_maker(name: str) -> Maker | None:
    """What makes the function of an elementwise op, or None if the op is not elementwise."""
    return _MAKERS.get(name)


def array_function(decoder: Decoder, op: ir.Operation) -> Callable[..., Any]:
    """The function of an elementwise op on arrays, or on NumPy scalars of the operands' types."""
    maker = _MAKERS.get(op.name)
    if maker is None:
        raise EvaluationError("the op is not supported by the evaluator")
    return maker(_signature(decoder, op))


def _signature(decoder: Decoder, op: ir.Operation) -> ElementwiseSignature:
    operands = tuple(decoder.element(value.type) for value in op.operands)
    return ElementwiseSignature(op, operands, tuple(decoder.element(value.type) for value in op.results))


def constant_value(decoder: Decoder, op: ir.Operation) -> Any:
    """What arith.constant gives."""
    type_ = op.results[0].type
    element = decoder.element(type_)
    if isinstance(type_, ir.ShapedType):
        return constant_array(op, "value", type_.shape, element)
    attribute: Any = op.attributes["value"]
    if isinstance(attribute, ir.ArrayAttr):
        return element.dtype.type(complex(*(ir.FloatAttr(part).value for part in attribute)))
    return scalar_value(attribute.value, element)


def _constant(decoder: Decoder, op: ir.Operation) -> Step:
    value, slot = constant_value(decoder, op), decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[slot] = value

    return step


def _elementwise(decoder: Decoder, op: ir.Operation) -> Step:
    operands, results = decoder.all(list(op.operands)), decoder.all(list(op.results))
    if isinstance(op.results[0].type, ir.ShapedType):
        return _on_arrays(array_function(decoder, op), operands, results)
    signature = _signature(decoder, op)
    if is_scalar_integer(op.name, signature.operands, signature.results):
        return _quick(SCALAR_INTEGER_OPS[op.name](signature), operands, results[0])
    function = array_function(decoder, op)
    if op.name in NUMPY_SCALARS:
        return _quick(function, operands, results[0])
    return _on_scalars(function, signature, operands, results)


def _quick(function: Callable[..., Any], operands: tuple[int, ...], result: int) -> Step:
    if len(operands) == 1:
        (a,) = operands

        def unary(registers: Registers) -> None:
            registers[result] = function(registers[a])

        return unary
    a, b = operands

    def binary(registers: Registers) -> None:
        registers[result] = function(registers[a], registers[b])

    return binary


def _on_scalars(
    function: Callable[..., Any], signature: ElementwiseSignature, operands: tuple[int, ...], results: tuple[int, ...]
) -> Step:
    typed = [element.typed for element in signature.operands]
    elements = signature.results

    def step(registers: Registers) -> None:
        given = [registers[slot] for slot in operands]
        if any(value is UNDEFINED for value in given):
            values: Any = (UNDEFINED,) * len(results)
        else:
            found = function(*(make(value) for make, value in zip(typed, given, strict=True)))
            found = found if isinstance(found, tuple) else (found,)
            values = [_scalar(element, value) for element, value in zip(elements, found, strict=True)]
        transfer(registers, results, values)

    return step


def _scalar(element: Element, value: Any) -> Any:
    return value if isinstance(value, Undefined) else element.scalar(value)


def _on_arrays(function: Callable[..., Any], operands: tuple[int, ...], results: tuple[int, ...]) -> Step:
    def step(registers: Registers) -> None:
        values = [registers[slot] for slot in operands]
        shape = values[-1].shape
        for value in values:
            if hasattr(value, "shape") and value.shape != shape and value.shape:
                raise EvaluationError(f"shapes {list(value.shape)} and {list(shape)} differ")
        found = function(*values)
        found = found if isinstance(found, tuple) else (found,)
        transfer(registers, results, found if shape else [_rank_0(value) for value in found])

    return step


def _rank_0(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, np.generic) else value


def _select(decoder: Decoder, op: ir.Operation) -> Step:
    """arith.select of scalars, or of whole tensors and memrefs."""
    condition, a, b = decoder.all(list(op.operands))
    result = decoder.slot(op.results[0])
    if isinstance(op.operands[0].type, ir.ShapedType):
        return _on_arrays(np.where, (condition, a, b), (result,))

    def step(registers: Registers) -> None:
        choice = registers[condition]
        if choice is UNDEFINED and not isinstance(registers[a], np.ndarray | MemRef):
            registers[result] = UNDEFINED
            return
        registers[result] = registers[a] if choice else registers[b]

    return step


OPS: dict[str, Handler] = {
    "arith.constant": _constant,
    "arith.select": _select,
    "arith.*": _elementwise,
    "math.*": _elementwise,
}
