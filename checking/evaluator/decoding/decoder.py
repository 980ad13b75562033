"""Decoding: each op becomes a closure over register numbers; running a block runs its closures in order.

A `Decoder` decodes one function. Each SSA value has a slot in the registers of a call; regions use the registers of
their function. Handlers, one for each op name, are in the tables `OPS` of one module per dialect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlir import ir

from ..values.elements import Element, element_named
from ..values.errors import FAILURES, EvaluationError, at
from .handlers import Registers, Step, find_handler
from .host import Host

__all__ = ["Code", "Decoder", "Registers", "Step", "transfer"]


@dataclass(frozen=True)
class Code:
    """A decoded block: slots of its arguments, its code, its terminator and the slots of that one's operands."""

    arguments: tuple[int, ...]
    run: Step
    terminator: ir.Operation
    operands: tuple[int, ...]

    def call(self, registers: Registers, values: Sequence[Any]) -> list[Any]:
        """Run the block with `values` as its arguments; returns the operands of its terminator."""
        for slot, value in zip(self.arguments, values, strict=True):
            registers[slot] = value
        self.run(registers)
        return [registers[slot] for slot in self.operands]


@dataclass
class Decoder:
    """Decodes the ops of one function of `machine`'s module."""

    machine: Host
    slots: dict[ir.Value, int] = field(default_factory=dict)
    iteration: list[tuple[int, ...]] = field(default_factory=list)
    """Slots of the loop indices of the enclosing structured ops, innermost last."""

    mask: int | None = None
    """The slot of the mask of the enclosing vector.mask."""

    def slot(self, value: ir.Value) -> int:
        """The slot of a value."""
        slots = self.slots
        return slots.setdefault(value, len(slots))

    def all(self, values: Iterable[ir.Value]) -> tuple[int, ...]:
        """The slots of several values."""
        slots = self.slots
        return tuple([slots.setdefault(value, len(slots)) for value in values])

    def fresh(self) -> int:
        """A slot that no value has."""
        name: Any = object()
        return self.slots.setdefault(name, len(self.slots))

    def element(self, type_: ir.Type) -> Element:
        """The element type of a tensor, memref or vector, or a scalar's type."""
        known = self.machine.elements
        if type_ in known:
            return known[type_]
        inner: Any = type_.element_type if isinstance(type_, ir.ShapedType) else type_
        element = known[type_] = element_named(str(inner))
        return element

    def block(self, block: ir.Block) -> Code:
        """Decode a block."""
        state = self.machine.state
        ops = [op.operation for op in block.operations]
        if not ops:
            raise EvaluationError("a block without a terminator")
        arguments = self.all(block.arguments)
        decoded = [(self.step(op), op) for op in ops[:-1]]
        steps = [step for step, _ in decoded if step is not None]
        places = [op for step, op in decoded if step is not None]
        cost = len(steps) + 1
        terminator = ops[-1]

        def run(registers: Registers) -> None:
            step = None
            try:
                state.spend(cost)
                for step in steps:
                    step(registers)
            except FAILURES as error:
                raise at(terminator if step is None else places[steps.index(step)], error) from error

        return Code(arguments, run, terminator, self.all(terminator.operands))

    def region(self, region: ir.Region) -> Code:
        """Decode a region of one block."""
        blocks = list(region.blocks)
        if len(blocks) != 1:
            raise EvaluationError(f"a region of {len(blocks)} blocks is not supported here; one block is")
        return self.block(blocks[0])

    def step(self, op: ir.Operation) -> Step | None:
        """Decode one op; None for a no-op. An unsupported op fails when it is run."""
        handler = find_handler(op.name)
        if handler is None:
            return failing(EvaluationError("the op is not supported by the evaluator"))
        try:
            return handler(self, op)
        except RecursionError:
            raise
        except FAILURES as error:
            return failing(error if isinstance(error, EvaluationError) else at(op, error))


def failing(error: EvaluationError) -> Step:
    """A step that fails."""

    def step(_registers: Registers) -> None:
        raise EvaluationError(error.reason, error.operation, error.location)

    return step


def transfer(registers: Registers, slots: Sequence[int], values: Sequence[Any]) -> None:
    """Write several registers."""
    for slot, value in zip(slots, values, strict=True):
        registers[slot] = value
