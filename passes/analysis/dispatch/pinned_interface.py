"""The interface of a dispatch function as an attribute, so that optimization does not change its arguments.

Bufferization and canonicalization drop bindings, push constants and numbers of the grid that are unused, but a caller
passes what the source declares. `interface_attribute` describes the declared interface. Kept on the function as
`inplace.interface`, it makes the arguments that `inplace-lower-dispatch` creates independent of the remaining uses.
"""

from __future__ import annotations

from dataclasses import field

from mlir import ir

from ....dialects.dispatch import Slot, access_of, byte_offset_of, is_dispatch_type, slot_of, tensor_type_of
from ....dialects.support.constants import constant_integer
from ....dialects.support.frozen_classes import frozen, record
from ..ir.traversal import find_ops

__all__ = ["GRID", "INTERFACE", "PinnedBinding", "PinnedInterface", "interface_attribute", "read_interface"]

INTERFACE = "inplace.interface"

GRID = ("dispatch.workgroup_id", "dispatch.workgroup_size", "dispatch.workgroup_count")


@frozen
class PinnedBinding:
    """A binding as the source declares it. `access` is the value of `bufferization.access`, None if unknown."""

    type: ir.MemRefType
    whole: bool
    access: str | None


@record
class PinnedInterface:
    """The interface that the source of a function declares; empty if nothing is pinned."""

    bindings: dict[Slot, PinnedBinding] = field(default_factory=dict)
    constants: dict[int, ir.Type] = field(default_factory=dict)
    grid: list[tuple[str, int]] = field(default_factory=list)


_ACCESS_NAMES = {(True, False): "read", (False, True): "write", (True, True): "read-write"}


def interface_attribute(function: ir.Operation) -> ir.Attribute:
    """Return the value of `INTERFACE` for a function on tensors or memrefs. One walk, linear in the ops."""
    declarations: dict[Slot, list[ir.Operation]] = {}
    entries: list[ir.Attribute] = []
    with function.context, ir.Location.unknown():
        for op in find_ops(function, where=lambda op: op.name.startswith("dispatch.")):
            if op.name == "dispatch.binding":
                declarations.setdefault(slot_of(op), []).append(op)
            elif op.name == "dispatch.push_constant":
                type_ = ir.TypeAttr.get(op.results[0].type)
                entries.append(ir.DictAttr.get({"push_constant": op.attributes["index"], "type": type_}))
            elif op.name in GRID:
                entries.append(ir.DictAttr.get({"grid": ir.StringAttr.get(op.name), "at": op.attributes["dimension"]}))
        entries += [_binding_entry(ops) for ops in declarations.values()]
        return ir.ArrayAttr.get(entries)


def _binding_entry(ops: list[ir.Operation]) -> ir.Attribute:
    first = ops[0].results[0].type
    same = all(op.results[0].type == first for op in ops)
    whole = same and all(_is_zero(byte_offset_of(op)) for op in ops)
    fields: dict[str, ir.Attribute] = {
        "set": ops[0].attributes["set"],
        "binding": ops[0].attributes["binding"],
        "whole": ir.BoolAttr.get(whole),
        "type": ir.TypeAttr.get(_memref_of(first)),
    }
    if all(is_dispatch_type(op.results[0].type) for op in ops):
        accesses = [access_of(op.results[0].type) for op in ops]
        key = (any(access.reads for access in accesses), any(access.writes for access in accesses))
        fields["access"] = ir.StringAttr.get(_ACCESS_NAMES[key])
    return ir.DictAttr.get(fields)


def _is_zero(offset: ir.Value | None) -> bool:
    return offset is None or constant_integer(offset) == 0


def _memref_of(type_: ir.Type) -> ir.Type:
    """Return the memref type that bufferization gives to an unused binding."""
    if not is_dispatch_type(type_):
        return type_
    tensor = tensor_type_of(type_)
    return ir.MemRefType.get(tensor.shape, tensor.element_type)


def read_interface(function: ir.Operation) -> PinnedInterface:
    """Return the interface that is pinned on a function; an empty one if none is."""
    pinned = PinnedInterface()
    value = function.attributes.get(INTERFACE, None)
    for entry in value if isinstance(value, ir.ArrayAttr) else ():
        fields = {named.name: named.attr for named in ir.DictAttr(entry)}
        if "push_constant" in fields:
            pinned.constants[ir.IntegerAttr(fields["push_constant"]).value] = ir.TypeAttr(fields["type"]).value
        elif "grid" in fields:
            pinned.grid.append((ir.StringAttr(fields["grid"]).value, ir.IntegerAttr(fields["at"]).value))
        else:
            access = ir.StringAttr(fields["access"]).value if "access" in fields else None
            slot = Slot(ir.IntegerAttr(fields["set"]).value, ir.IntegerAttr(fields["binding"]).value)
            type_ = ir.MemRefType(ir.TypeAttr(fields["type"]).value)
            pinned.bindings[slot] = PinnedBinding(type_, ir.BoolAttr(fields["whole"]).value, access)
    return pinned
