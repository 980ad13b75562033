"""func.call, func.call_indirect and func.constant."""

from __future__ import annotations

from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import on_registers, on_values
from ..values.signature import Function
from .mpi import message_function

__all__ = ["OPS"]


@on_registers
def _call(decoder: Decoder, op: ir.Operation) -> Function:
    machine, name = decoder.machine, ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    if name.startswith("inplace_mpi_") and (run := message_function(decoder, op, name)) is not None:
        return lambda _, *values: run(*values)
    return lambda _, *values: machine.function(name).call(machine.state, values)


@on_registers
def _call_indirect(decoder: Decoder, _op: ir.Operation) -> Function:
    state = decoder.machine.state
    return lambda _, callee, *values: callee.call(state, values)


@on_values
def _constant(decoder: Decoder, op: ir.Operation) -> Function:
    machine, name = decoder.machine, ir.FlatSymbolRefAttr(op.attributes["value"]).value
    return lambda: machine.function(name)


OPS: dict[str, Handler] = {"func.call": _call, "func.call_indirect": _call_indirect, "func.constant": _constant}
