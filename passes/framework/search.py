"""Search for an operation: a walk that ends at the first one that is wanted."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

__all__ = ["first_op"]


def first_op(root: ir.Operation, wanted: Callable[[ir.Operation], bool]) -> ir.Operation | None:
    """The first operation in pre-order, `root` included, that `wanted` is true of; None if there is none."""
    found: list[ir.Operation] = []
    advance, interrupt = ir.WalkResult.ADVANCE, ir.WalkResult.INTERRUPT

    def visit(op: ir.Operation) -> ir.WalkResult:
        if not wanted(op):
            return advance
        found.append(op)
        return interrupt

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[0] if found else None
