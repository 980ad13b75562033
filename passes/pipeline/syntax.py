"""The grammar of pipeline texts, before any name in them means something.

    pipeline := element (',' element)*
    element  := name ['{' options '}']            a pass
              | name '(' [pipeline] ')'           passes on each `name` operation directly inside; `any` for every one

Spaces may stand between tokens. The result keeps the place of every pass, so that later errors (an unknown pass, a
wrong option) can point at it too.
"""

from __future__ import annotations

import re

from ...dialects.support.frozen_classes import frozen
from ..framework.errors import OptionError, PipelineError
from ..framework.option_scanner import skip_braces, skip_spaces

_NAME = re.compile(r"[A-Za-z_][\w.$-]*")

# Nests are worked through by recursion later on; no IR is nested as deep as this.
_MAX_DEPTH = 100


@frozen
class ParsedPass:
    """`name{options}`; `options` is what stands between the braces, unread."""

    name: str
    options: str
    offset: int
    options_offset: int


@frozen
class ParsedNest:
    """`anchor(elements)`."""

    anchor: str
    elements: tuple[ParsedPass | ParsedNest, ...]


ParsedElement = ParsedPass | ParsedNest


def parse_syntax(text: str) -> tuple[ParsedElement, ...]:
    """The elements of a pipeline text; raises `PipelineError` with a caret. Linear in the text."""
    return _Parser(text).parse()


class _Parser:
    """One left-to-right scan; the nests that are still open wait on a stack."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._open: list[tuple[str, int, list[ParsedElement]]] = []
        self._elements: list[ParsedElement] = []

    def parse(self) -> tuple[ParsedElement, ...]:
        while True:
            self._parse_element()
            while self._take(")"):
                self._close()
            if self._take(","):
                continue
            if self._position == len(self._text):
                break
            closing = "',' or ')'" if self._open else "','"
            raise self._error(f"expected {closing} before the next pass, found {self._found()}")
        if self._open:
            anchor, parenthesis, _ = self._open[-1]
            raise PipelineError(f"this '(' of '{anchor}' is never closed", self._text, parenthesis)
        return tuple(self._elements)

    def _parse_element(self) -> None:
        """One pass, or everything from a nest's name to its first pass."""
        while True:
            self._position = skip_spaces(self._text, self._position)
            match = _NAME.match(self._text, self._position)
            if not match:
                raise self._error(f"expected the name of a pass or an operation, found {self._found()}")
            self._position = match.end()
            if not self._take("("):
                self._elements.append(self._parse_options(match.group(), match.start()))
                return
            if len(self._open) == _MAX_DEPTH:
                raise PipelineError(f"nested deeper than {_MAX_DEPTH} levels", self._text, match.start())
            self._open.append((match.group(), self._position - 1, self._elements))
            self._elements = []
            self._position = skip_spaces(self._text, self._position)
            if self._text.startswith(")", self._position):
                return

    def _parse_options(self, name: str, offset: int) -> ParsedPass:
        self._position = skip_spaces(self._text, self._position)
        start = self._position
        if not self._text.startswith("{", start):
            return ParsedPass(name, "", offset, start)
        try:
            self._position = skip_braces(self._text, start)
        except OptionError as error:
            raise PipelineError(error.message, self._text, error.offset or start) from None
        return ParsedPass(name, self._text[start + 1 : self._position - 1], offset, start + 1)

    def _close(self) -> None:
        if not self._open:
            raise PipelineError("this ')' closes nothing", self._text, self._position - 1)
        anchor, _, outer = self._open.pop()
        outer.append(ParsedNest(anchor, tuple(self._elements)))
        self._elements = outer

    def _take(self, token: str) -> bool:
        self._position = skip_spaces(self._text, self._position)
        taken = self._text.startswith(token, self._position)
        self._position += len(token) if taken else 0
        return taken

    def _found(self) -> str:
        return repr(self._text[self._position]) if self._position < len(self._text) else "the end of the pipeline"

    def _error(self, message: str) -> PipelineError:
        return PipelineError(message, self._text, self._position)
