"""linalg: structured ops through their maps and bodies, linalg.index, and ops that have no body."""

from __future__ import annotations

from mlir import ir

from .decoder import Decoder, Registers, Step
from .errors import EvaluationError
from .handlers import Handler
from .structured import StructuredOp

__all__ = ["OPS"]


def _structured(decoder: Decoder, op: ir.Operation) -> Step:
    if not len(op.regions):
        raise EvaluationError("the op is not supported by the evaluator")
    return StructuredOp(decoder, op).step


def _index(decoder: Decoder, op: ir.Operation) -> Step:
    source = decoder.iteration[-1][ir.IntegerAttr(op.attributes["dim"]).value]
    result = decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = registers[source]

    return step


OPS: dict[str, Handler] = {"linalg.index": _index, "linalg.*": _structured}
