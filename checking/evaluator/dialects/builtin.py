"""builtin.unrealized_conversion_cast, where it only gives integers another sign."""

from __future__ import annotations

from typing import Any

from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import on_values
from ..values.elements import Element, scalar_value
from ..values.errors import EvaluationError
from ..values.memory import MemRef
from ..values.signature import Function
from ..values.undefined import UNDEFINED

__all__ = ["OPS"]


@on_values
def _cast(decoder: Decoder, op: ir.Operation) -> Function:
    if len(op.operands) != 1 or len(op.results) != 1:
        raise EvaluationError("a cast of several values is not supported")
    before, after = decoder.element(op.operands[0].type), decoder.element(op.results[0].type)
    if before.kind != after.kind or before.width != after.width:
        raise EvaluationError(f"a cast of {op.operands[0].type} to {op.results[0].type} is not supported")

    def cast(value: Any) -> Any:
        if isinstance(value, MemRef):
            return MemRef(value.buffer, value.array.view(after.dtype), value.marks, value.base)
        return value.view(after.dtype) if hasattr(value, "view") else _scalar(value, after)

    return cast


def _scalar(value: Any, after: Element) -> Any:
    """The same bits as an integer in the range of `after`, whose arrays would not take another."""
    given = scalar_value(value, after)
    return given % (1 << after.width) if after.dtype.kind == "u" and given is not UNDEFINED else given


OPS: dict[str, Handler] = {"builtin.unrealized_conversion_cast": _cast}
