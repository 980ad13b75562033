"""Held arguments of a function, whose layout passes choose, and how that is said to whoever holds the arrays."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ...analysis.ir.traversal import find_ops
from ...framework.contract import HELD, REARRANGED

__all__ = ["Cut", "Rearrangement", "held_arguments", "mark_rearranged", "read_rearrangement", "rearrange"]


@frozen
class Cut:
    """An argument laid out in two parts, one behind the other: an array of one dimension.

    Attributes:
        dimension: the dimension that is cut.
        place: where it is cut: the size that the first part has in it.
        order: the order of the dimensions of the second part.
    """

    dimension: int
    place: int
    order: tuple[int, ...]


@frozen
class Rearrangement:
    """How an argument is laid out anew.

    Attributes:
        shape: the shape that it is expanded to, or its first part if it is `cut`.
        order: the order of these dimensions then.
        cut: where it is cut into two parts, if it is.
    """

    shape: tuple[int, ...]
    order: tuple[int, ...]
    cut: Cut | None = None


def held_arguments(function: ir.Operation) -> list[ir.Value]:
    """Return the arguments of a function that are held; none if it is called, as calls have the types of now."""
    if not len(function.regions[0].blocks) or _is_called(function):
        return []
    marks, arguments = map(ir.DictAttr, _marks(function)), function.regions[0].blocks[0].arguments
    return [argument for argument, mark in zip(arguments, marks, strict=False) if HELD in mark]


def rearrange(argument: ir.Value, layout: Rearrangement) -> None:
    """Give a held argument the type that it has once it is laid out anew."""
    type_ = ir.RankedTensorType(argument.type)
    shape = [prod(type_.shape)] if layout.cut else [layout.shape[dimension] for dimension in layout.order]
    argument.set_type(ir.RankedTensorType.get(shape, type_.element_type))


def mark_rearranged(function: ir.Operation, rearranged: Mapping[int, Rearrangement]) -> None:
    """Write how arguments, by their numbers, are to be laid out, and the type that the function has now."""
    marks: list[dict[str, Any]] = [{named.name: named.attr for named in ir.DictAttr(one)} for one in _marks(function)]
    for number, layout in rearranged.items():
        marks[number][REARRANGED] = _mark(layout)
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(mark) for mark in marks])
    inputs = [argument.type for argument in function.regions[0].blocks[0].arguments]
    results = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).results
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))


def read_rearrangement(mark: ir.DictAttr) -> Rearrangement:
    """Return what the attributes of an argument say about its layout; they say something."""
    named = ir.DictAttr(mark[REARRANGED])
    read = {one.name: tuple(ir.DenseI64ArrayAttr(one.attr)) for one in named}
    cut = Cut(read["cut"][0], read["cut"][1], read["rest"]) if "cut" in read else None
    return Rearrangement(read["shape"], read["order"], cut)


def _mark(layout: Rearrangement) -> ir.DictAttr:
    arrays: dict[str, tuple[int, ...]] = {"shape": layout.shape, "order": layout.order}
    if layout.cut:
        arrays |= {"cut": (layout.cut.dimension, layout.cut.place), "rest": layout.cut.order}
    return ir.DictAttr.get({name: ir.DenseI64ArrayAttr.get(values) for name, values in arrays.items()})


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
