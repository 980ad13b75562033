"""The op or block that defines a value, as `Value::getDefiningOp` and `Value::getParentBlock` in C++."""

from __future__ import annotations

from mlir import ir

__all__ = ["defining_op", "is_inside", "parent_block"]


def defining_op(value: ir.Value, *names: str) -> ir.Operation | None:
    """Return the op that `value` is a result of, None for a block argument.

    With `names`, also None for an op of any other name.
    """
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    op = owner.operation
    return op if not names or op.name in names else None


def parent_block(value: ir.Value) -> ir.Block:
    """Return the block that `value` is an argument of, or that holds the op it is a result of."""
    owner = value.owner
    return owner if isinstance(owner, ir.Block) else owner.operation.block


def is_inside(value: ir.Value, op: ir.Operation) -> bool:
    """Whether `value` is defined in a region of `op`. Costs the nesting depth."""
    block: ir.Block | None = parent_block(value)
    while block is not None:
        around = block.owner.operation
        if around == op:
            return True
        block = around.block if around.parent is not None else None
    return False
