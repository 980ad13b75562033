"""The names of values as MLIR's printer chooses them, for the two flags of the printer that the bindings lack.

`--mlir-print-unique-ssa-ids` counts on from region to region, the last one first; `--mlir-print-value-users` gives a
number to operations without results too. The names that operations suggest are those of the ordinary print.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field
from itertools import groupby

from mlir import ir

from ...dialects.support.frozen_classes import frozen, record

__all__ = ["ValueNumbers"]

_NUMBER = re.compile(r"\d+")
_ARGUMENT = re.compile(r"arg\d+")
_CONFLICT = re.compile(r"(.+)_\d+")


@frozen
class _Scope:
    """The names that are taken in a region, and in the regions around it."""

    outer: _Scope | None
    names: set[str] = field(default_factory=set)

    def has(self, name: str) -> bool:
        scope: _Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return scope is not None


@record
class _Counters:
    """The next number of a value, of an argument, and of a name that is taken."""

    value: int = 0
    argument: int = 0
    conflict: int = 0

    def copy(self) -> _Counters:
        return _Counters(self.value, self.argument, self.conflict)


class ValueNumbers:
    """The names, without `%`, of all values in `root`, and of its operations without results.

    `definitions` has what stands before the `=` of an operation.

    Args:
        root: the operation from which names are counted.
        usual: what the ordinary print calls a value.
        unique: count on from region to region.
        number_operations: operations without results get a number.
        name_locations: values are called what their named locations say.
    """

    def __init__(
        self,
        root: ir.Operation,
        usual: Callable[[ir.Value], str],
        *,
        unique: bool,
        number_operations: bool,
        name_locations: bool,
    ) -> None:
        self._ordinary = usual
        self._number_operations = number_operations
        self._name_locations = name_locations
        self._counters = _Counters()
        self._scope = _Scope(None)
        self.values: dict[ir.Value, str] = {}
        self.definitions: dict[ir.Operation, str] = {}
        self.operations: dict[ir.Operation, str] = {}
        waiting = [(region, self._counters.copy(), self._scope) for region in root.regions]
        self._number_operation(root)
        while waiting:
            region, counters, outer = waiting.pop()
            if not unique:
                self._counters = counters.copy()
            self._scope = _Scope(outer)
            self._number_region(region)
            inner = [found for block in region for op in block.operations for found in op.operation.regions]
            waiting += [(found, self._counters.copy(), self._scope) for found in inner]

    def of_operation(self, op: ir.Operation) -> list[str]:
        """What the users of a value are called: by their results, or by a number of their own."""
        return [self.values[result] for result in op.results] or [self.operations[op]]

    def _number_region(self, region: ir.Region) -> None:
        for number, block in enumerate(region):
            for argument in block.arguments:
                usual = self._usual(argument)
                by_number = _ARGUMENT.fullmatch(usual) is not None
                by_location = self._name_locations and isinstance(argument.location, ir.NameLoc)
                if number == 0 and (by_number or by_location):
                    usual = f"arg{self._counters.argument}" if by_number else usual
                    self._counters.argument += 1
                self.values[argument] = self._chosen(usual)
            for op in block.operations:
                self._number_operation(op.operation)

    def _number_operation(self, op: ir.Operation) -> None:
        if results := list(op.results):
            packs = [list(pack) for _, pack in groupby(results, self._usual)]
            names = [(self._chosen(self._usual(pack[0])), pack) for pack in packs]
            for name, pack in names:
                self.values.update({r: f"{name}#{i}" if len(pack) > 1 else name for i, r in enumerate(pack)})
            self.definitions[op] = ", ".join(f"%{n}:{len(pack)}" if len(pack) > 1 else f"%{n}" for n, pack in names)
        elif self._number_operations:
            self.operations[op] = self._next_number()

    def _usual(self, value: ir.Value) -> str:
        return self._ordinary(value).removeprefix("%").partition("#")[0]

    def _chosen(self, usual: str) -> str:
        """The name for what the ordinary print calls `usual`, which has a number at its end if it was taken."""
        if _NUMBER.fullmatch(usual):
            return self._next_number()
        conflict = _CONFLICT.fullmatch(usual)
        if conflict and self._scope.has(conflict[1]):
            usual = conflict[1]
        name = usual
        while self._scope.has(name):
            name = f"{usual}_{self._counters.conflict}"
            self._counters.conflict += 1
        self._scope.names.add(name)
        return name

    def _next_number(self) -> str:
        self._counters.value += 1
        return str(self._counters.value - 1)
