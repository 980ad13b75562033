"""Mistakes in the text of single ops that crash MLIR's parser.

Each rule is as narrow as possible: it refuses only text that crashes the parser of MLIR 24, or that it refuses too.
`test/runtime/source/test_deadly_text.py` holds the smallest program for each, and shows that it is still needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache

__all__ = ["first_deadly"]

Found = tuple[str, int]
"""A message, and the offset in the text it refers to."""

# The parsers of these three ops use the list of integers even if it could not be parsed.
_LISTS = re.compile(rb"\)\s*(?:permutation|dimensions)\s*=\s*")
_LIST_OPS = (b"linalg.transpose", b"linalg.broadcast", b"linalg.reduce")
_INTEGER = rb"-?(?:0[xX][0-9a-fA-F]{1,15}|\d{1,18})"
_LIST = re.compile(rb"\[\s*(?:%b\s*(?:,\s*%b\s*)*)?\]" % (_INTEGER, _INTEGER))

# The short forms of these two ops use the element types of operands that may be scalars.
_SHORT_FORM = re.compile(rb"linalg\.(?:reduce|map)\s*\{[^{}]*\}\s*")
_OPERANDS = re.compile(rb"\s*(?:ins|outs)\s*\(")
_SHAPED = re.compile(rb"\s*(?:tensor|memref|vector)\s*<")
_ALIAS = re.compile(rb"\s*(![\w$-]+)\s*$")

# Each element is an operand or a result, so there must be memory for all of them.
_ELEMENTS = re.compile(rb"(?:from|to)_elements\b[^:{}]*:\s*(?:tensor|vector)\s*<\s*((?:\d+\s*x\s*)+)")
_MOST_ELEMENTS = 1_000_000

# MLIR's passes and LLVM unroll vectors into lanes, and crash or do not end where there are too many.
_VECTOR = re.compile(rb"\bvector\s*<\s*((?:\[?\s*\d+\s*\]?\s*x\s*)+)")

# Verification takes the result of each tensor among the outs, and counts memrefs as having one.
_OUTS = re.compile(rb"\bouts\s*\(")

# The parsers of these two ops assume that the elements between the brackets are strings.
_ITERATED = re.compile(rb"\b(?:linalg\.generic|vector\.contract)\s*(?:\{|(#[\w.$-]+))")
_ITERATORS = re.compile(rb"\biterator_types\s*=\s*(?:\[|(#[\w.$-]+))")

_ONLY_STRINGS = re.compile(rb"[\s,]*\]")

_PARENTHESIS = re.compile(rb"[()]")
_BRACE = re.compile(rb"[{}]")
_SQUARE = re.compile(rb"[\[\]]")
_BRACKET_OR_COMMA = re.compile(rb"[\[({<>})\],]")


def first_deadly(text: bytes) -> Found | None:
    """The first mistake of the first rule that finds one, in text without strings, comments and arrows. Linear."""
    for rule in (_bad_lists, _scalars_in_short_forms, _too_many_elements, _too_many_lanes, _mixed_outs, _bad_iterators):
        if found := next(rule(text), None):
            return found
    return None


def _bad_lists(text: bytes) -> Iterator[Found]:
    if any(op in text for op in _LIST_OPS):
        for match in _LISTS.finditer(text):
            if not _LIST.match(text, match.end()):
                yield "expected integers of 64 bits between brackets, as in 'permutation = [1, 0]'", match.end()


def _too_many_elements(text: bytes) -> Iterator[Found]:
    for match in _ELEMENTS.finditer(text):
        if (count := _product(match[1])) > _MOST_ELEMENTS:
            yield f"{count} elements would have to be listed here; fill a tensor instead", match.start(1)


def _too_many_lanes(text: bytes) -> Iterator[Found]:
    for match in _VECTOR.finditer(text):
        if (count := _product(match[1])) > _MOST_ELEMENTS:
            yield f"a vector of {count} elements fits no machine; use a tensor instead", match.start(1)


def _product(sizes: bytes) -> int:
    return math.prod(int(size[:30]) for size in re.findall(rb"\d+", sizes))


def _scalars_in_short_forms(text: bytes) -> Iterator[Found]:
    for match in _SHORT_FORM.finditer(text):
        place = match.end()
        while opened := _OPERANDS.match(text, place):
            place = _closing(text, opened.end())
            colon = text.find(b":", opened.end(), place)
            if colon < 0:
                break
            for start, end in _entries(text, colon + 1, place):
                if not _is_shaped(text, start, end):
                    found = text[start:end].strip()
                    message = f"the short form of this op needs tensors and memrefs, found '{found[:50].decode()}'"
                    yield message, text.index(found, start)
            place += 1


def _mixed_outs(text: bytes) -> Iterator[Found]:
    if b"memref" not in text or b"tensor" not in text:
        return
    for match in _OUTS.finditer(text):
        end = _closing(text, match.end())
        colon = text.find(b":", match.end(), end)
        if colon < 0:
            continue
        kinds: set[bytes] = set()
        for start, stop in _entries(text, colon + 1, end):
            if shaped := _SHAPED.match(text, start, stop):
                kinds.add(shaped[0].strip(b" \t\r\n<"))
            if len(kinds - {b"vector"}) > 1:
                yield "tensors and memrefs are mixed among the outs; an op writes either the one or the other", start
                break


def _bad_iterators(text: bytes) -> Iterator[Found]:
    seen: set[int] = set()

    @cache
    def behind(alias: bytes, opening: bytes) -> int:
        """The offset behind `opening` in the definition of an attribute alias; -1 if it does not begin so."""
        found = re.search(rb"^[ \t]*%b[ \t]*=[ \t]*%b" % (re.escape(alias), opening), text, re.MULTILINE)
        return found.end() if found else -1

    for op in _ITERATED.finditer(text):
        start = op.end() if op[1] is None else behind(op[1], rb"\{")
        if start in seen or start < 0:
            continue
        seen.add(start)
        if (first := _ITERATORS.search(text, start)) and _ONLY_STRINGS.match(text, first.end()):
            continue
        listed = _ITERATORS.search(text, start, _closing(text, start, _BRACE))
        place = -1 if listed is None else listed.end() if listed[1] is None else behind(listed[1], rb"\[")
        if place < 0 or place in seen:
            continue
        seen.add(place)
        for begin, end in _entries(text, place, _closing(text, place, _SQUARE)):
            entry = text[begin:end].strip()  # Nothing is left of a string.
            if entry and not (entry.startswith(b"#") and behind(entry, rb"[ \t]*$") >= 0):
                yield (
                    "expected strings between brackets, as in 'iterator_types = [\"parallel\"]'",
                    text.index(entry, begin),
                )


def _closing(text: bytes, place: int, brackets: re.Pattern[bytes] = _PARENTHESIS) -> int:
    """The offset of the bracket that closes the one open at `place`; the end of the text without one."""
    depth = 1
    for match in brackets.finditer(text, place):
        depth += 1 if match[0] in b"([{" else -1
        if not depth:
            return match.start()
    return len(text)


def _entries(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The pieces between commas outside of brackets."""
    depth = 0
    for match in _BRACKET_OR_COMMA.finditer(text, start, end):
        if match[0] == b"," and not depth:
            yield start, match.start()
            start = match.end()
        elif match[0] != b",":
            depth += 1 if match[0] in b"[({<" else -1
    yield start, end


def _is_shaped(text: bytes, start: int, end: int) -> bool:
    """Whether a type is a shaped one; an alias is looked up."""
    if _SHAPED.match(text, start, end):
        return True
    alias = _ALIAS.match(text, start, end)
    if not alias:
        return False
    defined = re.search(rb"^[ \t]*%b\s*=" % re.escape(alias[1]), text, re.MULTILINE)
    return bool(defined and _SHAPED.match(text, defined.end()))
