"""builtin.unrealized_conversion_cast, where it only gives integers another sign."""

from __future__ import annotations

from typing import Any

from mlir import ir

from .decoder import Decoder
from .elements import scalar_value
from .errors import EvaluationError
from .handlers import Handler
from .memory import MemRef
from .signature import Function
from .steps import on_values

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
            return MemRef(value.buffer, value.array.view(after.dtype), value.marks)
        return value.view(after.dtype) if hasattr(value, "view") else scalar_value(value, after)

    return cast


OPS: dict[str, Handler] = {"builtin.unrealized_conversion_cast": _cast}
