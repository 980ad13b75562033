"""Functions on tensors that ops are moved to, and their calls."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from mlir import ir
from mlir.dialects import func

__all__ = ["call_in_place_of", "insert_all", "marks"]


def marks(arguments: Sequence[ir.Value], written: Collection[ir.Value]) -> ir.ArrayAttr:
    """Return the attributes of the arguments that become of these values: tensors are not writable unless `written`."""
    unwritten = ir.DictAttr.get({"bufferization.writable": ir.BoolAttr.get(False)})
    none = ir.DictAttr.get({})
    return ir.ArrayAttr.get(
        [unwritten if isinstance(one.type, ir.RankedTensorType) and one not in written else none for one in arguments]
    )


def insert_all(module: ir.Operation, functions: Iterable[func.FuncOp]) -> list[str]:
    """Enter functions into the symbol table of `module`; return their names, with a number where one was taken."""
    symbols = ir.SymbolTable(module)
    return [ir.StringAttr(symbols.insert(function.operation)).value for function in functions]


def call_in_place_of(
    results: Sequence[ir.Value], at: ir.Operation, name: str, arguments: Sequence[ir.Value]
) -> list[ir.Value]:
    """Call the function `name` in front of `at`; return the results, which all users of `results` use now."""
    with ir.InsertionPoint(at), at.location:
        call = func.CallOp([one.type for one in results], name, list(arguments))
    for old, new in zip(results, call.results, strict=True):
        old.replace_all_uses_with(new)
    return list(call.results)
