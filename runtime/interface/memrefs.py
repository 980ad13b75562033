"""Conversion between NumPy arrays and memref descriptors: addresses, strides, ownership.

A ranked memref is, for native code, two pointers (what was allocated, and where the data starts, aligned), an offset,
the sizes and the strides, all in elements and 64 bits each; a rank-0 memref ends after the offset. NumPy counts
strides in bytes and has no offset.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from .forms import Layout
from .signature import Parameter

Array = np.ndarray[Any, Any]

RESULT_ALIGNMENT = 64
"""Result arrays start on a cache line, so that no vector access straddles two."""

# Beyond this many steps the exact overlap test gives up, and the arrays count as overlapping.
_OVERLAP_WORK = 10_000

_address_of = ctypes.addressof
_exported = ctypes.c_char.from_buffer


def descriptor_words(rank: int) -> int:
    """How many 64-bit words a memref of this rank takes in native arguments and results."""
    return 3 + 2 * rank


def data_address(array: Array) -> int:
    """The address of the first element. About 0.2 µs for a writable contiguous array, 1 µs otherwise."""
    try:
        return _address_of(_exported(cast("Any", array)))
    except (TypeError, ValueError, BufferError):
        # Read-only, strided, empty, or of a type the buffer protocol does not know (bfloat16).
        return array.__array_interface__["data"][0]


def row_major_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of a contiguous array of this shape."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * max(shape[axis + 1], 1)
    return tuple(strides)


class StrideError(ValueError):
    """An array whose strides a parameter's layout does not allow."""


def element_strides(array: Array, parameter: Parameter, layout: Layout) -> tuple[int, ...]:
    """The strides of `array` in elements, as `layout` allows them. Raises `StrideError` if it does not.

    Where a stride is never used (one element along an axis, or none in the array) it is the one of the layout.
    """
    itemsize, regular = array.itemsize, row_major_strides(array.shape)
    allowed = regular if layout.identity else layout.strides
    strides: list[int] = []
    for axis, (size, stride, wanted) in enumerate(zip(array.shape, array.strides, allowed, strict=True)):
        if size <= 1 or array.size == 0:
            strides.append(regular[axis] if wanted is None else wanted)
            continue
        steps, rest = divmod(stride, itemsize)
        if rest:
            raise StrideError(
                f"{parameter.label}: axis {axis} has a stride of {stride} bytes, no multiple of the element size, "
                f"{itemsize}; pass a copy (numpy.ascontiguousarray)"
            )
        if wanted is not None and steps != wanted:
            raise _wrong_strides(array, parameter, allowed)
        strides.append(steps)
    return tuple(strides)


def _wrong_strides(array: Array, parameter: Parameter, allowed: Sequence[int | None]) -> StrideError:
    wanted = ", ".join("any" if stride is None else str(stride) for stride in allowed)
    got = ", ".join(f"{stride / array.itemsize:g}" for stride in array.strides)
    return StrideError(
        f"{parameter.label}: expected strides ({wanted}) in elements for {parameter.type.spelling}, got ({got}); "
        "pass a contiguous array (numpy.ascontiguousarray)"
    )


def overlap(first: Array, second: Array) -> bool:
    """Whether two arrays may share an element; exact for ordinary slices, True where the test would take too long."""
    if not np.may_share_memory(first, second):
        return False
    try:
        return np.shares_memory(first, second, max_work=cast("Any", _OVERLAP_WORK))
    except np.exceptions.TooHardError:
        return True


def overlaps_itself(array: Array) -> bool:
    """Whether two indices of `array` may address the same memory; False is exact.

    In order of strides, each stride must exceed the span of the axes before it; broadcasts and sliding windows fail.
    """
    if array.flags.c_contiguous:
        return False
    span = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape, strict=True)):
        if size > 1 and stride < span:
            return array.size > 0
        span += stride * max(size - 1, 0)
    return False


def new_array(shape: tuple[int, ...], dtype: np.dtype[Any], block: Array, alignment: int) -> tuple[Array, int]:
    """An aligned contiguous array in `block`, and its address.

    `alignment` is a power of two; the block has so many bytes more than the array. The array has its contents.
    """
    start = data_address(block)
    skip = -start % alignment
    return np.ndarray(shape, dtype, cast("Any", block), skip), start + skip


_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = (ctypes.c_void_p,), None


_free_with: list[Callable[[int], None]] = [_free]
"""Frees the memory of arrays that own a block allocated by native code."""


_free_address = ctypes.c_void_p(ctypes.cast(_free, ctypes.c_void_p).value)


def free_word() -> int:
    """The address of a word with the address of the C function that frees the memory of arrays."""
    return ctypes.addressof(_free_address)


def free_with(give: Callable[[int], None]) -> None:
    """Pass the memory of deleted arrays to the C function `give` while the interpreter runs, then to `free`."""
    _use(give)
    atexit.register(_use, _free)


def _use(function: Any) -> None:
    _free_with[0] = function
    _free_address.value = ctypes.cast(function, ctypes.c_void_p).value


def _release(memory: Any, how: Sequence[Callable[[int], None]] = _free_with) -> None:
    # A default argument, because globals may be gone when the interpreter shuts down.
    how[0](memory.base)


@functools.lru_cache(maxsize=1024)
def _memory_class(nbytes: int) -> Any:
    """The type of buffers of `nbytes` bytes that native code allocated.

    An instance is made by `from_address`, gets the address to free as its `base`, and frees it when the last array that
    views it is deleted.
    """
    return type("NativeMemory", (ctypes.c_char * nbytes,), {"__del__": _release})


def adopt(words: tuple[int, ...], dtype: np.dtype[Any], header: int) -> Array:
    """The array for a returned descriptor. It owns the memory, which is freed when the last view is deleted.

    `words` is the descriptor; the allocated block starts `header` bytes before its first word. Constant time.
    """
    allocated, aligned, offset = words[:3]
    rank = (len(words) - 3) // 2
    shape, strides = words[3 : 3 + rank], words[3 + rank :]
    itemsize = dtype.itemsize
    low = high = 0
    for size, stride in zip(shape, strides, strict=True):
        if size == 0:
            _memory_class(0).from_address(aligned).base = allocated - header  # freed at once
            return np.empty(shape, dtype)
        if stride > 0:
            high += (size - 1) * stride
        else:
            low += (size - 1) * stride
    memory = _memory_class((high - low + 1) * itemsize).from_address(aligned + (offset + low) * itemsize)
    memory.base = allocated - header
    return np.ndarray(shape, dtype, memory, -low * itemsize, tuple(s * itemsize for s in strides))


def copy_of(words: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """A copy of the memory of a returned descriptor, which stays with its owner."""
    return adopt((0, *words[1:]), dtype, 0).copy()  # the base is NULL, which free ignores


def is_all_of(words: tuple[int, ...], array: Array) -> bool:
    """Whether a returned descriptor is that of `array`, not just of a part of it."""
    rank = (len(words) - 3) // 2
    shape, strides = words[3 : 3 + rank], words[3 + rank :]
    if shape != array.shape or words[1] + words[2] * array.itemsize != data_address(array):
        return False
    places = zip(shape, strides, array.strides, strict=True)
    return all(size == 1 or stride * array.itemsize == wanted for size, stride, wanted in places)
