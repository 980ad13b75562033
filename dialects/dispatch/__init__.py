"""The dispatch dialect: kernels whose inputs and outputs are interface bindings with an access.

A workgroup of a grid loads tensors from bindings, computes, and stores tensors into bindings. `docs/DISPATCH.md` says
what each operation means. This module is all that others need: the types, `register`, builders, and what reads the
operations. `types.py` reads types; `memory_types.py` and `ops.py` define types and operations, which takes the bindings
long, and `parsing.py` and `printing.py` know its text: they are imported when something uses the dialect.

    dispatch.register(context)
    source = dispatch.binding(0, 0, dispatch.ReadOnly(tensor_type))
    row = dispatch.load(source, [i, 0], [1, 16], [1, 1])
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlir import ir

from ..bufferizable import Subset
from ..subsets import mixed_subset, slice_entries, static_entries
from ..support.dispatch_text import mentions_dispatch, parse, read_text, register_for
from .types import NAMESPACE, Access, Slot, access_of, is_dispatch_type, tensor_type_of

if TYPE_CHECKING:
    from .memory_types import ReadOnly, ReadWrite, WriteOnly
    from .parsing import DispatchSyntaxError, import_text, unread_operation
    from .printing import export_text

__all__ = [
    "Access",
    "DispatchSyntaxError",
    "ReadOnly",
    "ReadWrite",
    "Slot",
    "WriteOnly",
    "access_of",
    "binding",
    "binding_of",
    "byte_offset_of",
    "commit",
    "contents",
    "export_text",
    "import_text",
    "is_dispatch_type",
    "load",
    "mentions_dispatch",
    "parse",
    "push_constant",
    "read_text",
    "register",
    "register_for",
    "sizes_of",
    "slot_of",
    "store",
    "subset_of",
    "tensor_type_of",
    "tie_shape",
    "unread_operation",
    "workgroup_count",
    "workgroup_id",
    "workgroup_size",
]

Entries = Sequence[int | ir.Value]
"""Offsets, sizes or strides: constants and index values, mixed."""


_LATER = {
    **dict.fromkeys(("ReadOnly", "ReadWrite", "WriteOnly"), "memory_types"),
    **dict.fromkeys(("DispatchSyntaxError", "import_text", "unread_operation"), "parsing"),
    "export_text": "printing",
}
"""The modules of the names that are imported when they are asked for."""


def __getattr__(name: str) -> Any:
    """A type of the dialect, or a function for its text."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)


def register(context: ir.Context) -> None:
    """Loads the dialect into `context`, once; about 4 ms the first time, which parsing `dispatch` ops needs.

    It turns the threads of `context` off, now and whenever it is called: MLIR would call the verifiers, which are
    written in Python, from threads that wait for the interpreter while their caller holds it, for ever.
    """
    from .ops import Dispatch

    # The bindings look for a module of this name whenever they meet one of the operations, until they find it.
    sys.modules.setdefault(f"{ir.__package__}.dialects.{NAMESPACE}", sys.modules[__name__])
    with context:
        context.enable_multithreading(False)
        if not context.is_dialect_loaded(NAMESPACE):
            context.get_dialect_descriptor("irdl")  # Loads it: the definition is an IRDL module.
            Dispatch.load()


def slot_of(op: ir.Operation | ir.OpView) -> Slot:
    """The slot of a `dispatch.binding`."""
    attributes = op.attributes
    return Slot(ir.IntegerAttr(attributes["set"]).value, ir.IntegerAttr(attributes["binding"]).value)


def byte_offset_of(op: ir.Operation | ir.OpView) -> ir.Value | None:
    """The byte offset of a `dispatch.binding`; None means 0."""
    return op.operands[0] if ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0] else None


def sizes_of(op: ir.Operation | ir.OpView) -> list[ir.Value]:
    """The dynamic sizes that a `dispatch.binding` or a `dispatch.tie_shape` is given, none or one for each."""
    return list(op.operands)[ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0] :]


def subset_of(op: ir.Operation | ir.OpView) -> Subset | None:
    """The part of the binding that a `dispatch.load` reads or a `dispatch.store` writes; None means the whole."""
    if not len(ir.DenseI64ArrayAttr(op.attributes["static_offsets"])):
        return None
    return mixed_subset(op.operation, 1 if op.operation.name == "dispatch.load" else 2)


