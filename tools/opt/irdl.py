"""`--irdl-file`: dialects that are defined in IRDL."""

from __future__ import annotations

from mlir import ir
from mlir.dialects.irdl import load_dialects  # pyright: ignore[reportAttributeAccessIssue]

from ...passes.framework.diagnostics import DiagnosticCollector
from ..shared.command_line import ToolError
from ..shared.diagnostic_printer import DiagnosticPrinter
from ..shared.input import Source
from ..shared.source_ir import parse_module

__all__ = ["load_irdl"]


def load_irdl(source: Source, context: ir.Context) -> None:
    """Load the dialects that `source` defines into `context`; raises `ToolError` after printing what is wrong."""
    printer = DiagnosticPrinter(source)
    with DiagnosticCollector(context, on_diagnostic=printer.take, consume_all=True):
        try:
            module = ir.Module.parse(str(parse_module(source, context)), context)
            _check_names(module, source)
            load_dialects(module)
        except (ir.MLIRError, ValueError, RuntimeError):
            raise ToolError(f"cannot load the dialects of '{source.name}'") from None


def _check_names(module: ir.Module, source: Source) -> None:
    """Refuses a name that is taken, which would end the process, and a file without a dialect."""
    defined = [op.operation for op in module.body.operations if op.operation.name == "irdl.dialect"]
    if not defined:
        raise ToolError(f"'{source.name}' defines no IRDL dialect; expected an irdl.dialect operation")
    for op in defined:
        name = ir.StringAttr(op.attributes["sym_name"]).value
        if name == "dispatch" or _is_registered(name, module.context):
            raise ToolError(f"'{source.name}' defines the dialect '{name}', which there is already; rename it")


def _is_registered(name: str, context: ir.Context) -> bool:
    try:
        context.get_dialect_descriptor(name)
    except ValueError:
        return False
    return True
