"""Reductions of vectors, contractions and outer products, each in the order of sequential loops."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import masked, on_values
from ..dialects.iteration import IndexingMap, make_plan
from ..values.attributes import integers
from ..values.elements import Element
from ..values.errors import EvaluationError
from ..values.float_ops import FLOAT_OPS
from ..values.integer_ops import INTEGER_OPS
from ..values.math_ops import MATH_OPS
from ..values.signature import ElementwiseSignature, Function
from ..values.undefined import defined

__all__ = ["OPS"]

_SAME = ("minsi", "minui", "maxsi", "maxui", "minnumf", "maxnumf", "minimumf", "maximumf")
_INTEGER = {"add": "addi", "mul": "muli", "and": "andi", "or": "ori", "xor": "xori"}
_FLOAT = {"add": "addf", "mul": "mulf"}


def combining(op: ir.Operation, element: Element) -> Function:
    """The function of two arrays that an op's kind names."""
    found = re.search(r"<(\w+)>", str(op.attributes["kind"]))
    kind = found[1] if found else ""
    name = kind if kind in _SAME else (_FLOAT if element.kind == "float" else _INTEGER).get(kind)
    table = FLOAT_OPS if element.kind == "float" else INTEGER_OPS
    if f"arith.{name}" not in table:
        raise EvaluationError(f"kind {kind} of elements of type {element.spelling} is not supported")
    return table[f"arith.{name}"](ElementwiseSignature(op, (element, element), (element,)))


def _reduced(combine: Function, values: Any, start: Any, mask: Any) -> Any:
    """Reduce along the first dimension, in order; without `start`, from the first element."""
    total = start
    for i in range(values.shape[0]):
        on = None if mask is None else mask[i]
        if total is None:
            if on is None or np.all(on):
                total = values[i]
                continue
            raise EvaluationError("a masked reduction needs an accumulator")
        combined = combine(total, values[i])
        total = combined if on is None else np.where(on, combined, total)
    return total


@masked
def _reduction(decoder: Decoder, op: ir.Operation) -> Function:
    element = decoder.element(op.results[0].type)
    combine = combining(op, element)

    def reduce(mask: Any, values: Any, *start: Any) -> Any:
        if mask is not None:
            values = values[defined(mask)]
        if not start and not values.shape[0]:
            raise EvaluationError("nothing is reduced, and there is no accumulator")
        return element.scalar(_reduced(combine, values, element.typed(start[0]) if start else None, None))

    return reduce


@masked
def _multi_reduction(decoder: Decoder, op: ir.Operation) -> Function:
    element = decoder.element(op.results[0].type)
    dims, rank = integers(op, "reduction_dims"), ir.ShapedType(op.operands[0].type).rank
    kept = [dim for dim in range(rank) if dim not in dims]
    combine, is_vector = combining(op, element), isinstance(op.results[0].type, ir.VectorType)

    def first(value: Any) -> Any:
        value = value.transpose([*dims, *kept])
        return value.reshape((-1, *value.shape[len(dims) :]))

    def reduce(mask: Any, vector: Any, start: Any) -> Any:
        mask = None if mask is None else first(defined(mask))
        total = _reduced(combine, first(vector), start if is_vector else element.typed(start), mask)
        return total if is_vector else element.scalar(total)

    return reduce


def _product(op: ir.Operation, element: Element) -> Function:
    table, name = (FLOAT_OPS, "arith.mulf") if element.kind == "float" else (INTEGER_OPS, "arith.muli")
    return table[name](ElementwiseSignature(op, (element, element), (element,)))


@masked
def _contract(decoder: Decoder, op: ir.Operation) -> Function:
    element = decoder.element(op.results[0].type)
    maps = [IndexingMap(ir.AffineMapAttr(map_).value) for map_ in ir.ArrayAttr(op.attributes["indexing_maps"])]
    combine, multiply = combining(op, element), _product(op, element)
    is_vector = isinstance(op.results[0].type, ir.VectorType)
    if any(decoder.element(value.type) != element for value in op.operands):
        raise EvaluationError("a contraction of several element types is not supported")

    def contract(mask: Any, a: Any, b: Any, start: Any) -> Any:
        if mask is not None:
            raise EvaluationError("a masked contraction is not supported")
        start = start if is_vector else np.asarray(element.typed(start))
        plan = make_plan(maps, maps[2:], [value.shape for value in (a, b, start)])
        if plan is None:
            raise EvaluationError("the maps of this contraction are not supported")
        out = plan.accesses[2]
        total = out.take(start, ())
        for point in plan.points():
            x, y = (access.take(value, point) for access, value in zip(plan.accesses, (a, b), strict=False))
            total = combine(total, multiply(x, y))
        if out.axes is not None:
            total = total.transpose(np.argsort(out.axes))
        return total if is_vector else element.scalar(total)

    return contract


@on_values
def _outer_product(decoder: Decoder, op: ir.Operation) -> Function:
    element = decoder.element(op.results[0].type)
    combine, multiply = combining(op, element), _product(op, element)
    by_scalar = not isinstance(op.operands[1].type, ir.VectorType)

    def outer_product(vector: Any, other: Any, *start: Any) -> Any:
        product = multiply(vector, element.typed(other)) if by_scalar else multiply(vector[:, None], other)
        return combine(start[0], product) if start else product

    return outer_product


@on_values
def _fma(decoder: Decoder, op: ir.Operation) -> Function:
    element = decoder.element(op.results[0].type)
    return MATH_OPS["math.fma"](ElementwiseSignature(op, (element,) * 3, (element,)))


OPS: dict[str, Handler] = {
    "vector.reduction": _reduction,
    "vector.multi_reduction": _multi_reduction,
    "vector.contract": _contract,
    "vector.outerproduct": _outer_product,
    "vector.fma": _fma,
}
