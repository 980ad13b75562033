"""Functions of the runtime, written in the LLVM dialect, that become part of a lowered module."""

from __future__ import annotations

from mlir import ir

__all__ = ["link"]


def link(module: ir.Module, text: str) -> None:
    """Move all that `text` defines into `module`, which must be valid; its own declarations of that are replaced.

    What `text` only declares is declared, unless `module` knows the name. Linear in both.
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
