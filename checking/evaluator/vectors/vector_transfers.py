"""Vectors from and to tensors and memrefs: transfers with masks, permutations and padding, and contiguous loads.

A transfer consists of the box of elements it accesses, in the order of the source's dimensions (as its mask), and a
permutation to the order of the vector's dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import masked, on_values
from ..dialects.tensor import filled
from ..values.attributes import integers
from ..values.errors import EvaluationError
from ..values.memory import MemRef, contents
from ..values.signature import Function
from ..values.slices import inner_key, replaced
from ..values.undefined import assign, defined

__all__ = ["OPS", "store"]

Key = tuple[slice | int, ...]


def store(target: Any, key: Any, value: Any) -> Any:
    """Write elements into a memref, or return a tensor with them."""
    if not isinstance(target, MemRef):
        return replaced(target, key, value)
    target.may_write()
    current = target.read()
    changed = replaced(current, key, value)
    if isinstance(changed, np.ndarray):
        assign(target.array, None, key, value)
        target.written(key)
    else:
        target.write(changed)
    return None


@dataclass(frozen=True)
class TransferBox:
    """The box that a transfer accesses: the source's axes that have a vector dimension, and the order of these."""

    axes: tuple[int, ...]
    sizes: tuple[int, ...]
    in_bounds: tuple[bool, ...]
    order: tuple[int, ...]
    shape: tuple[int, ...]

    def clip(self, index: Sequence[int], shape: Sequence[int], mask: Any) -> tuple[Key, tuple[slice, ...]] | None:
        """The part of the box that is in bounds: its key into the source, and into the box; None if it is empty."""
        source: list[slice | int] = list(index)
        box: list[slice] = []
        for axis, size, must in zip(self.axes, self.sizes, self.in_bounds, strict=True):
            begin, length = index[axis], shape[axis]
            low, high = min(max(0, -begin), size), min(size, length - begin)
            high = max(high, low)
            if must and (low or high < size):
                self._refuse_outside(len(box), low, high, mask, axis, index, shape)
            source[axis] = slice(begin + low, begin + high)
            box.append(slice(low, high))
        if not all(one.start < one.stop for one in box):
            return None
        for axis, length in enumerate(shape):
            if axis not in self.axes and not 0 <= index[axis] < length:
                raise EvaluationError(f"index {list(index)} is out of bounds: the sizes are {list(shape)}")
        return tuple(source), tuple(box)

    def _refuse_outside(self, position: int, low: int, high: int, mask: Any, axis: int, *where: Sequence[int]) -> None:
        """Raise an error unless all elements outside are masked off."""
        if mask is not None:
            outside = np.ones(self.sizes[position], np.bool_)
            outside[low:high] = False
            shape = [1] * len(self.sizes)
            shape[position] = -1
            if not np.any(mask & outside.reshape(shape)):
                return
        index, sizes = where
        raise EvaluationError(
            f"a transfer of {self.sizes[position]} elements from index {list(index)} is out of bounds in dimension "
            f"{axis}: the sizes are {list(sizes)}"
        )


def _box(op: ir.Operation, vector: ir.ShapedType) -> tuple[TransferBox, list[int]]:
    """The box, and the vector's dimensions along which it is broadcast."""
    results = list(ir.AffineMapAttr(op.attributes["permutation_map"]).value.results)
    bounds = [ir.BoolAttr(bound).value for bound in ir.ArrayAttr(op.attributes["in_bounds"])]
    placed: list[tuple[int, int]] = []
    repeated: list[int] = []
    for dim, result in enumerate(results):
        if isinstance(result, ir.AffineDimExpr):
            placed.append((result.position, dim))
        else:
            repeated.append(dim)
    placed.sort()
    dims = [dim for _, dim in placed]
    shape = vector.shape
    order = tuple(int(i) for i in np.argsort(dims))
    axes, sizes = tuple(axis for axis, _ in placed), tuple(shape[dim] for dim in dims)
    return TransferBox(axes, sizes, tuple(bounds[dim] for dim in dims), order, tuple(shape)), repeated


@masked
def _transfer_read(decoder: Decoder, op: ir.Operation) -> Function:
    _, rank, _, has_mask = integers(op, "operandSegmentSizes")
    box, repeated = _box(op, ir.ShapedType(op.results[0].type))
    element = decoder.element(op.results[0].type)

    def read(mask: Any, source: Any, *operands: Any) -> Any:
        array, mask = contents(source), defined(operands[-1] if has_mask else mask)
        inside = box.clip([index.__index__() for index in operands[:rank]], array.shape, mask)
        found = padding = filled(box.sizes, operands[rank], element)
        if inside is not None:
            found = replaced(found, (*inside[1], ...), array[(*inside[0], ...)])
        if mask is not None:
            found = np.where(mask, found, padding)
        found = found.transpose(box.order)
        if repeated:
            found = found[tuple(None if dim in repeated else slice(None) for dim in range(len(box.shape)))]
        return np.broadcast_to(found, box.shape).copy()

    return read


@masked
def _transfer_write(_decoder: Decoder, op: ir.Operation) -> Function:
    _, _, rank, has_mask = integers(op, "operandSegmentSizes")
    box, _ = _box(op, ir.ShapedType(op.operands[0].type))
    axes = tuple(int(i) for i in np.argsort(box.order))

    def write(mask: Any, vector: Any, into: Any, *operands: Any) -> Any:
        mask = defined(operands[-1] if has_mask else mask)
        inside = box.clip([index.__index__() for index in operands[:rank]], into.shape, mask)
        if inside is None:
            return into
        key, part = (*inside[0], ...), (*inside[1], ...)
        value = vector.transpose(axes)[part]
        if mask is not None:
            value = np.where(mask[part], value, contents(into)[key])
        return store(into, key, value)

    return write


@on_values
def _load(_decoder: Decoder, op: ir.Operation) -> Function:
    sizes = ir.ShapedType(op.results[0].type).shape
    strides = [1] * len(sizes)

    def load(source: Any, *indices: Any) -> Any:
        array = contents(source)
        return array[inner_key([index.__index__() for index in indices], sizes, strides, array.shape)].copy()

    return load


@on_values
def _store(_decoder: Decoder, op: ir.Operation) -> Function:
    sizes = ir.ShapedType(op.operands[0].type).shape
    strides = [1] * len(sizes)

    def write(vector: Any, into: Any, *indices: Any) -> None:
        store(into, inner_key([index.__index__() for index in indices], sizes, strides, into.shape), vector)

    return write


OPS: dict[str, Handler] = {
    "vector.transfer_read": _transfer_read,
    "vector.transfer_write": _transfer_write,
    "vector.load": _load,
    "vector.store": _store,
}
