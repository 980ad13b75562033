"""Entry points that take what a call gives: the address of a table of pointers, one to each argument and the result.

The ExecutionEngine calls a function through a wrapper of its own, which loads all words of all memrefs and passes them
on the stack. A program with 80 arguments has a thousand, of which it needs 80 addresses: its sizes and strides are
constants. Both functions are one block then, and LLVM's time is more than linear in its stores. Here the function is
given the wrapper's name and its signature, and loads the words that it uses. It returns 0, which says that the call was
not given up (`guarded_entries.py`).

Linear in the arguments, the blocks and, if there are many arguments, the ops of the first block.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import llvm

from ...dialects.support.defining_ops import defining_op
from ...passes.framework.diagnostics import located
from ...passes.framework.errors import PassError

__all__ = ["ENTRY_PREFIX", "pack_entry"]

_MANY = 256
"""From so many words on they are loaded where they are used."""

_MANY_RESULTS = 32
"""From so many words of results on they are stored where they are computed."""

_APART = 512
"""So many of the ops that are moved have a fence between them."""

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
    added: list[ir.Operation] = []
    with ir.InsertionPoint.at_block_begin(block), function.location:
        for number, argument in enumerate(arguments):
            if next(iter(argument.uses), None) is not None:
                place = _place(table, number)
                address = _load(pointer, place)
                word = _load(argument.type, address)
                argument.replace_all_uses_with(word)
                added += [ir.OpResult(one).owner.operation for one in (place, address, word)]
    if len(arguments) > _MANY:
        _sink(block, added)
    for number in reversed(range(len(arguments))):
        block.erase_argument(number)
    for end in [one.operations[len(one.operations) - 1].operation for one in function.regions[0]]:
        if end.name == "llvm.return":
            with ir.InsertionPoint(end), end.location:
                if len(end.operands):
                    _store(end.operands[0], table, len(arguments), alone=len(function.regions[0].blocks) == 1)
                ir.Operation.create("llvm.return", operands=[llvm.mlir_constant(nothing)])
            results = list(end.operands)
            end.erase()
            for result in results:
                _erase_unused(_parts(result))
    for attribute in ("arg_attrs", "res_attrs"):
        if attribute in function.attributes:
            del function.attributes[attribute]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.Type.parse("!llvm.func<i64 (ptr)>", module.context))
    # A jump to another function at the end would leave no frame, by which `inplace-run` finds the op that failed.
    function.attributes["passthrough"] = ir.Attribute.parse('[["disable-tail-calls", "true"]]', module.context)
    symbols.set_symbol_name(function, ENTRY_PREFIX + name)


def _sink(block: ir.Block, added: Sequence[ir.Operation]) -> None:
    """Move the loads of words, and the memrefs that are made of them, down to what uses them first.

    Nothing writes what an entry point is given but its last store. Loaded at the beginning, all words are live at once,
    in which LLVM's time is quadratic, as in loads that no store is between.
    """
    ops = [op.operation for op in block.operations]
    ours = set(added)
    first = {op: place for place, op in enumerate(ops)}
    """By op, the place of the op before which it will be."""
    last = len(ops) - 1
    movable = [op for op in ops if (op in ours or op.name == "llvm.insertvalue") and _is_used(op)]
    for op in reversed(movable):
        first[op] = min(first.get(use.owner.operation, last) for use in op.results[0].uses)
    for number, op in enumerate(movable):
        op.move_before(ops[first[op]])
        if number % _APART == _APART - 1:
            with ir.InsertionPoint(op), op.location:
                ir.Operation.create("llvm.fence", attributes=_fence(op.context))


def _is_used(op: ir.Operation) -> bool:
    return next(iter(op.results[0].uses), None) is not None


def _fence(context: ir.Context) -> dict[str, ir.Attribute]:
    """Return the attributes of a fence for the compiler alone: no instruction."""
    return {
        "ordering": ir.IntegerAttr.get(ir.IntegerType.get_signless(64, context), 6),
        "syncscope": ir.StringAttr.get("singlethread", context),
    }


def _store(value: ir.Value, table: ir.Value, number: int, *, alone: bool) -> None:
    """Store the result, for which the table has address `number`, in front of the return.

    Many words that are put together in a function of one block (`alone`) are stored where each is computed: nothing
    reads them before the return, and LLVM's time is the cube of those that wait for it.
    """
    words = [pair for part in (_parts(value) if alone else ()) for pair in _words(part)]
    places = {tuple(position) for _, position in words}
    if len(words) < _MANY_RESULTS or len(places) < len(words):
        ir.Operation.create("llvm.store", operands=[value, _load(table.type, _place(table, number))])
        return
    with ir.InsertionPoint.at_block_begin(ir.BlockArgument(table).owner):
        address = _load(table.type, _place(table, number))
    for word, position in words:
        attributes: dict[str, ir.Attribute] = {
            "rawConstantIndices": ir.DenseI32ArrayAttr.get([0, *position]),
            "elem_type": ir.TypeAttr.get(value.type),
        }
        with ir.InsertionPoint.after(ir.OpResult(word).owner):
            place = ir.Operation.create("llvm.getelementptr", [table.type], [address], attributes).result
            ir.Operation.create("llvm.store", operands=[word, place])


def _parts(value: ir.Value) -> list[ir.Operation]:
    """Return the ops that put together the struct `value`, in their order; none if it begins with another one."""
    parts: list[ir.Operation] = []
    while (part := defining_op(value, "llvm.insertvalue")) is not None:
        parts.append(part)
        value = part.operands[0]
    return parts[::-1] if defining_op(value, "llvm.mlir.poison") is not None else []


def _erase_unused(parts: Sequence[ir.Operation]) -> None:
    """Erase the ops that put together a struct, last one first: LLVM's time is the square of those that it erases."""
    for part in reversed(parts):
        if _is_used(part):
            return
        inner = _parts(part.operands[1])
        part.erase()
        _erase_unused(inner)


def _words(part: ir.Operation) -> list[tuple[ir.Value, list[int]]]:
    """Return what `part` inserts into a struct, word by word, and where."""
    position = list(ir.DenseI64ArrayAttr(part.attributes["position"]))
    inner = _parts(part.operands[1])
    if not inner:
        return [(part.operands[1], position)]
    return [(word, position + place) for one in inner for word, place in _words(one)]


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
