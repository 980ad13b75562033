"""Functions of sorts that a machine with wide vectors may do in another way (`vectorization/vectorize_sorts.py`).

    func.func private @sort(%x: tensor<5x100xf32>) -> tensor<5x100xf32>
        attributes {inplace.sort = {descending = false, dim = 1 : i64, order = "numbers"}} {
      ...  # the sort, by ranks, digits or a network
    }

A sort is of this kind if its key tells all that is wanted: what it computes depends on the order of the key alone then.
Sorts of the same kind, of tensors of one type, are one function.
"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import func, tensor

from ....dialects.support.index_math import Number
from ...framework.sort_attributes import SortForm
from .sort_keys import SortKey

__all__ = ["call_sort", "is_for_vectors"]

_FEWEST = 64
"""Shorter lines of several are sorted as fast one a lane."""
_FEWEST_OF_ONE = 16
_WIDTHS = (32, 64)


def is_for_vectors(op: ir.Operation, key: SortKey, dim: int, size: Number) -> bool:
    """Whether keys tell all that is wanted, and lines of `size` elements along `dim` lie beside each other."""
    used = [number for number, result in enumerate(op.results) if next(iter(result.uses), None) is not None]
    type_ = ir.RankedTensorType(op.operands[key.operand].type)
    is_told = used == [key.operand] and key.is_element and key.width in _WIDTHS
    is_plain = type_.has_static_shape and dim == type_.rank - 1 and _function_of(op) is not None
    fewest = _FEWEST_OF_ONE if type_.rank == 1 else _FEWEST
    return is_told and is_plain and isinstance(size, int) and size >= fewest


def call_sort(op: ir.Operation, key: SortKey, dim: int, lower: Callable[[ir.Operation], None]) -> list[ir.Value]:
    """Build the call of a function that sorts as `op` does, lowered there by `lower`; return what replaces results."""
    value = op.operands[key.operand]
    form = SortForm(key.order.value, dim, key.descending)
    name = _existing(op, value.type, form) or _define(op, key.operand, form, lower)
    sorted_ = func.CallOp([value.type], name, [value]).results[0]
    return [sorted_ if number == key.operand else other for number, other in enumerate(op.operands)]


def _function_of(op: ir.Operation) -> ir.Operation | None:
    """The function of the module that `op` is in."""
    inner, outer = op, op.parent
    while outer is not None and outer.name != "builtin.module":
        inner, outer = outer.operation, outer.operation.parent
    return inner if outer is not None and inner.name == "func.func" else None


def _existing(op: ir.Operation, type_: ir.Type, form: SortForm) -> str | None:
    """The name of a function of that form, of tensors of `type_`, beside that of `op`."""
    function = _function_of(op)
    wanted = ir.TypeAttr.get(ir.FunctionType.get([type_], [type_]))
    assert function is not None
    for other in function.block:
        if SortForm.of(other.operation) == form and other.attributes["function_type"] == wanted:
            return ir.StringAttr(other.attributes["sym_name"]).value
    return None


def _define(op: ir.Operation, number: int, form: SortForm, lower: Callable[[ir.Operation], None]) -> str:
    """Define the function that sorts operand `number` of `op`; return its name."""
    caller = _function_of(op)
    assert caller is not None
    assert caller.parent is not None
    type_ = op.operands[number].type
    with ir.InsertionPoint(caller):
        function = func.FuncOp("sort", ([type_], [type_]), visibility="private")
    name = ir.StringAttr(ir.SymbolTable(caller.parent).insert(function.operation)).value
    form.mark(function.operation)
    block = function.add_entry_block([op.location])
    with ir.InsertionPoint(block):
        sort = op.clone().operation
        for other, operand in enumerate(op.operands):
            shaped = ir.RankedTensorType(operand.type)
            is_keyed = other == number
            sort.operands[other] = block.arguments[0] if is_keyed else tensor.empty(shaped.shape, shaped.element_type)
        func.ReturnOp([sort.results[number]])
    with ir.InsertionPoint(sort):
        lower(sort)
    return name
