"""Scanner of option texts: where options and their values begin and end in `a=1 b c={x y} d="e f"`.

Values keep their quotes and braces; `options.py` converts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dialects.support.frozen_classes import frozen
from .errors import OptionError

_NAME = re.compile(r"[^\s={}\"',]+")


@frozen
class ScannedOption:
    """One `name` or `name=value` of an option text; the value still has its quotes or braces."""

    name: str
    value: str | None
    offset: int
    length: int


def scan_options(text: str) -> Iterator[ScannedOption]:
    """Splits `a=1 b c={x y}` into its options; raises OptionError for text that has no such form. Linear."""
    position = 0
    while True:
        position = skip_spaces(text, position)
        if position == len(text):
            return
        match = _NAME.match(text, position)
        if not match:
            raise OptionError(f"expected an option's name, found {text[position]!r}", position)
        end = match.end()
        value = None
        if text[end : end + 1] == "=":
            stop = skip_value(text, end + 1)
            value, end = text[match.end() + 1 : stop], stop
        yield ScannedOption(match.group(), value, position, end - position)
        position = end


def skip_value(text: str, position: int, stop: str = " \t\r\n") -> int:
    """Where the value that starts at `position` ends: at a `stop` character or the end, outside quotes and braces.

    A quote counts as one only where a value or list element can start, so `it's` needs no care.
    """
    may_quote = True
    while position < len(text) and text[position] not in stop:
        char = text[position]
        if char == "{":
            position = skip_braces(text, position)
        elif char in "\"'" and may_quote:
            position = _skip_quotes(text, position)
        elif char == "}":
            raise OptionError("unbalanced '}'", position)
        else:
            position += 1
        may_quote = char == ","
    return position


def skip_braces(text: str, position: int) -> int:
    """Where the brace group that opens at `position` ends, one past its `}`; raises OptionError when it never does.

    Nesting is counted, not recursed into: `{{{…` of any depth is fine. Quotes count as in `skip_value`.
    """
    start, depth, may_quote = position, 0, True
    while position < len(text):
        char = text[position]
        if char in "\"'" and may_quote:
            position = _skip_quotes(text, position)
            may_quote = False
            continue
        depth += (char == "{") - (char == "}")
        position += 1
        if depth == 0:
            return position
        may_quote = char in "{=, \t\r\n"
    raise OptionError("this '{' is never closed", start)


def skip_spaces(text: str, position: int) -> int:
    """The first place from `position` on that is no space."""
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _skip_quotes(text: str, position: int) -> int:
    """One past the quote that closes the one at `position`; only double quotes know escapes."""
    pattern = r'"(?:\\.|[^"\\])*"' if text[position] == '"' else r"'[^']*'"
    match = re.compile(pattern, re.DOTALL).match(text, position)
    if not match:
        raise OptionError(f"this {text[position]} is never closed", position)
    return match.end()
