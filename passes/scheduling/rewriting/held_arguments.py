"""Held arguments of a function, whose layout passes choose, and how that is said to whoever holds the arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlir import ir

from ...analysis.ir.traversal import find_ops
from ...framework.contract import HELD, REARRANGED

__all__ = ["Rearrangement", "held_arguments", "mark_rearranged", "rearrange"]

Rearrangement = tuple[tuple[int, ...], tuple[int, ...]]
"""How an argument is laid out anew: the shape that it is expanded to, and the order of these dimensions then."""


def held_arguments(function: ir.Operation) -> list[ir.Value]:
    """Return the arguments of a function that are held; none if it is called, as calls have the types of now."""
    if not len(function.regions[0].blocks) or _is_called(function):
        return []
    marks, arguments = map(ir.DictAttr, _marks(function)), function.regions[0].blocks[0].arguments
    return [argument for argument, mark in zip(arguments, marks, strict=False) if HELD in mark]


def rearrange(argument: ir.Value, expanded: tuple[int, ...], order: tuple[int, ...]) -> Rearrangement:
    """Give a held argument the type that it has once it is laid out anew."""
    element = ir.RankedTensorType(argument.type).element_type
    argument.set_type(ir.RankedTensorType.get([expanded[dimension] for dimension in order], element))
    return expanded, order


def mark_rearranged(function: ir.Operation, rearranged: Mapping[int, Rearrangement]) -> None:
    """Write how arguments, by their numbers, are to be laid out, and the type that the function has now."""
    marks: list[dict[str, Any]] = [{named.name: named.attr for named in ir.DictAttr(one)} for one in _marks(function)]
    for number, (shape, order) in rearranged.items():
        marks[number][REARRANGED] = ir.DictAttr.get(
            {"shape": ir.DenseI64ArrayAttr.get(shape), "order": ir.DenseI64ArrayAttr.get(order)}
        )
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(mark) for mark in marks])
    inputs = [argument.type for argument in function.regions[0].blocks[0].arguments]
    results = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).results
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))


def _is_called(function: ir.Operation) -> bool:
    """Whether a call in the module would have other types than the function has afterwards."""
    name = ir.StringAttr(function.attributes["sym_name"]).value
    module = function.parent
    if module is None or not _marks(function):
        return False
    calls = find_ops(module.operation, "func.call")
    return any(ir.FlatSymbolRefAttr(call.attributes["callee"]).value == name for call in calls)


def _marks(function: ir.Operation) -> list[ir.Attribute]:
    return list(ir.ArrayAttr(function.attributes["arg_attrs"])) if "arg_attrs" in function.attributes else []
