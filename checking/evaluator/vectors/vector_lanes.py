"""Lanes of vectors in another order or of another width: interleave, deinterleave and bitcast."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import on_values, plain
from ..values.signature import Function
from ..values.undefined import Partial, defined

__all__ = ["OPS"]


@on_values
def _interleave(_decoder: Decoder, op: ir.Operation) -> Function:
    shape = tuple(ir.ShapedType(op.results[0].type).shape)

    def interleave(*parts: Any) -> Any:
        """The vectors side by side along a new last dimension."""
        stacked = np.concatenate([part.reshape((*part.shape, 1)) for part in parts], parts[0].ndim)
        return stacked.reshape(shape)

    return interleave


@on_values
def _bitcast(decoder: Decoder, op: ir.Operation) -> Function:
    """Between widths, a lane that holds an undefined bit is not supported: all of the vector must be defined."""
    before, after = decoder.element(op.operands[0].type), decoder.element(op.results[0].type)
    shape = tuple(ir.ShapedType(op.results[0].type).shape)

    def bitcast(value: Any) -> Any:
        if type(value) is Partial and before.width == after.width:
            return value.view(after.dtype)
        return np.ascontiguousarray(defined(value)).view(after.dtype).reshape(shape)

    return bitcast


OPS: dict[str, Handler] = {
    "vector.interleave": _interleave,
    "vector.deinterleave": plain(lambda value: (value[..., 0::2], value[..., 1::2])),
    "vector.bitcast": _bitcast,
}
