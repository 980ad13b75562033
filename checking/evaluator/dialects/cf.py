"""CFG regions of functions and of scf.execute_region; cf.br, cf.cond_br, cf.switch, cf.assert."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from ..decoding.decoder import Code, Decoder, Registers
from ..decoding.handlers import Handler
from ..decoding.steps import on_values
from ..values.attributes import integers
from ..values.errors import EvaluationError, at
from ..values.signature import Function
from ..values.undefined import UNDEFINED

__all__ = ["OPS", "assertion", "decode_graph"]

Graph = Callable[[Registers, Sequence[Any]], list[Any]]
Choose = Callable[[Registers], int]
Edge = tuple[int, tuple[int, ...]]
"""A successor's number and the slots of the operands it is passed."""


def decode_graph(decoder: Decoder, region: ir.Region) -> Graph:
    """A function that runs `region` with arguments and returns the operands of the terminator that leaves it."""
    blocks = list(region.blocks)
    codes = [decoder.block(block) for block in blocks]
    if len(codes) == 1:
        return codes[0].call
    number = {block: i for i, block in enumerate(blocks)}
    exits = [_exit(code, number) for code in codes]

    def run(registers: Registers, values: Sequence[Any]) -> list[Any]:
        current = 0
        while True:
            code = codes[current]
            results = code.call(registers, values)
            leave = exits[current]
            if leave is None:
                return results
            choose, edges = leave
            try:
                current, slots = edges[choose(registers)]
            except EvaluationError as error:
                raise at(code.terminator, error) from None
            values = [registers[slot] for slot in slots]

    return run


def _exit(code: Code, number: dict[ir.Block, int]) -> tuple[Choose, list[Edge]] | None:
    op = code.terminator
    successors = [number[block] for block in op.successors]
    if not successors:
        return None
    if op.name == "cf.br":
        return (lambda registers: 0), [(successors[0], code.operands)]
    condition = code.operands[0]
    if op.name == "cf.cond_br":
        first = 1 + integers(op, "operandSegmentSizes")[1]
        edges = [(successors[0], code.operands[1:first]), (successors[1], code.operands[first:])]
        return (lambda registers: 0 if registers[condition] else 1), edges
    if op.name == "cf.switch":
        return _switch(op, code, successors)
    raise EvaluationError(f"branch {op.name} is not supported")


def _switch(op: ir.Operation, code: Code, successors: Sequence[int]) -> tuple[Choose, list[Edge]]:
    flag = code.operands[0]
    sizes = [integers(op, "operandSegmentSizes")[1], *integers(op, "case_operand_segments")]
    edges: list[Edge] = []
    first = 1
    for successor, size in zip(successors, sizes, strict=True):
        edges.append((successor, code.operands[first : first + size]))
        first += size
    cases: dict[int, int] = {}
    if "case_values" in op.attributes:
        values = ir.DenseIntElementsAttr(op.attributes["case_values"])
        cases = {int(values[i]): i + 1 for i in range(len(values))}

    def choose(registers: Registers) -> int:
        return cases.get(registers[flag].__index__(), 0)

    return choose, edges


@on_values
def assertion(_decoder: Decoder, op: ir.Operation) -> Function:
    """cf.assert and shape.cstr_require."""
    message = ir.StringAttr(op.attributes["msg"]).value

    def check(condition: Any) -> bool:
        if condition is UNDEFINED or not condition:
            raise EvaluationError(f"assertion failed: {message}")
        return True

    return check


OPS: dict[str, Handler] = {"cf.assert": assertion}
