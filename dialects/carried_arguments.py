"""What region ops have in common: loop-carried buffers and new terminators."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from .rewriter import Rewriter

__all__ = ["end_region", "hold_carried"]


def hold_carried(op: ir.Operation, operand: int, argument: ir.Value, is_one: bool, rewriter: Rewriter) -> None:
    """Give tensor ``argument`` of loop ``op``, which ``operand`` initializes, its buffer.

    With ``is_one`` every iteration has the same buffer. Otherwise ``argument`` becomes a memref argument, of a type
    that fits all buffers which are yielded.
    """
    buffer = rewriter.buffer(op, operand)
    if not is_one:
        block, type_ = argument.owner, rewriter.carried_type(argument)
        assert isinstance(block, ir.Block)
        # The loop is about to be replaced; until then its operand remembers the initial buffer.
        op.operands[operand] = rewriter.cast(buffer, type_)
        buffer = block.add_argument(type_, argument.location)
    rewriter.hold(argument, buffer)


def end_region(old: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Replace terminator ``old`` by one with operands ``values``."""
    ir.Operation.create(old.name, operands=values, ip=ir.InsertionPoint(old), loc=old.location)
    old.erase()
