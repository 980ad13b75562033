"""Memory: buffers, and memrefs, which are views of them.

A buffer has bytes and, for each byte, a mark if it was never written. A memref is a strided NumPy array over the bytes
and another one over the marks. Only the first byte of an element is marked; in buffers that are viewed with several
element types, all bytes are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import EvaluationError
from .undefined import Partial, split

__all__ = ["Buffer", "MemRef", "allocate", "contents", "line", "view", "wrap_array", "wrap_arrays"]

_MOST_WORK: Any = 10_000  # NumPy's stubs know two numbers.
"""How long it is looked for elements that two views have in common, in NumPy's measure."""


class Buffer:
    """A buffer; `kind` is its origin: `heap`, `stack`, `argument`, `global` or `tensor`."""

    __slots__ = ("clean", "kind", "live", "marks", "mixed", "raw", "readonly")

    def __init__(self, raw: Any, kind: str, *, clean: bool, readonly: bool = False) -> None:
        self.raw, self.kind, self.clean, self.readonly = raw, kind, clean, readonly
        self.marks = np.zeros(raw.size, np.bool_) if clean else np.ones(raw.size, np.bool_)
        self.live, self.mixed = True, False

    @property
    def address(self) -> int:
        """Where the bytes are."""
        return _address(self.raw)


