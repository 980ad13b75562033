"""Which rules a program can say anything about: those whose text runs when the program is bufferized."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from disabling import Rule, plain_function, resolve

Lines = set[tuple[str, int]]


def lines_of(rule: Rule) -> Lines | None:
    """The lines that the text of a rule stands in; None if it is a constant or an inherited method."""
    owner, name, found = resolve(rule.target)
    function = plain_function(found)
    if function is None or (inspect.isclass(owner) and name not in vars(owner)):
        return None
    source, first = inspect.getsourcelines(function)
    file = function.__code__.co_filename
    if not rule.old:
        return {(file, line) for line in range(first, first + len(source))}
    text = "".join(source)
    indent = len(source[0]) - len(source[0].lstrip())
    # The text is given as it stands in a function without indentation.
    place = text.find(rule.old.replace("\n", "\n" + " " * indent))
    begin = text.count("\n", 0, place)
    return {(file, first + begin + n) for n in range(rule.old.rstrip("\n").count("\n") + 1)}


class Reach:
    """Tells which of some rules are reached; tracing costs little, as it looks into the functions of rules only."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._lines = {rule.name: lines_of(rule) for rule in rules}
        self._codes: set[CodeType] = set()
        for rule in rules:
            function = plain_function(resolve(rule.target)[2])
            if function is not None:
                self._codes.update(_with_nested(function.__code__))
        self._seen: Lines = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note what runs meanwhile."""
        self._seen = set()
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(before)

    def _enter(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        if code not in self._codes:
            return None
        seen, file = self._seen, code.co_filename

        def line(frame: FrameType, event: str, _: Any) -> Any:
            if event == "line":
                seen.add((file, frame.f_lineno))
            return line

        return line

    def reached(self, rule: Rule) -> bool:
        """Whether the text of `rule` ran; always, where that is not known."""
        lines = self._lines[rule.name]
        return lines is None or not lines.isdisjoint(self._seen)


def _with_nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_nested(constant)
