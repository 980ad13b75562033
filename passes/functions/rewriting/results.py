"""Remove results of `func.func` and record which arguments hold their values.

Shared by the passes that turn a returned memref into an argument. Each such function carries
`inplace.result_arguments`, an i64 array with one entry for each result the function had ORIGINALLY: the number of the
argument which holds that result, or -1 if it is still returned (in the old order). Passes compose: the second one
that removes results sees the first one's map. `result_arguments` reads it, `take_out_results` is the only writer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import func, memref

from ....dialects.support.cloning import attributes_of
from ....dialects.support.frozen_classes import frozen
from ...analysis.effects.summary import call_order
from ...analysis.ir.symbols import is_public, may_name_functions, named_symbols
from ...framework.contract import RETURNED

RESULT_ARGUMENTS = "inplace.result_arguments"


@frozen
class FunctionUses:
    """A function with a body, its returns, and who refers to it.

    `address_taken`: something that is no call names it, so its callers are not all known.
    """

    function: func.FuncOp
    returns: tuple[func.ReturnOp, ...]
    calls: tuple[func.CallOp, ...]
    address_taken: bool

    @property
    def is_entry(self) -> bool:
        """Whether only callers outside of the module call it: its signature may change if they are informed."""
        return is_public(self.function) and not self.calls and not self.address_taken


def collect_functions(root: ir.Operation) -> dict[str, FunctionUses]:
    """Every function with a body under `root`, by name. One walk, linear in the operations."""
    functions: dict[str, func.FuncOp] = {}
    calls: dict[str, list[func.CallOp]] = {}
    taken: set[str] = set()

    others: dict[str, bool] = {}
    advance = ir.WalkResult.ADVANCE

    def visit(op: ir.Operation) -> ir.WalkResult:
        name = op.name
        may_name = others.get(name)
        if may_name is None:
            may_name = others[name] = name.startswith("func.") or may_name_functions(name)
        if not may_name:
            return advance
        view = op.opview if name.startswith("func.") else None
        if isinstance(view, func.FuncOp):
            functions[view.name.value] = view
        elif isinstance(view, func.CallOp):
            calls.setdefault(ir.FlatSymbolRefAttr(op.attributes["callee"]).value, []).append(view)
        elif isinstance(view, func.ConstantOp):
            taken.add(ir.FlatSymbolRefAttr(op.attributes["value"]).value)
        elif may_name_functions(name):
            taken.update(named_symbols(op))
        return advance

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return {
        name: FunctionUses(function, _returns(function), tuple(calls.get(name, ())), name in taken)
        for name, function in functions.items()
        if not function.is_external
    }


def callees_first(functions: Mapping[str, FunctionUses]) -> list[list[str]]:
    """The names of `functions`, callees before callers; those that call each other in a cycle are together."""
    callees: dict[str, list[str]] = {name: [] for name in functions}
    for name, uses in functions.items():
        for call in uses.calls:
            caller = call.operation.parent
            while caller is not None and caller.name != "func.func":
                caller = caller.parent
            if caller is not None:
                callees.setdefault(ir.StringAttr(caller.attributes["sym_name"]).value, []).append(name)
    components, _ = call_order({name: uses.function.operation for name, uses in functions.items()}, callees)
    return components


def _returns(function: func.FuncOp) -> tuple[func.ReturnOp, ...]:
    last = (block.operations[len(block.operations) - 1] for block in function.body.blocks)
    return tuple(op for op in last if isinstance(op, func.ReturnOp))


def result_arguments(function: func.FuncOp) -> tuple[int, ...]:
    """The map described in the module docstring; all `RETURNED` for a function no pass has touched."""
    attributes = function.attributes
    if RESULT_ARGUMENTS in attributes:
        return tuple(ir.DenseI64ArrayAttr(attributes[RESULT_ARGUMENTS]))
    return (RETURNED,) * len(function.type.results)


def replace_call(call: ir.Operation, moved: Mapping[int, ir.Value], added: Sequence[ir.Value] = ()) -> ir.Operation:
    """Replace `call` by one with operands `added` and without the results `moved`, whose users get these values."""
    results = list(call.results)
    kept = [result for number, result in enumerate(results) if number not in moved]
    types, operands = [result.type for result in kept], [*call.operands, *added]
    with ir.InsertionPoint(call), call.location:
        new = ir.Operation.create("func.call", results=types, operands=operands, attributes=attributes_of(call))
        for number, value in moved.items():
            wanted = results[number].type
            results[number].replace_all_uses_with(value if value.type == wanted else memref.cast(wanted, value))
    for result, value in zip(kept, new.results, strict=True):
        result.replace_all_uses_with(value)
    call.erase()
    return new


def take_out_results(uses: FunctionUses, moved: Mapping[int, int]) -> None:
    """Remove the results `moved` (current result number to argument number) from the returns, the type and the map.

    The caller has already dealt with the call sites, and has added the arguments it names to the entry block.
    """
    function = uses.function
    old_results = list(function.type.results)
    kept = [number for number in range(len(old_results)) if number not in moved]
    for terminator in uses.returns:
        operands = list(terminator.operation.operands)
        with ir.InsertionPoint(terminator), terminator.operation.location:
            func.ReturnOp([operands[number] for number in kept])
        terminator.operation.erase()
    _record(function, moved)
    if "res_attrs" in function.attributes:
        attrs = list(ir.ArrayAttr(function.attributes["res_attrs"]))
        function.attributes["res_attrs"] = ir.ArrayAttr.get([attrs[number] for number in kept])
    update_function_type(function, [old_results[number] for number in kept])


def update_function_type(function: func.FuncOp, results: Sequence[ir.Type] | None = None) -> None:
    """Make the function's type agree with its entry block; `results` of None keeps the results."""
    inputs = [argument.type for argument in function.arguments]
    type_ = ir.FunctionType.get(inputs, function.type.results if results is None else results)
    function.attributes["function_type"] = ir.TypeAttr.get(type_)


def _record(function: func.FuncOp, moved: Mapping[int, int]) -> None:
    still_returned = -1
    updated: list[int] = []
    for argument in result_arguments(function):
        if argument == RETURNED:
            still_returned += 1
            argument = moved.get(still_returned, RETURNED)
        updated.append(argument)
    function.attributes[RESULT_ARGUMENTS] = ir.DenseI64ArrayAttr.get(updated)


def append_argument(function: func.FuncOp, type_: ir.Type, location: ir.Location, attributes: ir.DictAttr) -> ir.Value:
    """Add an argument at the end of the entry block; the function type follows in `take_out_results`."""
    append_attributes(function, [attributes])
    return function.entry_block.add_argument(type_, location)


def append_attributes(function: func.FuncOp, attributes: Sequence[ir.DictAttr]) -> None:
    """State the attributes of arguments at the end, once for all of them: it costs as much as there are arguments."""
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([*function.arg_attrs, *attributes])


def argument_marked(function: func.FuncOp, number: int, mark: str) -> bool:
    """Whether argument `number` has attribute `mark`."""
    return mark in function.arg_attrs[number]
