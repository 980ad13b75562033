"""linalg: structured ops through their maps and bodies, linalg.index, and ops that have no body."""

from __future__ import annotations

from mlir import ir

from ..decoding.decoder import Decoder, Step
from ..decoding.handlers import Handler
from ..decoding.steps import computation
from ..values.attributes import integer
from ..values.errors import EvaluationError
from .structured import StructuredOp

__all__ = ["OPS"]


def _structured(decoder: Decoder, op: ir.Operation) -> Step:
    if not len(op.regions):
        raise EvaluationError("the op is not supported by the evaluator")
    return StructuredOp(decoder, op).step


def _index(decoder: Decoder, op: ir.Operation) -> Step:
    source = decoder.iteration[-1][integer(op, "dim")]
    return computation(lambda index: index, (source,), decoder.all(op.results))


OPS: dict[str, Handler] = {"linalg.index": _index, "linalg.*": _structured}
