"""Arrays for results that native code writes: fresh ones, or from a pool of earlier results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialects.support.frozen_classes import frozen
from ..interface.forms import OutArgument
from ..interface.memrefs import RESULT_ALIGNMENT, Array, new_array
from ..interface.result_sizes import known_shape
from ..interface.signature import Signature
from ..memory.result_pool import LEAST_BYTES, ResultPool

__all__ = ["Out", "describe_out"]


@frozen
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


def describe_out(signature: Signature, out: OutArgument, shapes: Sequence[Sequence[int]]) -> Out:
    """How to allocate the result that is `out`, in a call with arguments of `shapes`."""
    dtype, shape = signature.results[out.result].element.dtype, known_shape(out.shape, shapes)
    nbytes = math.prod(shape) * dtype.itemsize
    alignment = max(out.alignment, RESULT_ALIGNMENT)
    is_static = all(isinstance(size, int) for size in out.shape)
    pool = ResultPool(nbytes + alignment, shared=not is_static) if nbytes >= LEAST_BYTES else None
    return Out(shape, dtype, alignment, nbytes + alignment, pool)
