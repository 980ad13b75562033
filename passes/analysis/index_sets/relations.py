"""Slices as sets of indices, in all iterations of loops: equal, contained, disjoint; empty or not.

Every question is asked as "are there values of the symbols, an iteration (or two) and an element that show the
contrary": linear constraints over integers, which ``search.py`` decides. So ``YES`` is a proof for all values, ``NO``
comes with a counterexample, and ``UNKNOWN`` is the answer for constraints that are not linear (a dynamic tile size
times an index, beyond what is known of such products) or take more than a fixed amount of work.

Answers are exact for constant strides, and offsets, sizes, bounds and steps that are sums of symbols with constant
factors, minima and maxima of such sums, or quotients and remainders by constants. With symbolic steps or factors,
``YES`` is still a proof and ``NO`` still has a counterexample.

``coverage.py`` answers what all iterations together cover.

Cost: depends on the slices' rank and the loops around them only, each of which adds a constant number of rows; and a
system for each loop where iterations of a nest are compared. See docs/theory/index-sets.md.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence

from .distributed_loops import gathered
from .parts import DimensionAnswer, DimensionRelation, Parts, Witness, answer_of
from .points import FIRST, Direction, Points
from .problems import Answer, Case, not_less
from .slices import Slice, SliceRelation, slice_relation
from .symbols import IndexTerms, InductionVariable

__all__ = [
    "MOST_LOOPS",
    "DimensionAnswer",
    "IndexSets",
    "Presence",
    "SetRelation",
    "Witness",
    "answer_of",
    "carried_by",
    "first_no",
]

MOST_LOOPS = 24
"""The greatest depth of a nest whose loops are compared one by one: one system, linear in the depth, for each."""


class SetRelation(enum.Enum):
    """The relation of two slices at one point, for all values of the symbols."""

    EQUAL = "equal"
    DISJOINT = "disjoint"
    CONTAINED = "contained"
    """Every element of the first is one of the second."""
    CONTAINS = "contains"
    """Every element of the second is one of the first."""
    MAY_OVERLAP = "may overlap"
    """None of these: for some values they have elements in common, for some each has elements of its own."""
    UNKNOWN = "unknown"


class Presence(enum.Enum):
    """Whether a loop has iterations, or a slice has elements."""

    ALWAYS = "always"
    NEVER = "never"
    SOMETIMES = "sometimes"
    UNKNOWN = "unknown"


class IndexSets:
    """Answers questions about slices over the symbols of one table; memoizes answers."""

    def __init__(self, terms: IndexTerms) -> None:
        self.terms = terms
        self._parts = Parts(terms)

    # --- one point ---------------------------------------------------------------------------------------------

    def relation(self, first: Slice, second: Slice, nest: Sequence[InductionVariable] = ()) -> SetRelation:
        """Compare two slices of one tensor in one iteration of ``nest``."""
        quick = slice_relation(first, second)
        if quick is SliceRelation.EQUAL:
            return SetRelation.EQUAL
        if quick is SliceRelation.DISJOINT:
            return SetRelation.DISJOINT
        apart = self.are_disjoint(first, second, nest).answer
        if apart is Answer.YES:
            return SetRelation.DISJOINT
        within = self.is_contained(first, second, nest).answer
        around = self.is_contained(second, first, nest).answer
        if within is Answer.YES:
            return SetRelation.EQUAL if around is Answer.YES else SetRelation.CONTAINED
        if around is Answer.YES:
            return SetRelation.CONTAINS
        unknown = Answer.UNKNOWN in (apart, within, around)
        return SetRelation.UNKNOWN if unknown else SetRelation.MAY_OVERLAP

    def is_contained(self, first: Slice, second: Slice, nest: Sequence[InductionVariable] = ()) -> DimensionAnswer:
        """Whether every element of ``first`` is one of ``second``, in one iteration of ``nest``."""
        mine, other = self._parts.extents(first), self._parts.extents(second)
        if len(mine) != len(other):
            return DimensionAnswer(Answer.UNKNOWN)
        result = DimensionAnswer(Answer.YES)
        for dimension, (extent, around) in enumerate(zip(mine, other, strict=True)):
            if extent == around:
                continue
            # An element of the first whose index is none of the second's.
            demands = [(DimensionRelation.INSIDE, number, number) for number in mine]
            demands[dimension] = (DimensionRelation.LEFT_OUT, extent, around)
            found = self._parts.decide(demands, nest)
            if found.answer is Answer.NO:
                return found
            result = found if found.answer is Answer.UNKNOWN else result
        return result

    # --- two points --------------------------------------------------------------------------------------------

    def are_disjoint(
        self,
        first: Slice,
        second: Slice,
        nest: Sequence[InductionVariable] = (),
        directions: Mapping[int, Direction] | None = None,
    ) -> DimensionAnswer:
        """Whether ``first`` in an iteration of ``nest`` has no element of ``second`` in another one.

        ``directions`` says, by the loops' variables, how the iterations compare; SAME if not given. Loops with a
        direction other than SAME may be in different iterations, and symbols that depend on them may differ. That is
        true for loops outside of the nest as well: those around only one of the points.
        """
        mine, other = self._parts.extents(first), self._parts.extents(second)
        if len(mine) != len(other):
            return DimensionAnswer(Answer.UNKNOWN)
        return self._parts.decide(
            [(DimensionRelation.COMMON, *pair) for pair in zip(mine, other, strict=True)], nest, directions
        )

    def points(self, nest: Sequence[InductionVariable], directions: Mapping[int, Direction]) -> Points:
        """Return two points of ``nest`` with these ``directions``."""
        varied = frozenset(v for v, direction in directions.items() if direction is not Direction.SAME)
        return self._parts.points(nest, directions, varied)

    def are_disjoint_between(
        self, first: Slice, second: Slice, nest: Sequence[InductionVariable], loop: InductionVariable
    ) -> DimensionAnswer:
        """Whether ``first`` never meets ``second`` of another iteration of ``loop``.

        The loops around it are in the same iteration, those inside in any.
        """
        return first_no(
            self.are_disjoint(first, second, nest, carried_by(nest, loop, direction))
            for direction in (Direction.LATER, Direction.EARLIER)
        )

    def iterations_are_disjoint(self, slice_: Slice, nest: Sequence[InductionVariable]) -> DimensionAnswer:
        """Whether no element of ``slice_`` is met in two iterations of ``nest``. One system for each loop."""
        if len(nest) > MOST_LOOPS:
            return DimensionAnswer(Answer.UNKNOWN)
        terms, loops = gathered(self.terms, nest, [slice_], self.runs_always(nest))
        sets = self if terms is self.terms else IndexSets(terms)
        return first_no(
            sets.are_disjoint(slice_, slice_, loops, carried_by(loops, loop, Direction.LATER)) for loop in loops
        )

    def runs_always(self, nest: Sequence[InductionVariable]) -> Callable[[InductionVariable], bool]:
        """Return the predicate that a loop of ``nest`` runs at least once whenever it is reached."""
        around = {loop: nest[:depth] for depth, loop in enumerate(nest)}
        return lambda loop: self.iterations(loop, around[loop]) is Presence.ALWAYS

    # --- emptiness ---------------------------------------------------------------------------------------------

    def elements(self, slice_: Slice, nest: Sequence[InductionVariable] = ()) -> Presence:
        """Whether ``slice_`` has elements."""

        def empty(points: Points) -> None:
            sizes = [points.row(size, FIRST) for size in slice_.sizes]
            points.problem.alternatives.append(tuple(Case(bounds=(not_less({}, size),)) for size in sizes))

        def filled(points: Points) -> None:
            for size in slice_.sizes:
                points.problem.at_least(points.row(size, FIRST), {}, 1)

        return self._presence(empty, filled, nest)

    def iterations(self, loop: InductionVariable, around: Sequence[InductionVariable] = ()) -> Presence:
        """Whether ``loop`` runs at least once when it is reached, in the iterations of the loops ``around`` it."""
        if loop.upper is None:
            return Presence.UNKNOWN
        upper = loop.upper

        def empty(points: Points) -> None:
            points.problem.at_least(points.row(loop.lower, FIRST), points.row(upper, FIRST))

        def filled(points: Points) -> None:
            points.problem.at_least(points.row(upper, FIRST), points.row(loop.lower, FIRST), 1)

        return self._presence(empty, filled, around)

    def _presence(
        self, empty: Callable[[Points], None], filled: Callable[[Points], None], nest: Sequence[InductionVariable]
    ) -> Presence:
        answers: list[Answer] = []
        for demand in (empty, filled):
            points = self.points(nest, {})
            demand(points)
            answers.append(answer_of(points, points.decide()).answer)
        if Answer.YES in answers:
            return Presence.ALWAYS if answers[0] is Answer.YES else Presence.NEVER
        return Presence.SOMETIMES if answers == [Answer.NO, Answer.NO] else Presence.UNKNOWN


def carried_by(
    nest: Sequence[InductionVariable], loop: InductionVariable, direction: Direction
) -> dict[int, Direction]:
    """Return the directions of two iterations of ``loop``: the same of the loops around it, any of those inside."""
    depth = nest.index(loop)
    return {loop.variable: direction} | {inner.variable: Direction.ANY for inner in nest[depth + 1 :]}


def first_no(findings: Iterable[DimensionAnswer]) -> DimensionAnswer:
    """Return YES if all are, else a NO if there is one; stops at the first NO."""
    result = DimensionAnswer(Answer.YES)
    for finding in findings:
        if finding.answer is Answer.NO:
            return finding
        result = finding if finding.answer is Answer.UNKNOWN else result
    return result
