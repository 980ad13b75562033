"""Memory spaces and stack buffers of workgroups on a host: one memory space, and buffers that each iteration frees.

A GPU keeps a workgroup's buffers in memory of its own. On the host all memory is in the default space, and a stack
buffer inside the loop over the grid would live until the function returns: it becomes a heap buffer, which
deallocation frees in each iteration.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import memref

from ...analysis.ir.traversal import defined_values, find_ops, first_op

__all__ = ["ALLOC_TENSOR", "MEMORY_SPACE", "has_memory_space", "names_memory_spaces", "to_default_space", "to_heap"]

ALLOC_TENSOR, MEMORY_SPACE = "bufferization.alloc_tensor", "memory_space"
"""The op on tensors that names a memory space, and the attribute that does."""


def _default(type_: ir.Type) -> ir.Type:
    """Return the type in the default memory space; function types by their parts."""
    if isinstance(type_, ir.MemRefType) and type_.memory_space is not None:
        return ir.MemRefType.get(type_.shape, type_.element_type, type_.layout)
    if isinstance(type_, ir.UnrankedMemRefType) and type_.memory_space is not None:
        return ir.UnrankedMemRefType.get(type_.element_type, None)
    if isinstance(type_, ir.FunctionType):
        inputs, results = [_default(t) for t in type_.inputs], [_default(t) for t in type_.results]
        return ir.FunctionType.get(inputs, results)
    return type_


def has_memory_space(type_: ir.Type) -> bool:
    """Whether `type_` is a memref in a memory space that is not the default one."""
    return isinstance(type_, ir.MemRefType | ir.UnrankedMemRefType) and type_.memory_space is not None


def names_memory_spaces(root: ir.Operation) -> bool:
    """Whether a memref inside `root` is in a memory space that is not the default one."""

    def names_one(op: ir.Operation) -> bool:
        return any(has_memory_space(value.type) for value in defined_values(op))

    return first_op(root, names_one) is not None


def to_default_space(root: ir.Operation) -> None:
    """Put every memref inside `root` into the default space, and erase casts between spaces. Linear in the ops."""
    casts: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        for value in defined_values(op):
            if (type_ := _default(value.type)) != value.type:
                value.set_type(type_)
        for entry in list(op.attributes):
            attribute = op.attributes[entry]
            if isinstance(attribute, ir.TypeAttr) and (type_ := _default(attribute.value)) != attribute.value:
                op.attributes[entry] = ir.TypeAttr.get(type_)
        if op.name == "memref.memory_space_cast":
            casts.append(op)
        elif op.name == ALLOC_TENSOR and MEMORY_SPACE in op.attributes:
            del op.attributes[MEMORY_SPACE]
        return ir.WalkResult.ADVANCE

    with ir.Location.unknown(root.context):
        root.walk(visit, ir.WalkOrder.PRE_ORDER)
    for cast in casts:
        cast.results[0].replace_all_uses_with(cast.operands[0])
        cast.erase()


def to_heap(root: ir.Operation) -> None:
    """Turn the stack buffers inside `root` into heap buffers. Linear in the ops."""
    for op in find_ops(root, "memref.alloca"):
        old = op.opview
        assert isinstance(old, memref.AllocaOp)
        with ir.InsertionPoint(old), old.location:
            new = memref.AllocOp(
                old.memref.type, list(old.dynamicSizes), list(old.symbolOperands), alignment=old.alignment
            )
        old.memref.replace_all_uses_with(new.memref)
        op.erase()
