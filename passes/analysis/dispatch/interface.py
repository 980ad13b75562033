"""The interface of a dispatch function on memrefs: bindings, push constants, and workgroup ids, sizes and counts.

Read in one walk; nothing is changed. Refused, with locations: ops that are not bufferized yet, and interfaces that a
plain `func.func` cannot express.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from mlir import ir
from mlir.dialects import func

from ....dialects.dispatch import Slot, binding_of, byte_offset_of, sizes_of, slot_of
from ....dialects.support.constants import constant_integer
from ....dialects.support.frozen_classes import frozen, record
from ....dialects.support.index_math import Number
from ....dialects.support.memref_types import has_identity_layout
from ...framework.errors import PassFailure
from ..ir.traversal import defined_values, find_ops, first_op
from .pinned_interface import GRID, PinnedBinding, PinnedInterface, read_interface

__all__ = [
    "BindingUse",
    "Declaration",
    "DispatchFunction",
    "PushConstantUse",
    "collect_dispatch_function",
    "has_dispatch_ops",
]

_TENSOR_FORM = frozenset(("dispatch.load", "dispatch.store", "dispatch.contents", "dispatch.commit"))
_TENSORS = (ir.RankedTensorType, ir.UnrankedTensorType)


@frozen
class Declaration:
    """One `dispatch.binding`. `stated`: the dynamic size operands of it, and of each `dispatch.tie_shape` of it.

    `offset` is in bytes.
    """

    op: ir.Operation
    type: ir.MemRefType
    offset: Number
    stated: tuple[Sequence[ir.Value], ...]


@frozen
class BindingUse:
    """The declarations of one slot; there may be none if it is only pinned.

    `whole`: all of them have offset 0 and one type, which is that of the argument, `type`; otherwise they are views of
    bytes. `access` is the access that the source declares, None without one.
    """

    slot: Slot
    declarations: tuple[Declaration, ...]
    whole: bool
    type: ir.MemRefType
    access: str | None


@frozen
class PushConstantUse:
    """The ops that read one push constant; there may be none if it is only pinned."""

    index: int
    type: ir.Type
    ops: tuple[ir.Operation, ...]


@frozen
class DispatchFunction:
    """A dispatch function. `grid` has the ops for each name and dimension; `order` lists all ops in program order.

    Pinned arguments (`pinned_interface.py`) are included even if no op uses them any more.
    """

    function: func.FuncOp
    bindings: tuple[BindingUse, ...]
    push_constants: tuple[PushConstantUse, ...]
    ties: tuple[ir.Operation, ...]
    grid: Mapping[tuple[str, int], Sequence[ir.Operation]]
    order: tuple[ir.Operation, ...]


@record
class _Found:
    """The ops of the interface."""

    bindings: dict[Slot, list[ir.Operation]] = field(default_factory=dict)
    ties: list[ir.Operation] = field(default_factory=list)
    constants: dict[int, list[ir.Operation]] = field(default_factory=dict)
    grid: dict[tuple[str, int], list[ir.Operation]] = field(default_factory=dict)


def has_dispatch_ops(op: ir.Operation) -> bool:
    """Whether there is a dispatch op inside `op`. One walk, interrupted at the first."""
    return first_op(op, lambda inner: inner.name.startswith("dispatch.")) is not None


def collect_dispatch_function(function: func.FuncOp) -> DispatchFunction:
    """Return the interface of a function with dispatch ops. Linear in its ops.

    Raises `PassFailure` where tensors are left, where push constants disagree, and for a function with results.
    """
    if len(function.type.results):
        raise PassFailure(
            "a dispatch function has results; store them into a binding, since workgroups return nothing", function
        )
    found, order = _Found(), find_ops(function.operation)
    for op in order:
        _require_memrefs(op)
        _file(op, found)
    tied: dict[ir.Value, list[Sequence[ir.Value]]] = {}
    for tie in found.ties:
        if (declared := binding_of(tie.operands[0])) is not None:
            tied.setdefault(declared.results[0], []).append(sizes_of(tie))
    pinned = read_interface(function.operation)
    slots, indices = sorted({*found.bindings, *pinned.bindings}), sorted({*found.constants, *pinned.constants})
    return DispatchFunction(
        function,
        tuple(_binding(slot, found.bindings.get(slot, ()), tied, pinned.bindings.get(slot)) for slot in slots),
        tuple(_push_constant(index, found.constants.get(index, ()), pinned) for index in indices),
        tuple(found.ties),
        {**dict.fromkeys(pinned.grid, ()), **found.grid},
        tuple(order),
    )


def _file(op: ir.Operation, found: _Found) -> None:
    """Record an op in `found` if it belongs to the interface."""
    name = op.name
    if name == "dispatch.binding":
        found.bindings.setdefault(slot_of(op), []).append(op)
    elif name == "dispatch.tie_shape":
        found.ties.append(op)
    elif name == "dispatch.push_constant":
        found.constants.setdefault(ir.IntegerAttr(op.attributes["index"]).value, []).append(op)
    elif name in GRID:
        found.grid.setdefault((name, ir.IntegerAttr(op.attributes["dimension"]).value), []).append(op)


def _require_memrefs(op: ir.Operation) -> None:
    """Refuse tensors, and ops on tensors, that bufferization should have replaced."""
    if op.name in _TENSOR_FORM:
        raise PassFailure(f"'{op.name}' works on tensors; bufferize first, with inplace-one-shot-bufferize", op)
    if op.name == "dispatch.binding" and not isinstance(op.results[0].type, ir.MemRefType):
        raise PassFailure(
            f"the binding is a {op.results[0].type}, not a memref; bufferize first, with inplace-one-shot-bufferize", op
        )
    for value in defined_values(op):
        if isinstance(value.type, _TENSORS):
            message = (
                f"a {value.type} is left in a dispatch function; bufferize first, what functions take and return too, "
                "with inplace-one-shot-bufferize{bufferize-function-boundaries=true}"
            )
            raise PassFailure(message, op)


def _binding(
    slot: Slot,
    ops: Sequence[ir.Operation],
    tied: Mapping[ir.Value, list[Sequence[ir.Value]]],
    pinned: PinnedBinding | None,
) -> BindingUse:
    declarations: list[Declaration] = []
    for op in ops:
        sizes, offset = sizes_of(op), byte_offset_of(op)
        constant = 0 if offset is None else constant_integer(offset)
        stated = (*([sizes] if sizes else ()), *tied.get(op.results[0], ()))
        place = offset if offset is not None and constant is None else constant or 0
        declarations.append(Declaration(op, ir.MemRefType(op.results[0].type), place, stated))
    types = {declaration.type for declaration in declarations}
    whole = (pinned is None or pinned.whole) and len(types) <= 1
    whole = whole and all(isinstance(d.offset, int) and d.offset == 0 for d in declarations)
    if not whole:
        for declaration in declarations:
            _require_view(slot, declaration)
    type_ = declarations[0].type if declarations or pinned is None else pinned.type
    return BindingUse(slot, tuple(declarations), whole, type_, pinned.access if pinned else None)


def _require_view(slot: Slot, declaration: Declaration) -> None:
    """Refuse a view of bytes that is not contiguous, or has dynamic sizes without operands."""
    if not has_identity_layout(declaration.type):
        raise PassFailure(
            f"{slot} is one of several views of one memory, but not contiguous: {declaration.type}; "
            "bufferize it with the identity layout",
            declaration.op,
        )
    if not declaration.type.has_static_shape and not declaration.stated:
        raise PassFailure(
            f"{slot} is a view at a byte offset whose dynamic sizes nothing states; give it sizes",
            declaration.op,
        )


def _push_constant(index: int, ops: Sequence[ir.Operation], pinned: PinnedInterface) -> PushConstantUse:
    type_ = ops[0].results[0].type if ops else pinned.constants[index]
    for op in ops[1:]:
        if op.results[0].type != type_:
            raise PassFailure(
                f"push constant {index} is a {op.results[0].type} here and a {type_} elsewhere; "
                "read it with one type and convert",
                op,
                [(f"read as {type_} here", ops[0].location)],
            )
    return PushConstantUse(index, type_, tuple(ops))
