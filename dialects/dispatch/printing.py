"""The lighter text form of the dispatch dialect, written: printed IR with its operations as people read them.

The other way of :mod:`parsing.py`: MLIR prints each operation in generic form, on a line of its own, and
:func:`export_text` rewrites those lines. What the lighter form cannot say, as for malformed IR, stays generic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mlir import ir

from ..support.frozen_classes import record
from .cursor import Cursor, DispatchSyntaxError
from .parsing import FORMS, NUMBERS, TextForm

__all__ = ["export_text"]

_OPERATION = re.compile(r'(?P<indent>\s*)(?P<result>%[\w$.-]+ = )?"dispatch\.(?P<name>\w+)"')
_ATTRIBUTE = re.compile(r'([\w$.]+|"(?:[^"\\]|\\.)*")(?: = (.*))?', re.DOTALL)
_NUMBER = re.compile(r"(-?\d+) : i64")
_ARRAY = re.compile(r"array<i(?:32|64)(?:: (.*))?>")
_MARKER = str(ir.ShapedType.get_dynamic_size())


class _Unusual(Exception):
    """The lighter form has no way to say it."""


@record
class _Operation:
    """One operation of printed IR. Attributes are taken out of ``attributes`` as they are said; the rest is extra."""

    operands: list[str]
    attributes: dict[str, str | None]
    operand_types: list[str]
    result_types: list[str]

    def number(self, name: str) -> str:
        """The value of an i64 attribute."""
        return self._take(name, _NUMBER)

    def array(self, name: str) -> list[str]:
        """The elements of an array attribute."""
        elements = self._take(name, _ARRAY)
        return elements.split(", ") if elements else []

    def groups(self, count: int) -> list[list[str]]:
        """The operands of each of ``count`` groups."""
        lengths = [int(length) for length in self.array("operandSegmentSizes")]
        if len(lengths) != count or min(lengths) < 0 or sum(lengths) != len(self.operands):
            raise _Unusual
        rest = iter(self.operands)
        return [[next(rest) for _ in range(length)] for length in lengths]

    def slice(self, groups: Sequence[Sequence[str]]) -> str:
        """Offsets, sizes and strides in brackets; nothing for the whole."""
        said: list[str] = []
        for name, values in zip(("offsets", "sizes", "strides"), groups, strict=True):
            static = self.array(f"static_{name}")
            if static.count(_MARKER) != len(values):
                raise _Unusual
            dynamic = iter(values)
            said.append(", ".join(next(dynamic) if entry == _MARKER else entry for entry in static))
        return "[" + "] [".join(said) + "]" if any(said) else ""

    def types(self, operands: int, results: int) -> list[str]:
        """The types of the first ``operands`` operands, the others being index values, and of the results."""
        if len(self.operand_types) != len(self.operands) or len(self.result_types) != results:
            raise _Unusual
        if len(self.operands) < operands or any(type_ != "index" for type_ in self.operand_types[operands:]):
            raise _Unusual
        return self.operand_types[:operands] + self.result_types

    def extra(self) -> str:
        """The attributes that are not said yet, in braces."""
        said = ", ".join(name if value is None else f"{name} = {value}" for name, value in self.attributes.items())
        return f" {{{said}}}" if said else ""

    def _take(self, name: str, pattern: re.Pattern[str]) -> str:
        match = pattern.fullmatch(self.attributes.pop(name, None) or "")
        if match is None:
            raise _Unusual
        return match[1] or ""


def export_text(text: str) -> str:
    """Returns printed IR with the operations of the dispatch dialect in the lighter form; linear in the text."""
    if '"dispatch.' not in text:
        return text
    return "\n".join(_export_line(line) if '"dispatch.' in line else line for line in text.split("\n"))


def _export_line(line: str) -> str:
    match = _OPERATION.match(line)
    if match is None or match["name"] not in _WRITERS:
        return line
    cursor = Cursor(line, match.end())
    try:
        operation = _read(cursor)
        said, types = _WRITERS[match["name"]](operation)
    except (_Unusual, DispatchSyntaxError):
        return line
    head = f"{match['indent']}{match['result'] or ''}dispatch.{match['name']}"
    return f"{head} {said}{operation.extra()} : {types}{line[cursor.position :]}"


def _read(cursor: Cursor) -> _Operation:
    """Reads the rest of an operation in generic form."""
    operands = _split(cursor.balanced()[1:-1])
    attributes: dict[str, str | None] = {}
    for entry in _split(cursor.dictionary()):
        match = _ATTRIBUTE.fullmatch(entry)
        if match is None:
            raise _Unusual
        attributes[match[1]] = match[2]
    cursor.expect(":", "before the types")
    cursor.expect("(", "before the types of the operands")
    cursor.position -= 1
    operand_types = _split(cursor.balanced()[1:-1])
    cursor.expect("->", "before the types of the results")
    cursor.skip_spaces()
    if cursor.text.startswith("(", cursor.position):
        return _Operation(operands, attributes, operand_types, _split(cursor.balanced()[1:-1]))
    return _Operation(operands, attributes, operand_types, [cursor.type("the type of the result")])


def _split(text: str) -> list[str]:
    """The parts of ``text`` between commas that are in no brackets."""
    cursor = Cursor(text)
    parts: list[str] = []
    start = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[(\[{<,]', text):
        if token.start() < cursor.position or token[0].startswith('"'):
            continue
        if token[0] == ",":
            parts.append(text[start : token.start()].strip())
            start = token.end()
        else:
            cursor.position = token.start()
            cursor.balanced()
    return [*parts, text[start:].strip()] if text.strip() else []


def _binding(op: _Operation) -> tuple[str, str]:
    offset, sizes = op.groups(2)
    said = f"set({op.number('set')}) binding({op.number('binding')})"
    if len(offset) > 1:
        raise _Unusual
    said += f" offset({offset[0]})" if offset else ""
    said += f" sizes({', '.join(sizes)})" if sizes else ""
    return said, op.types(0, 1)[0]


def _tie_shape(op: _Operation) -> tuple[str, str]:
    source, sizes = op.groups(2)
    operand_type, result_type = op.types(1, 1)
    if len(source) != 1 or operand_type != result_type:
        raise _Unusual
    return f"{source[0]}, [{', '.join(sizes)}]", result_type


def _values(form: TextForm) -> Callable[[_Operation], tuple[str, str]]:
    """The writer of an operation on values alone."""
    count = len(form.operands)

    def write(op: _Operation) -> tuple[str, str]:
        groups = op.groups(count + 3) if form.has_slice else [[operand] for operand in op.operands]
        types = op.types(count, 2 - count)
        if any(len(group) != 1 for group in groups[:count]) or not (form.has_slice or len(groups) == count):
            raise _Unusual
        if len(form.types) == 1 and len(set(types)) > 1:
            raise _Unusual
        slice_ = op.slice(groups[count:]) if form.has_slice else ""
        return ", ".join(group[0] for group in groups[:count]) + slice_, " -> ".join(types[: len(form.types)])

    return write


def _number(attribute: str) -> Callable[[_Operation], tuple[str, str]]:
    """The writer of an operation that has one number."""

    def write(op: _Operation) -> tuple[str, str]:
        if op.operands:
            raise _Unusual
        return op.number(attribute), op.types(0, 1)[0]

    return write


_WRITERS: dict[str, Callable[[_Operation], tuple[str, str]]] = {
    "binding": _binding,
    "tie_shape": _tie_shape,
    **{name: _values(form) for name, form in FORMS.items()},
    **{name: _number(attribute) for name, attribute in NUMBERS.items()},
}
"""By operation: what stands behind its name, and the types behind the colon."""
