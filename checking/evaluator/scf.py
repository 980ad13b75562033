"""Sequential control flow: scf.for, while, if, index_switch and execute_region."""

from __future__ import annotations

from mlir import ir

from .cf import decode_graph
from .decoder import Decoder, Registers, Step, integers, transfer
from .errors import EvaluationError
from .handlers import Handler
from .undefined import defined

__all__ = ["OPS"]


def _for(decoder: Decoder, op: ir.Operation) -> Step:
    low, high, stride, *inits = decoder.all(list(op.operands))
    results = decoder.all(list(op.results))
    code = decoder.region(op.regions[0])
    width = decoder.element(op.operands[0].type).width
    mask = (1 << width) - 1 if "unsignedCmp" in op.attributes else 0

    def step(registers: Registers) -> None:
        begin, end, by = (registers[slot].__index__() for slot in (low, high, stride))
        if mask:
            begin, end = begin & mask, end & mask
        if by <= 0:
            raise EvaluationError(f"the step of a loop is {by}, it must be positive")
        values = [registers[slot] for slot in inits]
        for number in range(begin, end, by):
            values = code.call(registers, (number, *values))
        transfer(registers, results, values)

    return step


def _while(decoder: Decoder, op: ir.Operation) -> Step:
    inits, results = decoder.all(list(op.operands)), decoder.all(list(op.results))
    before, after = (decoder.region(region) for region in op.regions)

    def step(registers: Registers) -> None:
        values = [registers[slot] for slot in inits]
        while True:
            proceed, *values = before.call(registers, values)
            if not defined(proceed):
                break
            values = after.call(registers, values)
        transfer(registers, results, values)

    return step


def _if(decoder: Decoder, op: ir.Operation) -> Step:
    condition, results = decoder.slot(op.operands[0]), decoder.all(list(op.results))
    then = decoder.region(op.regions[0])
    otherwise = decoder.region(op.regions[1]) if len(op.regions[1].blocks) else None

    def step(registers: Registers) -> None:
        code = then if registers[condition] else otherwise
        if code is not None:
            transfer(registers, results, code.call(registers, ()))

    return step


def _index_switch(decoder: Decoder, op: ir.Operation) -> Step:
    flag, results = decoder.slot(op.operands[0]), decoder.all(list(op.results))
    default, *others = [decoder.region(region) for region in op.regions]
    cases = dict(zip(integers(op, "cases"), others, strict=True))

    def step(registers: Registers) -> None:
        code = cases.get(registers[flag].__index__(), default)
        transfer(registers, results, code.call(registers, ()))

    return step


def _execute_region(decoder: Decoder, op: ir.Operation) -> Step:
    results = decoder.all(list(op.results))
    run = decode_graph(decoder, op.regions[0])

    def step(registers: Registers) -> None:
        transfer(registers, results, run(registers, ()))

    return step


OPS: dict[str, Handler] = {
    "scf.for": _for,
    "scf.while": _while,
    "scf.if": _if,
    "scf.index_switch": _index_switch,
    "scf.execute_region": _execute_region,
}
