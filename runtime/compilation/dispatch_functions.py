"""Dispatch functions of a program: bufferized and lowered to plain functions before anything else.

Lowering determines their signature, so it comes before signatures are read. Other functions must not be changed yet:
their arguments are tensors. So a copy of the module is bufferized and lowered, and its dispatch functions, with the
symbols that they refer to, replace those of the original.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

from ...passes.analysis.dispatch.interface import has_dispatch_ops
from ...passes.analysis.dispatch.pinned_interface import INTERFACE, interface_attribute
from ...passes.analysis.ir.symbols import named_symbols
from ...passes.analysis.ir.traversal import find_ops
from ...passes.pipeline.pipeline import Pipeline, run_pipeline
from ..interface.boundary import entry_functions, protect_arguments
from ..source import private_copy
from . import lowering

__all__ = ["lower_dispatch_functions"]


def lower_dispatch_functions(module: ir.Module, pipeline: Pipeline | None) -> tuple[ir.Module, bool]:
    """The program without dispatch ops, and whether all of it is lowered, so that nothing is left for `pipeline`.

    A program without dispatch functions is returned as it is. `pipeline` replaces our bufferization. Raises `PassError`
    if a dispatch function cannot be bufferized or lowered.
    """
    names = _dispatch_functions(module.operation)
    if not names:
        return module, False
    lowered = private_copy(module)
    protect_arguments(lowered.operation)
    for function in _functions(lowered.operation, names):
        function.attributes[INTERFACE] = interface_attribute(function)
    run_pipeline(lowered, pipeline or lowering.pipeline(lowering.BUFFERIZE))
    run_pipeline(lowered, lowering.pipeline(lowering.DISPATCH))
    others = [name for name in entry_functions(module.operation) if name not in names]
    if not others:
        return lowered, True
    _replace(module, lowered, names)
    return module, False


def _top(module: ir.Operation) -> list[ir.Operation]:
    return [op.operation for op in module.regions[0].blocks[0].operations]


def _dispatch_functions(module: ir.Operation) -> list[str]:
    """The names of the functions with dispatch ops at the top of the module."""
    return [_name(op) for op in _top(module) if isinstance(op.opview, func.FuncOp) and has_dispatch_ops(op)]


def _functions(module: ir.Operation, names: list[str]) -> list[ir.Operation]:
    return [op for op in _top(module) if op.name == "func.func" and _name(op) in names]


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""


def _replace(module: ir.Module, lowered: ir.Module, names: list[str]) -> None:
    """Replace the functions `names` of `module` by those of `lowered`, with the symbols that these refer to."""
    symbols = {_name(op): op for op in _top(lowered.operation)}
    needed, pending = set(names), list(names)
    while pending:
        inside = find_ops(symbols[pending.pop()])
        new = {name for op in inside for name in named_symbols(op)} & set(symbols) - needed
        needed |= new
        pending += new
    with module.context:
        for name in needed - set(names):
            # A symbol of that name in the original may be on tensors, or used by functions that are.
            fresh = _fresh(f"{name}_of_dispatch", {*symbols, *map(_name, _top(module.operation))})
            ir.SymbolTable.replace_all_symbol_uses(name, fresh, lowered.operation)
            ir.SymbolTable.set_symbol_name(symbols[name], fresh)
            if symbols[name].name == "func.func" and len(symbols[name].regions[0].blocks):
                symbols[name].attributes["sym_visibility"] = ir.StringAttr.get("private")
        for old in _functions(module.operation, names):
            old.erase()
        for name in sorted(needed):
            module.body.append(symbols[name].clone())


def _fresh(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 0
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name
