"""Clean up after the conversion: drop dead views, fold chains of casts and tensors made of their own buffers.

Op models build views before their uses are known, and casts where types differ. The redundant ones are erased here,
with one walk over each function, users first; nothing is moved.
"""

from __future__ import annotations

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.memref_types import is_castable
from ...analysis.ir.traversal import find_ops

__all__ = ["tidy"]

_DROPPED = frozenset(
    {
        "bufferization.to_buffer",
        "bufferization.to_tensor",
        "memref.cast",
        "memref.collapse_shape",
        "memref.dim",
        "memref.expand_shape",
        "memref.extract_strided_metadata",
        "memref.get_global",
        "memref.reinterpret_cast",
        "memref.subview",
    }
)
"""Ops without effects that a conversion creates; unused ones are erased."""

_CONSTANT = "arith.constant"


def tidy(function: ir.Operation) -> None:
    """Drop from ``function`` the dead views and casts that the conversion left. Linear in its ops."""
    found = [(op.name, op) for op in find_ops(function, *_DROPPED, _CONSTANT)]
    for name, op in found:
        if name == "memref.cast":
            _skip_casts(op)
        elif name == "bufferization.to_tensor":
            _skip_buffer(op)
    released: set[ir.Value] = set()
    for name, op in reversed(found):
        # A constant that was never used is the program's own.
        if name == _CONSTANT and op.results[0] not in released:
            continue
        if all(next(iter(result.uses), None) is None for result in op.results):
            released.update(op.operands)
            op.erase()


def _skip_casts(op: ir.Operation) -> None:
    """Fold a cast of a cast into one; drop a cast to the same type."""
    source, target = op.operands[0], op.results[0].type
    while (before := defining_op(source, "memref.cast")) is not None and _may_cast(before.operands[0].type, target):
        source = before.operands[0]
    if source.type == target:
        op.results[0].replace_all_uses_with(source)
    elif source != op.operands[0]:
        op.operands[0] = source


def _may_cast(source: ir.Type, target: ir.Type) -> bool:
    """Whether one cast can replace two without asserting more static sizes and strides than they did."""
    if source == target:
        return True
    if not isinstance(source, ir.MemRefType) or not isinstance(target, ir.MemRefType):
        return isinstance(source, ir.MemRefType) != isinstance(target, ir.MemRefType)
    if source.rank != target.rank or not is_castable(source, target):
        return False
    sizes = zip(source.shape, target.shape, strict=True)
    return all(a == b or ir.ShapedType.is_dynamic_size(a) or ir.ShapedType.is_dynamic_size(b) for a, b in sizes)


def _skip_buffer(op: ir.Operation) -> None:
    """Replace a tensor made of the read-only buffer of a tensor, which must not be written, by that tensor."""
    buffer = defining_op(op.operands[0], "bufferization.to_buffer")
    if buffer is None or "read_only" not in buffer.attributes or "writable" in op.attributes:
        return
    if buffer.operands[0].type == op.results[0].type:
        op.results[0].replace_all_uses_with(buffer.operands[0])
