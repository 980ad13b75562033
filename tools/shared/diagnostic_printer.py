"""Printing diagnostics as mlir-opt does: the place, the message, the source line and a caret."""

from __future__ import annotations

from ...passes.framework.diagnostics import Diagnostic
from ...runtime.source.locations import UNNAMED_SOURCE
from .console import print_error
from .input import Source

_LONGEST = 1000
"""How many characters are shown of a line of the source, and of one of a message, which may quote it."""


def with_source_name(diagnostic: Diagnostic, name: str) -> Diagnostic:
    """The diagnostic with the source's name for unnamed locations."""
    notes = tuple(with_source_name(note, name) for note in diagnostic.notes)
    file = name if diagnostic.file == UNNAMED_SOURCE else diagnostic.file
    return Diagnostic(diagnostic.severity, file, diagnostic.line, diagnostic.column, diagnostic.message, notes)


def render(diagnostic: Diagnostic, source: Source) -> str:
    """The diagnostic and its notes, each with its source line when it is about `source`.

    A note at the location of its diagnostic is printed without the source line, which was just shown.
    """
    lines = [_render_one(diagnostic, source)]
    for note in diagnostic.notes:
        same_place = (note.file, note.line, note.column) == (diagnostic.file, diagnostic.line, diagnostic.column)
        lines.append(note.header if same_place else _render_one(note, source))
    return "\n".join(lines)


def _render_one(diagnostic: Diagnostic, source: Source) -> str:
    line = source.line(diagnostic.line) if diagnostic.file == source.name else None
    header = "\n".join(_clipped(part, 0) for part in diagnostic.header.split("\n"))
    if line is None:
        return header
    # MLIR counts bytes. Tabs are kept in the padding so that the caret stays under its character.
    before = line.encode()[: max(diagnostic.column - 1, 0)].decode(errors="ignore")
    if len(line) > _LONGEST:
        shown = _clipped(line, len(before))
        before = before[-_LONGEST // 2 :]
        line = shown
    padding = "".join("\t" if char == "\t" else " " for char in before)
    return f"{header}\n{line}\n{padding}^"


def _clipped(text: str, column: int) -> str:
    """At most `_LONGEST` characters of a text, from half as many in front of a column on."""
    first = max(column - _LONGEST // 2, 0)
    return text if len(text) <= _LONGEST else f"{text[first : first + _LONGEST]}…"


class DiagnosticPrinter:
    """Prints diagnostics on standard error."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def take(self, diagnostic: Diagnostic) -> None:
        """Print one diagnostic."""
        print_error(render(with_source_name(diagnostic, self._source.name), self._source))

    def finish(self, succeeded: bool) -> bool:
        """Return whether this part of the input succeeded."""
        return succeeded
