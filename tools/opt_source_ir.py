"""From text to IR with mlir-opt's conventions: an implicit module, and locations that name the file.

The bindings offer two parsers. `Operation.parse` takes a source name but one operation only; `Module.parse` wraps
whatever it finds in a module but calls the source `-`. Together they do what mlir-opt's parser does.
"""

from __future__ import annotations

import re

from mlir import ir

from ..dialects import dispatch
from ..passes.diagnostics import Diagnostic, DiagnosticCollector, deliver
from .opt_input import Source

# What `Module.parse` calls its source.
UNNAMED_SOURCE = "-"

# A text may be one explicit module if it starts so, after comments; aliases may stand before it.
_EXPLICIT_MODULE = re.compile(r'(?:\s|//[^\n]*(?:\n|$))*(?:module\b|builtin\.module\b|"builtin\.module"|[#!]|\{-#)')


def parse_module(source: Source, context: ir.Context) -> ir.Operation:
    """The module in `source`, or around what is in it.

    The dispatch dialect is loaded if the text mentions it. Diagnostics reach the collectors of `context`; raises
    `ir.MLIRError` after an error. Locations name `source.name`.
    """
    dispatch.register_for(source.text, context)
    if _EXPLICIT_MODULE.match(source.text):
        module = _parse_explicit_module(source, context)
        if module is not None:
            return module
    return ir.Module.parse(source.text, context).operation


def with_source_name(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """The diagnostic with the source's name where the bindings had none to give."""
    notes = tuple(with_source_name(note, name) for note in diagnostic.notes)
    file = name if diagnostic.file == UNNAMED_SOURCE else diagnostic.file
    return Diagnostic(diagnostic.severity, file, diagnostic.line, diagnostic.column, diagnostic.message, notes)


def name_locations(op: ir.Operation, name: str) -> None:
    """Puts `name` into every location below `op` whose source has none: 2 µs an operation, for printing them."""
    renamer = _Renamer(name)

    def rename(inner: ir.Operation) -> ir.WalkResult:
        inner.location = renamer.rename(inner.location)
        for block in (block for region in inner.regions for block in region):
            for argument in block.arguments:
                argument.set_location(renamer.rename(argument.location))
        return ir.WalkResult.ADVANCE

    op.walk(rename)


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


class _Renamer:
    """Locations with a name for the unnamed source, each rebuilt once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._renamed: dict[ir.Attribute, ir.Location] = {}

    def rename(self, location: ir.Location) -> ir.Location:
        key = location.attr
        if key not in self._renamed:
            self._renamed[key] = self._rebuild(location)
        return self._renamed[key]

    def _rebuild(self, location: ir.Location) -> ir.Location:
        context = location.context
        if isinstance(location, ir.FileLineColLoc) and location.filename == UNNAMED_SOURCE:
            start, end = (location.start_line, location.start_col), (location.end_line, location.end_col)
            # A range, even one of a single place, is another location than a place.
            return ir.Location.file(self._name, *start, *(end if end != start else ()), context=context)
        if isinstance(location, ir.NameLoc):
            return ir.Location.name(location.name_str, self.rename(location.child_loc), context=context)
        if isinstance(location, ir.CallSiteLoc):
            return ir.Location.callsite(self.rename(location.callee), [self.rename(location.caller)], context=context)
        if isinstance(location, ir.FusedLoc):
            parts = [self.rename(part) for part in location.locations if isinstance(part, ir.Location)]
            return ir.Location.fused(parts, location.metadata, context=context)
        return location
