"""ShownLines in files, and which lines of them the page shows."""

from __future__ import annotations

from collections.abc import Iterable

from ...runtime.source.lines import FileLines
from .html import Html, element, text

__all__ = ["ShownLines", "parse_place"]

_WHOLE = 4000
"""A source of up to so many lines is shown whole."""

_AROUND = 3
"""How many lines are shown around a place of a longer one, and of another file."""

_Place = tuple[str, int, int]


def parse_place(location: str) -> _Place:
    """Return file, line and column of `file:line:column`; no file and zeros if there is no place."""
    file, _, rest = location.rpartition(":")
    file, _, line = file.rpartition(":")
    return (file, int(line), int(rest)) if file and line.isdigit() and rest.isdigit() else ("", 0, 0)


class ShownLines:
    """The lines of files that are shown, and links to them.

    The ``source`` is shown whole if it is short; of it if it is long, and of other files, the lines around the
    ``locations``.
    """

    def __init__(self, source: str, lines: FileLines, locations: Iterable[str]) -> None:
        self.lines = lines
        self._shown: dict[str, set[int]] = {source: set()}
        for location in locations:
            file, line, _ = parse_place(location)
            if 0 < line <= (count := lines.count(file)):
                around = range(max(line - _AROUND, 1), min(line + _AROUND, count) + 1)
                self._shown.setdefault(file, set()).update(around)
        if lines.count(source) <= _WHOLE:
            self._shown[source] = set(range(1, lines.count(source) + 1))
        self._numbers = {file: number for number, file in enumerate(self._shown)}

    def files(self) -> list[tuple[str, list[int]]]:
        """Return the files, the source first, with the numbers of the lines that are shown."""
        return [(file, sorted(numbers)) for file, numbers in self._shown.items() if numbers]

    def anchor(self, file: str, line: int) -> str:
        """Return the anchor of a line; empty if it is not shown."""
        if line not in self._shown.get(file, ()):
            return ""
        number = self._numbers[file]
        return f"L{line}" if number == 0 else f"F{number}L{line}"

    def link(self, location: str, shown: str | None = None) -> Html:
        """Return ``location``, or ``shown`` in its place, as a link to its line if that is shown."""
        file, line, _ = parse_place(location)
        anchor = self.anchor(file, line)
        label = location if shown is None else shown
        return element("a", label, href=f"#{anchor}") if anchor else text(label)

    def short(self, location: str) -> Html:
        """Return a link to a place, as "line 3" where it is in the source."""
        file, line, _ = parse_place(location)
        return self.link(location, f"line {line}" if line and self._numbers.get(file) == 0 else None)
