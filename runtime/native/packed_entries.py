"""Entry points that take what a call gives: the address of a table of pointers, one to each argument and the result.

The ExecutionEngine calls a function through a wrapper of its own, which loads all words of all memrefs and passes them
on the stack. A program with 80 arguments has a thousand, of which it needs 80 addresses: its sizes and strides are
constants. Both functions are one block then, and LLVM's time is more than linear in its stores. Here the function is
given the wrapper's name and its signature, and loads the words that it uses. It returns 0, which says that the call was
not given up (`guarded_entries.py`).

Linear in the arguments and the blocks.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import llvm

from ...passes.framework.diagnostics import located
from ...passes.framework.errors import PassError

__all__ = ["ENTRY_PREFIX", "pack_entry"]

ENTRY_PREFIX = "_mlir_"
"""What the ExecutionEngine puts before the names of wrappers, and looks up."""


def pack_entry(module: ir.Operation, name: str) -> None:
    """Give the `llvm.func` called `name`, which nothing in the module refers to, what its wrapper takes.

    A function of the program that has the wrapper's name gets another one. Raises `PassError` if it is only declared.
    """
    symbols = ir.SymbolTable(module)
    function = symbols[name].operation
    if ENTRY_PREFIX + name in symbols:
        _rename(symbols, symbols[ENTRY_PREFIX + name].operation, module)
    block = function.regions[0].blocks[0]
    pointer = ir.Type.parse("!llvm.ptr", module.context)
    nothing = ir.IntegerAttr.get(ir.IntegerType.get_signless(64, module.context), 0)
    arguments = list(block.arguments)
    table = block.add_argument(pointer, function.location)
    with ir.InsertionPoint.at_block_begin(block), function.location:
        for number, argument in enumerate(arguments):
            if next(iter(argument.uses), None) is not None:
                argument.replace_all_uses_with(_load(argument.type, _load(pointer, _place(table, number))))
    for number in reversed(range(len(arguments))):
        block.erase_argument(number)
    for end in [one.operations[len(one.operations) - 1].operation for one in function.regions[0]]:
        if end.name == "llvm.return":
            with ir.InsertionPoint(end), end.location:
                if len(end.operands):
                    place = _load(pointer, _place(table, len(arguments)))
                    ir.Operation.create("llvm.store", operands=[end.operands[0], place])
                ir.Operation.create("llvm.return", operands=[llvm.mlir_constant(nothing)])
            end.erase()
    for attribute in ("arg_attrs", "res_attrs"):
        if attribute in function.attributes:
            del function.attributes[attribute]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.Type.parse("!llvm.func<i64 (ptr)>", module.context))
    # A jump to another function at the end would leave no frame, by which `inplace-run` finds the op that failed.
    function.attributes["passthrough"] = ir.Attribute.parse('[["disable-tail-calls", "true"]]', module.context)
    symbols.set_symbol_name(function, ENTRY_PREFIX + name)


def _rename(symbols: ir.SymbolTable, taken: ir.Operation, module: ir.Operation) -> None:
    name = ir.StringAttr(taken.attributes["sym_name"]).value
    if not len(taken.regions[0].blocks):
        raise PassError(located(taken.location, f"'{name}' is the name of a function of ours; declare another one"))
    ir.SymbolTable.replace_all_symbol_uses(name, f"inplace.{name}", module)
    symbols.set_symbol_name(taken, f"inplace.{name}")


def _place(table: ir.Value, number: int) -> ir.Value:
    attributes: dict[str, ir.Attribute] = {
        "rawConstantIndices": ir.DenseI32ArrayAttr.get([number]),
        "elem_type": ir.TypeAttr.get(table.type),
    }
    return ir.Operation.create("llvm.getelementptr", [table.type], [table], attributes).result


def _load(type_: ir.Type, address: ir.Value) -> ir.Value:
    return ir.Operation.create("llvm.load", [type_], [address]).result
