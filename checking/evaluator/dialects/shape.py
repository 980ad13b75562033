"""shape: regions that run under assumptions, and the witnesses of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from ..decoding.decoder import Decoder, Registers
from ..decoding.handlers import Handler
from ..decoding.steps import known, on_registers, plain
from ..values.errors import EvaluationError
from ..values.signature import Function
from .cf import assertion

__all__ = ["OPS"]


@on_registers
def _assuming(decoder: Decoder, op: ir.Operation) -> Function:
    code = decoder.region(op.regions[0])

    def run(registers: Registers, witness: Any) -> Sequence[Any]:
        if not witness:
            raise EvaluationError("the assumption does not hold")
        return code.call(registers, ())

    return run


OPS: dict[str, Handler] = {
    "shape.const_witness": known(lambda _, op: ir.BoolAttr(op.attributes["passing"]).value),
    "shape.cstr_require": assertion,
    "shape.assuming_all": plain(lambda *witnesses: all(witnesses)),
    "shape.assuming": _assuming,
}
