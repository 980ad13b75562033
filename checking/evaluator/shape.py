"""shape: regions that run under assumptions, and the witnesses of these."""

from __future__ import annotations

from mlir import ir

from .decoder import Decoder, Registers, Step, transfer
from .errors import EvaluationError
from .handlers import Handler

__all__ = ["OPS"]


def _const_witness(decoder: Decoder, op: ir.Operation) -> Step:
    passing, result = ir.BoolAttr(op.attributes["passing"]).value, decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = passing

    return step


def _require(decoder: Decoder, op: ir.Operation) -> Step:
    """A witness of a condition, whose failure is a failed assertion."""
    condition, result = decoder.slot(op.operands[0]), decoder.slot(op.results[0])
    message = ir.StringAttr(op.attributes["msg"]).value

    def step(registers: Registers) -> None:
        if not registers[condition]:
            raise EvaluationError(f"assertion failed: {message}")
        registers[result] = True

    return step


def _all(decoder: Decoder, op: ir.Operation) -> Step:
    slots, result = decoder.all(list(op.operands)), decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = all(registers[slot] for slot in slots)

    return step


def _assuming(decoder: Decoder, op: ir.Operation) -> Step:
    witness, results = decoder.slot(op.operands[0]), decoder.all(list(op.results))
    code = decoder.region(op.regions[0])

    def step(registers: Registers) -> None:
        if not registers[witness]:
            raise EvaluationError("what is assumed does not hold")
        transfer(registers, results, code.call(registers, ()))

    return step


OPS: dict[str, Handler] = {
    "shape.const_witness": _const_witness,
    "shape.cstr_require": _require,
    "shape.assuming_all": _all,
    "shape.assuming": _assuming,
}
