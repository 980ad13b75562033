"""Runs the threads of `scf.forall` and `scf.parallel` on memrefs at once: all do one op, then all do the next one.

The evaluator runs one thread after the other, which hides that they write the memory of others. Any order is allowed,
so a program that is right gives the same either way. Reductions combine neighbours, so they have to be associative.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mlir import ir

from mlir_inplace.checking.evaluator.decoding import decoder as decoding
from mlir_inplace.checking.evaluator.decoding.decoder import Decoder, Registers, Step
from mlir_inplace.checking.evaluator.decoding.handlers import Handler, find_handler
from mlir_inplace.checking.evaluator.dialects import scf_parallel

_NAMES = ("scf.forall", "scf.parallel")


class _Body:
    """A block that several threads, or combinations of two values, run in step."""

    def __init__(self, decoder: Decoder, block: ir.Block) -> None:
        *ops, self.terminator = (op.operation for op in block.operations)
        self.arguments = decoder.all(block.arguments)
        self.yielded = decoder.all(self.terminator.operands)
        self._steps = [step for step in map(decoder.step, ops) if step is not None]
        self._state = decoder.machine.state

    def run(self, given: Iterable[tuple[Registers, Sequence[Any]]]) -> list[Registers]:
        """What each has in its registers in the end, by those that it starts with and its arguments."""
        threads: list[Registers] = []
        for registers, values in given:
            thread = list(registers)
            for slot, value in zip(self.arguments, values, strict=True):
                thread[slot] = value
            threads.append(thread)
        self._state.spend(len(threads) * (len(self._steps) + 1))
        for step in self._steps:
            for thread in threads:
                step(thread)
        return threads


def _in_step(decoder: Decoder, op: ir.Operation) -> Step | None:
    if len(op.results) and op.name == "scf.forall":
        return scf_parallel.OPS[op.name](decoder, op)
    points, operands, results = scf_parallel.iteration_points(op), decoder.all(op.operands), decoder.all(op.results)
    body = _Body(decoder, op.regions[0].blocks[0])
    reductions = [_Body(decoder, region.blocks[0]) for region in body.terminator.regions] if results else []

    def step(registers: Registers) -> None:
        threads = body.run((registers, point) for point in points([registers[slot] for slot in operands]))
        inits = operands[len(operands) - len(results) :]
        for number, reduction in enumerate(reductions):
            parts = [(thread, thread[body.yielded[number]]) for thread in threads]
            while len(parts) > 1:
                parts = _combined(reduction, parts)
            parts = _combined(reduction, [(registers, registers[inits[number]]), *parts])
            registers[results[number]] = parts[0][1]

    return step


def _combined(reduction: _Body, parts: Sequence[tuple[Registers, Any]]) -> list[tuple[Registers, Any]]:
    """Combine each value with its neighbour, all at once; the last one may have none."""
    pairs = list(zip(parts[::2], parts[1::2], strict=False))
    done = reduction.run((thread, (value, other)) for (thread, value), (_, other) in pairs)
    (place,) = reduction.yielded
    return [*((thread, thread[place]) for thread in done), *parts[2 * len(pairs) :]]


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
