"""IR printed with names of values that are chosen here, and with the users of values as comments.

A copy of the IR is printed, in which each location marks one operation or block argument: the printer is asked to call
values what their locations say, and writes a location behind each operation. The marks in the text are then replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from mlir import ir

from ..framework.diagnostics import DiagnosticCollector
from .ancestors import ancestors
from .asm_flags import AsmFlags
from .value_numbers import ValueNumbers

__all__ = ["annotated_text"]


class _Marks:
    """How marks are written, as a word that is nowhere in the IR, and where they stand in the printed text."""

    def __init__(self, text: str) -> None:
        word = "mark"
        while word in text:
            word += "k"
        self.word = word
        self.alias = re.compile(rf'^(#loc\d*) = loc\("{word}(\d+)z"\)\n', re.MULTILINE)
        self.location = re.compile(rf' loc\((?:"{word}(\d+)z"|(#loc\d*))\)')
        # The second pack of results of an operation has a number at its end, which makes its name another one.
        pack = rf"%{word}(\d+)z(?:_(\d+))?"
        self.results = re.compile(rf"^( *)(%{word}\d+z[\w:, %]*) = ", re.MULTILINE)
        self.defined = re.compile(rf"{pack}(?::(\d+))?")
        self.value = re.compile(rf"{pack}(?:#(\d+))?")


def annotated_text(op: ir.Operation, flags: AsmFlags) -> str:
    """`op` as `flags` say, with unique names, users of values, or both."""
    around = [op, *ancestors(op)]
    root = next((outer for outer in around if flags.local_scope and _is_isolated(outer)), around[-1])
    if not (flags.generic or flags.assume_verified or _is_valid(root)):
        flags = replace(flags, generic=True)
    numbers = ValueNumbers(
        root,
        _usual_names(root, flags),
        unique=flags.unique_ids or flags.generic,
        number_operations=flags.value_users,
        name_locations=flags.name_locations,
    )
    if " loc(#" in replace(flags, debug_info=False).printed(
        root
    ):  # In a string, where it would look like the alias of a mark.
        flags = replace(flags, local_scope=True)
    marked = _MarkedCopy(root, op, numbers, flags, _Marks(replace(flags, debug_info=True).printed(root)))
    printing = replace(flags, debug_info=True, name_locations=True, assume_verified=True)
    return marked.restore(printing.printed(marked.copy))


class _MarkedCopy:
    """A copy of `root` in which locations are marks; `copy` is what stands for `op` in it.

    For each mark there is the name of a value, the text for the place of the location, and the comments of a block.
    """

    def __init__(
        self, root: ir.Operation, op: ir.Operation, numbers: ValueNumbers, flags: AsmFlags, marks: _Marks
    ) -> None:
        self._numbers = numbers
        self._marks = marks
        self._flags = flags
        self._op = op
        self._names: list[tuple[str, list[str]]] = []
        self._locations: list[str] = []
        self._comments: dict[int, list[str]] = {}
        self._whole = root.clone(ip=False).operation
        self.copy = self._whole
        self._mark_operation(root, self._whole)

    def restore(self, text: str) -> str:
        """The text with names, locations and comments in the places of marks."""
        aliases = {alias: int(number) for alias, number in self._marks.alias.findall(text)}

        def location(match: re.Match[str]) -> str:
            number = int(match[1]) if match[1] else aliases.get(match[2])
            return match[0] if number is None else self._locations[number]

        text = self._with_comments(self._marks.alias.sub("", text))
        return self._with_names(self._marks.location.sub(location, text))

    def _with_names(self, text: str) -> str:
        first: dict[tuple[str, str | None], int] = {}
        """The number of the first result of each pack."""

        def definition(match: re.Match[str]) -> str:
            packs = list(self._marks.defined.finditer(match[2]))
            sizes = [int(pack[3] or 1) for pack in packs]
            first.update({(pack[1], pack[2]): sum(sizes[:number]) for number, pack in enumerate(packs)})
            return f"{match[1]}{self._names[int(packs[0][1])][0]} = "

        def value(match: re.Match[str]) -> str:
            place = first.get((match[1], match[2]), 0) + int(match[3] or 0)
            return f"%{self._names[int(match[1])][1][place]}"

        return self._marks.value.sub(value, self._marks.results.sub(definition, text))

    def _with_comments(self, text: str) -> str:
        """The text with the comments of each block behind the line that has its first argument first."""
        if not self._comments:
            return text
        lines: list[str] = []
        waiting: list[str] = []
        for line in text.split("\n"):
            indent = line[: len(line) - len(line.lstrip())]
            lines += [f"{indent}// {comment}" for comment in waiting]
            waiting = [
                found for name in self._marks.value.findall(line) for found in self._comments.pop(int(name[0]), ())
            ]
            lines.append(line)
        return "\n".join(lines)

    def _mark_operation(self, op: ir.Operation, copy: ir.Operation) -> None:
        if op == self._op:
            self.copy = copy
        names = [self._numbers.values[result] for result in op.results]
        definition = self._numbers.definitions.get(op, "")
        copy.location = self._mark(op.location, names, definition, self._users_of_operation(op))
        for region, copied_region in zip(op.regions, copy.regions, strict=True):
            for block, copied in zip(region, copied_region, strict=True):
                self._mark_arguments(block, copied)
                for inner, copied_inner in zip(block.operations, copied.operations, strict=True):
                    self._mark_operation(inner.operation, copied_inner.operation)

    def _mark_arguments(self, block: ir.Block, copied: ir.Block) -> None:
        if self._flags.value_users and len(block.arguments):
            self._comments[len(self._names)] = [self._users_of_argument(argument) for argument in block.arguments]
        for argument, other in zip(block.arguments, copied.arguments, strict=True):
            other.set_location(self._mark(argument.location, [self._numbers.values[argument]]))

    def _mark(self, location: ir.Location, names: list[str], definition: str = "", comment: str = "") -> ir.Location:
        shown = f" {location}" if self._flags.debug_info else ""
        self._names.append((definition, names))
        self._locations.append(shown + comment)
        return ir.Location.name(f"{self._marks.word}{len(self._names) - 1}z", context=self._whole.context)

    def _users_of_argument(self, argument: ir.BlockArgument) -> str:
        users = self._users(argument)
        return f"%{self._numbers.values[argument]} is " + (f"used by {', '.join(users)}" if users else "unused")

    def _users_of_operation(self, op: ir.Operation) -> str:
        if not self._flags.value_users:
            return ""
        if not len(op.results):
            return f" // id: %{self._numbers.operations[op]}" if len(op.operands) else ""
        users = [self._users(result) for result in op.results]
        if not any(users):
            return " // unused"
        owners = {use.owner.operation for use in op.results[0].uses}
        one = len(users) == 1 and len(owners) == 1 and all(len(owner.results) <= 1 for owner in owners)
        texts = [", ".join(names) or "unused" for names in users]
        listed = texts[0] if len(texts) == 1 else ", ".join(f"({text})" for text in texts)
        return f" // {'user' if one else 'users'}: {listed}"

    def _users(self, value: ir.Value) -> list[str]:
        owners = dict.fromkeys(use.owner.operation for use in value.uses)
        return [f"%{name}" for owner in owners for name in self._numbers.of_operation(owner)]


def _usual_names(root: ir.Operation, flags: AsmFlags) -> Callable[[ir.Value], str]:
    """What the ordinary print calls a value, or a value of its kind."""
    if flags.generic:
        return lambda value: "arg0" if isinstance(value, ir.BlockArgument) and _is_entry(value.owner) else "0"
    if flags.name_locations:
        return lambda value: value.get_name(use_name_loc_as_prefix=True)
    state = ir.AsmState(root)
    return lambda value: value.get_name(state)


def _is_entry(block: ir.Block) -> bool:
    return block == block.region.blocks[0]


def _is_isolated(op: ir.Operation) -> bool:
    return ir.Operation.has_trait(op, ir.IsIsolatedFromAboveTrait)


def _is_valid(op: ir.Operation) -> bool:
    with DiagnosticCollector(op.context, consume_all=True):
        try:
            return op.verify()
        except ir.MLIRError:
            return False
