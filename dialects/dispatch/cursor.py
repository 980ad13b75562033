"""Scanner for one line of MLIR text: the lighter text form of the dispatch dialect is parsed with it."""

from __future__ import annotations

import re
from typing import NoReturn

from mlir import ir

from ..support.text_error import TextError

__all__ = ["Cursor", "DispatchSyntaxError"]

_VALUE = re.compile(r"%(?:\d+|[A-Za-z$._-][\w$.-]*)(?:#\d+)?")
_INTEGER = re.compile(r"-?\d+")
_TYPE_NAME = re.compile(r"!?[A-Za-z_][\w$.]*")
_BRACKETING = re.compile(r'"(?:[^"\\]|\\.)*"|->|[(\[{<>}\])]')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//|[%@!#^]?[\w$.]+|->|\S')
_PARAMETERS = re.compile(r"\s*<")
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class DispatchSyntaxError(TextError):
    """Text in the lighter form of the dispatch dialect that cannot be read."""


class Cursor:
    """A position in one line of MLIR text. What reads moves on; what refuses raises :class:`DispatchSyntaxError`.

    Args:
        text: the line.
        position: where reading starts.
        file, line: the place of the line, for errors.
    """

    def __init__(self, text: str, position: int = 0, *, file: str = "-", line: int = 1) -> None:
        self.text = text
        self.position = position
        self._file = file
        self._line = line

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        """Raise the error at ``position``, or here."""
        column = (self.position if position is None else position) + 1
        raise DispatchSyntaxError(message, self._file, self._line, column)

    def skip_spaces(self) -> None:
        """Move to the next character that is no space."""
        while self.position < len(self.text) and self.text[self.position].isspace():
            self.position += 1

    def found(self) -> str:
        """What stands here, for messages."""
        self.skip_spaces()
        match = _TOKEN.match(self.text, self.position)
        return "the end of the line" if match is None or match[0] == "//" else f"'{match[0]}'"

    def accept(self, token: str) -> bool:
        """Whether ``token`` stands here; it is read then. A word must not go on behind it."""
        self.skip_spaces()
        end = self.position + len(token)
        if not self.text.startswith(token, self.position):
            return False
        if token[-1].isalnum() and end < len(self.text) and (self.text[end].isalnum() or self.text[end] in "_$."):
            return False
        self.position = end
        return True

    def expect(self, token: str, where: str) -> None:
        """Read ``token``."""
        if not self.accept(token):
            self.fail(f"expected '{token}' {where}, found {self.found()}")

    def value(self, what: str) -> str:
        """Read an SSA value, such as ``%a`` or ``%a#1``."""
        return self._read(_VALUE, what)

    def integer(self, what: str) -> int:
        """Read an integer that fits 64 bits and is not the marker of a dynamic entry."""
        self.skip_spaces()
        start = self.position
        number = int(self._read(_INTEGER, what))
        if not ir.ShapedType.get_dynamic_size() < number < 2**63:
            self.fail(f"{number} does not fit 64 bits", start)
        return number

    def entry(self, what: str) -> int | str:
        """Read an integer or an SSA value."""
        self.skip_spaces()
        if self.text.startswith("%", self.position):
            return self.value(what)
        return self.integer(f"{what}, a constant or a value")

    def entries(self, what: str, where: str) -> list[int | str]:
        """Read ``[…]`` with integers and values between commas."""
        self.expect("[", where)
        found: list[int | str] = []
        if self.accept("]"):
            return found
        found.append(self.entry(what))
        while self.accept(","):
            found.append(self.entry(what))
        self.expect("]", f"or ',' after {what}")
        return found

    def type(self, what: str) -> str:
        """Read a type: a name, with what stands between angle brackets behind it."""
        name = self._read(_TYPE_NAME, what)
        parameters = _PARAMETERS.match(self.text, self.position)
        if parameters is None:
            return name
        self.position = parameters.end() - 1
        return name + self.balanced()

    def balanced(self) -> str:
        """Read from an opening bracket to the closing one that belongs to it; strings and arrows hold none."""
        start = self.position
        open_brackets: list[str] = []
        for token in _BRACKETING.finditer(self.text, start):
            bracket = token[0]
            # Strings and arrows match as a whole; in parentheses, < and > compare.
            if bracket in _CLOSING and (bracket != "<" or not open_brackets or open_brackets[-1] != "("):
                open_brackets.append(bracket)
            elif open_brackets and bracket == _CLOSING[open_brackets[-1]]:
                open_brackets.pop()
            if not open_brackets:
                self.position = token.end()
                return self.text[start : self.position]
        return self.fail(f"'{self.text[start]}' is not closed on this line", start)

    def dictionary(self) -> str:
        """Read an attribute dictionary, if one stands here; what is in it, without the braces."""
        self.skip_spaces()
        return self.balanced()[1:-1].strip() if self.text.startswith("{", self.position) else ""

    def _read(self, pattern: re.Pattern[str], what: str) -> str:
        self.skip_spaces()
        match = pattern.match(self.text, self.position)
        if match is None:
            self.fail(f"expected {what}, found {self.found()}")
        self.position = match.end()
        return match[0]
