"""The lighter text form of the dispatch dialect, rewritten to the generic form that MLIR's parser knows.

The bindings give operations defined in Python no syntax of their own. :func:`import_text` rewrites each operation on
its line, so that line numbers stay, and leaves everything else as it is, comments and strings included:

    %b = dispatch.binding set(0) binding(1) offset(%c0) sizes(%m) : !dispatch.readonly<tensor<?x4xf32>>
    %t = dispatch.tie_shape %b, [%m] : !dispatch.readonly<tensor<?x4xf32>>
    %v = dispatch.load %b[%i, 0] [1, 3] [1, 1] : !dispatch.readonly<tensor<?x4xf32>> -> tensor<1x3xf32>
    dispatch.store %v, %o[%i, 0] [1, 3] [1, 1] : tensor<1x3xf32> -> !dispatch.writeonly<tensor<?x4xf32>>

An operation stands on one line. Attributes of one's own stand in braces before the colon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mlir import ir

from .cursor import Cursor, DispatchSyntaxError

__all__ = ["FORMS", "NUMBERS", "SEGMENTED", "DispatchSyntaxError", "TextForm", "import_text", "unread_operation"]

Entries = Sequence["int | str"]


class TextForm(NamedTuple):
    """How an operation on values reads: `%operand, %operand[offsets] [sizes] [strides] : type -> type`.

    `operands` and `types` are what errors call them. The types are those of the operands, then that of the result; a
    single one stands for all.
    """

    operands: tuple[str, ...]
    types: tuple[str, ...]
    has_slice: bool = False


FORMS = {
    "load": TextForm(("the binding to load from",), ("the binding", "the result"), has_slice=True),
    "store": TextForm(
        ("the tensor to store", "the binding to store to"), ("the tensor", "the binding"), has_slice=True
    ),
    "contents": TextForm(("the binding",), ("the binding", "the result")),
    "commit": TextForm(("the tensor to commit", "the contents"), ("the tensor",)),
}
NUMBERS = {
    "push_constant": "index",
    "workgroup_id": "dimension",
    "workgroup_size": "dimension",
    "workgroup_count": "dimension",
}
"""The operations that have one number, with the name of its attribute."""
SEGMENTED = frozenset({"binding", "tie_shape", "load", "store"})
"""The operations with groups of operands whose number varies."""

# A string, a comment, or the name of an operation, with the result it has.
_PIECE = re.compile(
    r'"(?:[^"\\]|\\.)*"|//|(?P<result>%(?:\d+|[A-Za-z$._-][\w$.-]*)(?:\s*:\s*\d+)?\s*=\s*)?(?<![\w$.#!@%^-])'
    r"dispatch\.(?P<name>\w[\w$.]*)"
)
# What stands behind the name of an attribute.
_NOT_AN_OPERATION = re.compile(r"\s*(?:[=,})\]>]|//|$)")


def import_text(text: str, file: str = "-") -> str:
    """Returns ``text`` with the operations of the dispatch dialect in generic form; linear in the text.

    ``file`` is what errors call the text. Raises :class:`DispatchSyntaxError`, an `ir.MLIRError`, at the first
    operation that cannot be read.
    """
    if "dispatch." not in text:
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if "dispatch." in line:
            lines[number - 1] = _import_line(line, file, number)
    return "\n".join(lines)


def unread_operation(text: str, file: str = "-") -> DispatchSyntaxError | None:
    """Returns the error for the first operation that :func:`import_text` takes for the name of an attribute.

    For text that MLIR's parser refuses without a word, as it does for the custom syntax of these operations.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        for piece in _pieces(line) if "dispatch." in line else ():
            if piece["name"] in _READERS:
                column = piece.start("name") - len("dispatch.") + 1
                needed = f"'dispatch.{piece['name']}' must have its operands behind it, on its line"
                return DispatchSyntaxError(needed, file, number, column)
    return None


def _import_line(line: str, file: str, number: int) -> str:
    done: list[str] = []
    position = 0
    for piece in _pieces(line):
        name = piece["name"]
        if not piece["result"] and _NOT_AN_OPERATION.match(line, piece.end()):
            continue
        if piece.start() < position:
            continue  # It is a part of the operation that was read last.
        start = piece.start("name") - len("dispatch.")
        cursor = Cursor(line, piece.end(), file=file, line=number)
        if name not in _READERS:
            cursor.fail(f"there is no operation 'dispatch.{name}'; there are {', '.join(_READERS)}", start)
        done.append(line[position:start] + _READERS[name](cursor))
        position = cursor.position
    return "".join(done) + line[position:]


def _pieces(line: str) -> Iterator[re.Match[str]]:
    """What may be an operation in lighter form, outside of strings and comments."""
    for piece in _PIECE.finditer(line):
        if piece[0] == "//":
            return
        if piece["name"] is not None:
            yield piece


