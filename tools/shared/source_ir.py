"""Parsing with mlir-opt's conventions: an implicit module, and locations with the name of the file.

The bindings have two parsers. `Operation.parse` takes a source name but one operation only; `Module.parse` adds an
implicit module but names the source `-`. Together they do what mlir-opt's parser does.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from mlir import ir

from ...dialects import stablehlo
from ...dialects.support import dispatch_text as dispatch
from ...dialects.support.text_error import TextError
from ...frontends.formats import find_dialect, legalized, register_dialect
from ...passes.framework.diagnostics import DiagnosticCollector, deliver, emit
from ...passes.framework.entered_context import new_context
from ...passes.framework.errors import PassError
from ...runtime.source.locations import name_locations
from ...runtime.source.text_checks import check_text
from .command_line import ToolError
from .diagnostic_printer import DiagnosticPrinter
from .input import Source

__all__ = ["ParsedProgram", "lower_source", "parse_module", "parse_operation", "parsed_program"]

# A text may be one explicit module if it starts so, after comments; aliases may stand before it.
_EXPLICIT_MODULE = re.compile(r'(?:\s|//[^\n]*(?:\n|$))*(?:module\b|builtin\.module\b|"builtin\.module"|[#!]|\{-#)')


def parse_module(source: Source, context: ir.Context) -> ir.Operation:
    """Parse `source`: a module, or operations that get one; text or bytecode.

    Operations of the dispatch dialect may be in its short form. Diagnostics reach the collectors of `context`;
    raises `ir.MLIRError` after an error. Locations name `source.name`.
    """
    if source.bytecode is not None:
        dispatch.register_for(source.bytecode, context)
        stablehlo.register_for(source.bytecode, context)
        return ir.Module.parse(source.bytecode, context).operation
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
            if not found.errors and dispatch.mentions_dispatch(source.text):
                from ...dialects.dispatch import unread_operation

                if unread := unread_operation(source.text, source.name):
                    _report(unread, context)
            raise


def parse_operation(source: Source, context: ir.Context) -> ir.Operation:
    """Parse `source` as one operation that gets no module; otherwise as `parse_module` does.

    Bytecode is read as a module.
    """
    if source.bytecode is not None or not source.text.strip():
        return parse_module(source, context)
    text = _generic_text(source, context)
    return ir.Operation.parse(text, source_name=source.name, context=context).operation


class ParsedProgram(NamedTuple):
    """A program to compile, the printer of its diagnostics, and arrays of arguments that the source stores."""

    module: ir.Operation
    printer: DiagnosticPrinter
    weights: Mapping[int, Any]


@contextmanager
def parsed_program(source: Source) -> Generator[ParsedProgram]:
    """Parse `source` for a `with` block that compiles it; a program of a frontend is lowered to linalg on tensors.

    Exceptions of the block about the program become a `ToolError`, which is empty if diagnostics were printed.
    """
    printer = DiagnosticPrinter(source)
    context = new_context()
    with context, DiagnosticCollector(context, on_diagnostic=printer.take, consume_all=True):
        try:
            module, weights = _lowered(source, context)
            yield ParsedProgram(module, printer, weights)
        except ImportError as error:  # of a frontend
            raise ToolError(str(error)) from None
        except ir.MLIRError:
            raise ToolError from None
        except PassError as error:
            raise ToolError("" if error.diagnostics else str(error)) from None
        except OSError as error:
            raise ToolError(str(error)) from None
        except Exception as error:
            notes = [note for note in getattr(error, "__notes__", ()) if "reproducer" in note]
            if not notes:
                raise
            raise ToolError(f"a pass stopped with {type(error).__name__}: {error}; {notes[0]}") from None


def _lowered(source: Source, context: ir.Context) -> tuple[ir.Operation, Mapping[int, Any]]:
    if source.model is not None:
        return lower_source("onnx", source, context)
    dialect = find_dialect(source.text if source.bytecode is None else source.bytecode)
    if dialect is not None:
        return lower_source(dialect, source, context)
    module = parse_module(source, context)
    name_locations(module, source.name, fill=True)
    return module, {}


def lower_source(format_name: str, source: Source, context: ir.Context) -> tuple[ir.Operation, Mapping[int, Any]]:
    """Parse a program of a frontend and lower it; with the arrays of arguments that it stores, by their numbers.

    Raises `ToolError`, `ImportError` for an extra that is missing, and what parser and passes raise.
    """
    if format_name == "onnx":
        return _lowered_model(source, context)
    if source.bytecode is not None and stablehlo.is_artifact(source.bytecode):
        from ...frontends.stablehlo import parse_artifact

        try:
            module = parse_artifact(source.bytecode, context).operation
        except TextError as error:
            raise ToolError(f"'{source.name}' is {error.message}") from None
    else:
        register_dialect(format_name, context)
        module = parse_module(source, context)
    name_locations(module, source.name, fill=True)
    return legalized(module, format_name), {}


def _lowered_model(source: Source, context: ir.Context) -> tuple[ir.Operation, Mapping[int, Any]]:
    from ...frontends.onnx.program import lowered_model

    model = source.model
    if model is None:
        raise ToolError(f"'{source.name}' is no ONNX model: it is MLIR")
    try:
        lowered = lowered_model(model, context=context)
    except OSError as error:
        raise ToolError(f"cannot open input file '{source.name}': {error.strerror or error}") from None
    except ValueError as error:
        raise ToolError(f"'{source.name}': {error}") from None
    return lowered.module.operation, lowered.weights


def _generic_text(source: Source, context: ir.Context) -> str:
    """The text with the short form of the dispatch dialect rewritten to the generic form, line by line.

    Text that would crash MLIR's parser is refused.
    """
    try:
        check_text(source.text, source.name)
        stablehlo.register_for(source.text, context)
        return dispatch.read_text(source.text, context, source.name)
    except TextError as error:
        _report(error, context)
        raise


def _report(error: TextError, context: ir.Context) -> None:
    emit("error", ir.Location.file(error.file, error.line, error.column, context=context), error.message)


def _parse_explicit_module(source: Source, context: ir.Context) -> ir.Operation | None:
    """The module that `source` consists of; None if it is something else, or invalid."""
    with DiagnosticCollector(context, consume_all=True) as attempt:
        try:
            parsed = ir.Operation.parse(source.text, source_name=source.name, context=context).operation
        except ir.MLIRError:
            return None
    # The other parser would repeat the warnings, so those of an unsuccessful attempt are dropped.
    if parsed.name != "builtin.module":
        return None
    for diagnostic in attempt.diagnostics:
        deliver(context, diagnostic)
    return parsed
