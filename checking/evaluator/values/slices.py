"""Slices by offsets, sizes and strides, as in extract_slice, insert_slice, subview and dispatch loads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from .attributes import integers, mixed_lists
from .errors import EvaluationError
from .shapes import kept_dimensions
from .undefined import Partial, assign, tidy

__all__ = ["SliceReader", "balanced_part", "inner_key", "replaced", "slice_key"]


class SliceReader:
    """Reads an op's mixed offsets, sizes and strides, whose operands begin at operand `first`.

    `type_` is the type of the slice, which may have fewer dimensions.
    """

    def __init__(self, op: ir.Operation, first: int, type_: ir.Type) -> None:
        self._parts = mixed_lists(op, first, "static_offsets", "static_sizes", "static_strides")
        static, shape = integers(op, "static_sizes"), ir.ShapedType(type_).shape
        everything = range(len(static))
        self._kept = everything if len(shape) == len(static) else kept_dimensions(static, shape)
        self._reduces = len(self._kept) != len(static)

    def key(self, values: Sequence[Any], shape: Sequence[int]) -> tuple[Any, ...]:
        """The key of the slice in an array of `shape`; it must be inside. `values` are the op's operands."""
        offsets, sizes, strides = (part(values) for part in self._parts)
        key: tuple[Any, ...] = slice_key(offsets, sizes, strides, shape)
        if self._reduces:
            key = tuple([entry if i in self._kept else entry.start for i, entry in enumerate(key)])
        return (*key, ...)

    def insert(self, values: Sequence[Any], source: Any, target: Any) -> tuple[Any, Any]:
        """The key of the slice, and `target` with `source` there as a new value."""
        key = self.key(values, target.shape)
        sizes = self._parts[1](values)
        if source.shape != tuple([sizes[i] for i in self._kept]):
            raise EvaluationError(f"the inserted tensor has sizes {list(source.shape)}, the slice has {list(sizes)}")
        return key, replaced(target, key, source)


def slice_key(
    offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int], shape: Sequence[int]
) -> tuple[slice, ...]:
    """The key of a slice, which must be within `shape`."""
    key: list[slice] = []
    for dimension, (offset, size, stride, length) in enumerate(zip(offsets, sizes, strides, shape, strict=True)):
        if size < 0:
            raise EvaluationError(f"the size of a slice in dimension {dimension} is negative: {size}")
        if stride == 0:
            raise EvaluationError(f"the stride of a slice in dimension {dimension} is 0, so its elements are one")
        last = offset + (size - 1) * stride
        low, high = min(offset, last), max(offset, last)
        if not (0 <= low <= high < length if size else 0 <= offset <= length):
            raise EvaluationError(
                f"a slice of offset {offset}, size {size} and stride {stride} is out of bounds in dimension "
                f"{dimension}, whose size is {length}"
            )
        behind = last + (1 if stride > 0 else -1)
        key.append(slice(offset, (behind if behind >= 0 else None) if size else offset, stride))
    return tuple(key)


def inner_key(
    offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int], shape: Sequence[int]
) -> tuple[Any, ...]:
    """The key of a slice of the last dimensions, which `sizes` and `strides` are of, at single outer positions."""
    outer = [1] * (len(shape) - len(sizes))
    key = slice_key(offsets, [*outer, *sizes], [*outer, *strides], shape)
    return (*[entry.start for entry in key[: len(outer)]], *key[len(outer) :], ...)


def replaced(target: Any, key: Any, source: Any) -> Any:
    """`target` with `source` at `key`, as a new value."""
    if type(target) is np.ndarray and isinstance(source, np.ndarray | np.generic | int | bool):
        copy = target.copy()
        copy[key] = source
        return copy
    data = (target.data if type(target) is Partial else target).copy()
    undefined = np.array(target.undefined) if type(target) is Partial else np.zeros(target.shape, np.bool_)
    assign(data, undefined, key, source)
    return tidy(data, undefined)


def balanced_part(value: Any, dimension: int, parts: int, part: int) -> Any:
    """One of the parts of a dimension, of which the first ones have one element more where sizes differ."""
    own = np.array_split(np.arange(value.shape[dimension]), parts)[part]
    start = own[0] if own.size else 0
    return value[(slice(None),) * dimension + (slice(start, start + own.size),)]
