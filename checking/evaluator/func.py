"""func.call, func.call_indirect and func.constant."""

from __future__ import annotations

from mlir import ir

from .decoder import Decoder, Registers, Step, transfer
from .handlers import Handler

__all__ = ["OPS"]


def _call(decoder: Decoder, op: ir.Operation) -> Step:
    machine, name = decoder.machine, ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    operands, results = decoder.all(list(op.operands)), decoder.all(list(op.results))
    state = machine.state

    def step(registers: Registers) -> None:
        values = machine.function(name).call(state, [registers[slot] for slot in operands])
        transfer(registers, results, values)

    return step


def _call_indirect(decoder: Decoder, op: ir.Operation) -> Step:
    state = decoder.machine.state
    (callee, *operands), results = decoder.all(list(op.operands)), decoder.all(list(op.results))

    def step(registers: Registers) -> None:
        values = registers[callee].call(state, [registers[slot] for slot in operands])
        transfer(registers, results, values)

    return step


def _constant(decoder: Decoder, op: ir.Operation) -> Step:
    machine, name = decoder.machine, ir.FlatSymbolRefAttr(op.attributes["value"]).value
    result = decoder.slot(op.results[0])

    def step(registers: Registers) -> None:
        registers[result] = machine.function(name)

    return step


OPS: dict[str, Handler] = {"func.call": _call, "func.call_indirect": _call_indirect, "func.constant": _constant}
