"""Memrefs that tensors wrap, and what is materialized in both. Nothing here changes the IR."""

from __future__ import annotations

from mlir import ir

from .defining_ops import defining_op

__all__ = ["MATERIALIZE", "is_in_wrapper", "wrappers"]

MATERIALIZE = "bufferization.materialize_in_destination"


def wrappers(memref: ir.Value) -> list[ir.Operation]:
    """Return the ops ``bufferization.to_tensor`` of ``memref``."""
    return [use.owner.operation for use in memref.uses if use.owner.name == "bufferization.to_tensor"]


def is_in_wrapper(op: ir.Operation) -> bool:
    """Whether ``op`` materializes in a memref what was materialized in the tensor that wraps it."""
    if op.name != MATERIALIZE or op.results:
        return False
    update = defining_op(op.operands[0], MATERIALIZE)
    wrapper = update and defining_op(update.operands[1], "bufferization.to_tensor")
    return wrapper is not None and wrapper.operands[0] == op.operands[1]
