"""Canonicalize views: equal views of a buffer become one, and a view of all of it becomes the buffer.

Views have no effects, so two with the same operands and attributes are the same memory; the first one serves wherever
it dominates. A subview that starts at 0, has unit strides and the sizes of its source is the source under a type that
may promise less; ops that take it as well take the source itself, others a cast.

Nothing is moved: the first of equal views stands where its tensor slice stood. Linear in the ops.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import memref

from ....dialects.dispatch import sizes_of
from ....dialects.subsets import mixed_subset, subset_type
from ....dialects.support.constants import constant_integer
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.memref_types import is_castable
from ...analysis.ir.traversal import find_ops

__all__ = ["canonicalize_views"]

_SHARED = frozenset({"memref.cast", "memref.collapse_shape", "memref.dim", "memref.expand_shape", "memref.subview"})
_ANY_LAYOUT = frozenset({"memref.copy", "memref.dim", "memref.load", "memref.store"})
_DYNAMIC = ir.ShapedType.get_dynamic_size()

_Key = tuple[object, ...]


def canonicalize_views(function: ir.Operation) -> None:
    """Drop the redundant views of ``function``."""
    found = find_ops(function, *_SHARED)
    kept = [op for op in found if not (op.name == "memref.subview" and _replace_whole(op))]
    _share(kept)


# --- equal views -----------------------------------------------------------------------------------------------------


def _share(views: list[ir.Operation]) -> None:
    """Replace each of ``views``, in program order, by an earlier equal one in its block or an enclosing one, if any."""
    known: dict[ir.Block, dict[_Key, ir.Value]] = {}
    for op in views:
        key = _key(op)
        twin = _find(known, op, key)
        if twin is None:
            known.setdefault(op.block, {})[key] = op.results[0]
        else:
            op.results[0].replace_all_uses_with(twin)
            op.erase()


def _find(known: dict[ir.Block, dict[_Key, ir.Value]], op: ir.Operation, key: _Key) -> ir.Value | None:
    """Return the earlier value for ``key`` in the block of ``op`` or an enclosing one."""
    while True:
        twin = known.get(op.block, {}).get(key)
        if twin is not None:
            return twin
        parent = op.parent
        if parent is None or parent.operation.name == "func.func":
            return None
        op = parent.operation


def _key(op: ir.Operation) -> _Key:
    """Return a key that two ops share if and only if they define the same value."""
    operands = tuple(number if (number := _constant(value)) is not None else value for value in op.operands)
    attributes = op.attributes
    return (op.name, op.results[0].type, operands, *((name, attributes[name]) for name in sorted(attributes)))


def _constant(value: ir.Value) -> int | None:
    return constant_integer(value) if isinstance(value.type, ir.IndexType) else None


# --- views of everything ---------------------------------------------------------------------------------------------


def _replace_whole(op: ir.Operation) -> bool:
    """Replace a subview of all of its source by the source; return whether the subview is gone."""
    source, result = op.operands[0], op.results[0]
    if not _is_whole(op, source):
        return False
    if source.type == result.type:
        result.replace_all_uses_with(source)
    elif is_castable(source.type, result.type):
        for use in list(result.uses):
            if _takes(use.owner.operation, source):
                use.owner.operands[use.operand_number] = source
        if next(iter(result.uses), None) is not None:
            with ir.InsertionPoint(op), op.location:
                cast = memref.cast(result.type, source)
            result.replace_all_uses_with(cast)
    else:
        return False
    op.erase()
    return True


def _takes(op: ir.Operation, source: ir.Value) -> bool:
    """Whether ``op`` accepts ``source`` instead of a cast of it."""
    if op.name == "memref.subview":
        result = ir.MemRefType(op.results[0].type)
        return subset_type(ir.MemRefType(source.type), mixed_subset(op, 1), result.shape) == result
    return op.name in _ANY_LAYOUT or op.name.startswith("linalg.")


def _is_whole(op: ir.Operation, source: ir.Value) -> bool:
    attributes, type_ = op.attributes, ir.MemRefType(source.type)
    if ir.MemRefType(op.results[0].type).rank != type_.rank:
        return False
    if any(ir.DenseI64ArrayAttr(attributes["static_offsets"])):
        return False
    if any(stride != 1 for stride in ir.DenseI64ArrayAttr(attributes["static_strides"])):
        return False
    dynamic = iter(list(op.operands)[1:])
    for dimension, size in enumerate(ir.DenseI64ArrayAttr(attributes["static_sizes"])):
        if size == _DYNAMIC:
            if not _is_size(next(dynamic), source, dimension):
                return False
        elif size != type_.shape[dimension]:
            return False
    return True


def _is_size(value: ir.Value, source: ir.Value, dimension: int) -> bool:
    """Whether ``value`` is the size of ``source`` in a dynamic dimension."""
    type_ = ir.MemRefType(source.type)
    if not type_.is_dynamic_dim(dimension):
        return _constant(value) == type_.shape[dimension]
    size, maker = defining_op(value, "memref.dim"), defining_op(source, "dispatch.binding", "dispatch.tie_shape")
    if size is not None and size.operands[0] == source:
        return _constant(size.operands[1]) == dimension
    if maker is None:
        return False
    sizes = sizes_of(maker)
    number = sum(type_.is_dynamic_dim(before) for before in range(dimension))
    return number < len(sizes) and sizes[number] == value
