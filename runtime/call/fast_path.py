"""Fast path for the common call: contiguous arrays in, one fresh array out.

A call of a small program takes longer to prepare than to run. So everything that all calls of a plan share is computed
once, and rare conditions are tested for all arrays at once. Other calls take the slow path, which also reports errors.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..interface.forms import Form, Layout, OutArgument
from ..interface.memrefs import RESULT_ALIGNMENT, Array, new_array
from ..interface.signature import Signature
from ..memory.result_pool import LEAST_BYTES, ResultPool
from .frames import CallFrame, FrameLayout

__all__ = ["Out", "QuickCall", "describe_out", "quick_call"]

QuickCall = Callable[[Sequence[Any]], Array | None]
"""Runs with the arguments of a call and returns the result; None, without a run, if they need the slow path."""

_BUFFER_KINDS = "biufc"
"""The kinds of dtypes in the buffer protocol, which lacks bfloat16."""


@dataclass(frozen=True)
class Out:
    """How to allocate one result that native code takes as an argument: anew, or from a pool of earlier results."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    alignment: int
    block_bytes: int
    """The size of a block, in which the result may start up to `alignment` bytes after the start."""

    pool: ResultPool | None

    def new_array(self) -> tuple[Array, int]:
        """A fresh array, aligned for vectors, and its address."""
        block = np.empty(self.block_bytes, np.uint8) if self.pool is None else self.pool.take()
        return new_array(self.shape, self.dtype, block, self.alignment)


def describe_out(signature: Signature, out: OutArgument) -> Out:
    """How to allocate the result that is `out`."""
    dtype = signature.results[out.result].element.dtype
    nbytes = math.prod(out.shape) * dtype.itemsize
    alignment = max(out.alignment, RESULT_ALIGNMENT)
    pool = ResultPool(nbytes + alignment) if nbytes >= LEAST_BYTES else None
    return Out(out.shape, dtype, alignment, nbytes + alignment, pool)


def quick_call(
    form: Form,
    layouts: Sequence[Layout | None],
    arguments: Sequence[Any],
    outs: Sequence[Out],
    layout: FrameLayout,
    native: Callable[[int], None],
) -> QuickCall | None:
    """The fast path for arguments like `arguments`, with these `layouts`; None where there is none.

    There is one for contiguous arrays of types in the buffer protocol, without offsets, and one result, which is an out
    argument. Arrays that are read-only or not aligned take the slow path.
    """
    usual = all(
        given is not None and not given.offset and array.flags.c_contiguous and array.size
        for given, array in zip(layouts, arguments, strict=True)
    )
    if not usual or any(array.dtype.kind not in _BUFFER_KINDS for array in arguments):
        return None
    if len(outs) != 1 or list(form.results) != [len(form.layouts)]:
        return None
    # Alignments are powers of two, so the largest one is enough for all.
    mask = max((given.alignment for given in layouts if given is not None), default=1) - 1
    return _one_result(outs[0], mask, layout, native)


def _one_result(out: Out, mask: int, layout: FrameLayout, native: Callable[[int], None]) -> QuickCall:
    address_of, exported = ctypes.addressof, ctypes.c_char.from_buffer
    empty, ndarray, byte = np.empty, np.ndarray, np.dtype(np.uint8)
    shape, dtype, alignment, block_bytes = out.shape, out.dtype, out.alignment, out.block_bytes
    take = None if out.pool is None else out.pool.take
    pack, new_frame = layout.arguments.pack_into, layout.new_frame
    frames: list[CallFrame] = []

    def call(arguments: Sequence[Any]) -> Array | None:
        try:
            addresses = [address_of(exported(array)) for array in arguments]
        except (TypeError, ValueError, BufferError):
            return None
        together = 0
        for address in addresses:
            together |= address
        if together & mask:
            return None
        block: Any = empty(block_bytes, byte) if take is None else take()
        start = address_of(exported(block))
        skip = -start % alignment
        try:
            frame = frames.pop()
        except IndexError:
            frame = new_frame()
        pack(frame.memory, 0, *addresses, start + skip)
        native(frame.table)
        frames.append(frame)
        return ndarray(shape, dtype, block, skip)

    return call
