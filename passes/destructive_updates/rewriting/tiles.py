"""Replace slices read from a tensor and inserted into it by loads and stores of tiles.

A *place* is the memory of a tensor: a binding, a part of one, or a memref.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref, tensor

from ....dialects import dispatch
from ....dialects.bufferizable import OpModel, Subset
from ....dialects.registry import find_model
from ....dialects.subsets import dropped_dimensions, mixed_subset, subview
from ....dialects.support.cloning import attributes_of
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number, add, as_value, multiply

__all__ = [
    "StoreTarget",
    "load_tile",
    "place_of",
    "replace_insertion",
    "replace_read",
    "replace_whole",
    "store_tile",
]


@frozen
class StoreTarget:
    """All of ``target``, a binding or a memref, or its slice ``part`` without the dimensions ``dropped``."""

    target: ir.Value
    part: Subset | None = None
    dropped: frozenset[int] = frozenset()

    def slice(self, subset: Subset | None) -> Subset | None:
        """Return ``subset`` of the tensor as a slice of the target; creates its index arithmetic. None is all."""
        part = self.part
        if part is None or subset is None:
            return part if subset is None else subset
        kept = [d for d in range(len(part.offsets)) if d not in self.dropped]
        offsets = list(part.offsets)
        sizes: list[Number] = [1] * len(offsets)
        strides = sizes.copy()
        for d, offset, size, stride in zip(kept, subset.offsets, subset.sizes, subset.strides, strict=True):
            offsets[d] = add(offsets[d], multiply(part.strides[d], offset))
            sizes[d], strides[d] = size, multiply(part.strides[d], stride)
        return Subset(tuple(offsets), tuple(sizes), tuple(strides))


def place_of(op: ir.Operation) -> StoreTarget:
    """Return the memory that a load reads or a store writes."""
    is_load = op.name == "dispatch.load"
    target = op.operands[0 if is_load else 1]
    part = dispatch.subset_of(op) if op.name.startswith("dispatch.") else None
    if part is None:
        return StoreTarget(target)
    shape = ir.ShapedType((op.results[0] if is_load else op.operands[0]).type).shape
    return StoreTarget(target, part, dropped_dimensions(part.sizes, shape))


# --- reads ------------------------------------------------------------------------------------------------------------


def load_tile(place: StoreTarget, subset: Subset | None, type_: ir.Type) -> ir.Value:
    """Create a load of a slice of the tensor at ``place``, a binding."""
    return dispatch.load(place.target, *_groups(place.slice(subset)), result=type_)


def replace_read(op: ir.Operation, place: StoreTarget) -> None:
    """Replace ``op``, which reads a slice, a vector or an element of the tensor at ``place``, by a load."""
    with ir.InsertionPoint(op), op.location:
        if isinstance(place.target.type, ir.MemRefType):
            new = _load_from_memref(op, place.target)
        elif op.name == "tensor.extract_slice":
            new = load_tile(place, mixed_subset(op, 1), op.results[0].type)
        elif op.name == "vector.transfer_read":
            new = _transfer(op, 0, load_tile(place, *_box(op, 0)), [op.results[0].type])
        else:
            indices = tuple(op.operands)[1:]
            ones = (1,) * len(indices)
            type_ = ir.RankedTensorType.get(ones, op.results[0].type)
            new = tensor.extract(load_tile(place, Subset(indices, ones, ones), type_), [as_value(0)] * len(indices))
    op.results[0].replace_all_uses_with(new)
    op.erase()


def _load_from_memref(op: ir.Operation, target: ir.Value) -> ir.Value:
    """Create the memref counterpart of ``op``, a read of an element or a vector, on all of ``target``."""
    operands = [target, *list(op.operands)[1:]]
    if op.name == "tensor.extract":
        return memref.load(target, operands[1:])
    return ir.Operation.create(
        op.name, results=[op.results[0].type], operands=operands, attributes=attributes_of(op)
    ).result


# --- updates ----------------------------------------------------------------------------------------------------------


def store_tile(value: ir.Value, place: StoreTarget, subset: Subset | None) -> None:
    """Create a store of ``value`` to a slice of the tensor at ``place``, or to all of it."""
    slice_, target = place.slice(subset), place.target
    if not isinstance(target.type, ir.MemRefType):
        dispatch.store(value, target, *_groups(slice_))
        return
    view = target if slice_ is None else subview(target, slice_, ir.ShapedType(value.type).shape)
    ir.Operation.create(
        "bufferization.materialize_in_destination",
        operands=[value, view],
        attributes={"restrict": ir.UnitAttr.get(), "writable": ir.UnitAttr.get()},
    )


def replace_insertion(op: ir.Operation, place: StoreTarget) -> None:
    """Replace an insertion by a store, and its result by its destination."""
    tile, into = op.operands[0], op.operands[1]
    # A thread inserts at its end.
    is_parallel = op.name == "tensor.parallel_insert_slice"
    before = op.parent.operation if is_parallel and op.parent is not None else op
    with ir.InsertionPoint(before), op.location:
        if op.name == "vector.transfer_write":
            subset, type_ = _box(op, 1)
            empty = tensor.empty(type_.shape, type_.element_type)
            tile = _transfer(op, 1, empty, [type_])
        elif op.name != "tensor.insert":
            subset = mixed_subset(op, 2)
        else:
            indices = list(op.operands)[2:]
            ones = (1,) * len(indices)
            subset = Subset(tuple(indices), ones, ones)
            tile = tensor.from_elements(ir.RankedTensorType.get(ones, tile.type), [tile])
        store_tile(tile, place, subset)
    if not is_parallel:
        op.results[0].replace_all_uses_with(into)
    op.erase()


def replace_whole(op: ir.Operation, operand: int, place: StoreTarget, *, is_readable: bool) -> None:
    """Store the result of ``op`` that is tied to ``operand`` to all of ``place``, which holds the operand's content."""
    into = op.operands[operand]
    result = op.results[_model(op).aliasing_values(op, operand)[0].result]
    result.replace_all_uses_with(into)
    with op.location:
        if is_readable:
            with ir.InsertionPoint(op):
                op.operands[operand] = load_tile(place, None, into.type)
        with ir.InsertionPoint.after(op):
            store_tile(result, place, None)


def _box(op: ir.Operation, operand: int) -> tuple[Subset, ir.RankedTensorType]:
    """Return the slice of ``operand`` that a transfer accesses, and the type of that slice as a tile."""
    subset = _model(op).subset(op, operand)
    if subset is None:
        raise AssertionError(f"'{op.name}' was planned as a transfer of a box")
    element = ir.ShapedType(op.operands[operand].type).element_type
    return subset, ir.RankedTensorType.get([size for size in subset.sizes if isinstance(size, int)], element)


def _model(op: ir.Operation) -> OpModel:
    model = find_model(op.name)
    if model is None:
        raise AssertionError(f"'{op.name}' was planned by its model")
    return model


def _transfer(op: ir.Operation, operand: int, tile: ir.Value, results: Sequence[ir.Type]) -> ir.Value:
    """Create transfer ``op`` of all of ``tile``, at the current insertion point."""
    rank = ir.ShapedType(tile.type).rank
    operands = list(op.operands)
    operands[operand : operand + 1 + rank] = [tile, *([as_value(0)] * rank)]
    return ir.Operation.create(op.name, results=results, operands=operands, attributes=attributes_of(op)).result


def _groups(subset: Subset | None) -> tuple[Sequence[Number], Sequence[Number], Sequence[Number]]:
    return ((), (), ()) if subset is None else (subset.offsets, subset.sizes, subset.strides)
