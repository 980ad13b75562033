"""builtin.unrealized_conversion_cast, where it only gives integers another sign."""

from __future__ import annotations

from typing import Any

from mlir import ir

from .decoder import Decoder, Registers, Step
from .elements import scalar_value
from .errors import EvaluationError
from .handlers import Handler
from .memory import MemRef

__all__ = ["OPS"]


def _cast(decoder: Decoder, op: ir.Operation) -> Step:
    if len(op.operands) != 1 or len(op.results) != 1:
        raise EvaluationError("a cast of several values is not supported")
    source, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])
    before, after = decoder.element(op.operands[0].type), decoder.element(op.results[0].type)
    if before.kind != after.kind or before.width != after.width:
        raise EvaluationError(f"a cast of {op.operands[0].type} to {op.results[0].type} is not supported")

    def step(registers: Registers) -> None:
        value: Any = registers[source]
        if isinstance(value, MemRef):
            registers[result] = MemRef(value.buffer, value.array.view(after.dtype), value.marks)
        else:
            registers[result] = value.view(after.dtype) if hasattr(value, "view") else scalar_value(value, after)

    return step


OPS: dict[str, Handler] = {"builtin.unrealized_conversion_cast": _cast}