class MemRef:
    """A view of a buffer: `array` over its bytes, `marks` over the marks of unwritten bytes.

    `base` is where its aligned pointer is, in bytes of the buffer: what offsets of types count from.
    """

    __slots__ = ("array", "base", "buffer", "marks")

    def __init__(self, buffer: Buffer, array: Any, marks: Any, base: int = 0) -> None:
        self.buffer, self.array, self.marks, self.base = buffer, array, marks, base

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        return self.array.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides, in elements."""
        return tuple(stride // self.array.itemsize for stride in self.array.strides)

    @property
    def offset(self) -> int:
        """The first element's distance from the beginning of the buffer, in elements."""
        return (_address(self.array) - self.buffer.address) // self.array.itemsize

    def overlaps(self, other: MemRef) -> bool:
        """Whether some elements of a view of the same sizes are in the same memory, and not each of them in its place.

        False where finding that out would take long.
        """
        mine, others = self.array, other.array
        if _address(mine) == _address(others):
            long = [d for d, size in enumerate(mine.shape) if size > 1]
            if all(mine.strides[d] == others.strides[d] for d in long):
                return False
        try:
            return np.shares_memory(mine, others, max_work=_MOST_WORK)
        except np.exceptions.TooHardError:
            return False

    def alive(self) -> None:
        """Raise an error for freed memory."""
        if not self.buffer.live:
            raise EvaluationError("memory is used after it was freed")

    def read(self) -> Any:
        """The contents as a view, which later writes change; copy it to keep it."""
        buffer = self.buffer
        if not buffer.live:
            self.alive()
        if buffer.clean or not self.marks.any():
            return self.array
        return Partial(self.array, self.marks)

    def written(self, key: Any = ..., undefined: Any = False) -> None:
        """Record a write of the elements at `key`; `undefined` is its mask of undefined elements."""
        buffer = self.buffer
        if buffer.clean:
            if not np.any(undefined):
                return
            buffer.clean = False
        if buffer.mixed:
            self._mark_all_bytes(key, undefined)
            return
        self.marks[key] = undefined
        if key is ... and undefined is False and self.array.nbytes == buffer.raw.size:
            buffer.marks[...] = False
            buffer.clean = True

    def settle(self) -> None:
        """Record writes that were made directly into `array` and `marks`."""
        buffer = self.buffer
        if buffer.clean:
            return
        if buffer.mixed:
            self._mark_all_bytes(..., self.marks.copy())
        elif self.array.nbytes == buffer.raw.size and not self.marks.any():
            buffer.marks[...] = False
            buffer.clean = True

    def _mark_all_bytes(self, key: Any, undefined: Any) -> None:
        array, buffer = self.array, self.buffer
        start = self.offset * array.itemsize if array.size else 0
        mask = np.ndarray((*array.shape, array.itemsize), np.bool_, buffer.marks, start, (*array.strides, 1))
        mask[key] = np.asarray(undefined)[..., None]

    def write(self, value: Any) -> None:
        """Write the whole view; `value` may be an array or a scalar."""
        self.may_write()
        data, undefined = split(value)
        self.array[...] = data
        self.written(..., undefined)

    def may_write(self) -> None:
        """Raise an error for freed or read-only memory."""
        self.alive()
        if self.buffer.readonly:
            raise EvaluationError("memory that must not be changed is written")

    def sliced(self, key: Any) -> MemRef:
        """The view that basic indexing gives."""
        return MemRef(self.buffer, self.array[key], self.marks[key], self.base)

    def transpose(self, order: Sequence[int]) -> MemRef:
        """The same memory with dimensions in another order."""
        return MemRef(self.buffer, self.array.transpose(order), self.marks.transpose(order), self.base)

    def reshape(self, shape: Sequence[int]) -> MemRef:
        """The same memory in another shape, which must be possible without a copy."""
        self.alive()
        array, marks = self.array.reshape(tuple(shape)), self.marks.reshape(tuple(shape))
        if array.size and not np.may_share_memory(array, self.array):
            raise EvaluationError(f"memory of strides {list(self.strides)} has no view of sizes {list(shape)}")
        return MemRef(self.buffer, array, marks, self.base)

    def elements(self) -> tuple[MemRef, int, int]:
        """All elements of the buffer, the position of this view's first one, and the innermost stride."""
        return line(self.buffer, self.array.dtype), self.offset, self.strides[-1] if self.array.ndim else 1

    def reinterpreted(self, offset: int, sizes: Sequence[int], strides: Sequence[int]) -> MemRef:
        """A view by offset from the aligned pointer, sizes and strides, which must stay inside of the buffer."""
        buffer, item, base = self.buffer, self.array.itemsize, self.base
        if any(size < 0 for size in sizes):
            raise EvaluationError(f"a size is negative: {list(sizes)}")
        moves = [(size - 1) * stride for size, stride in zip(sizes, strides, strict=True)]
        low, high = offset + sum(min(0, move) for move in moves), offset + sum(max(0, move) for move in moves)
        if 0 not in sizes and (base + low * item < 0 or base + (high + 1) * item > buffer.raw.size):
            before = base // item
            return Beyond(buffer, self.array.dtype, before + offset, (before + low, before + high), sizes)
        steps = [stride * item for stride in strides]
        return view(buffer, self.array.dtype, base + offset * item, sizes, steps, base)


