"""Slices by offsets, sizes and strides, as extract_slice, insert_slice, subview and dispatch loads have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, integers, mixed
from .errors import EvaluationError
from .shapes import kept_dimensions
from .undefined import Partial, assign, tidy

__all__ = ["SliceReader", "replaced", "slice_key"]


class SliceReader:
    """Reads an op's mixed offsets, sizes and strides, whose operands begin at operand `first`."""

    def __init__(self, decoder: Decoder, op: ir.Operation, first: int) -> None:
        operands = list(op.operands)[first:]
        static = [integers(op, f"static_{name}") for name in ("offsets", "sizes", "strides")]
        dynamic = ir.ShapedType.get_dynamic_size()
        parts: list[Any] = []
        for numbers in static:
            count = sum(number == dynamic for number in numbers)
            parts.append(mixed(decoder, numbers, operands[:count]))
            operands = operands[count:]
        self.offsets, self.sizes, self.strides = parts
        self.static_sizes = static[1]

    def kept(self, type_: ir.Type) -> list[int] | None:
        """The dimensions that the slice's type keeps; None if it keeps all."""
        shape = ir.ShapedType(type_).shape
        return None if len(shape) == len(self.static_sizes) else kept_dimensions(self.static_sizes, shape)

    def key(self, registers: Registers, shape: Sequence[int]) -> tuple[tuple[slice, ...], Sequence[int]]:
        """The key into an array of `shape`, and the sizes; refuses what is out of bounds."""
        sizes = self.sizes(registers)
        return slice_key(self.offsets(registers), sizes, self.strides(registers), shape), sizes


def slice_key(
    offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int], shape: Sequence[int]
) -> tuple[slice, ...]:
    """The key of a slice, which must be within `shape`."""
    key: list[slice] = []
    for dimension, (offset, size, stride, length) in enumerate(zip(offsets, sizes, strides, shape, strict=True)):
        if size < 0:
            raise EvaluationError(f"the size of a slice in dimension {dimension} is negative: {size}")
        if stride <= 0:
            raise EvaluationError(f"the stride of a slice in dimension {dimension} is {stride}, it must be positive")
        last = offset + (size - 1) * stride
        if offset < 0 or (size and last >= length) or offset > length:
            raise EvaluationError(
                f"a slice of offset {offset}, size {size} and stride {stride} is out of bounds in dimension "
                f"{dimension}, whose size is {length}"
            )
        key.append(slice(offset, last + 1 if size else offset, stride))
    return tuple(key)


def replaced(target: Any, key: Any, sizes: Sequence[int] | None, source: Any) -> Any:
    """`target` with `source` at `key`, as a new value; `sizes` is the slice's shape if it may have more dimensions."""
    if sizes is not None:
        if source.size != np.prod(sizes, dtype=np.int64):
            raise EvaluationError(f"what is inserted has sizes {list(source.shape)}, the slice has {list(sizes)}")
        source = source.reshape(sizes)
    if type(target) is np.ndarray and isinstance(source, np.ndarray | np.generic | int | bool):
        copy = target.copy()
        copy[key] = source
        return copy
    data = (target.data if type(target) is Partial else target).copy()
    undefined = np.array(target.undefined) if type(target) is Partial else np.zeros(target.shape, np.bool_)
    assign(data, undefined, key, source)
    return tidy(data, undefined)
