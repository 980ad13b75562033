"""What an editor shows of a document, as plain data: hints, lenses, hovers, and where they lead.

Lines and columns are those of editors: from 0, columns in the units of the document's encoding, where MLIR has lines
and bytes from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...passes.analysis.explanations.records import describe
from ..explain.records_view import Group, groups_of
from ..explain.shown_lines import parse_place
from .document import Document, FunctionState

__all__ = [
    "Hint",
    "Lens",
    "Place",
    "ShownDiagnostic",
    "groups_at",
    "hints",
    "hover",
    "lenses",
    "position",
    "problems",
    "targets",
]

_NAME = re.compile(r"%[\w$.-]+(?:#\d+)?")
_TOKEN = re.compile(r"[\w$.%@#!^-]+|\S")


@dataclass(frozen=True)
class Place:
    """A place in a text, of ``length`` units."""

    line: int
    column: int
    length: int = 0


@dataclass(frozen=True)
class Hint:
    """A text behind the end of a line, which says more in a tooltip, and leads to ``target``."""

    place: Place
    text: str
    tooltip: str
    target: Place | None


@dataclass(frozen=True)
class Lens:
    """A text above a function."""

    line: int
    text: str


@dataclass(frozen=True)
class ShownDiagnostic:
    """A diagnostic, with the notes that are about this text."""

    severity: str
    place: Place
    message: str
    notes: tuple[tuple[str, Place], ...] = ()


def position(document: Document, line: int, byte: int) -> Place:
    """Return the token at a line and a byte of it, which count from 1; both are brought into the text."""
    number = min(max(line, 1), len(document.lines)) - 1
    text = document.lines[number]
    before = text.encode()[: max(byte - 1, 0)].decode(errors="ignore")
    token = _TOKEN.match(text, len(before))
    return Place(number, document.units(before), document.units(token[0]) if token else 0)


def problems(document: Document) -> list[ShownDiagnostic]:
    """Return the diagnostics."""
    found: list[ShownDiagnostic] = []
    for diagnostic in document.diagnostics:
        here = diagnostic.file == document.name
        place = position(document, diagnostic.line, diagnostic.column) if here else Place(0, 0)
        notes = [
            (note.message, position(document, note.line, note.column))
            for note in diagnostic.notes
            if note.file == document.name
        ]
        found.append(ShownDiagnostic(diagnostic.severity, place, diagnostic.message, tuple(notes)))
    return found


# --- copies and allocations ------------------------------------------------------------------------------------------


def _groups(document: Document) -> Iterator[tuple[int, Group]]:
    """Yield the records of each place, with its line in the text, from 0."""
    for state in document.functions:
        for group in groups_of(state.report.records):
            file, line, _ = parse_place(group.first.location)
            if file == document.name and 0 < line <= len(document.lines):
                yield line - 1, group


def groups_at(document: Document, line: int) -> list[Group]:
    """Return the records at a line."""
    return [group for where, group in _groups(document) if where == line]


def hints(document: Document, first: int, last: int) -> list[Hint]:
    """Return the hints from line ``first`` to line ``last``: what is copied or allocated, and why."""
    found: list[Hint] = []
    for line, group in _groups(document):
        if first <= line <= last:
            read = _target(document, group.read)
            reason = group.first.phrase if read is None else f"read again at line {read.line + 1}"
            end = Place(line, document.units(document.lines[line].rstrip("\r")))
            found.append(Hint(end, f"{group.mark}: {reason}", describe(group.records), read))
    return found


def _target(document: Document, location: str) -> Place | None:
    file, line, column = parse_place(location)
    return position(document, line, column) if file == document.name and line else None


def lenses(document: Document) -> list[Lens]:
    """Return the totals of each function."""
    last = len(document.lines)
    return [
        Lens(state.line - 1, state.report.summary) for state in document.functions if state.report.functions
        and state.line <= last
    ]  # fmt: skip


def targets(document: Document, line: int) -> list[Place]:
    """Return where a line leads: from a copy to the read that needs it, from such a read to the write that copies."""
    found: list[Place] = []
    for where, group in _groups(document):
        read = _target(document, group.read)
        if read is None:
            continue
        if where == line:
            found.append(read)
        elif read.line == line:
            found += filter(None, [_target(document, group.first.location)])
    return found


# --- hover -----------------------------------------------------------------------------------------------------------


def hover(document: Document, line: int, column: int) -> str:
    """Return the explanations of a line, and what the tensor at a column may share memory with; as plain text."""
    parts = [describe(group.records) for group in groups_at(document, line)]
    name = _name_at(document, line, column)
    state = max((s for s in document.functions if s.line - 1 <= line), key=lambda s: s.line, default=None)
    if name and state is not None:
        parts += _alias_sets(document, state, name)
    return "\n\n".join(parts)


def _name_at(document: Document, line: int, column: int) -> str:
    text = document.lines[line] if 0 <= line < len(document.lines) else ""
    names = _NAME.finditer(text)
    units = document.units
    return next((n[0] for n in names if units(text[: n.start()]) <= column <= units(text[: n.end()])), "")


def _alias_sets(document: Document, state: FunctionState, name: str) -> Iterator[str]:
    """Yield what is known of the alias sets that hold ``name``: of several where names are used again in regions."""
    for alias_set in state.report.alias_sets:
        names = [value.name for value in alias_set.values]
        if name in names:
            others = [other for other in names if other != name]
            shared = f"may share memory with {', '.join(others)}" if others else "shares memory with no other tensor"
            lines = f", lines {alias_set.first} to {alias_set.last}" if alias_set.file == document.name else ""
            yield f"{name} {shared} ({', '.join(alias_set.origins)}{lines})"
