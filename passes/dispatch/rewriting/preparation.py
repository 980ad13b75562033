"""Modules with bindings before bufferization: which dispatch ops they have, and replacing them by a changed copy."""

from __future__ import annotations

from mlir import ir

from ....dialects.dispatch import is_dispatch_type, tensor_type_of
from ....dialects.support.cloning import attributes_of
from ....dialects.support.memref_types import identity_type
from ...analysis.ir.traversal import find_ops

__all__ = ["ACCESSES", "PROMOTED", "declare_memrefs", "dispatch_ops", "take_over"]

ACCESSES = frozenset({"dispatch.load", "dispatch.store"})
PROMOTED = frozenset({"dispatch.commit", "dispatch.contents"})


def dispatch_ops(module: ir.Operation) -> frozenset[str]:
    """Return which of :data:`ACCESSES` and :data:`PROMOTED` are in ``module``. One walk, if the dialect is loaded."""
    if not module.context.is_dialect_loaded("dispatch"):
        return frozenset()
    return frozenset([op.name for op in find_ops(module, *ACCESSES, *PROMOTED)])


def declare_memrefs(module: ir.Operation) -> None:
    """Turn bindings without accesses into memrefs like the others: they belong to the interface for callers.

    To be called when everything else is on memrefs. Linear in the ops, if the dialect is loaded.
    """
    if not module.context.is_dialect_loaded("dispatch"):
        return
    for op in find_ops(module, "dispatch.binding", where=lambda op: is_dispatch_type(op.results[0].type)):
        _declare_memref(op)


def _declare_memref(binding: ir.Operation) -> None:
    """Turn a binding and the ties of its shape into memrefs, unless another op uses one of them."""
    # Ties are found from their operands, as blocks may be in any order, and an argument may be tied as well.
    found = [binding]
    for op in found:
        users = [use.owner.operation for use in op.results[0].uses]
        if any(user.name != "dispatch.tie_shape" for user in users):
            return
        found.extend(users)
    memrefs: dict[ir.Value, ir.Value] = {}
    for op in found:
        operands = [memrefs.get(operand, operand) for operand in op.operands]
        type_ = identity_type(tensor_type_of(op.results[0].type))
        with ir.InsertionPoint(op), op.location:
            new = ir.Operation.create(op.name, results=[type_], operands=operands, attributes=attributes_of(op))
        memrefs[op.results[0]] = new.result
    for op in reversed(found):
        op.erase()


def take_over(module: ir.Operation, copy: ir.Operation) -> None:
    """Replace the ops and attributes of ``module`` by those of module ``copy``, which is empty afterwards."""
    block = module.regions[0].blocks[0]
    for op in list(block.operations):
        op.operation.erase()
    for op in list(copy.regions[0].blocks[0].operations):
        block.append(op.operation)
    for name in copy.attributes:
        module.attributes[name] = copy.attributes[name]
