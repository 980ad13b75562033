"""Memory spaces and stack buffers of workgroups, as a host has them: one space, and buffers that go with each trip.

A GPU keeps a workgroup's buffers in memory of its own. On the host all memory is in the default space, and a stack
buffer inside the grid's loop would not go away before the function returns: it becomes a heap buffer, which
deallocation frees in each trip.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import memref

from ...analysis.ir.traversal import first_op

__all__ = ["ALLOC_TENSOR", "MEMORY_SPACE", "has_memory_space", "names_memory_spaces", "to_default_space", "to_heap"]

ALLOC_TENSOR, MEMORY_SPACE = "bufferization.alloc_tensor", "memory_space"
"""The op on tensors that names a memory space, and the attribute that does."""


def _memrefs(op: ir.Operation) -> Iterator[ir.Value]:
    """What the op defines: results, and arguments of its blocks."""
    yield from op.results
    for region in op.regions:
        for block in region:
            yield from block.arguments


def _default(type_: ir.Type) -> ir.Type:
    """The same type in the default memory space; function types by their parts."""
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
    """Whether a memref below `root` is in a memory space that is not the default one."""

    def names_one(op: ir.Operation) -> bool:
        return any(has_memory_space(value.type) for value in _memrefs(op))

    return first_op(root, names_one) is not None


def to_default_space(root: ir.Operation) -> None:
    """Put every memref below `root` into the default space; casts between spaces go. Linear in the ops."""
    casts: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        for value in _memrefs(op):
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
    """Turn the stack buffers below `root` into heap buffers. Linear in the ops."""
    stack: list[memref.AllocaOp] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        view = op.opview if op.name == "memref.alloca" else None
        if isinstance(view, memref.AllocaOp):
            stack.append(view)
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    for old in stack:
        with ir.InsertionPoint(old), old.location:
            new = memref.AllocOp(
                old.memref.type, list(old.dynamicSizes), list(old.symbolOperands), alignment=old.alignment
            )
        old.memref.replace_all_uses_with(new.memref)
        old.operation.erase()
