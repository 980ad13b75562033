"""What joins values in one buffer: operands that are in place, as edges between the values that they tie.

A conflict is about a write and a value that is read. They meet because operands in place bring them together: those on
a way from one to the other, the *core* of the conflict. If any one of these has a buffer of its own, they are apart,
unless there is another way. So a core is no proof; ``improvement.py`` tries what it suggests.

Linear in the operands once; a way is looked for through a bounded number of values.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container
from functools import cached_property

from ..conflicts.decisions import Conflict, Strategy
from ..effects.reader import TensorEffects
from .function_decisions import FunctionAnalysis
from .region_flow import CarriedTensor, carried_values

__all__ = ["Bonds"]

_LONGEST = 256
"""How many values a way is looked for through."""

_MOST_CARRIED = 8
"""Of how many tensors that a loop carries it is asked what joins them."""

_FREE = -1
"""The operand of an edge that is there whatever is decided."""


class Bonds:
    """The edges between the values of op number ``function``."""

    def __init__(self, effects: TensorEffects, function: int) -> None:
        self._effects = effects
        self._snapshot = effects.snapshot
        self._function = function

    @cached_property
    def _edges(self) -> dict[int, list[tuple[int, int]]]:
        """By value, its neighbours, each with the operand that ties them."""
        effects, s = self._effects, self._snapshot
        found: dict[int, list[tuple[int, int]]] = {}

        def join(first: int, second: int, operand: int) -> None:
            found.setdefault(first, []).append((second, operand))
            found.setdefault(second, []).append((first, operand))

        for op in effects.active_ops(self._function):
            for first, second in effects.shared.get(op, ()):
                join(first, second, _FREE)
            for _, argument, result in carried_values(effects, op):
                if result >= 0:
                    join(argument, result, _FREE)
            for operand in effects.tensor_operands(op):
                value = s.operand_value[operand]
                for target in (tie.value for tie in effects.ties.get(operand, ())):
                    join(value, target, operand)
                for target in effects.forwards.get(operand, ()):
                    join(value, target, operand)
        return found

    @cached_property
    def _carried(self) -> dict[int, list[CarriedTensor]]:
        """By operand that a loop yields, all that the loop carries."""
        effects = self._effects
        loops = [carried_values(effects, op) for op in effects.ops_around_tensors(self._function)]
        return {entry.operand: carried for carried in loops for entry in carried}

    def core(self, analysis: FunctionAnalysis, paid: int, conflict: Conflict) -> frozenset[int]:
        """Return the operands that bring together what ``conflict`` is about, if operand ``paid`` is one of them."""
        s, value = self._snapshot, self._content(conflict, paid)
        found = frozenset[int]()
        if value >= 0 and conflict.write >= 0:
            found |= self._from_write(analysis, conflict.write, value, paid)
        if value >= 0 and conflict.read >= 0:
            found |= self._way(analysis, value, {s.operand_value[conflict.read]}, paid) or frozenset()
        return found

    def separates(self, analysis: FunctionAnalysis, paid: int, conflict: Conflict, operand: int) -> bool:
        """Whether what ``conflict`` is about is apart without ``operand``, whatever else is in place, and ``paid``."""
        s, value, write = self._snapshot, self._content(conflict, paid), conflict.write
        if operand == write or value < 0:
            return True
        read = {s.operand_value[conflict.read]} if conflict.read >= 0 else {value}
        return (
            write >= 0 and self._way(analysis, self._written(analysis, write, paid), {value}, paid, operand) is None
        ) or self._way(analysis, value, read, paid, operand) is None

    def _content(self, conflict: Conflict, paid: int) -> int:
        """Return the value that ``conflict`` is about."""
        if conflict.value >= 0:
            return conflict.value
        # What threads write in common is nobody's content: it is what the operand that is paid for brings there.
        return self._snapshot.operand_value[conflict.read if conflict.read >= 0 else paid]

    def _written(self, analysis: FunctionAnalysis, write: int, paid: int) -> int:
        """Return the value whose buffer operand ``write`` writes, if ``paid`` is in place too."""
        decision, ties = analysis.decisions.get(write), self._effects.ties.get(write, ())
        if decision is not None and decision.strategy is Strategy.COPY_TO_CARRIED:
            return self._effects.forwards[write][0]
        if decision is not None and not decision.in_place and write != paid and ties:
            return ties[0].value
        return self._snapshot.operand_value[write]

    def _from_write(self, analysis: FunctionAnalysis, write: int, value: int, paid: int) -> frozenset[int]:
        """Return the operands that bring the memory of ``value`` to operand ``write``, and that itself."""
        first = self._written(analysis, write, paid)
        own = frozenset({write} if first == self._snapshot.operand_value[write] else ())
        # That of the operand that is paid for may be of another iteration.
        before = self._way(analysis, first, {value}, without=write)
        way = self._way(analysis, first, {value}, paid, without=write)
        if way is None:
            way = self._way(analysis, first, {value}, paid)
        elif paid not in way and paid != write:
            way = way | self._through(analysis, first, value, paid)
        way = (way or frozenset()) | (before or frozenset())
        return way | own

    def _through(self, analysis: FunctionAnalysis, first: int, value: int, paid: int) -> frozenset[int]:
        """Return the operands on a shortest way that leads through ``paid``; none if there is no such way."""
        effects, found = self._effects, list[frozenset[int]]()
        source = self._snapshot.operand_value[paid]
        targets = [tie.value for tie in effects.ties.get(paid, ())] or list(effects.forwards.get(paid, ()))
        for target in targets:
            for near, far in ((source, target), (target, source)):
                there, back = self._way(analysis, first, {near}), self._way(analysis, far, {value})
                if there is not None and back is not None:
                    found.append(there | back | {paid})
        return min(found, key=len, default=frozenset())

    def outside_loop(self, analysis: FunctionAnalysis, operand: int) -> frozenset[int]:
        """Return operands in place that bring what a loop yields by ``operand`` into what it carries, or others of it.

        Not by the loop itself: what it yields and what it starts with is left out.
        """
        s, decisions, carried = self._snapshot, analysis.decisions, self._carried.get(operand, ())[:_MOST_CARRIED]
        own = {entry.operand for entry in carried}
        for entry in carried:
            own.update(s.operands(s.block_op[s.value_block[entry.argument]]))

        def holds(one: int) -> bool:
            return one not in own and (one not in decisions or decisions[one].in_place)

        found = frozenset[int]()
        for entry in carried:
            found |= self._search(s.operand_value[entry.operand], {entry.argument}.__contains__, holds) or frozenset()
        return found

    def to_argument(self, analysis: FunctionAnalysis, value: int) -> frozenset[int] | None:
        """Return operands in place between ``value`` and an argument of the function; None if there is none."""
        s = self._snapshot
        return self._search(
            value,
            lambda one: s.value_op[one] < 0 and s.block_op[s.value_block[one]] == self._function,
            lambda operand: operand not in analysis.decisions or analysis.decisions[operand].in_place,
        )

    def sources(self, analysis: FunctionAnalysis, value: int) -> frozenset[int]:
        """Return the operands in place that bring memory into the buffer of ``value``."""
        s, found, work, seen = self._snapshot, set[int](), [value], {value}
        while work and len(seen) < _LONGEST:
            for operand in self._effects.sources.get(work.pop(), ()):
                decision = analysis.decisions.get(operand)
                if decision is not None and decision.in_place:
                    found.add(operand)
                    if s.operand_value[operand] not in seen:
                        seen.add(s.operand_value[operand])
                        work.append(s.operand_value[operand])
        return frozenset(found)

    def between(self, first: int, second: int) -> frozenset[int] | None:
        """Return the operands that would have to be in place for two values to be in one buffer, if any."""
        return self._search(first, lambda one: one == second, lambda _: True)

    def _way(
        self, analysis: FunctionAnalysis, first: int, targets: Container[int], paid: int = _FREE, without: int = _FREE
    ) -> frozenset[int] | None:
        """Return the operands on a shortest way of operands in place, and ``paid``; None if there is none."""
        decisions = analysis.decisions

        def holds(operand: int) -> bool:
            return operand != without and (
                operand in (_FREE, paid) or operand not in decisions or decisions[operand].in_place
            )

        return self._search(first, lambda value: value in targets, holds)

    def _search(
        self, first: int, is_target: Callable[[int], bool], holds: Callable[[int], bool]
    ) -> frozenset[int] | None:
        edges, before = self._edges, {first: (_FREE, _FREE)}
        work = deque([first])
        while work and len(before) < _LONGEST:
            value = work.popleft()
            if is_target(value):
                return self._path(before, value)
            for other, operand in edges.get(value, ()):
                if other not in before and holds(operand):
                    before[other] = value, operand
                    work.append(other)
        return None

    @staticmethod
    def _path(before: dict[int, tuple[int, int]], value: int) -> frozenset[int]:
        found: list[int] = []
        while value >= 0:
            value, operand = before[value]
            if operand >= 0:
                found.append(operand)
        return frozenset(found)
