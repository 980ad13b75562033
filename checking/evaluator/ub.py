"""ub.poison, as an undefined value."""

from __future__ import annotations

from typing import Any

from mlir import ir

from .attributes import DYNAMIC
from .decoder import Decoder
from .errors import EvaluationError
from .handlers import Handler
from .steps import known
from .undefined import UNDEFINED, empty

__all__ = ["OPS"]


def _poison(decoder: Decoder, op: ir.Operation) -> Any:
    type_ = op.results[0].type
    if isinstance(type_, ir.RankedTensorType | ir.VectorType) and DYNAMIC not in type_.shape:
        return empty(type_.shape, decoder.element(type_).dtype)
    if isinstance(type_, ir.ShapedType) and not isinstance(type_, ir.MemRefType):
        raise EvaluationError(f"a poison value of type {type_} is not supported")
    return UNDEFINED


OPS: dict[str, Handler] = {"ub.poison": known(_poison)}
