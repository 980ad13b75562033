"""Checks of a program's text before MLIR's parser sees it: for text that would crash the parser.

The parser, the printer and the passes recurse into nested brackets, types and attributes, and a stack overflow ends the
process. `docs/ROBUSTNESS.md` lists all that is guarded against.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from ...dialects.support.text_error import TextError

if TYPE_CHECKING:
    import numpy as np

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


_OPENING = (b"(", b"[", b"{", b"<")
_PAIRS = (b"()", b"[]", b"{}", b"<>")
_NO_BRACKETS = bytes(set(range(256)) - set(b"()[]{}<>"))
_ROUNDS = 24
"""How many times pairs are taken out of a text before its depth is counted."""


@cache
def _kinds() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """For each kind of brackets the change of depth by byte.

    Angle brackets are counted by themselves: one in a comparison must not hide another kind.
    """
    import numpy as np

    changes = np.zeros((2, 256), np.int32)
    for steps, opening, closing in zip(changes, (b"([{", b"<"), (b")]}", b">"), strict=True):
        steps[list(opening)], steps[list(closing)] = 1, -1
    return changes[0], changes[1]


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
    from .parser_crashes import first_deadly  # Its expressions are compiled for text only: frontends have modules.

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
    import numpy as np  # Few texts are so deep that they get here.

    codes = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(np.logical_or(*_kinds())[codes])
    total = np.zeros(len(places), np.int32)
    for steps in _kinds():
        depth = np.cumsum(steps[codes[places]], dtype=np.int32)
        total += depth - np.minimum(np.minimum.accumulate(depth), 0)
    return places, total


def _is_flat(data: bytes) -> bool:
    """Whether brackets are certainly nested at most `MAX_NESTING` levels deep.

    Taking all pairs with nothing in between out of a text makes it one level less deep.
    """
    rest = data.translate(None, delete=_NO_BRACKETS)
    for level in range(0, _ROUNDS * len(_PAIRS), len(_PAIRS)):
        if level + sum(map(rest.count, _OPENING)) <= MAX_NESTING:
            return True
        for pair in _PAIRS:
            rest = rest.replace(pair, b"")
    return False


def _first_too_deep(data: bytes) -> int | None:
    if _is_flat(data):
        return None
    places, depths = _depths(data)
    too_deep = (depths > MAX_NESTING).nonzero()[0]
    return int(places[too_deep[0]]) if len(too_deep) else None


def _depth(data: bytes) -> int:
    """The depth of brackets in a piece of text; their number where there are few."""
    opened = sum(map(data.count, _OPENING))
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
