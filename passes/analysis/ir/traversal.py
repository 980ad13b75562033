"""Finding ops inside an op, and the loops around one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mlir import ir

from .reachable_ops import walk_reachable

__all__ = ["defined_values", "find_ops", "first_op", "loops_around", "names_of_ops", "types_of_values"]


def defined_values(op: ir.Operation) -> Iterator[ir.Value]:
    """Yield the results of `op` and the arguments of its blocks."""
    yield from op.results
    for region in op.regions:
        for block in region:
            yield from block.arguments


def find_ops(
    root: ir.Operation, *names: str, where: Callable[[ir.Operation], bool] | None = None, reachable: bool = False
) -> list[ir.Operation]:
    """Return the ops called one of `names`, all without names, inside `root`, itself included, in program order.

    Only those for which `where` holds and, if `reachable`, only those that control flow can reach. Linear.
    """
    found: list[ir.Operation] = []
    wanted, advance = frozenset(names), ir.WalkResult.ADVANCE

    def visit(op: ir.Operation) -> ir.WalkResult:
        if (not wanted or op.name in wanted) and (where is None or where(op)):
            found.append(op.operation)
        return advance

    def visit_by_name(op: ir.Operation) -> ir.WalkResult:
        if op.name in wanted:
            found.append(op.operation)
        return advance

    if wanted and where is None:
        visit = visit_by_name
    if reachable:
        walk_reachable(root, visit)
    else:
        root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def names_of_ops(root: ir.Operation) -> frozenset[str]:
    """Return the names of the ops inside `root`, and its own."""
    names: set[str] = set()
    advance = ir.WalkResult.ADVANCE

    def visit(op: ir.Operation) -> ir.WalkResult:
        names.add(op.name)
        return advance

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return frozenset(names)


def types_of_values(root: ir.Operation) -> set[ir.Type]:
    """Return the types of the values inside `root`. Linear."""
    types: set[ir.Type] = set()
    advance = ir.WalkResult.ADVANCE

    def visit(op: ir.Operation) -> ir.WalkResult:
        types.update(value.type for value in defined_values(op))
        return advance

    root.walk(visit)
    return types


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
