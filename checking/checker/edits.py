"""Edits that make a program smaller: each changes a module and returns whether it did.

An edit may change the semantics of the program; the reducer keeps an edit if the program is still valid and fails as
before. Operations are named by their numbers in program order, which are the same in every copy of a module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mlir import ir
from mlir.dialects import arith, func

from ...passes.analysis.ir.traversal import find_ops

TERMINATORS = (
    "func.return",
    "scf.yield",
    "scf.condition",
    "scf.forall.in_parallel",
    "cf.br",
    "cf.cond_br",
    "cf.switch",
)
"""Terminators of control flow."""

CONTROL_FLOW = ("func.func", "scf.for", "scf.while", "scf.if", "scf.index_switch", "scf.execute_region", "scf.forall")
"""Ops whose bodies are traced and reduced op by op; those of structured ops are not."""

_FIXED = ("builtin.module", "func.func")
_MOST_CANDIDATES = 50


def removable(module: ir.Operation) -> list[int]:
    """The numbers of the ops that `remove` may remove."""
    return [number for number, op in enumerate(find_ops(module)) if _is_removable(op)]


def _is_removable(op: ir.Operation) -> bool:
    parent = op.parent
    if parent is None or op.name in TERMINATORS or op.name in _FIXED:
        return False
    return parent.operation.name in (*CONTROL_FLOW, "builtin.module")


def remove(module: ir.Operation, numbers: Iterable[int]) -> bool:
    """Remove ops, last first; uses of a result get another value of its type. False if none was removed."""
    ops = find_ops(module)
    done = False
    for number in sorted(numbers, reverse=True):
        done = _remove(ops[number]) or done
    return done


def _remove(op: ir.Operation) -> bool:
    replacements: list[tuple[ir.Value, ir.Value]] = []
    for result in op.results:
        if next(iter(result.uses), None) is None:
            continue
        other = _replacement(op, result.type)
        if other is None:
            return False
        replacements.append((result, other))
    for result, other in replacements:
        result.replace_all_uses_with(other)
    op.erase()
    return True


def _replacement(op: ir.Operation, type_: ir.Type) -> ir.Value | None:
    """Another value of a type for uses of `op`: an operand, the last ones first, then others, then a constant."""
    for value in (*reversed(list(op.operands)), *_values_before(op)):
        if value.type == type_:
            return value
    with op.context, op.location, ir.InsertionPoint(op):
        if isinstance(type_, (ir.IndexType, ir.IntegerType)):
            return arith.constant(type_, 1)
        if isinstance(type_, ir.FloatType):
            return arith.constant(type_, 1.0)
    return None


def _values_before(op: ir.Operation) -> Iterator[ir.Value]:
    """The nearest results before `op` in its block, and the arguments of the enclosing blocks."""
    before: list[ir.Operation] = []
    for other in op.block.operations:
        if other.operation == op:
            break
        before.append(other.operation)
    for other in reversed(before[-_MOST_CANDIDATES:]):
        yield from other.results
    block: ir.Block = op.block
    while True:
        yield from block.arguments
        owner = block.owner.operation
        if owner.name in _FIXED:
            return
        block = owner.block


def unwrap(module: ir.Operation, number: int, region: int) -> bool:
    """Replace a loop by one iteration of its body, or an `scf.if` by one of its branches."""
    op = find_ops(module)[number]
    if op.name not in ("scf.for", "scf.if") or region >= len(op.regions) or not len(op.regions[region].blocks):
        return False
    block = op.regions[region].blocks[0]
    if op.name == "scf.for":
        operands = list(op.operands)
        for argument, value in zip(block.arguments, [operands[0], *operands[3:]], strict=True):
            argument.replace_all_uses_with(value)
    *body, last = [inner.operation for inner in block.operations]
    for inner in body:
        inner.move_before(op)
    for result, value in zip(op.results, last.operands, strict=True):
        result.replace_all_uses_with(value)
    op.erase()
    return True


def drop_function(module: ir.Operation, name: str) -> bool:
    """Remove a function; the program is invalid if it is still called."""
    function = _function(module, name)
    if function is None:
        return False
    function.operation.erase()
    return True


def function_names(module: ir.Operation) -> list[str]:
    """The names of all functions at the top of the module."""
    return [_name(op) for op in module.regions[0].blocks[0].operations if isinstance(op, func.FuncOp)]


def keep_results(module: ir.Operation, name: str, kept: Sequence[int]) -> bool:
    """Let a function return only some of its results."""
    function = _function(module, name)
    if function is None or len(function.type.results) <= max(len(kept), *kept):
        return False
    for block in function.body.blocks:
        last = list(block.operations)[-1].operation
        if last.name == "func.return":
            with last.context, last.location, ir.InsertionPoint(last):
                func.ReturnOp([last.operands[number] for number in kept])
            last.erase()
    results = [function.type.results[number] for number in kept]
    _retype(function, list(function.type.inputs), results)
    if "res_attrs" in function.attributes:
        del function.attributes["res_attrs"]
    return True


def drop_argument(module: ir.Operation, name: str, number: int) -> bool:
    """Remove an argument of a function that nothing uses."""
    function = _function(module, name)
    if function is None or number >= len(function.arguments):
        return False
    argument = function.arguments[number]
    if next(iter(argument.uses), None) is not None:
        return False
    attributes = [entry for index, entry in enumerate(function.arg_attrs) if index != number]
    function.body.blocks[0].erase_argument(number)
    inputs = [type_ for index, type_ in enumerate(function.type.inputs) if index != number]
    _retype(function, inputs, list(function.type.results))
    with function.context:
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
    return True


def _retype(function: func.FuncOp, inputs: Sequence[ir.Type], results: Sequence[ir.Type]) -> None:
    with function.context:
        type_ = ir.FunctionType.get(list(inputs), list(results))
        function.attributes["function_type"] = ir.TypeAttr.get(type_)


def _function(module: ir.Operation, name: str) -> func.FuncOp | None:
    for op in module.regions[0].blocks[0].operations:
        if isinstance(op, func.FuncOp) and _name(op) == name:
            return op
    return None


def _name(function: func.FuncOp) -> str:
    return ir.StringAttr(function.attributes["sym_name"]).value


def static_sizes(text: str) -> list[int]:
    """The sizes above 2 in the shaped types of a text, largest first."""
    shapes = re.findall(r"(?:tensor|memref|vector)<((?:[\d?]+x)+)", text)
    sizes = {int(size) for shape in shapes for size in shape.split("x") if size.isdigit()}
    return sorted((size for size in sizes if size > 2), reverse=True)


def resize(text: str, old: int, new: int) -> str:
    """The text with `new` for the number `old`: in sizes, offsets and constants."""
    return re.sub(rf"(?<![A-Za-wyz_0-9%.#@$]){old}(?![0-9.])", str(new), text)