class Beyond(MemRef):
    """A view that exceeds its buffer. It may exist, but only single elements inside of the buffer may be accessed."""

    __slots__ = ("_dtype", "_offset", "_range", "_sizes")

    def __init__(
        self, buffer: Buffer, dtype: np.dtype[Any], offset: int, covered: tuple[int, int], sizes: Sequence[int]
    ) -> None:
        self.buffer, self._dtype, self._offset, self._range, self.base = buffer, dtype, offset, covered, 0
        self._sizes = tuple(sizes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes."""
        return self._sizes

    def __getattr__(self, name: str) -> Any:
        count = self.buffer.raw.size // self._dtype.itemsize
        raise EvaluationError(
            f"the view covers elements {self._range[0]} to {self._range[1]} of memory that holds {count}"
        )

    def elements(self) -> tuple[MemRef, int, int]:
        """As for any memref; the innermost stride is assumed to be 1."""
        return line(self.buffer, self._dtype), self._offset, 1


def contents(value: Any) -> Any:
    """The elements of a tensor or memref; of a memref a view, which later writes change."""
    return value.read() if isinstance(value, MemRef) else value


def line(buffer: Buffer, dtype: np.dtype[Any]) -> MemRef:
    """All elements of a buffer."""
    return view(buffer, dtype, 0, (buffer.raw.size // dtype.itemsize,), (dtype.itemsize,))


def view(
    buffer: Buffer, dtype: np.dtype[Any], start: int, shape: Sequence[int], steps: Sequence[int], base: int = 0
) -> MemRef:
    """A memref at byte `start` of `buffer`, with strides in bytes; the caller has checked that it is inside."""
    shape = tuple(shape)
    if 0 in shape:
        return MemRef(buffer, np.empty(shape, dtype), np.zeros(shape, np.bool_), base)
    marks = np.ndarray(shape, np.bool_, buffer.marks, start, tuple(steps))
    return MemRef(buffer, np.ndarray(shape, dtype, buffer.raw, start, tuple(steps)), marks, base)


def allocate(shape: Sequence[int], dtype: np.dtype[Any], kind: str) -> MemRef:
    """Fresh, unwritten memory in row-major order."""
    if any(size < 0 for size in shape):
        raise EvaluationError(f"a size is negative: {list(shape)}")
    raw = np.full(math.prod(shape) * dtype.itemsize, 113, np.uint8)
    buffer = Buffer(raw, kind, clean=False)
    array = raw.view(dtype).reshape(tuple(shape))
    return MemRef(buffer, array, buffer.marks[:: dtype.itemsize].reshape(tuple(shape)))


def wrap_array(array: Any, kind: str, *, readonly: bool = False) -> MemRef:
    """A memref of a caller's array, without a copy."""
    (memref,) = wrap_arrays([array], kind, readonly=readonly)
    return memref


def wrap_arrays(arrays: Sequence[Any], kind: str, *, readonly: bool = False) -> list[MemRef]:
    """Memrefs of several arrays; arrays that overlap share a buffer. The cost is n log n."""
    found: dict[int, MemRef] = {}
    group: list[int] = []
    end = 0
    extents = [_extent(array) for array in arrays]
    for i in sorted(range(len(arrays)), key=lambda i: extents[i]):
        begin, stop = extents[i]
        if group and begin >= end:
            found.update(_one_buffer(arrays, group, end, kind, readonly=readonly))
            group = []
        end = max(end, stop) if group else stop
        group.append(i)
    if group:
        found.update(_one_buffer(arrays, group, end, kind, readonly=readonly))
    return [found[i] for i in range(len(arrays))]


def _address(array: Any) -> int:
    return array.__array_interface__["data"][0]


def _extent(array: Any) -> tuple[int, int]:
    """The addresses of the first byte and after the last one."""
    begin = end = _address(array)
    if not array.size:
        return begin, begin
    for size, stride in zip(array.shape, array.strides, strict=True):
        begin, end = begin + min(0, (size - 1) * stride), end + max(0, (size - 1) * stride)
    return begin, end + array.itemsize


def _one_buffer(
    arrays: Sequence[Any], group: Sequence[int], end: int, kind: str, *, readonly: bool
) -> dict[int, MemRef]:
    """One buffer from the first array's first byte to `end`. The views keep the callers' arrays alive."""
    first = arrays[group[0]]
    begin = _extent(first)[0]
    low = first
    for axis, stride in enumerate(first.strides):
        low = np.flip(low, axis) if stride < 0 else low
    single = low[(slice(0, 1),) * low.ndim].reshape(-1) if low.ndim else low.reshape(-1)
    if end == begin:
        raw = np.zeros(0, np.uint8)
    else:
        raw = np.lib.stride_tricks.as_strided(single.view(np.uint8), (end - begin,), (1,))
    buffer = Buffer(raw, kind, clean=True, readonly=readonly)
    found: dict[int, MemRef] = {}
    for i in group:
        array, shape = arrays[i], arrays[i].shape
        if array.size:
            marks = np.ndarray(shape, np.bool_, buffer.marks, _address(array) - begin, array.strides)
        else:
            marks = np.zeros(shape, np.bool_)
        found[i] = MemRef(buffer, array, marks)
    return found
