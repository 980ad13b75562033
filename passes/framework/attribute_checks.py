"""Checks of this package's attributes on functions and arguments, before any pass reads them.

Passes leave notes for later ones in such attributes. MLIR does not verify attributes of unregistered dialects, so a
malformed one, written by hand or another tool, would crash a pass or mislead it. A few microseconds for a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mlir import ir

from ...dialects.support.attribute_casts import read_every_attribute
from .errors import PassFailure
from .shard_attributes import check_grid, check_shardings

__all__ = ["CHECKED", "check_attributes", "drop_results_of_passes", "refuse_marks"]

Check = Callable[[Any, ir.FunctionType], bool]
"""Whether the value of an attribute is what it has to be on a function of that type."""

_ACCESSES = ("none", "read", "write", "read-write")


def check_attributes(root: ir.Operation) -> None:
    """Raises `PassFailure` for the first attribute of ours on a function in `root`, or on `root`, that is malformed."""
    if root.name == "builtin.module":
        check_grid(root)
    for function in _functions(root):
        attributes = function.attributes
        marks = [name for name in _ON_FUNCTIONS if name in attributes]
        if not marks and "arg_attrs" not in attributes and "res_attrs" not in attributes:
            continue  # Reading an attribute imports the builtin dialect.
        if "function_type" not in attributes:
            continue  # Only the verifier, which the caller may have switched off, knows that there is one.
        read_every_attribute(function.context)
        type_ = ir.FunctionType(ir.TypeAttr(attributes["function_type"]).value)
        for name in marks:
            needed, check = _ON_FUNCTIONS[name]
            if not check(attributes[name], type_):
                raise _failure(function, name, attributes[name], needed)
        if "arg_attrs" in attributes:
            for entry in ir.ArrayAttr(attributes["arg_attrs"]):
                for name, (needed, check) in _ON_ARGUMENTS.items():
                    if name in entry and not check(entry[name], type_):
                        raise _failure(function, name, entry[name], needed)
        check_shardings(function)


def refuse_marks(ops: Iterable[ir.Operation], marks: Sequence[str]) -> None:
    """Raises `PassFailure` for an op that has one of the marks a pass is about to leave on copies of ops."""
    for op in ops:
        attributes = op.attributes
        for mark in marks:
            if mark in attributes:
                raise PassFailure(f"attribute '{mark}' is for the pass's own use; remove it", op)


def drop_results_of_passes(module: ir.Operation) -> None:
    """Removes the notes about results and arguments of passes that ran before.

    A program that is compiled is called with the signatures it has now; earlier promises do not hold.
    """
    for function in _functions(module):
        attributes = function.attributes
        if "inplace.result_arguments" in attributes:
            del attributes["inplace.result_arguments"]
        if "arg_attrs" in attributes:
            with function.context:
                entries = [ir.DictAttr(entry) for entry in ir.ArrayAttr(attributes["arg_attrs"])]
                kept = [{n.name: n.attr for n in entry if n.name not in _NOTES} for entry in entries]
                if any(len(now) < len(then) for now, then in zip(kept, entries, strict=True)):
                    attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(entry) for entry in kept])


def _functions(root: ir.Operation) -> list[ir.Operation]:
    """The functions that are `root`, or lie in it, in modules within modules too."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.func":
            found.append(op)
        return ir.WalkResult.ADVANCE if op.name == "builtin.module" else ir.WalkResult.SKIP

    root.walk(visit, ir.WalkOrder.PRE_ORDER)  # Unlike a loop over a block, it does not import the dialects.
    return found


def _failure(function: ir.Operation, name: str, found: ir.Attribute, needed: str) -> PassFailure:
    text = str(found)
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    return PassFailure(f"attribute '{name}' is {shown}, but must be {needed}; remove it or correct it", function)


def _is_integer(attribute: Any) -> bool:
    return isinstance(attribute, ir.IntegerAttr)


def _is_pair(attribute: Any, _: ir.FunctionType) -> bool:
    return isinstance(attribute, ir.DenseI64ArrayAttr) and len(attribute) == 2


def _is_rearrangement(attribute: Any) -> bool:
    names = {named.name for named in attribute} if isinstance(attribute, ir.DictAttr) else set[str]()
    if names not in ({"shape", "order"}, {"shape", "order", "cut", "rest"}):
        return False
    if not all(isinstance(named.attr, ir.DenseI64ArrayAttr) for named in attribute):
        return False
    values = {named.name: list(ir.DenseI64ArrayAttr(named.attr)) for named in attribute}
    orders = [values["order"], values.get("rest", [])]
    is_permuted = all(sorted(order) == list(range(len(order))) for order in orders)
    cut = values.get("cut", [0, 0])
    return is_permuted and len(values["order"]) == len(values["shape"]) and len(cut) == 2 and min(cut) >= 0


