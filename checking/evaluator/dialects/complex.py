"""Complex arithmetic, as far as the project's programs use it."""

from __future__ import annotations

import operator

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import on_values, plain
from ..values.signature import Function
from .elementwise import constant

__all__ = ["OPS"]


@on_values
def _create(decoder: Decoder, op: ir.Operation) -> Function:
    dtype = decoder.element(op.results[0].type).dtype
    return lambda real, imaginary: dtype.type(complex(real, imaginary))


OPS: dict[str, Handler] = {
    "complex.constant": constant,
    "complex.create": _create,
    "complex.add": plain(operator.add),
    "complex.sub": plain(operator.sub),
    "complex.mul": plain(operator.mul),
    "complex.neg": plain(operator.neg),
    "complex.conj": plain(np.conj),
    "complex.re": plain(lambda value: value.real),
    "complex.im": plain(lambda value: value.imag),
}
