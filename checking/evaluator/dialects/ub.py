"""ub.poison, as an undefined value."""

from __future__ import annotations

from typing import Any

from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import known
from ..values.attributes import DYNAMIC
from ..values.errors import EvaluationError
from ..values.undefined import UNDEFINED, empty

__all__ = ["OPS"]


def _poison(decoder: Decoder, op: ir.Operation) -> Any:
    type_ = op.results[0].type
    if isinstance(type_, ir.RankedTensorType | ir.VectorType) and DYNAMIC not in type_.shape:
        return empty(type_.shape, decoder.element(type_).dtype)
    if isinstance(type_, ir.ShapedType) and not isinstance(type_, ir.MemRefType):
        raise EvaluationError(f"a poison value of type {type_} is not supported")
    return UNDEFINED


OPS: dict[str, Handler] = {"ub.poison": known(_poison)}