def _is_result_map(attribute: Any, type_: ir.FunctionType) -> bool:
    """For each result there once was: -1 if it is one still, else the number of an argument."""
    if not isinstance(attribute, ir.DenseI64ArrayAttr):
        return False
    numbers, inputs = list(attribute), len(type_.inputs)
    return numbers.count(-1) == len(type_.results) and all(-1 <= n < inputs for n in numbers)


def _is_size_checks(attribute: Any, type_: ir.FunctionType) -> bool:
    """Pairs of an argument and -2, -1 or its dimension, on a function that returns two indices."""
    if not isinstance(attribute, ir.ArrayAttr) or [str(result) for result in type_.results] != ["index", "index"]:
        return False
    pairs = list(attribute)
    inputs = type_.inputs
    return all(_is_pair(pair, type_) and 0 <= pair[0] < len(inputs) and pair[1] >= -2 for pair in pairs)


def _is_interface(attribute: Any, _: ir.FunctionType) -> bool:
    return isinstance(attribute, ir.ArrayAttr) and all(map(_is_interface_entry, attribute))


def _is_interface_entry(entry: Any) -> bool:
    """What `dispatch/pinned_interface.py` writes for a push constant, a number of the grid, or a binding."""
    if not isinstance(entry, ir.DictAttr):
        return False
    fields: dict[str, Any] = {named.name: named.attr for named in entry}
    if set(fields) == {"push_constant", "type"}:
        return _is_integer(fields["push_constant"]) and isinstance(fields["type"], ir.TypeAttr)
    if set(fields) == {"grid", "at"}:
        return _is_integer(fields["at"]) and str(fields["grid"]) in _GRID and 0 <= fields["at"].value < 3
    if set(fields) - {"access"} != {"set", "binding", "whole", "type"}:
        return False
    type_, access = fields["type"], fields.get("access")
    return (
        _is_integer(fields["set"])
        and _is_integer(fields["binding"])
        and isinstance(fields["whole"], ir.BoolAttr)
        and isinstance(type_, ir.TypeAttr)
        and isinstance(type_.value, ir.MemRefType)
        and (access is None or (isinstance(access, ir.StringAttr) and access.value in _ACCESSES))
    )


def _is_sort(attribute: Any, type_: ir.FunctionType) -> bool:
    """What `SortForm` says, in an order of the elements of the first argument."""
    fields: dict[str, Any] = (
        {named.name: named.attr for named in attribute} if isinstance(attribute, ir.DictAttr) else {}
    )
    if set(fields) != {"descending", "dim", "order"} or not isinstance(fields["order"], ir.StringAttr):
        return False
    shaped: Any = type_.inputs[0] if type_.inputs else None
    is_float = isinstance(shaped, ir.ShapedType) and isinstance(shaped.element_type, ir.FloatType)
    orders = ("numbers", "total") if is_float else ("signed", "unsigned")
    is_order = fields["order"].value in orders
    return is_order and _is_integer(fields["dim"]) and isinstance(fields["descending"], ir.BoolAttr)


_GRID = tuple(f'"dispatch.workgroup_{name}"' for name in ("id", "size", "count"))

_ON_FUNCTIONS: dict[str, tuple[str, Check]] = {
    "inplace.interface": ("what mi.compile writes about bindings", _is_interface),
    "inplace.size_checks": (
        "what inplace-lower-dispatch writes on a function that returns two indices",
        _is_size_checks,
    ),
    "inplace.sort": ("what a sort of stablehlo becomes, in an order of the type", _is_sort),
    "inplace.result_arguments": ("an argument's number, or -1, for each result there was", _is_result_map),
}

_ON_ARGUMENTS: dict[str, tuple[str, Check]] = {
    "inplace.binding": ("array<i64: set, binding>", _is_pair),
    "inplace.out_result": ("an integer", lambda attribute, _: _is_integer(attribute)),
    "inplace.held": ("without a value", lambda attribute, _: isinstance(attribute, ir.UnitAttr)),
    "inplace.rearranged": (
        "a shape and an order of its dimensions, and what is cut off, as inplace-pack-weights writes them",
        lambda attribute, _: _is_rearrangement(attribute),
    ),
    "inplace.alignment": ("an integer", lambda attribute, _: _is_integer(attribute)),
    "bufferization.writable": ("true or false", lambda attribute, _: isinstance(attribute, ir.BoolAttr)),
    "bufferization.access": (
        f"one of {', '.join(_ACCESSES)}",
        lambda attribute, _: isinstance(attribute, ir.StringAttr) and attribute.value in _ACCESSES,
    ),
}

CHECKED = (*_ON_FUNCTIONS, *_ON_ARGUMENTS)
"""The names of all attributes that are checked."""

_NOTES = ("inplace.out_result", "inplace.alignment", "inplace.contiguous", "inplace.read_only", "inplace.held")
