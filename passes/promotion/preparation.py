"""Modules with bindings on their way to bufferization: which ops they have, and how a changed copy takes over."""

from __future__ import annotations

from mlir import ir

__all__ = ["ACCESSES", "PROMOTED", "dispatch_ops", "take_over"]

ACCESSES = frozenset({"dispatch.load", "dispatch.store"})
PROMOTED = frozenset({"dispatch.commit", "dispatch.contents"})


def dispatch_ops(module: ir.Operation) -> frozenset[str]:
    """Return which of :data:`ACCESSES` and :data:`PROMOTED` are in ``module``. One walk, if the dialect is loaded."""
    if not module.context.is_dialect_loaded("dispatch"):
        return frozenset()
    found: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.add(op.name)
        return ir.WalkResult.ADVANCE

    module.walk(visit, ir.WalkOrder.PRE_ORDER)
    return frozenset(found & (ACCESSES | PROMOTED))


def take_over(module: ir.Operation, copy: ir.Operation) -> None:
    """Let ``module`` have what ``copy``, a module as well, has; ``copy`` is empty afterwards."""
    block = module.regions[0].blocks[0]
    for op in list(block.operations):
        op.operation.erase()
    for op in list(copy.regions[0].blocks[0].operations):
        block.append(op.operation)
    for name in copy.attributes:
        module.attributes[name] = copy.attributes[name]
