"""Reductions of vectors, contractions and outer products, each in the order of sequential loops."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, integers
from .elements import Element
from .errors import EvaluationError
from .float_ops import FLOAT_OPS
from .handlers import Handler
from .integer_ops import INTEGER_OPS
from .iteration import IndexingMap, make_plan
from .math_ops import MATH_OPS
from .signature import ElementwiseSignature
from .undefined import Undefined, defined

__all__ = ["OPS"]

Combine = Callable[[Any, Any], Any]

_SAME = ("minsi", "minui", "maxsi", "maxui", "minnumf", "maxnumf", "minimumf", "maximumf")
_INTEGER = {"add": "addi", "mul": "muli", "and": "andi", "or": "ori", "xor": "xori"}
_FLOAT = {"add": "addf", "mul": "mulf"}


def combining(op: ir.Operation, element: Element) -> Combine:
    """The function of two arrays that an op's kind names."""
    found = re.search(r"<(\w+)>", str(op.attributes["kind"]))
    kind = found[1] if found else ""
    name = kind if kind in _SAME else (_FLOAT if element.kind == "float" else _INTEGER).get(kind)
    table = FLOAT_OPS if element.kind == "float" else INTEGER_OPS
    if f"arith.{name}" not in table:
        raise EvaluationError(f"kind {kind} of elements of type {element.spelling} is not supported")
    return table[f"arith.{name}"](ElementwiseSignature(op, (element, element), (element,)))


def _reduced(combine: Combine, values: Any, start: Any, mask: Any) -> Any:
    """Along the first dimension, one after the other; without `start`, beginning with the first that is on."""
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


def _reduction(decoder: Decoder, op: ir.Operation) -> Step:
    vector, *start = decoder.all(list(op.operands))
    element, result, mask_slot = decoder.element(op.results[0].type), decoder.slot(op.results[0]), decoder.mask
    combine = combining(op, element)

    def step(registers: Registers) -> None:
        values = registers[vector]
        if mask_slot is not None:
            values = values[defined(registers[mask_slot])]
        total = element.typed(registers[start[0]]) if start else None
        if total is None and not values.shape[0]:
            raise EvaluationError("nothing is reduced, and there is no accumulator")
        total = _reduced(combine, values, total, None)
        if isinstance(total, Undefined) or hasattr(total, "undefined"):
            registers[result] = total.item()
        else:
            registers[result] = element.scalar(total)

    return step


def _multi_reduction(decoder: Decoder, op: ir.Operation) -> Step:
    vector, start = decoder.all(list(op.operands))
    element, result, mask_slot = decoder.element(op.results[0].type), decoder.slot(op.results[0]), decoder.mask
    dims, rank = integers(op, "reduction_dims"), ir.ShapedType(op.operands[0].type).rank
    kept = [dim for dim in range(rank) if dim not in dims]
    combine, is_vector = combining(op, element), isinstance(op.results[0].type, ir.VectorType)

    def step(registers: Registers) -> None:
        def first(value: Any) -> Any:
            value = value.transpose([*dims, *kept])
            return value.reshape((-1, *value.shape[len(dims) :]))

        values = first(registers[vector])
        mask = None if mask_slot is None else first(defined(registers[mask_slot]))
        begin = registers[start] if is_vector else element.typed(registers[start])
        total = _reduced(combine, values, begin, mask)
        registers[result] = total if is_vector else _scalar(total, element)

    return step


def _scalar(value: Any, element: Element) -> Any:
    return value.item() if isinstance(value, Undefined) or hasattr(value, "undefined") else element.scalar(value)


def _product(op: ir.Operation, element: Element) -> Combine:
    table, name = (FLOAT_OPS, "arith.mulf") if element.kind == "float" else (INTEGER_OPS, "arith.muli")
    return table[name](ElementwiseSignature(op, (element, element), (element,)))


def _contract(decoder: Decoder, op: ir.Operation) -> Step:
    slots, result, mask_slot = decoder.all(list(op.operands)), decoder.slot(op.results[0]), decoder.mask
    element = decoder.element(op.results[0].type)
    maps = [IndexingMap(ir.AffineMapAttr(map_).value) for map_ in ir.ArrayAttr(op.attributes["indexing_maps"])]
    combine, multiply = combining(op, element), _product(op, element)
    is_vector = isinstance(op.results[0].type, ir.VectorType)
    if any(decoder.element(value.type) != element for value in op.operands):
        raise EvaluationError("a contraction of several element types is not supported")

    def step(registers: Registers) -> None:
        if mask_slot is not None:
            raise EvaluationError("a masked contraction is not supported")
        a, b, start = (registers[slot] for slot in slots)
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
        registers[result] = total if is_vector else _scalar(total, element)

    return step


def _outer_product(decoder: Decoder, op: ir.Operation) -> Step:
    a, b, *start = decoder.all(list(op.operands))
    element, result = decoder.element(op.results[0].type), decoder.slot(op.results[0])
    combine, multiply = combining(op, element), _product(op, element)
    by_scalar = not isinstance(op.operands[1].type, ir.VectorType)

    def step(registers: Registers) -> None:
        other = registers[b]
        product = multiply(registers[a], element.typed(other)) if by_scalar else multiply(registers[a][:, None], other)
        registers[result] = combine(registers[start[0]], product) if start else product

    return step


def _fma(decoder: Decoder, op: ir.Operation) -> Step:
    slots, result = decoder.all(list(op.operands)), decoder.slot(op.results[0])
    element = decoder.element(op.results[0].type)
    function = MATH_OPS["math.fma"](ElementwiseSignature(op, (element,) * 3, (element,)))

    def step(registers: Registers) -> None:
        registers[result] = function(*[registers[slot] for slot in slots])

    return step


OPS: dict[str, Handler] = {
    "vector.reduction": _reduction,
    "vector.multi_reduction": _multi_reduction,
    "vector.contract": _contract,
    "vector.outerproduct": _outer_product,
    "vector.fma": _fma,
}
