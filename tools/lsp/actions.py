"""Changes of the text that remove a copy: suggestions that can be carried out, each tried before it is offered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ...passes.analysis.explanations.reasons import Change
from ...passes.analysis.explanations.records import BufferRecord
from ..explain.shown_lines import parse_place
from .document import Document, common_lines
from .features import groups_at
from .rewrites import rewritten

__all__ = ["Action", "actions"]

_PURE = re.compile(r"'(?:tensor|linalg)\.[\w.]+' reads")
"""What a note says of a read by an op without effects, which may stand anywhere in its block."""

_WRITABLE = re.compile(r"bufferization\.writable\s*=\s*false")


@dataclass(frozen=True)
class Action:
    """A change: what it does, and the text that takes the place of lines ``first`` up to ``last``, from 0."""

    title: str
    first: int
    last: int
    text: str


def actions(document: Document, line: int) -> list[Action]:
    """Return the changes that remove what is copied at a line. Each was made on a copy of the text, and helps."""
    offered: dict[str, Action] = {}
    for group in groups_at(document, line):
        make = _CHANGES.get(group.first.change)
        for text in make(document, group.first) if make is not None else ():
            tried = document.variant(text)
            if not tried.diagnostics and tried.copies < document.copies:
                offered.setdefault(text, _action(document, group.first.advice, tried.lines))
                break
    return list(offered.values())


def _action(document: Document, title: str, lines: list[str]) -> Action:
    """Return the change of the lines that differ."""
    first = common_lines(document.lines, lines)
    same = common_lines(document.lines[first:][::-1], lines[first:][::-1])
    text = "".join(f"{line}\n" for line in lines[first : len(lines) - same])
    return Action(title, first, len(document.lines) - same, text)


def _move_read(document: Document, record: BufferRecord) -> Iterator[str]:
    """Yield the text with the read, an op of one line in the same block, in front of the write."""
    read = next((note for note in record.notes if _PURE.search(note.text)), None)
    if read is None:
        return
    _, write_line, _ = parse_place(record.location)
    file, read_line, _ = parse_place(read.location)
    lines = document.lines
    if file != document.name or not write_line < read_line <= len(lines):
        return
    depth = 0
    for text in lines[write_line - 1 : read_line]:
        for char in text.partition("//")[0]:
            depth += (char == "{") - (char == "}")
            if depth < 0:
                return
    if depth == 0:
        moved = lines[read_line - 1]
        rest = [*lines[: read_line - 1], *lines[read_line:]]
        yield "\n".join([*rest[: write_line - 1], moved, *rest[write_line - 1 :]])


def _mark_writable(document: Document, record: BufferRecord) -> Iterator[str]:
    """Yield the text in which the argument says that it may be written."""
    for note in record.notes:
        file, line, column = parse_place(note.location)
        if file != document.name or not 0 < line <= len(document.lines):
            continue
        start = sum(len(text) + 1 for text in document.lines[: line - 1])
        start += len(document.lines[line - 1].encode()[: column - 1].decode(errors="ignore"))
        text = "\n".join(document.lines)
        found = _WRITABLE.search(text, start)
        if found and "%" not in text[start + 1 : found.start()]:
            yield f"{text[: found.start()]}bufferization.writable = true{text[found.end() :]}"


def _compute_there(document: Document, record: BufferRecord) -> Iterator[str]:
    """Yield the text in which the function computes values in their destinations."""
    text = rewritten(document, record.function, "builtin.module(inplace-convert-to-destination-style)")
    if text is not None:
        yield text


_CHANGES: Mapping[Change, Callable[[Document, BufferRecord], Iterator[str]]] = {
    Change.MOVE_READ: _move_read,
    Change.MARK_WRITABLE: _mark_writable,
    Change.COMPUTE_THERE: _compute_there,
}
"""The changes that are made in the text."""
