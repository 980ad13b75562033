"""Sequential control flow: scf.for, while, if, index_switch and execute_region."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from ..decoding.decoder import Decoder, Registers
from ..decoding.handlers import Handler
from ..decoding.steps import on_registers
from ..values.attributes import integers
from ..values.errors import EvaluationError
from ..values.signature import Function
from ..values.undefined import defined
from .cf import decode_graph

__all__ = ["OPS"]


@on_registers
def _for(decoder: Decoder, op: ir.Operation) -> Function:
    code = decoder.region(op.regions[0])
    width = decoder.element(op.operands[0].type).width
    mask = (1 << width) - 1 if "unsignedCmp" in op.attributes else 0

    def run(registers: Registers, low: Any, high: Any, stride: Any, *inits: Any) -> Sequence[Any]:
        begin, end, by = low.__index__(), high.__index__(), stride.__index__()
        if mask:
            begin, end = begin & mask, end & mask
        if by <= 0:
            raise EvaluationError(f"the step of a loop is {by}, it must be positive")
        values: Sequence[Any] = inits
        for number in range(begin, end, by):
            values = code.call(registers, (number, *values))
        return values

    return run


@on_registers
def _while(decoder: Decoder, op: ir.Operation) -> Function:
    before, after = (decoder.region(region) for region in op.regions)

    def run(registers: Registers, *inits: Any) -> Sequence[Any]:
        values: Sequence[Any] = inits
        while True:
            proceed, *values = before.call(registers, values)
            if not defined(proceed):
                return values
            values = after.call(registers, values)

    return run


@on_registers
def _if(decoder: Decoder, op: ir.Operation) -> Function:
    then, otherwise = (decoder.region(region) if len(region.blocks) else None for region in op.regions)

    def run(registers: Registers, condition: Any) -> Sequence[Any]:
        code = then if condition else otherwise
        return () if code is None else code.call(registers, ())

    return run


@on_registers
def _index_switch(decoder: Decoder, op: ir.Operation) -> Function:
    default, *others = [decoder.region(region) for region in op.regions]
    cases = dict(zip(integers(op, "cases"), others, strict=True))
    return lambda registers, flag: cases.get(flag.__index__(), default).call(registers, ())


@on_registers
def _execute_region(decoder: Decoder, op: ir.Operation) -> Function:
    run = decode_graph(decoder, op.regions[0])
    return lambda registers: run(registers, ())


OPS: dict[str, Handler] = {
    "scf.for": _for,
    "scf.while": _while,
    "scf.if": _if,
    "scf.index_switch": _index_switch,
    "scf.execute_region": _execute_region,
}
