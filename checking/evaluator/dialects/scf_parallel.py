"""Parallel control flow: scf.forall with its insertions, and scf.parallel with reductions, run in program order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder, Registers
from ..decoding.handlers import Handler
from ..decoding.steps import on_registers
from ..values.attributes import DYNAMIC, integers, mixed, mixed_lists
from ..values.errors import EvaluationError, at
from ..values.signature import Function
from ..values.slices import SliceReader

__all__ = ["OPS", "iteration_points"]

Points = Iterator[tuple[int, ...]]


def iteration_points(op: ir.Operation) -> Callable[[Sequence[Any]], Points]:
    """From the operands' values of scf.forall or scf.parallel to its iterations, in program order."""
    if op.name == "scf.parallel":
        count = integers(op, "operandSegmentSizes")[0]
        bounds = [mixed([DYNAMIC] * count, i * count) for i in range(3)]
    else:
        bounds = mixed_lists(op, 0, "staticLowerBound", "staticUpperBound", "staticStep")

    def points(values: Sequence[Any]) -> Points:
        lower, upper, steps = (bound(values) for bound in bounds)
        if any(by <= 0 for by in steps):
            raise EvaluationError(f"the steps of a loop are {list(steps)}, they must be positive")
        return itertools.product(*map(range, lower, upper, steps))

    return points


def _is_equal_where(mask: Any, key: Any, first: Any, second: Any) -> bool:
    """Whether two tensors that are defined hold the same numbers at `key` where `mask` is set."""
    if not (isinstance(first, np.ndarray) and isinstance(second, np.ndarray)):
        return False
    return not np.any(mask & (first[key] != second[key]))


class _Insertion:
    """One tensor.parallel_insert_slice: from where, into which shared output, and which slice of it."""

    def __init__(self, decoder: Decoder, op: ir.Operation, first: int) -> None:
        self.op = op
        self.operands = decoder.all(op.operands)
        self.output = ir.BlockArgument(op.operands[1]).arg_number - first
        self.slice = SliceReader(op, 2, op.operands[0].type)

    def insert(self, registers: Registers, values: list[Any], written: list[Any]) -> None:
        """Replace the slice of the output, in which no other insertion may have written other numbers."""
        try:
            given, output = [registers[slot] for slot in self.operands], self.output
            before = values[output]
            key, values[output] = self.slice.insert(given, given[0], before)
            again = written[output][key]
            if np.any(again) and not _is_equal_where(again, key, before, values[output]):
                raise EvaluationError("parallel insertions overlap: the result depends on their order")
            written[output][key] = True
        except (EvaluationError, ValueError) as error:
            raise at(self.op, error) from None


@on_registers
def _forall(decoder: Decoder, op: ir.Operation) -> Function:
    points, code = iteration_points(op), decoder.region(op.regions[0])
    inits = sum(integers(op, "operandSegmentSizes")[:3])
    first = len(code.arguments) - (len(op.operands) - inits)
    insertions: list[_Insertion] = []
    if len(code.terminator.regions):
        for inner in code.terminator.regions[0].blocks[0].operations:
            if inner.operation.name != "tensor.parallel_insert_slice":
                raise at(inner.operation, EvaluationError("only tensor.parallel_insert_slice is supported here"))
            insertions.append(_Insertion(decoder, inner.operation, first))

    def run(registers: Registers, *operands: Any) -> Sequence[Any]:
        shared = operands[inits:]
        values = list(shared)
        written = [np.zeros(value.shape, np.bool_) for value in shared]
        for point in points(operands):
            code.call(registers, (*point, *shared))
            for insertion in insertions:
                insertion.insert(registers, values, written)
        return values

    return run


@on_registers
def _parallel(decoder: Decoder, op: ir.Operation) -> Function:
    points, code = iteration_points(op), decoder.region(op.regions[0])
    inits = sum(integers(op, "operandSegmentSizes")[:3])
    reductions = [decoder.region(region) for region in code.terminator.regions]

    def run(registers: Registers, *operands: Any) -> Sequence[Any]:
        values: Sequence[Any] = operands[inits:]
        for point in points(operands):
            pairs = zip(reductions, values, code.call(registers, point), strict=True)
            values = [reduction.call(registers, (value, new))[0] for reduction, value, new in pairs]
        return values

    return run


OPS: dict[str, Handler] = {"scf.forall": _forall, "scf.parallel": _parallel}