def binding_of(value: ir.Value) -> ir.Operation | None:
    """The `dispatch.binding` that `value` is, directly or behind `dispatch.tie_shape`; None for anything else."""
    while isinstance(value, ir.OpResult):
        op = ir.OpResult(value).owner.operation
        if op.name == "dispatch.binding":
            return op
        if op.name != "dispatch.tie_shape":
            return None
        value = op.operands[0]
    return None


def binding(
    set_: int,
    number: int,
    type_: ir.Type,
    *,
    byte_offset: ir.Value | None = None,
    sizes: Sequence[ir.Value] = (),
) -> ir.Value:
    """Create `dispatch.binding` of slot (`set_`, `number`); `type_` is a dispatch type, or a memref type."""
    groups = [[byte_offset] if byte_offset is not None else [], list(sizes)]
    return _create("binding", type_, groups, {"set": _i64(set_), "binding": _i64(number)}).result


def tie_shape(source: ir.Value, sizes: Sequence[ir.Value]) -> ir.Value:
    """Create `dispatch.tie_shape`: `source` with the values of its dynamic sizes."""
    return _create("tie_shape", source.type, [[source], list(sizes)]).result


def load(
    source: ir.Value,
    offsets: Entries = (),
    sizes: Entries = (),
    strides: Entries = (),
    *,
    result: ir.Type | None = None,
) -> ir.Value:
    """Create `dispatch.load` of a slice, or of the whole.

    `result` is needed for a result that drops unit dimensions; otherwise the type follows from `sizes`.
    """
    if result is None:
        tensor = tensor_type_of(source.type)
        result = ir.RankedTensorType.get(static_entries(sizes), tensor.element_type) if len(sizes) else tensor
    dynamic, static = _slice(offsets, sizes, strides)
    return _create("load", result, [[source], *dynamic], static).result


def store(
    value: ir.Value, target: ir.Value, offsets: Entries = (), sizes: Entries = (), strides: Entries = ()
) -> ir.Operation:
    """Create `dispatch.store` of `value` into a slice of `target`, or into the whole."""
    dynamic, static = _slice(offsets, sizes, strides)
    return _create("store", None, [[value], [target], *dynamic], static)


def push_constant(index: int, type_: ir.Type | None = None) -> ir.Value:
    """Create `dispatch.push_constant`, of type index if none is given."""
    return _create("push_constant", type_ or ir.IndexType.get(), [], {"index": _i64(index)}).result


def workgroup_id(dimension: int) -> ir.Value:
    """Create `dispatch.workgroup_id`."""
    return _create("workgroup_id", ir.IndexType.get(), [], {"dimension": _i64(dimension)}).result


def workgroup_size(dimension: int) -> ir.Value:
    """Create `dispatch.workgroup_size`."""
    return _create("workgroup_size", ir.IndexType.get(), [], {"dimension": _i64(dimension)}).result


def workgroup_count(dimension: int) -> ir.Value:
    """Create `dispatch.workgroup_count`."""
    return _create("workgroup_count", ir.IndexType.get(), [], {"dimension": _i64(dimension)}).result


def contents(source: ir.Value) -> ir.Value:
    """Create `dispatch.contents`: what the memory of `source` holds on entry."""
    return _create("contents", tensor_type_of(source.type), [[source]]).result


def commit(value: ir.Value, contents: ir.Value) -> ir.Operation:
    """Create `dispatch.commit`: `value` is in the memory of `contents` from here on."""
    return _create("commit", None, [[value], [contents]])


def _create(
    name: str,
    result: ir.Type | None,
    groups: Sequence[Sequence[ir.Value]],
    attributes: Mapping[str, ir.Attribute] | None = None,
) -> ir.Operation:
    """Create an op with these groups of operands, at the current insertion point and location.

    The constructors of the op classes are not used: the bindings take an empty array for a missing attribute there.
    """
    from .parsing import SEGMENTED

    given = dict(attributes or {})
    if name in SEGMENTED:
        given["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get([len(group) for group in groups])
    return ir.Operation.create(
        f"dispatch.{name}",
        results=[result] if result is not None else [],
        operands=[operand for group in groups for operand in group],
        attributes=given,
    )


def _i64(value: int) -> ir.IntegerAttr:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def _slice(offsets: Entries, sizes: Entries, strides: Entries) -> tuple[list[list[ir.Value]], dict[str, ir.Attribute]]:
    """The groups of operands and the attributes of a load or a store for a slice."""
    return slice_entries(Subset(tuple(offsets), tuple(sizes), tuple(strides)))
