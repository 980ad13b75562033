"""What the loops of scf have in common: arguments that hold another buffer in each run, and new terminators."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from .rewriter import Rewriter

__all__ = ["end_region", "hold_changing", "is_inside"]


def hold_changing(op: ir.Operation, operand: int, argument: ir.Value, buffer: ir.Value, rewriter: Rewriter) -> None:
    """Give tensor ``argument`` of loop ``op``, another buffer in each run, a memref argument; ``buffer`` is the first.

    What is yielded is another carried buffer, or a new one: the type fits all of them.
    """
    block, type_ = argument.owner, rewriter.carried_type(argument)
    assert isinstance(block, ir.Block)
    # The loop is about to be replaced; until then its operand remembers the initial buffer.
    op.operands[operand] = rewriter.cast(buffer, type_)
    rewriter.hold(argument, block.add_argument(type_, argument.location))


def end_region(old: ir.Operation, values: Sequence[ir.Value], name: str = "scf.yield") -> None:
    """Replace terminator ``old`` by one called ``name`` with operands ``values``."""
    ir.Operation.create(name, operands=values, ip=ir.InsertionPoint(old), loc=old.location)
    old.erase()


def is_inside(value: ir.Value, op: ir.Operation) -> bool:
    """Whether ``value`` is defined in a region of ``op``. Costs the nesting depth."""
    owner = value.owner
    block = owner if isinstance(owner, ir.Block) else owner.operation.block
    while block is not None:
        around = block.owner.operation
        if around == op:
            return True
        block = around.block if around.parent is not None else None
    return False
