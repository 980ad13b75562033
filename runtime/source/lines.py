"""Lines of source files, by the names that locations have for them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FileLines"]

_MOST_BYTES = 1 << 26


class FileLines:
    """Lines of files, each read once; ``texts`` are the contents of files that need not be read, by name."""

    def __init__(self, texts: dict[str, str] | None = None) -> None:
        self._lines = {name: text.split("\n") for name, text in (texts or {}).items()}

    def line(self, file: str, number: int) -> str:
        """Return line `number`, from 1, of `file`; empty if there is none, or the file cannot be read."""
        lines = self._of(file)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def count(self, file: str) -> int:
        """Return the number of lines of `file`, without an empty one at the end; 0 if it cannot be read."""
        lines = self._of(file)
        return len(lines) - (lines[-1:] == [""])

    def _of(self, file: str) -> list[str]:
        if file not in self._lines:
            self._lines[file] = _read(file)
        return self._lines[file]


def _read(file: str) -> list[str]:
    try:
        path = Path(file)
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return []
        return path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError):  # ValueError: no UTF-8, or a name with a NUL.
        return []
