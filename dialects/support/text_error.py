"""The error for MLIR text that is refused before MLIR's parser sees it."""

from __future__ import annotations

from typing import Any

from mlir import ir

__all__ = ["TextError"]


class TextError(ir.MLIRError):
    """Text that cannot be read; `str()` is `file:line:col: error: …`.

    Attributes:
        file, line, column: the place, counted from 1.
    """

    def __init__(self, message: str, file: str, line: int, column: int) -> None:
        super().__init__(f"{file}:{line}:{column}: error: {message}")
        self._text = message
        self.file, self.line, self.column = file, line, column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text, self.file, self.line, self.column), vars(self)

    @property
    def message(self) -> str:
        """What was found and what is needed, without the place."""
        return self._text

    @property
    def error_diagnostics(self) -> list[ir.DiagnosticInfo]:
        """None: MLIR has not seen the text."""
        return []
