"""Parallel control flow: scf.forall with its insertions, and scf.parallel with reductions, run in program order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir

from .decoder import Decoder, Registers, Step, integers, mixed, transfer
from .errors import EvaluationError, at
from .handlers import Handler
from .slices import SliceReader, replaced

__all__ = ["OPS"]

Bounds = Callable[[Registers], Sequence[int]]


class _Insertion:
    """One tensor.parallel_insert_slice: from where, into which shared output, and which slice of it."""

    def __init__(self, decoder: Decoder, op: ir.Operation, first: int) -> None:
        self.op = op
        self.source = decoder.slot(op.operands[0])
        self.output = ir.BlockArgument(op.operands[1]).arg_number - first
        self.read = SliceReader(decoder, op, 2)

    def insert(self, registers: Registers, values: list[Any], written: list[Any]) -> None:
        """Replace the slice of the output, which no other insertion may have written."""
        try:
            source, output = registers[self.source], self.output
            key, _ = self.read.key(registers, values[output].shape)
            if np.any(written[output][key]):
                raise EvaluationError("parallel insertions overlap: the result depends on their order")
            written[output][key] = True
            sizes = self.read.sizes(registers)
            values[output] = replaced(values[output], key, sizes, source)
        except (EvaluationError, ValueError) as error:
            raise at(self.op, error) from None


def _forall(decoder: Decoder, op: ir.Operation) -> Step:
    segments = integers(op, "operandSegmentSizes")
    ends = [sum(segments[:i]) for i in range(1, 4)]
    operands = list(op.operands)
    lower = mixed(decoder, integers(op, "staticLowerBound"), operands[: ends[0]])
    upper = mixed(decoder, integers(op, "staticUpperBound"), operands[ends[0] : ends[1]])
    steps = mixed(decoder, integers(op, "staticStep"), operands[ends[1] : ends[2]])
    inits, results = decoder.all(operands[ends[2] :]), decoder.all(list(op.results))
    code = decoder.region(op.regions[0])
    first = len(code.arguments) - len(inits)
    insertions: list[_Insertion] = []
    if len(code.terminator.regions):
        for inner in code.terminator.regions[0].blocks[0].operations:
            if inner.operation.name != "tensor.parallel_insert_slice":
                raise at(inner.operation, EvaluationError("only tensor.parallel_insert_slice is supported here"))
            insertions.append(_Insertion(decoder, inner.operation, first))

    def step(registers: Registers) -> None:
        shared = [registers[slot] for slot in inits]
        values = list(shared)
        written = [np.zeros(value.shape, np.bool_) for value in shared]
        for point in _points(lower(registers), upper(registers), steps(registers)):
            code.call(registers, (*point, *shared))
            for insertion in insertions:
                insertion.insert(registers, values, written)
        transfer(registers, results, values)

    return step


def _points(lower: Sequence[int], upper: Sequence[int], steps: Sequence[int]) -> itertools.product[tuple[int, ...]]:
    if any(by <= 0 for by in steps):
        raise EvaluationError(f"the steps of a loop are {list(steps)}, they must be positive")
    return itertools.product(*map(range, lower, upper, steps))


def _parallel(decoder: Decoder, op: ir.Operation) -> Step:
    segments = integers(op, "operandSegmentSizes")
    slots = decoder.all(list(op.operands))
    count = segments[0]
    lower, upper, steps = (slots[i * count : (i + 1) * count] for i in range(3))
    inits, results = slots[3 * count :], decoder.all(list(op.results))
    code = decoder.region(op.regions[0])
    reductions = [decoder.region(region) for region in code.terminator.regions]

    def step(registers: Registers) -> None:
        values = [registers[slot] for slot in inits]
        bounds = [[registers[slot].__index__() for slot in part] for part in (lower, upper, steps)]
        for point in _points(*bounds):
            operands = code.call(registers, point)
            pairs = zip(reductions, values, operands, strict=True)
            values = [reduction.call(registers, (value, new))[0] for reduction, value, new in pairs]
        transfer(registers, results, values)

    return step


OPS: dict[str, Handler] = {"scf.forall": _forall, "scf.parallel": _parallel}
