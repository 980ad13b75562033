"""Runs the threads of `scf.forall` and `scf.parallel` on memrefs at once: all do one op, then all do the next one.

The evaluator runs one thread after the other, which hides that they write the memory of others. Any order is allowed,
so a program that is right gives the same either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mlir import ir

from mlir_inplace.checking.evaluator import decoder as decoding
from mlir_inplace.checking.evaluator import scf_parallel
from mlir_inplace.checking.evaluator.decoder import Decoder, Registers, Step
from mlir_inplace.checking.evaluator.handlers import Handler, find_handler

_NAMES = ("scf.forall", "scf.parallel")


def _in_step(decoder: Decoder, op: ir.Operation) -> Step | None:
    if len(op.results):
        return scf_parallel.OPS[op.name](decoder, op)
    points, operands = scf_parallel.iteration_points(op), decoder.all(op.operands)
    block = op.regions[0].blocks[0]
    arguments = decoder.all(block.arguments)
    decoded = (decoder.step(inner.operation) for inner in list(block.operations)[:-1])
    steps = [step for step in decoded if step is not None]

    def step(registers: Registers) -> None:
        threads: list[Registers] = []
        for point in points([registers[slot] for slot in operands]):
            thread = list(registers)
            for slot, value in zip(arguments, point, strict=True):
                thread[slot] = value
            threads.append(thread)
        decoder.machine.state.spend(len(threads) * (len(steps) + 1))
        for run in steps:
            for thread in threads:
                run(thread)

    return step


def _find(name: str) -> Handler | None:
    return _in_step if name in _NAMES else find_handler(name)


@contextmanager
def threads_in_step() -> Iterator[None]:
    """Within this context threads take turns op by op."""
    decoding.find_handler = _find
    try:
        yield
    finally:
        decoding.find_handler = find_handler
