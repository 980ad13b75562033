"""The calls that most are: contiguous arrays in, fresh arrays out. As few steps as Python needs for that.

A call of a small program takes longer to prepare than to run, so what is known of all calls of a plan is taken out of
it, and what rarely matters is asked of all arrays at once. The unusual goes the long way, which says what is wrong.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..interface.boundary import Form, OutArgument
from ..interface.memrefs import RESULT_ALIGNMENT, Array, new_array
from ..interface.signature import Signature
from ..memory.result_pool import LEAST_BYTES, ResultPool
from .frames import CallFrame, FrameLayout

__all__ = ["Out", "QuickCall", "describe_out", "quick_call"]

QuickCall = Callable[[Sequence[Any]], Array | None]
"""Runs with the arguments of a call and returns the result; None, without a run, if they have to go the long way."""

_BUFFER_KINDS = "biufc"
"""The kinds of dtypes that the buffer protocol knows: bfloat16 is none of them."""


@dataclass(frozen=True)
class Out:
    """How to make the memory of one result that is an argument: anew, or from what earlier results had."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    nbytes: int
    alignment: int
    pool: ResultPool | None

    @property
    def block_bytes(self) -> int:
        """How large a block has to be: the result may begin up to `alignment` behind its beginning."""
        return self.nbytes + self.alignment

    def new_array(self) -> tuple[Array, int]:
        """An array that nobody else has, aligned for vectors, and its address."""
        block = np.empty(self.block_bytes, np.uint8) if self.pool is None else self.pool.take()
        return new_array(self.shape, self.dtype, block, self.alignment)


def describe_out(signature: Signature, out: OutArgument) -> Out:
    """Return how the memory of `out` is made."""
    dtype = signature.results[out.result].element.dtype
    nbytes = math.prod(out.shape) * dtype.itemsize
    made = Out(out.shape, dtype, nbytes, max(out.alignment, RESULT_ALIGNMENT), None)
    pool = ResultPool(made.block_bytes) if nbytes >= LEAST_BYTES else None
    return Out(made.shape, made.dtype, made.nbytes, made.alignment, pool)


def quick_call(
    form: Form,
    arguments: Sequence[Any],
    outs: Sequence[Out],
    layout: FrameLayout,
    native: Callable[[int], None],
) -> QuickCall | None:
    """Return a call for arguments like `arguments`, None if theirs is not of the usual kind.

    That is: arrays with elements that Python knows, which begin where their memrefs do, and one result, which has an
    argument of its own. Arrays that are read-only or not aligned go the long way.
    """
    usual = all(
        given is not None and not given.offset and array.flags.c_contiguous and array.size
        for given, array in zip(form.layouts, arguments, strict=True)
    )
    if not usual or any(array.dtype.kind not in _BUFFER_KINDS for array in arguments):
        return None
    if len(outs) != 1 or list(form.results) != [len(arguments)]:
        return None
    # Alignments are powers of two, so the largest one is enough for all.
    mask = max((given.alignment for given in form.layouts if given is not None), default=1) - 1
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
