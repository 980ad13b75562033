"""Checks of a program's text before MLIR's parser sees it: for text that would crash the parser.

The parser, the printer and the passes recurse into nested brackets, types and attributes, and a stack overflow ends the
process. `docs/ROBUSTNESS.md` lists all that is guarded against.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...dialects.support.text_error import TextError
from .parser_crashes import first_deadly

__all__ = ["BYTECODE_MAGIC", "MAX_BYTES", "MAX_NESTING", "check_text", "decode_text"]

BYTECODE_MAGIC = b"ML\xefR"
"""The first bytes of MLIR bytecode."""

MAX_BYTES = 1 << 30
"""The largest file that is read; devices may be endless."""

MAX_NESTING = 500
"""The depth of nested brackets, and the rank of a shape, at most. MLIR 24 overflows 8 MB of stack at 2,000."""

# Counting brackets is faster than tracking the depth, and an upper bound of it.
_FEW = 4

_QUOTED = re.compile(rb'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|//[^\n]*|->|>=|<=')
_ALIAS = re.compile(rb"^[ \t]*([!#][\w.$-]+)[ \t]*=", re.MULTILINE)
_ALIAS_END = re.compile(rb'\n[ \t]*["%a-z]')
_REFERENCE = re.compile(rb"[!#][\w.$-]+")

_LONG_SHAPE = re.compile(rb"[<x](?:(?:\d+|\?)x){%d}" % MAX_NESTING)


def _steps(opening: bytes, closing: bytes) -> np.ndarray[Any, Any]:
    """The change of depth by byte."""
    steps = np.zeros(256, np.int32)
    steps[list(opening)], steps[list(closing)] = 1, -1
    return steps


# Angle brackets are counted by themselves: one in a comparison must not hide another kind.
_KINDS = (_steps(b"([{", b")]}"), _steps(b"<", b">"))
_IS_BRACKET = np.logical_or(*_KINDS)


def decode_text(data: bytes, name: str) -> str:
    """`data` as text; raises `TextError` where it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"byte 0x{data[error.start]:02x} is not UTF-8; MLIR text has to be"
        raise _error(message, data, error.start, name) from None


def check_text(text: str, name: str = "-") -> None:
    """Raises `TextError` for text that would crash MLIR's parser. Linear, about 10 ms for a megabyte.

    Args:
        text: MLIR text.
        name: what errors call the source.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        before = text[: error.start].encode()
        message = f"U+{ord(text[error.start]):04X} is half a character; MLIR text is UTF-8"
        raise _error(message, before, len(before), name) from None
    if not text.strip():
        raise TextError("the text is empty; expected MLIR", name, 1, 1)
    if (place := data.find(b"\0")) >= 0:
        raise _error("byte 0x00 is no text; expected MLIR text", data, place, name)
    bare = _QUOTED.sub(_blank, data)
    if (place := _first_too_deep(bare)) is not None:
        message = f"brackets are nested deeper than {MAX_NESTING} levels here; divide the program into functions"
        raise _error(message, data, place, name)
    if shape := _LONG_SHAPE.search(bare):
        raise _error(f"a shape has more than {MAX_NESTING} sizes here", data, shape.start(), name)
    if found := first_deadly(bare):
        message, place = found
        raise _error(message, data, place, name)
    if (place := _first_deep_alias(bare)) is not None:
        message = f"aliases of types and attributes are nested deeper than {MAX_NESTING} levels here; use fewer"
        raise _error(message, data, place, name)


def _blank(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


def _depths(data: bytes) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The offsets of brackets, and the depth after each; a bracket that closes nothing does not count."""
    codes = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(_IS_BRACKET[codes])
    total = np.zeros(len(places), np.int32)
    for steps in _KINDS:
        depth = np.cumsum(steps[codes[places]], dtype=np.int32)
        total += depth - np.minimum(np.minimum.accumulate(depth), 0)
    return places, total


def _first_too_deep(data: bytes) -> int | None:
    places, depths = _depths(data)
    too_deep = np.flatnonzero(depths > MAX_NESTING)
    return int(places[too_deep[0]]) if len(too_deep) else None


def _depth(data: bytes) -> int:
    """The depth of brackets in a piece of text; their number where there are few."""
    opened = sum(data.count(bracket) for bracket in (b"(", b"[", b"{", b"<"))
    return opened if opened < _FEW else int(_depths(data)[1].max(initial=0))


def _first_deep_alias(data: bytes) -> int | None:
    """The offset of an alias whose type or attribute, expanded, is nested too deep."""
    definitions = list(_ALIAS.finditer(data))
    if len(definitions) < 2:
        return None
    nested: dict[bytes, int] = {}
    ends = [definition.start() for definition in definitions[1:]] + [len(data)]
    for definition, end in zip(definitions, ends, strict=True):
        other = _ALIAS_END.search(data, definition.end(), end)
        body = data[definition.end() : other.start() if other else end]
        inner = max((nested.get(name, 0) for name in _REFERENCE.findall(body)), default=0)
        depth = inner + max(_depth(body), 1)
        if depth > MAX_NESTING:
            return definition.start()
        nested[definition[1]] = depth
    return None


def _error(message: str, data: bytes, place: int, name: str) -> TextError:
    line = data.count(b"\n", 0, place) + 1
    column = place - (data.rfind(b"\n", 0, place) + 1) + 1
    return TextError(message, name, line, column)
