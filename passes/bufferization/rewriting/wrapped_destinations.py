"""Materialize in the tensor that wraps a memref what the program materializes in the memref itself.

``bufferization.materialize_in_destination`` into a memref may share the memory with the tensor of
``bufferization.to_tensor``: without ``restrict`` it may be any, and with it, or a writable tensor, the one that wraps
the same memref. Upstream's ``eliminate-empty-tensors`` and ``inplace-convert-to-destination-style`` make such pairs.
The analysis follows tensors. So

```mlir
bufferization.materialize_in_destination %value in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
```

becomes an update of that tensor, which must be in place, and a second op that keeps the result until the end:

```mlir
%0 = bufferization.materialize_in_destination %value in %wrapped : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
bufferization.materialize_in_destination %0 in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
```
"""

from __future__ import annotations

from mlir import ir

from ....dialects.support.wrapped_memrefs import MATERIALIZE, wrappers

__all__ = ["materialize_in_wrappers", "wrapped_destinations"]


def wrapped_destinations(module: ir.Operation) -> list[tuple[ir.Operation, ir.Value]]:
    """Return the ops whose memref is wrapped by one tensor in front of them, and that tensor.

    A tensor that is not writable beside an op with ``restrict`` is only read: the program says that no op after the
    write reads it. One walk over the ops, if the dialect is loaded.
    """
    found: list[tuple[ir.Operation, ir.Value]] = []
    if not module.context.is_dialect_loaded("bufferization"):
        return found

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == MATERIALIZE and not op.results:
            tensors = wrappers(op.operands[1])
            if len(tensors) == 1 and _is_updated(tensors[0], op) and _is_in_front(tensors[0], op):
                found.append((op, tensors[0].results[0]))
        return ir.WalkResult.ADVANCE

    module.walk(visit)
    return found


def materialize_in_wrappers(module: ir.Operation) -> None:
    """Rewrite these ops of ``module``."""
    for op, wrapped in wrapped_destinations(module):
        with ir.InsertionPoint(op), op.location:
            operands = [op.operands[0], wrapped]
            update = ir.Operation.create(MATERIALIZE, results=[wrapped.type], operands=operands)
        op.operands[0] = update.results[0]
        if "restrict" in op.attributes:
            del op.attributes["restrict"]


def _is_updated(wrapper: ir.Operation, op: ir.Operation) -> bool:
    return "restrict" in wrapper.attributes and ("restrict" not in op.attributes or "writable" in wrapper.attributes)


def _is_in_front(wrapper: ir.Operation, op: ir.Operation) -> bool:
    around: ir.Operation | None = op
    while around is not None and around.block != wrapper.block:
        around = around.parent and around.parent.operation
    return around is not None and wrapper.is_before_in_block(around)
