"""arith and math on scalars, vectors and tensors; the tables of `*_ops.py` have the functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder, Step
from ..decoding.handlers import Handler
from ..decoding.steps import computation, known, on_values
from ..values.elements import constant_array, scalar_value
from ..values.errors import EvaluationError
from ..values.float_ops import CONVERSIONS, FLOAT_OPS
from ..values.integer_ops import INTEGER_OPS
from ..values.math_ops import MATH_OPS
from ..values.memory import MemRef
from ..values.scalar_integer_ops import SCALAR_INTEGER_OPS, is_scalar_integer
from ..values.signature import ElementwiseSignature, Function, Maker
from ..values.undefined import UNDEFINED

__all__ = ["OPS", "array_function", "constant", "constant_value", "elementwise_maker"]

_MAKERS: dict[str, Maker] = {**INTEGER_OPS, **FLOAT_OPS, **CONVERSIONS, **MATH_OPS}

NUMPY_SCALARS = frozenset(
    {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.negf", "arith.extf", "arith.truncf", "math.absf"}
)
"""Ops without integer operands, whose function maps NumPy scalars to a NumPy scalar."""


def elementwise_maker(name: str) -> Maker | None:
    """The maker of an elementwise op's function; None for other ops."""
    return _MAKERS.get(name)


def array_function(decoder: Decoder, op: ir.Operation) -> Function:
    """The function of an elementwise op on arrays, or on NumPy scalars of the operands' types."""
    maker = _MAKERS.get(op.name)
    if maker is None:
        raise EvaluationError("the op is not supported by the evaluator")
    return maker(_signature(decoder, op))


def _signature(decoder: Decoder, op: ir.Operation) -> ElementwiseSignature:
    operands = tuple(decoder.element(value.type) for value in op.operands)
    return ElementwiseSignature(op, operands, tuple(decoder.element(value.type) for value in op.results))


def constant_value(decoder: Decoder, op: ir.Operation) -> Any:
    """The value of arith.constant or complex.constant."""
    type_ = op.results[0].type
    element = decoder.element(type_)
    if isinstance(type_, ir.ShapedType):
        return constant_array(op, "value", type_.shape, element)
    attribute: Any = op.attributes["value"]
    if isinstance(attribute, ir.ArrayAttr):
        return element.dtype.type(complex(*(ir.FloatAttr(part).value for part in attribute)))
    return scalar_value(attribute.value, element)


constant = known(constant_value)


def _elementwise(decoder: Decoder, op: ir.Operation) -> Step:
    signature = _signature(decoder, op)
    if isinstance(op.results[0].type, ir.MemRefType):
        types = f"{op.operands[0].type} is taken for {op.results[0].type}"
        raise EvaluationError(f"memory of type {types}; an elementwise op needs the elements")
    if isinstance(op.results[0].type, ir.ShapedType):
        function = _on_arrays(array_function(decoder, op), several=len(op.results) > 1)
    elif is_scalar_integer(op.name, signature.operands, signature.results):
        function = SCALAR_INTEGER_OPS[op.name](signature)
    elif op.name in NUMPY_SCALARS:
        function = array_function(decoder, op)
    else:
        function = _on_scalars(array_function(decoder, op), signature)
    return computation(function, decoder.all(op.operands), decoder.all(op.results))


def _on_scalars(function: Function, signature: ElementwiseSignature) -> Function:
    typed = [element.typed for element in signature.operands]
    first, *others = signature.results

    def compute(*given: Any) -> Any:
        if any(value is UNDEFINED for value in given):
            return (UNDEFINED,) * len(signature.results) if others else UNDEFINED
        found = function(*[make(value) for make, value in zip(typed, given, strict=True)])
        if not others:
            return first.scalar(found)
        return [element.scalar(value) for element, value in zip(signature.results, found, strict=True)]

    return compute


def _on_arrays(function: Function, *, several: bool = False) -> Function:
    def compute(*values: Any) -> Any:
        shape = values[-1].shape
        for value in values:
            if hasattr(value, "shape") and value.shape != shape and value.shape:
                raise EvaluationError(f"shapes {list(value.shape)} and {list(shape)} differ")
        found = function(*values)
        if shape:
            return found
        return [_rank_0(value) for value in found] if several else _rank_0(found)

    return compute


def _rank_0(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, np.generic) else value


@on_values
def _select(_decoder: Decoder, op: ir.Operation) -> Function:
    """arith.select of scalars, or of whole tensors and memrefs."""
    if isinstance(op.operands[0].type, ir.ShapedType):
        return _on_arrays(np.where)

    def select(choice: Any, a: Any, b: Any) -> Any:
        if choice is UNDEFINED and not isinstance(a, np.ndarray | MemRef):
            return UNDEFINED
        return a if choice else b

    return select


OPS: dict[str, Handler] = {
    "arith.constant": constant,
    "arith.select": _select,
    "arith.*": _elementwise,
    "math.*": _elementwise,
}
