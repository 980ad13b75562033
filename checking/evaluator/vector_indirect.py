"""Vectors whose lanes are single elements of memory: gather, scatter, maskedload and maskedstore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step
from .errors import EvaluationError
from .handlers import Handler
from .memory import Beyond, MemRef
from .slices import replaced
from .undefined import defined
from .vector_transfers import contents, store

__all__ = ["OPS"]


def _lanes(offsets: Any, mask: Any) -> Any:
    return defined(offsets)[mask].astype(np.int64)


def _within(positions: Any, count: int) -> Any:
    if np.any((positions < 0) | (positions >= count)):
        raise EvaluationError(f"positions {positions.tolist()} are out of bounds: there are {count} elements")
    return positions


def _place(value: Any, base: Sequence[int], lanes: Any) -> tuple[Any, Any]:
    """What holds the elements, as one line, and where in it the lanes' elements are.

    An offset counts along the innermost dimension. It may lead into the next row, as a tensor's rows follow each other
    in row-major order, and memory is addressed without its sizes.
    """
    if isinstance(value, MemRef):
        whole, start, stride = value.elements()
        whole.alive()
        if not isinstance(value, Beyond):
            start += sum(begin * step for begin, step in zip(base, value.strides, strict=True))
        return whole, _within(start + stride * lanes, whole.shape[0])
    start = 0
    for begin, length in zip(base, value.shape, strict=True):
        start = start * length + begin
    return value.reshape((-1,)), _within(start + lanes, value.size)


def _gather(decoder: Decoder, op: ir.Operation) -> Step:
    source, *base, offsets, mask_slot, other = decoder.all(list(op.operands))
    result = decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        mask, value = defined(registers[mask_slot]), registers[other]
        start, lanes = [registers[slot].__index__() for slot in base], _lanes(registers[offsets], mask)
        whole, positions = _place(registers[source], start, lanes)
        registers[result] = replaced(value, mask, None, contents(whole)[positions]) if lanes.size else value

    return step


def _scatter(decoder: Decoder, op: ir.Operation) -> Step:
    target, *base, offsets, mask_slot, vector = decoder.all(list(op.operands))
    result = decoder.slot(op.results[0]) if len(op.results) else None

    def step(registers: Registers) -> None:
        into, mask = registers[target], defined(registers[mask_slot])
        start, lanes = [registers[slot].__index__() for slot in base], _lanes(registers[offsets], mask)
        whole, positions = _place(into, start, lanes)
        changed = store(whole, positions, registers[vector][mask]) if lanes.size else into
        if result is not None:
            registers[result] = changed.reshape(into.shape)

    return step


def _row_lanes(registers: Registers, indices: Sequence[int], shape: Sequence[int], mask: Any) -> tuple[Any, ...]:
    """The positions of the lanes of a masked row that are on; they must be inside."""
    *outer, begin = [registers[slot].__index__() for slot in indices]
    lanes = begin + np.flatnonzero(defined(mask))
    inside = all(0 <= i < length for i, length in zip(outer, shape, strict=False))
    if lanes.size and not (inside and lanes[0] >= 0 and lanes[-1] < shape[-1]):
        raise EvaluationError(f"elements from {[*outer, begin]} are out of bounds: the sizes are {list(shape)}")
    return (*outer, lanes)


def _masked_load(decoder: Decoder, op: ir.Operation) -> Step:
    source, *indices, mask_slot, other = decoder.all(list(op.operands))
    result = decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        array, mask, value = contents(registers[source]), registers[mask_slot], registers[other]
        key = _row_lanes(registers, indices, array.shape, mask)
        registers[result] = replaced(value, np.flatnonzero(mask), None, array[key]) if key[-1].size else value

    return step


def _masked_store(decoder: Decoder, op: ir.Operation) -> Step:
    target, *indices, mask_slot, vector = decoder.all(list(op.operands))

    def step(registers: Registers) -> None:
        into, mask = registers[target], registers[mask_slot]
        key = _row_lanes(registers, indices, into.shape, mask)
        if key[-1].size:
            store(into, key, registers[vector][np.flatnonzero(mask)])

    return step


OPS: dict[str, Handler] = {
    "vector.gather": _gather,
    "vector.scatter": _scatter,
    "vector.maskedload": _masked_load,
    "vector.maskedstore": _masked_store,
}
