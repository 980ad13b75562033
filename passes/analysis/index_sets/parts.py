"""Decomposition of queries about slices: dimensions without common symbols are decided separately.

That two slices have an element in common is a conjunction of demands, one for each dimension, and of the loops' bounds:
an index that the first slice has at the first point and the second one at the second point. Demands that depend on
different symbols, even indirectly, are independent: the whole has a solution if each part has, and solutions of parts
form one of the whole. Questions about tiled nests are often about slices that differ in one dimension, so answers about
parts are memoized by their demands.

Cost: linear in the demands and loops, and a system for each part that is new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....dialects.support.frozen_classes import frozen_slots
from ..ir.union_find import UnionFind
from .omega_test import evaluate
from .points import Direction, Points
from .problems import Answer, Solvability
from .slices import Slice
from .sums import Index, index_symbols
from .symbols import IndexTerms, InductionVariable, Range

__all__ = ["Demand", "DimensionAnswer", "Parts", "Witness", "answer_of"]

Witness = tuple[tuple[int, int, int], ...]
"""Symbols, at which of the two points (0: the same at both), and their values."""


@frozen_slots
class DimensionAnswer:
    """An answer, and for NO the values of a counterexample."""

    answer: Answer
    witness: Witness = ()
    element: tuple[int, ...] = ()
    """The indices of the element, for queries about one element."""


_Extent = tuple[Index, Index, Index]
"""Offset, size and stride."""

Demand = tuple[int, int]
"""The numbers of the extents of two slices, in one dimension, that are to have an index in common."""


def answer_of(points: Points, outcome: Solvability) -> DimensionAnswer:
    """Read the answer off an outcome: a solution shows the contrary."""
    if outcome.is_feasible is None or (outcome.is_feasible and not points.is_exact):
        return DimensionAnswer(Answer.UNKNOWN)
    if not outcome.is_feasible:
        return DimensionAnswer(Answer.YES)
    values = ((symbol, side, evaluate(row, outcome.solution)) for (symbol, side), row in points.symbols.items())
    return DimensionAnswer(Answer.NO, tuple(values))


@frozen_slots
class _Group:
    """Indices of demands and loops, and the loops that their symbols vary with."""

    demands: tuple[int, ...]
    loops: tuple[int, ...]
    varies: frozenset[int]


class Parts:
    """Decides demands over the symbols of one table; memoizes answers about parts."""

    def __init__(self, terms: IndexTerms) -> None:
        self._terms = terms
        self._supports: dict[int, frozenset[int]] = {}
        self._points: dict[object, Points] = {}
        self._findings: dict[object, DimensionAnswer] = {}
        self._groups: dict[object, list[_Group]] = {}
        # Slices are hashed once; everything else uses their numbers.
        self._numbers: dict[_Extent, int] = {}
        self._extents: list[tuple[Slice, frozenset[int]]] = []
        self._slices: dict[Slice, tuple[int, ...]] = {}
        self._pairs: dict[tuple[int, int], frozenset[int]] = {}

    def extents(self, slice_: Slice) -> tuple[int, ...]:
        """Return numbers for the extents of a slice, equal ones for equal extents."""
        if slice_ not in self._slices:
            extents = zip(slice_.offsets, slice_.sizes, slice_.strides, strict=True)
            self._slices[slice_] = tuple(map(self._number, extents))
        return self._slices[slice_]

    def _number(self, extent: _Extent) -> int:
        number = self._numbers.setdefault(extent, len(self._extents))
        if number == len(self._extents):
            symbols = [symbol for index in extent for symbol in index_symbols(index)]
            slice_ = Slice((extent[0],), (extent[1],), (extent[2],))
            self._extents.append((slice_, frozenset[int]().union(*map(self._support, symbols))))
        return number

    def are_disjoint(
        self,
        demands: Sequence[Demand],
        nest: Sequence[InductionVariable],
        directions: Mapping[int, Direction] | None = None,
    ) -> DimensionAnswer:
        """Whether ``demands`` cannot all be met in iterations of ``nest`` with these ``directions``."""
        given = directions or {}
        varied = frozenset(v for v, direction in given.items() if direction is not Direction.SAME)
        witness: list[tuple[int, int, int]] = []
        is_known = True
        for group in self._grouped(demands, nest):
            mine = tuple([demands[item] for item in group.demands])
            loops = tuple([nest[item] for item in group.loops])
            found = self._part(mine, loops, given, varied & group.varies if varied else varied)
            if found.answer is Answer.YES:
                return found
            is_known = is_known and found.answer is Answer.NO
            witness.extend(found.witness)
        return DimensionAnswer(Answer.NO, tuple(witness)) if is_known else DimensionAnswer(Answer.UNKNOWN)

    def points(
        self, nest: Sequence[InductionVariable], directions: Mapping[int, Direction], varied: frozenset[int]
    ) -> Points:
        """Return two points of ``nest`` with these ``directions``; loops in ``varied`` may differ between them."""
        given = tuple((loop, directions.get(loop.variable, Direction.SAME)) for loop in nest)
        key = (given, varied)
        if key not in self._points:
            points = Points(self._terms, varied)
            points.exist(nest)
            for loop, direction in given:
                if self._terms.varies_with(loop.variable) & varied:
                    points.relate(loop, direction)
            self._points[key] = points
        return self._points[key].copy()

    def _part(
        self,
        demands: tuple[Demand, ...],
        loops: tuple[InductionVariable, ...],
        given: Mapping[int, Direction],
        varied: frozenset[int],
    ) -> DimensionAnswer:
        key = (demands, tuple([(loop.variable, given.get(loop.variable)) for loop in loops]), varied)
        found = self._findings.get(key)
        if found is None:
            points = self.points(loops, given, varied)
            for first, second in demands:
                points.overlap(self._extents[first][0], self._extents[second][0])
            found = self._findings[key] = answer_of(points, points.decide())
        return found

    # --- what depends on what ------------------------------------------------------------------------------------

    def _grouped(self, demands: Sequence[Demand], nest: Sequence[InductionVariable]) -> list[_Group]:
        """Return groups of demands and loops that have no symbol in common."""
        supports = tuple([self._pair(first, second) for first, second in demands])
        key = (supports, tuple([loop.variable for loop in nest]))
        if key not in self._groups:
            self._groups[key] = self._found_groups(
                [*supports, *(self._support(loop.variable) for loop in nest)], len(demands)
            )
        return self._groups[key]

    def _found_groups(self, supports: Sequence[frozenset[int]], count: int) -> list[_Group]:
        sets = UnionFind()
        owner: dict[int, int] = {}
        for item, support in enumerate(supports):
            for symbol in support:
                sets.union(owner.setdefault(symbol, item), item)
        members: dict[int, list[int]] = {}
        for item in range(len(supports)):
            members.setdefault(sets.find(item), []).append(item)
        groups: list[_Group] = []
        for items in members.values():
            symbols = frozenset[int]().union(*(supports[item] for item in items))
            varies = frozenset[int]().union(*map(self._terms.varies_with, symbols))
            demands = tuple(item for item in items if item < count)
            groups.append(_Group(demands, tuple(item - count for item in items if item >= count), varies))
        return groups

    def _pair(self, first: int, second: int) -> frozenset[int]:
        found = self._pairs.get((first, second))
        if found is None:
            found = self._pairs[first, second] = self._extents[first][1] | self._extents[second][1]
        return found

    def _support(self, symbol: int) -> frozenset[int]:
        """Return all symbols in the definition of ``symbol``, and in theirs."""
        found = self._supports.get(symbol)
        if found is None:
            stack, seen = [symbol], {symbol}
            while stack:
                last = stack.pop()
                definition = self._terms.definitions.get(last)
                parts = self._terms.parts(last)
                if isinstance(definition, Range):
                    parts = tuple(part for part in (definition.least, definition.bound) if part is not None)
                new = {part for index in parts for part in index_symbols(index)} - seen
                seen |= new
                stack.extend(new)
            found = self._supports[symbol] = frozenset(seen)
        return found
