"""From text to IR with mlir-opt's conventions: an implicit module, and locations that name the file.

The bindings offer two parsers. `Operation.parse` takes a source name but one operation only; `Module.parse` wraps
whatever it finds in a module but calls the source `-`. Together they do what mlir-opt's parser does.
"""

from __future__ import annotations

import re

from mlir import ir

from ...dialects import dispatch
from ...dialects.support.text_error import TextError
from ...passes.framework.diagnostics import Diagnostic, DiagnosticCollector, deliver, emit
from ...runtime.source.locations import UNNAMED_SOURCE, name_locations
from ...runtime.source.text_checks import check_text
from .input import Source

__all__ = ["UNNAMED_SOURCE", "name_locations", "parse_module", "with_source_name"]

# A text may be one explicit module if it starts so, after comments; aliases may stand before it.
_EXPLICIT_MODULE = re.compile(r'(?:\s|//[^\n]*(?:\n|$))*(?:module\b|builtin\.module\b|"builtin\.module"|[#!]|\{-#)')


def parse_module(source: Source, context: ir.Context) -> ir.Operation:
    """The module in `source`, or around what is in it.

    Operations of the dispatch dialect may be in its lighter form. Diagnostics reach the collectors of `context`;
    raises `ir.MLIRError` after an error. Locations name `source.name`.
    """
    if not source.text.strip():  # A part between two markers.
        return ir.Module.create(ir.Location.file(source.name, 1, 1, context=context)).operation
    generic = Source(source.name, _generic_text(source, context))
    if _EXPLICIT_MODULE.match(generic.text):
        module = _parse_explicit_module(generic, context)
        if module is not None:
            return module
    with DiagnosticCollector(context) as found:
        try:
            return ir.Module.parse(generic.text, context).operation
        except ir.MLIRError:
            if not found.errors and (unread := dispatch.unread_operation(source.text, source.name)):
                _report(unread, context)
            raise


def with_source_name(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """The diagnostic with the source's name where the bindings had none to give."""
    notes = tuple(with_source_name(note, name) for note in diagnostic.notes)
    file = name if diagnostic.file == UNNAMED_SOURCE else diagnostic.file
    return Diagnostic(diagnostic.severity, file, diagnostic.line, diagnostic.column, diagnostic.message, notes)


def _generic_text(source: Source, context: ir.Context) -> str:
    """The text with operations in the lighter form of the dispatch dialect rewritten; each stays on its line.

    Text that MLIR's parser must not see is refused here.
    """
    try:
        check_text(source.text, source.name)
        return dispatch.read_text(source.text, context, source.name)
    except TextError as error:
        _report(error, context)
        raise


def _report(error: TextError, context: ir.Context) -> None:
    emit("error", ir.Location.file(error.file, error.line, error.column, context=context), error.message)


def _parse_explicit_module(source: Source, context: ir.Context) -> ir.Operation | None:
    """The one module that `source` consists of, or None when it is something else (or wrong)."""
    with DiagnosticCollector(context, consume_all=True) as attempt:
        try:
            parsed = ir.Operation.parse(source.text, source_name=source.name, context=context).operation
        except ir.MLIRError:
            return None
    # Warnings would come again from the other parser, so only an attempt that counts may repeat them.
    if parsed.name != "builtin.module":
        return None
    for diagnostic in attempt.diagnostics:
        deliver(context, diagnostic)
    return parsed
