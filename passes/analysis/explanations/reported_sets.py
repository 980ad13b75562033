"""The alias sets of a module as plain data: which values may share memory, and from where to where that is in use.

Read while the ops exist, when everything is decided. A set lives from its first definition to its last use; a value
that is used in a loop that does not define it lives to the end of that loop. Linear in values and uses, times the
nesting.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ...framework.diagnostics import file_location
from ..in_place.function_decisions import FunctionAnalysis
from ..whole_module.module import ModuleAnalysis
from .names import ValueNames

__all__ = ["ReportedAliasSet", "ReportedValue", "reported_sets"]


@frozen
class ReportedValue:
    """A tensor value of the program: its name, its type, and its line in the file of its set, 0 if not known."""

    name: str
    type: str
    line: int


@frozen
class ReportedAliasSet:
    """Tensors that may share memory.

    Attributes:
        function: the symbol of the function.
        origins: where the memory comes from: of `argument`, `allocation`, `constant`, `memref`, `call`, `global`.
        values: the tensors, in program order.
        file: the file that the lines are of, empty if none is known.
        first: the line in which a tensor of the set is first defined, 0 if not known.
        last: the line in which one is last used, 0 if not known.
    """

    function: str
    origins: tuple[str, ...]
    values: tuple[ReportedValue, ...]
    file: str
    first: int
    last: int

    def to_json(self) -> dict[str, Any]:
        """The set as JSON objects, by `docs/explanation.schema.json`."""
        return {
            "function": self.function,
            "origins": list(self.origins),
            "values": [{"name": value.name, "type": value.type, "line": value.line} for value in self.values],
            "file": self.file,
            "first": self.first,
            "last": self.last,
        }


def reported_sets(
    analysis: ModuleAnalysis, function: FunctionAnalysis, name: str, names: ValueNames
) -> list[ReportedAliasSet]:
    """Return the alias sets of ``function``, called ``name``, in program order; not those that need no memory."""
    s, members, reader = analysis.snapshot, dict[int, list[int]](), _Reader(analysis, function)
    for value in s.nested_values(function.function):
        if s.value_is_tensor[value] and reader.is_kept(value):
            members.setdefault(function.sets.find(value), []).append(value)
    found: list[ReportedAliasSet] = []
    for values in members.values():
        origins = tuple(dict.fromkeys(filter(None, map(reader.origin, values))))
        if origins:
            found.append(reader.read(name, origins, values, names))
    return found


class _Reader:
    """Reads what is known of the tensors of a function."""

    def __init__(self, analysis: ModuleAnalysis, function: FunctionAnalysis) -> None:
        self._snapshot = analysis.snapshot
        self._effects = analysis.effects
        self._function = function
        code = analysis.effects.dead_code(function.function)
        self._dead, self._dead_arguments = code.ops, frozenset(code.forwarded.values())
        self._places: dict[int, tuple[str, int]] = {}
        """By op, the file and the line."""
        self._types: dict[ir.Type, str] = {}

    def is_kept(self, value: int) -> bool:
        """Whether ``value`` is there after bufferization: ops and arguments that are dead are erased."""
        s = self._snapshot
        if value in self._dead_arguments:
            return False
        return (s.value_op[value] if s.value_op[value] >= 0 else s.block_op[s.value_block[value]]) not in self._dead

    def read(self, name: str, origins: tuple[str, ...], values: list[int], names: ValueNames) -> ReportedAliasSet:
        """Return the set of ``values``."""
        s = self._snapshot
        places = [
            self._place_of(s.value_op[value]) if s.value_op[value] >= 0 else _place(s.values[value].location)
            for value in values
        ]
        file = next((file for file, line in places if line), "")
        used = [place for value in values for place in self._use_places(value)]
        lines = [line for where, line in (*places, *used) if where == file and line]
        described = tuple(
            ReportedValue(names.of(value), self._type_text(s.values[value].type), line if where == file else 0)
            for value, (where, line) in zip(values, places, strict=True)
        )
        return ReportedAliasSet(name, origins, described, file, min(lines, default=0), max(lines, default=0))

    def _place_of(self, op: int) -> tuple[str, int]:
        """Return the place of an op, which is that of its results; looked up once."""
        found = self._places.get(op)
        if found is None:
            found = self._places[op] = _place(self._snapshot.ops[op].location)
        return found

    def _type_text(self, type_: ir.Type) -> str:
        found = self._types.get(type_)
        if found is None:
            found = self._types[type_] = str(type_)
        return found

    def origin(self, value: int) -> str:
        """Return what kind of memory starts at ``value``; empty if none does."""
        s, effects, decisions = self._snapshot, self._effects, self._function.decisions
        sources = [decisions.get(operand) for operand in effects.sources.get(value, ())]
        if any(decision is None or decision.in_place for decision in sources):
            return ""
        if sources:
            return "allocation"
        op = s.value_op[value]
        if op < 0:
            return "argument" if s.function_of(value) >= 0 else ""
        if s.op_name[op] in _ORIGINS:
            return _ORIGINS[s.op_name[op]]
        return "allocation" if not effects.undefined[value] or self._function.needs_buffer(effects, value) else ""

    def _use_places(self, value: int) -> Iterator[tuple[str, int]]:
        """Yield the places of the uses, and of the ends of loops around them that do not define the value."""
        s = self._snapshot
        for operand in s.value_uses[value]:
            op = s.operand_op[operand]
            if op in self._dead:
                continue
            yield self._place_of(op)
            loop = s.block_loop[s.op_block[op]]
            while loop >= 0 and not s.encloses(loop, s.value_position[value]):
                if ops := s.block_ops[loop]:
                    yield self._place_of(ops[-1])
                loop = s.outer_loop(loop)


_ORIGINS = {
    "arith.constant": "constant",
    "bufferization.to_tensor": "memref",
    "func.call": "call",
    "ml_program.global_load": "global",
    "ml_program.global_load_const": "global",
}


def _place(location: ir.Location) -> tuple[str, int]:
    """Return the file and the line of ``location``; the line is 0 if it is not in a file."""
    place = file_location(location)
    return ("", 0) if place is None else (place.filename, place.start_line)
