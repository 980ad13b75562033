"""Which binding a value of the dispatch dialect stands for. Reads ops only; constant time per question."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

__all__ = ["BindingPlace", "binding_place"]


@dataclass(frozen=True, slots=True)
class BindingPlace:
    """(set, binding), the byte offset as a number or the name of the value that says it, and what may be done."""

    binding: tuple[int, int]
    offset: str
    access: str


def binding_place(value: ir.Value, names: ir.AsmState) -> BindingPlace:
    """Return what ``value``, a `dispatch.binding` or one whose shape was tied, is bound to."""
    owner = ir.OpResult(value).owner.operation
    while owner.name == "dispatch.tie_shape":
        owner = ir.OpResult(owner.operands[0]).owner.operation
    attributes = owner.attributes
    number = (ir.IntegerAttr(attributes["set"]).value, ir.IntegerAttr(attributes["binding"]).value)
    has_offset = ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])[0] > 0
    access = str(value.type).removeprefix("!dispatch.").partition("<")[0]
    return BindingPlace(number, _offset(owner.operands[0], names) if has_offset else "0", access)


def _offset(value: ir.Value, names: ir.AsmState) -> str:
    if not isinstance(value, ir.BlockArgument):
        owner = ir.OpResult(value).owner.operation
        if owner.name == "arith.constant":
            return str(ir.IntegerAttr(owner.attributes["value"]).value)
    return value.get_name(names)
