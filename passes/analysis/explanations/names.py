"""Names of values as a reader of the source knows them: of a location, else of the source's text, else as printed.

MLIR's parser keeps of `%sum = arith.addf` only the place of `arith.addf`, and of an argument `%t` its own place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from mlir import ir

from ...framework.diagnostics import file_location
from ..ir.snapshot import Snapshot

__all__ = ["LineOf", "ValueNames"]

LineOf = Callable[[str, int], str]
"""Returns a line of a file, by its number from 1; empty if it cannot be read."""

_NAME = re.compile(rb"%[\w$.-]+")
_ONE_RESULT = re.compile(rb"\s*(%[\w$.-]+)\s*=\s*")
_RESULTS = re.compile(rb"((?:%[\w$.-]+(?::\d+)?\s*,\s*)*%[\w$.-]+(?::\d+)?)\s*=\s*$")


class ValueNames:
    """The names of the values of ``snapshot``, asked while its ops exist."""

    def __init__(self, snapshot: Snapshot, line_of: LineOf | None) -> None:
        self._snapshot = snapshot
        self._line_of = line_of

    def of(self, value: int) -> str:
        """Return the name of ``value``, with its `%`."""
        s = self._snapshot
        named = s.values[value]
        location = named.location
        if isinstance(location, ir.NameLoc):
            return f"%{location.name_str}"
        found = self._in_source(value, location)
        return named.get_name(self._state) if found is None else found

    def _in_source(self, value: int, location: ir.Location) -> str | None:
        place = None if self._line_of is None else file_location(location)
        if place is None or self._line_of is None or place.start_col < 1:
            return None
        line, column = self._line_of(place.filename, place.start_line).encode(), place.start_col - 1
        if self._snapshot.value_op[value] < 0:
            found = _NAME.match(line, column)
            return found[0].decode() if found else None
        alone = _ONE_RESULT.fullmatch(line, 0, column)
        if alone is not None:
            return alone[1].decode() if self._snapshot.value_index[value] == 0 else None
        listed = _RESULTS.search(line[:column])
        names = [] if listed is None else _result_names(listed[1].decode())
        index = self._snapshot.value_index[value]
        return names[index] if index < len(names) else None

    @cached_property
    def _state(self) -> ir.AsmState:
        return ir.AsmState(self._snapshot.root)


def _result_names(text: str) -> list[str]:
    """Return the names of results from what stands before the `=`: `%a, %b:2` is three of them."""
    names: list[str] = []
    for part in text.split(","):
        name, _, count = part.strip().partition(":")
        names += [f"{name}#{i}" for i in range(int(count))] if count else [name]
    return names
