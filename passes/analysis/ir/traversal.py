"""Finding ops inside an op, and the loops around one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mlir import ir

from .reachable_ops import walk_reachable

__all__ = ["find_ops", "first_op", "loops_around"]


def find_ops(
    root: ir.Operation, *names: str, where: Callable[[ir.Operation], bool] | None = None, reachable: bool = False
) -> list[ir.Operation]:
    """Return the ops called one of `names` (any, if none is given) inside `root`, itself included, in program order.

    Only those for which `where` holds and, if `reachable`, only those that control flow can reach. Linear.
    """
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if (not names or op.name in names) and (where is None or where(op)):
            found.append(op.operation)
        return ir.WalkResult.ADVANCE

    if reachable:
        walk_reachable(root, visit)
    else:
        root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def first_op(root: ir.Operation, wanted: Callable[[ir.Operation], bool]) -> ir.Operation | None:
    """Return the first op in pre-order, `root` included, that `wanted` holds for; None if it holds for none."""
    found: list[ir.Operation] = []
    advance, interrupt = ir.WalkResult.ADVANCE, ir.WalkResult.INTERRUPT

    def visit(op: ir.Operation) -> ir.WalkResult:
        if not wanted(op):
            return advance
        found.append(op)
        return interrupt

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[0] if found else None


def loops_around(op: ir.Operation) -> Iterator[ir.Operation]:
    """Yield the `scf.for` loops around `op`, innermost first, up to the first parent that is none."""
    parent = op.parent
    while parent is not None and parent.name == "scf.for":
        yield parent.operation
        parent = parent.parent
