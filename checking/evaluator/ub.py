"""ub.poison: a value that nobody may look at."""

from __future__ import annotations

from mlir import ir

from .decoder import Decoder, Registers, Step
from .errors import EvaluationError
from .handlers import Handler
from .shapes import DYNAMIC
from .undefined import UNDEFINED, empty

__all__ = ["OPS"]


def _poison(decoder: Decoder, op: ir.Operation) -> Step:
    type_, result = op.results[0].type, decoder.slot(op.results[0])
    if isinstance(type_, ir.RankedTensorType | ir.VectorType) and DYNAMIC not in type_.shape:
        value = empty(type_.shape, decoder.element(type_).dtype)
    elif isinstance(type_, ir.ShapedType) and not isinstance(type_, ir.MemRefType):
        raise EvaluationError(f"a poison value of type {type_} is not supported")
    else:
        value = UNDEFINED

    def step(registers: Registers) -> None:
        registers[result] = value

    return step


OPS: dict[str, Handler] = {"ub.poison": _poison}
