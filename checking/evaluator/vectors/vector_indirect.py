"""Vectors whose lanes are single elements of memory: gather, scatter, maskedload and maskedstore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..decoding.handlers import Handler
from ..decoding.steps import plain
from ..values.errors import EvaluationError
from ..values.memory import Beyond, MemRef, contents
from ..values.slices import replaced
from ..values.undefined import defined
from .vector_transfers import store

__all__ = ["OPS"]


def _lanes(offsets: Any, mask: Any) -> Any:
    return defined(offsets)[mask].astype(np.int64)


def _within(positions: Any, count: int) -> Any:
    if np.any((positions < 0) | (positions >= count)):
        raise EvaluationError(f"positions {positions.tolist()} are out of bounds: there are {count} elements")
    return positions


def _place(value: Any, base: Sequence[int], lanes: Any) -> tuple[Any, Any]:
    """All elements of the source in one dimension, and the positions of the lanes' elements there.

    Offsets count along the innermost dimension and may exceed a row: tensors are in row-major order, and memory is
    addressed without its sizes.
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


def _gather(source: Any, *operands: Any) -> Any:
    *base, offsets, mask, other = operands
    mask = defined(mask)
    lanes = _lanes(offsets, mask)
    whole, positions = _place(source, [index.__index__() for index in base], lanes)
    return replaced(other, mask, contents(whole)[positions]) if lanes.size else other


def _scatter(into: Any, *operands: Any) -> Any:
    """A tensor's new value; memory is written."""
    *base, offsets, mask, vector = operands
    mask = defined(mask)
    lanes = _lanes(offsets, mask)
    whole, positions = _place(into, [index.__index__() for index in base], lanes)
    if not lanes.size:
        return into
    changed = store(whole, positions, vector[mask])
    return None if changed is None else changed.reshape(into.shape)


def _row_lanes(indices: Sequence[Any], shape: Sequence[int], mask: Any) -> tuple[Any, ...]:
    """The positions of the lanes of a row whose mask is on; they must be in bounds."""
    *outer, begin = [index.__index__() for index in indices]
    lanes = begin + np.flatnonzero(defined(mask))
    inside = all(0 <= i < length for i, length in zip(outer, shape, strict=False))
    if lanes.size and not (inside and lanes[0] >= 0 and lanes[-1] < shape[-1]):
        raise EvaluationError(f"elements from {[*outer, begin]} are out of bounds: the sizes are {list(shape)}")
    return (*outer, lanes)


def _masked_load(source: Any, *operands: Any) -> Any:
    *indices, mask, other = operands
    array = contents(source)
    key = _row_lanes(indices, array.shape, mask)
    return replaced(other, np.flatnonzero(mask), array[key]) if key[-1].size else other


def _masked_store(into: Any, *operands: Any) -> None:
    *indices, mask, vector = operands
    key = _row_lanes(indices, into.shape, mask)
    if key[-1].size:
        store(into, key, vector[np.flatnonzero(mask)])


OPS: dict[str, Handler] = {
    "vector.gather": plain(_gather),
    "vector.scatter": plain(_scatter),
    "vector.maskedload": plain(_masked_load),
    "vector.maskedstore": plain(_masked_store),
}
