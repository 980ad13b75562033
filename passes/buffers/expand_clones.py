"""Turn clones of buffers into allocations and copies, whatever their layout.

In: `bufferization.clone`, as deallocation inserts it. Out: an allocation of the same shape, a `memref.copy` into it,
and the type of the clone for its users. Where the layout can be cast from the identity, the allocation is contiguous
and a `memref.cast` gives it the type; where the type fixes other strides or an offset, the allocation is flat, large
enough for them, and a `memref.reinterpret_cast` shapes it, with dynamic strides chosen to step over the rest. Left
alone: everything else. Clones of unranked memrefs are refused with an error, and those that take more elements than an
index can count.

```mlir
func.func @f(%a: memref<2xf32, strided<[1], offset: 1>>) -> memref<2xf32, strided<[1], offset: 1>> {
  %b = bufferization.clone %a : memref<2xf32, strided<[1], offset: 1>> to memref<2xf32, strided<[1], offset: 1>>
  return %b : memref<2xf32, strided<[1], offset: 1>>
}
```

becomes:

```mlir
func.func @f(%a: memref<2xf32, strided<[1], offset: 1>>) -> memref<2xf32, strided<[1], offset: 1>> {
  %alloc = memref.alloc() : memref<3xf32>
  %view = memref.reinterpret_cast %alloc to offset: [1], sizes: [2], strides: [1] : memref<3xf32>
      to memref<2xf32, strided<[1], offset: 1>>
  memref.copy %a, %view : memref<2xf32, strided<[1], offset: 1>> to memref<2xf32, strided<[1], offset: 1>>
  return %view : memref<2xf32, strided<[1], offset: 1>>
}
```

Linear in the operations.

Upstream counterpart: the clone pattern of `convert-bufferization-to-memref`, which fails on such layouts.
"""

from __future__ import annotations

import math

from mlir import ir
from mlir.dialects import memref

from ...dialects.structured import extent
from ...dialects.subsets import reinterpret_cast
from ...dialects.support.index_math import Number, add, multiply
from ...dialects.support.memref_types import identity_type, is_castable
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions

_DYNAMIC = ir.ShapedType.get_dynamic_stride_or_offset()
_LARGEST = (1 << 63) - 1


def analyze_clones(root: ir.Operation) -> tuple[ir.Operation, ...]:
    """The clones under `root`, in program order. Changes nothing.

    Raises `PassFailure` for one that has no rank, or is so large that its elements cannot be counted.
    """
    found = find_ops(root, "bufferization.clone")
    for op in found:
        for type_ in (op.operands[0].type, op.results[0].type):
            if not isinstance(type_, ir.MemRefType):
                raise PassFailure(f"cannot clone a {type_}: it needs a rank; cast it to a ranked memref first", op)
        target = ir.MemRefType(op.results[0].type)
        with op.location:
            why = None if _is_contiguous(target) else _why_not_flat(target)
        if why is not None:
            raise PassFailure(f"cannot clone a {target}: {why}", op)
    return tuple(found)


def _why_not_flat(type_: ir.MemRefType) -> str | None:
    """Why no flat allocation can be seen as the type; None if one can."""
    if _least_length(type_) > _LARGEST:
        return "it spans more elements than an index can count"
    strides, offset = type_.get_strides_and_offset()
    if offset == _DYNAMIC:
        return None
    for size, stride in zip(type_.shape, strides, strict=True):
        if stride != _DYNAMIC and stride < 0:
            offset = -1 if ir.ShapedType.is_dynamic_size(size) else offset + (max(size, 1) - 1) * stride
            if offset < 0:
                return "negative strides lead in front of its memory; cast it to a memref of dynamic offset first"
    return None


def _is_contiguous(type_: ir.MemRefType) -> bool:
    """Whether a contiguous allocation can be cast to the type."""
    return is_castable(identity_type(type_, type_.memory_space), type_)


def _least_length(type_: ir.MemRefType) -> int:
    """At least as large as any constant that `_flat` makes; dynamic sizes count as 1, and so do those of 0."""
    strides, offset = type_.get_strides_and_offset()
    sizes = [1 if ir.ShapedType.is_dynamic_size(size) else max(size, 1) for size in type_.shape]
    fixed = zip(sizes, strides, strict=True)
    length = 1 + sum((size - 1) * abs(stride) for size, stride in fixed if stride != _DYNAMIC)
    stepped = (size for size, stride in zip(sizes, strides, strict=True) if stride == _DYNAMIC)
    return math.prod(stepped, start=length) + (0 if offset == _DYNAMIC else offset)


def _contiguous(source: ir.Value, type_: ir.MemRefType) -> ir.Value:
    """A contiguous allocation of the shape of `source`, cast to `type_`."""
    plain = ir.MemRefType(identity_type(type_, type_.memory_space))
    dynamic = [size for axis in range(plain.rank) if isinstance(size := extent(source, axis), ir.Value)]
    allocation = memref.alloc(plain, dynamic, [])
    return allocation if plain == type_ else memref.cast(type_, allocation)


def _flat(source: ir.Value, type_: ir.MemRefType) -> ir.Value:
    """A flat allocation seen as `type_`, whose static strides and offset are kept."""
    sizes = [extent(source, axis) for axis in range(type_.rank)]
    strides, offset = type_.get_strides_and_offset()
    # The extent of the static strides; each dynamic stride then steps over all dimensions before it. A size that is not
    # known may be zero, so nothing is subtracted from it. Negative strides lead to in front of the first element.
    end: Number = 1
    start: Number = 0
    for size, stride in zip(sizes, strides, strict=True):
        if stride != _DYNAMIC:
            distance = multiply(max(size - 1, 0) if isinstance(size, int) else size, abs(stride))
            end = add(end, distance)
            start = add(start, distance) if stride < 0 else start
    room: Number = 0
    if offset != _DYNAMIC:
        start = room = offset
    chosen: list[Number] = list(strides)
    for axis in reversed(range(len(sizes))):
        if strides[axis] == _DYNAMIC:
            chosen[axis] = end
            end = multiply(end, sizes[axis])
    length = add(end, room)
    static = length if isinstance(length, int) else ir.ShapedType.get_dynamic_size()
    block = ir.MemRefType.get([static], type_.element_type, memory_space=type_.memory_space)
    allocation = memref.alloc(block, [] if isinstance(length, int) else [length], [])
    return reinterpret_cast(allocation, type_, start, sizes, chosen)


class ExpandClonesPass(Pass[PassOptions]):
    """Turn clones into allocations and copies."""

    argument = "inplace-expand-clones"
    summary = "turn bufferization.clone into memref.alloc and memref.copy, whatever the layout"
    statistics = (Statistic("expanded-clones", "clones that became copies"),)
    concerns = ("bufferization.clone",)

    def run(self, op: ir.Operation) -> None:
        clones = analyze_clones(op)
        for clone in clones:
            source, type_ = clone.operands[0], ir.MemRefType(clone.results[0].type)
            with ir.InsertionPoint(clone), clone.location:
                build = _contiguous if _is_contiguous(type_) else _flat
                target = build(source, type_)
                memref.copy(source, target)
            clone.results[0].replace_all_uses_with(target)
            clone.erase()
        self.count("expanded-clones", len(clones))
