"""Linking of runtime functions, written in the LLVM dialect, into a lowered module."""

from __future__ import annotations

from mlir import ir

__all__ = ["link"]


def link(module: ir.Module, text: str) -> None:
    """Move the definitions in `text` into `module`, which must be valid, in place of its declarations of them.

    Declarations in `text` are added unless `module` has the symbol. Linear in both.
    """
    with module.context:
        other = ir.Module.parse(text)
    block, declared = module.body, ir.SymbolTable(module.operation)
    for op in list(other.body.operations):
        name = ir.StringAttr(op.operation.attributes["sym_name"]).value
        if name in declared:
            if op.operation.name == "llvm.func" and not len(op.operation.regions[0].blocks):
                continue  # malloc and free: the program's own declaration will do
            declared[name].operation.erase()
        op.operation.detach_from_parent()
        block.append(op)
