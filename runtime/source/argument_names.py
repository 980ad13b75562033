"""The names that a program's text gives to arguments: MLIR's parser keeps of `%lhs` only the place."""

from __future__ import annotations

import re
from functools import cached_property

from mlir import ir

from ..interface.signature_reading import name_in_location

_NAME = re.compile(rb"%([\w$.-]+)\s*:")


class ArgumentNames:
    """Finds the name of an argument at its location in the text that it was parsed from.

    Args:
        text: the text, UTF-8; empty for a program that was not parsed from one.
        file: what locations call it.
    """

    def __init__(self, text: bytes = b"", file: str = "") -> None:
        self._text = text
        self._file = file

    def name_of(self, location: ir.Location) -> str | None:
        """The name (`lhs` of `%lhs`, or of `loc("lhs")`) of the argument at `location`; None if there is none."""
        if not isinstance(location, ir.FileLineColLoc) or location.filename != self._file:
            return name_in_location(location)
        line, column = location.start_line - 1, location.start_col - 1
        if not (0 <= line < len(self._lines) and column >= 0):
            return None  # Written by hand: `loc("file":7:0)`.
        found = _NAME.match(self._lines[line], column)
        return found[1].decode() if found else None

    @cached_property
    def _lines(self) -> list[bytes]:
        return self._text.split(b"\n")
