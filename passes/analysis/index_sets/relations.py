"""Slices as sets of indices, in all iterations of loops: whether two of them are disjoint, and whether a loop runs.

Every question is asked as "are there values of the symbols, an iteration (or two) and an element that show the
contrary": linear constraints over integers, which ``search.py`` decides. So ``YES`` is a proof for all values, ``NO``
comes with a counterexample, and ``UNKNOWN`` is the answer for constraints that are not linear (a dynamic tile size
times an index, beyond what is known of such products) or take more than a fixed amount of work.

Answers are exact for constant strides, and offsets, sizes, bounds and steps that are sums of symbols with constant
factors, minima and maxima of such sums, or quotients and remainders by constants. With symbolic steps or factors,
``YES`` is still a proof and ``NO`` still has a counterexample.

``coverage.py`` answers what all iterations together cover.

Cost: depends on the slices' rank and the loops around them only, each of which adds a constant number of rows. See
docs/theory/index-sets.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from .parts import DimensionAnswer, Parts, answer_of
from .points import FIRST, Direction
from .problems import Answer
from .slices import Slice
from .symbols import IndexTerms, InductionVariable

__all__ = ["DimensionAnswer", "IndexSets", "answer_of", "first_no"]


class IndexSets:
    """Answers questions about slices over the symbols of one table; memoizes answers."""

    def __init__(self, terms: IndexTerms) -> None:
        self.terms = terms
        self._parts = Parts(terms)

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
        return self._parts.are_disjoint(list(zip(mine, other, strict=True)), nest, directions)

    def runs_always(self, nest: Sequence[InductionVariable]) -> Callable[[InductionVariable], bool]:
        """Return the predicate that a loop of ``nest`` runs at least once whenever it is reached."""
        around = {loop: nest[:depth] for depth, loop in enumerate(nest)}
        return lambda loop: self._runs_always(loop, around[loop])

    def _runs_always(self, loop: InductionVariable, around: Sequence[InductionVariable]) -> bool:
        if loop.upper is None:
            return False
        points = self._parts.points(around, {}, frozenset())
        points.problem.at_least(points.row(loop.lower, FIRST), points.row(loop.upper, FIRST))
        return answer_of(points, points.decide()).answer is Answer.YES


def first_no(findings: Iterable[DimensionAnswer]) -> DimensionAnswer:
    """Return YES if all are, else a NO if there is one; stops at the first NO."""
    result = DimensionAnswer(Answer.YES)
    for finding in findings:
        if finding.answer is Answer.NO:
            return finding
        result = finding if finding.answer is Answer.UNKNOWN else result
    return result
