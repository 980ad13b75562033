"""The interface of a dispatch function as arguments: bindings, push constants, and the grid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir
from mlir.dialects import func, memref

from ....dialects.dispatch import byte_offset_of
from ....dialects.structured import index_constant
from ...analysis.dispatch.host_types import natural_alignment
from ...analysis.dispatch.interface import BindingUse, Declaration, DispatchFunction
from ...analysis.lifetimes.buffer_access import access_name, accesses
from ...framework.contract import BINDING
from ...functions.rewriting.results import append_argument

__all__ = ["add_bindings", "add_grid_number", "add_push_constants", "replace_all", "replace_bindings"]


def add_bindings(dispatch: DispatchFunction) -> list[ir.Value]:
    """Add an argument for each binding, and return them."""
    return [_add_binding(dispatch.function, binding) for binding in dispatch.bindings]


def _add_binding(function: func.FuncOp, binding: BindingUse) -> ir.Value:
    results = [declaration.op.results[0] for declaration in binding.declarations]
    access = binding.access or access_name(accesses(results))
    attributes: dict[str, ir.Attribute] = {
        "bufferization.access": ir.StringAttr.get(access),
        "bufferization.writable": ir.BoolAttr.get("write" in access),
        BINDING: ir.DenseI64ArrayAttr.get([*binding.slot]),
    }
    place = binding.declarations[0].op.location if results else function.location
    with place:
        type_: ir.Type = ir.MemRefType.get([ir.ShapedType.get_dynamic_size()], ir.IntegerType.get_signless(8))
        if binding.whole:
            # Not the type that was found: memory spaces may have been removed since.
            type_ = results[0].type if results else binding.type
    return append_argument(function, type_, ir.Location.name(str(binding.slot), place), ir.DictAttr.get(attributes))


def add_push_constants(dispatch: DispatchFunction) -> list[ir.Value]:
    """Add an argument for each push constant, and return them."""
    added: list[ir.Value] = []
    for constant in dispatch.push_constants:
        place = constant.ops[0].location if constant.ops else dispatch.function.location
        location = ir.Location.name(f"push constant {constant.index}", place)
        added.append(append_argument(dispatch.function, constant.type, location, ir.DictAttr.get({})))
    return added


def add_grid_number(function: func.FuncOp, name: str, dimension: int, constant: int) -> ir.Value:
    """Add an argument for a number of the grid, or build `constant` unless it is 0; return it."""
    if constant:
        with ir.InsertionPoint.at_block_begin(function.entry_block), function.location:
            return index_constant(constant)
    label = name.removeprefix("dispatch.").replace("_", " ")
    location = ir.Location.name(f"{label} {'xyz'[dimension]}", function.location)
    return append_argument(function, ir.IndexType.get(location.context), location, ir.DictAttr.get({}))


def replace_bindings(dispatch: DispatchFunction, arguments: Sequence[ir.Value]) -> int:
    """Replace declarations of bindings and ties of their shapes by the arguments; return the number of views built."""
    views = 0
    for binding, argument in zip(dispatch.bindings, arguments, strict=True):
        source = argument if binding.whole else _aligned(dispatch.function, binding, argument)
        for declaration in binding.declarations:
            view = source if binding.whole else _view(declaration, source)
            declaration.op.results[0].replace_all_uses_with(view)
            views += not binding.whole
    for tie in dispatch.ties:
        tie.results[0].replace_all_uses_with(tie.operands[0])
    return views


def replace_all(ops: Iterable[ir.Operation], value: ir.Value) -> None:
    """Replace the result of each of `ops` by `value`."""
    for op in ops:
        op.results[0].replace_all_uses_with(value)


def _aligned(function: func.FuncOp, binding: BindingUse, argument: ir.Value) -> ir.Value:
    """Build the bytes, assumed to be aligned for all their elements, which the runtime checks."""
    alignment = max((natural_alignment(d.type.element_type) for d in binding.declarations), default=1)
    if alignment == 1:
        return argument
    with ir.InsertionPoint.at_block_begin(function.entry_block), function.location:
        return memref.assume_alignment(argument, alignment)


def _view(declaration: Declaration, source: ir.Value) -> ir.Value:
    op = declaration.op
    with ir.InsertionPoint(op), op.location:
        offset = byte_offset_of(op) or index_constant(0)
        sizes = declaration.stated[0] if declaration.stated else ()
        return memref.view(op.results[0].type, source, offset, sizes)
