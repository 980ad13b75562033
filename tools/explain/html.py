"""HTML as text that is escaped where it is made: only :func:`element` makes markup, and everything else is text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

__all__ = ["Html", "element", "joined", "text"]

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
"""What HTML must not contain, and what changes the direction of the text around it."""

_EMPTY = frozenset({"br", "input", "meta", "rect"})
"""Elements without content, and so without an end tag; `rect` is in SVG, where it is closed at once."""


class Html(str):
    """A string that is markup already."""

    __slots__ = ()


def text(value: object) -> Html:
    r"""Return what shows ``value``; characters that cannot be shown are written as `\x00`."""
    return value if isinstance(value, Html) else Html(escape(_seen(value), quote=False))


def _seen(value: object) -> str:
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], str(value))


def element(tag: str, *children: object, **attributes: object) -> Html:
    """Return an element; its children are text unless they are :class:`Html`.

    An attribute that is None or False is left out, True has no value; `class_` is `class`, and `data_x` is `data-x`.
    """
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    written = "".join(
        f" {name}" if value is True else f' {name}="{escape(_seen(value))}"'
        for name, value in named.items()
        if value is not None and value is not False
    )
    if tag in _EMPTY:
        return Html(f"<{tag}{written}{'/' if tag == 'rect' else ''}>")
    return Html(f"<{tag}{written}>{joined(children)}</{tag}>")


def joined(parts: Iterable[object], between: str = "") -> Html:
    """Return the parts, as text unless they are :class:`Html`, one behind the other."""
    return Html(text(between).join(map(text, parts)))