def _binding(cursor: Cursor) -> str:
    attributes: dict[str, str] = {}
    for keyword in ("set", "binding"):
        cursor.expect(keyword, "of dispatch.binding")
        cursor.expect("(", f"after '{keyword}'")
        attributes[keyword] = f"{cursor.integer(f'the number of the {keyword}')} : i64"
        cursor.expect(")", f"after the number of the {keyword}")
    offset: list[str] = []
    if cursor.accept("offset"):
        cursor.expect("(", "after 'offset'")
        offset.append(cursor.value("the byte offset, a value"))
        cursor.expect(")", "after the byte offset")
    sizes: list[str] = []
    if cursor.accept("sizes"):
        cursor.expect("(", "after 'sizes'")
        if not cursor.accept(")"):
            sizes.append(cursor.value("a size, a value"))
            while cursor.accept(","):
                sizes.append(cursor.value("a size, a value"))
            cursor.expect(")", "or ',' after a size")
    return _finish(cursor, "binding", [offset, sizes], attributes, lambda: ([], _type(cursor, "the binding")))


def _tie_shape(cursor: Cursor) -> str:
    source = cursor.value("the binding, a value")
    cursor.expect(",", "after the binding")
    start = cursor.position
    sizes = cursor.entries("a size", "with the sizes")
    values = [size for size in sizes if isinstance(size, str)]
    if len(values) < len(sizes):
        cursor.fail("the sizes of dispatch.tie_shape are values, not constants", start)

    def types() -> tuple[list[str], str]:
        type_ = _type(cursor, "the binding")
        return [type_], type_

    return _finish(cursor, "tie_shape", [[source], values], {}, types)


def _values(name: str, form: TextForm) -> Callable[[Cursor], str]:
    """The reader of an operation on values alone."""

    def read(cursor: Cursor) -> str:
        operands: list[str] = []
        for number, what in enumerate(form.operands):
            if number:
                cursor.expect(",", f"after {form.operands[number - 1]}")
            operands.append(cursor.value(f"{what}, a value"))
        groups, attributes = _slice(cursor) if form.has_slice else ([], {})

        def types() -> tuple[list[str], str]:
            found = [_type(cursor, form.types[0])]
            for before, whose in pairwise(form.types):
                cursor.expect("->", f"after the type of {before}")
                found.append(_type(cursor, whose))
            every = found if len(found) > 1 else found * len(operands)
            return every[: len(operands)], "".join(every[len(operands) :])

        return _finish(cursor, name, [*([operand] for operand in operands), *groups], attributes, types)

    return read


def _number(name: str, attribute: str) -> Callable[[Cursor], str]:
    """The reader of an operation that has one number."""

    def read(cursor: Cursor) -> str:
        attributes = {attribute: f"{cursor.integer(f'the {attribute}')} : i64"}
        return _finish(cursor, name, [], attributes, lambda: ([], _type(cursor, "the result")))

    return read


_READERS: dict[str, Callable[[Cursor], str]] = {
    "binding": _binding,
    "tie_shape": _tie_shape,
    **{name: _values(name, form) for name, form in FORMS.items()},
    **{name: _number(name, attribute) for name, attribute in NUMBERS.items()},
}
"""By operation: what reads the rest of it, and returns all of it in generic form."""


def _slice(cursor: Cursor) -> tuple[list[list[str]], dict[str, str]]:
    """Offsets, sizes and strides, or none of them: the values of each, and the attributes with the constants."""
    groups: list[Entries] = [(), (), ()]
    cursor.skip_spaces()
    if cursor.text.startswith("[", cursor.position):
        groups[0] = cursor.entries("an offset", "with the offsets")
        groups[1] = cursor.entries("a size", "with the sizes, after the offsets")
        groups[2] = cursor.entries("a stride", "with the strides, after the sizes")
    dynamic = [[entry for entry in group if isinstance(entry, str)] for group in groups]
    attributes: dict[str, str] = {}
    for name, group in zip(("static_offsets", "static_sizes", "static_strides"), groups, strict=True):
        marker = ir.ShapedType.get_dynamic_size()
        static = ", ".join(str(marker if isinstance(entry, str) else entry) for entry in group)
        attributes[name] = f"array<i64: {static}>" if static else "array<i64>"
    return dynamic, attributes


def _type(cursor: Cursor, whose: str) -> str:
    return cursor.type(f"the type of {whose}")


def _finish(
    cursor: Cursor,
    name: str,
    groups: Sequence[Sequence[str]],
    attributes: dict[str, str],
    types: Callable[[], tuple[list[str], str]],
) -> str:
    """Reads the attributes in braces, the colon and the types, and writes the operation in generic form.

    ``types`` reads the types behind the colon: those of the operands that are no index values, and the result's.
    """
    extra = cursor.dictionary()
    cursor.expect(":", f"before the types of dispatch.{name}")
    first_types, result = types()
    operands = [value for group in groups for value in group]
    if name in SEGMENTED:
        attributes["operandSegmentSizes"] = f"array<i32: {', '.join(str(len(group)) for group in groups)}>"
    given = ", ".join([*(f"{key} = {value}" for key, value in attributes.items()), *([extra] if extra else [])])
    operand_types = first_types + ["index"] * (len(operands) - len(first_types))
    arguments = f"({', '.join(operands)}) {f'{{{given}}} ' if given else ''}: ({', '.join(operand_types)})"
    return f'"dispatch.{name}"{arguments} -> {result or "()"}'
