"""Whether slices written in all iterations of a loop nest cover a whole tensor.

To cover means: each element lies in the slice of some iteration. The proof constructs that iteration, loop by loop from
the outermost one: the last iteration whose slice can begin at or before the element, with all inner loops at their
first iteration. If the loop moves the slice backwards, it is the first such iteration; if the loop's variable is the
slice's offset within its stride, the one with the element's remainder; if the loop does not move the slice, the first
one. The rest is linear: no element is outside of the slices of these iterations, and these iterations exist for all
elements.

If the system yields an uncovered element, it is checked with its values for all symbols: if it is in no slice of any
iteration, the tensor is not covered; otherwise the answer is "unknown". For slices whose begin and end never decrease
from one iteration to the next, only the named iteration matters, so that the answer is exact.

Cost: a system for each loop, for each of the first four slices, and one for each slice if an element is not covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from ....dialects.support.frozen_classes import frozen_slots
from .distributed_loops import gathered
from .omega_test import Row, combine, evaluate
from .points import FIRST, Points, number
from .problems import Answer, Case, Solvability, not_less
from .relations import DimensionAnswer, IndexSets, answer_of
from .slices import Slice
from .sums import Index, Symbol, index_symbols
from .symbols import IndexTerms, InductionVariable

__all__ = ["covers"]

_MOST_LOOPS = 24
"""The greatest depth of a nest that is considered: one system, linear in the depth, for each loop."""
_SLICES = 4
"""The most slices considered; the work grows with their number to the power of the rank."""


def covers(
    sets: IndexSets, slices: Sequence[Slice], sizes: Sequence[Index], nest: Sequence[InductionVariable]
) -> DimensionAnswer:
    """Whether each element of a tensor of ``sizes`` lies in one of ``slices`` in some iteration of ``nest``.

    The slices are those of one iteration of the innermost loop. NO comes with values of the symbols that do not depend
    on the loops, for which an element is left out. Symbols that loops change in unknown ways may have any value. Of
    more than four different slices only the first four are considered.
    """
    distinct = list(dict.fromkeys(slices))
    usable = [
        slice_ for slice_ in distinct if len(slice_.offsets) == len(sizes) and min(slice_.symbols, default=0) >= 0
    ]
    if len(nest) > _MOST_LOOPS or any(loop.upper is None for loop in nest):
        return DimensionAnswer(Answer.UNKNOWN)
    terms, loops = gathered(sets.terms, nest, usable, sets.runs_always(nest))
    tensor = _Tensor(terms, tuple(sizes), loops, tuple(usable[:_SLICES]))
    # A tensor covered by a few slices is covered by all; an element outside of a few may be in another one.
    answers = (Answer.YES, Answer.NO) if len(tensor.slices) == len(distinct) else (Answer.YES,)
    for found in map(tensor.covered, tensor.slices) if usable else (tensor.any_element(),):
        if found.answer in answers:
            return found
    return DimensionAnswer(Answer.UNKNOWN)


@frozen_slots
class _Choice:
    """The dimension in which a loop moves the guiding slice (-1: none), its initial offset, and its step."""

    loop: InductionVariable
    dimension: int
    start: Index
    factor: Index
    first: Index
    """The offset of the slice in the first iteration."""


@frozen_slots
class _Tensor:
    terms: IndexTerms
    sizes: tuple[Index, ...]
    loops: tuple[InductionVariable, ...]
    slices: tuple[Slice, ...]

    def _element(self) -> tuple[Points, list[Row]]:
        """Return any element of the tensor."""
        points = Points(self.terms)
        element = [points.problem.unknown() for _ in self.sizes]
        for index, size in zip(element, self.sizes, strict=True):
            points.problem.at_least(index, {})
            points.problem.at_least(points.row(size, FIRST), index, 1)
        return points, element

    def any_element(self) -> DimensionAnswer:
        """Whether the tensor has no element."""
        points, _ = self._element()
        return answer_of(points, points.decide())

    def covered(self, guide: Slice) -> DimensionAnswer:
        """Whether no element lies outside of the slices of the iterations that ``guide`` names."""
        choices = self._choices(guide)
        if choices is None:
            return DimensionAnswer(Answer.UNKNOWN)
        for depth in range(len(choices) + 1):
            points, element = self._element()
            for choice in choices[:depth]:
                _choose(points, choice, element, guide)
            if depth < len(choices):
                _lack(points, choices[depth], element, guide)
            else:
                self._miss(points, element)
            outcome = points.decide()
            if outcome.is_feasible is None:
                return DimensionAnswer(Answer.UNKNOWN)
            if outcome.is_feasible:
                return self._confirmed(points, [evaluate(index, outcome.solution) for index in element], outcome)
        return DimensionAnswer(Answer.YES)

    def _ordered(self, guide: Slice) -> list[InductionVariable]:
        """Return the loops, those first that move the slice the farthest, as far as their bounds allow."""
        order: list[InductionVariable] = []
        waiting = {loop.variable: loop for loop in self.loops}
        while waiting:
            ready = [
                loop
                for loop in waiting.values()
                if not (self.terms.varies_with(loop.variable) - {loop.variable}) & waiting.keys()
            ]
            farthest = max(ready, key=lambda loop: self._distance(guide, loop))
            order.append(waiting.pop(farthest.variable))
        return order

    def _distance(self, guide: Slice, loop: InductionVariable) -> float:
        moves = [self.terms.factor(offset, loop.variable) for offset in guide.offsets]
        numbers = [
            abs(factor) * loop.step for factor in moves if isinstance(factor, int) and isinstance(loop.step, int)
        ]
        return max(numbers, default=0) if len(numbers) == len(moves) else inf

    def _choices(self, guide: Slice) -> list[_Choice] | None:
        starts: list[Index | None] = list(guide.offsets)
        choices: list[_Choice] = []
        for loop in reversed(self._ordered(guide)):
            choice: _Choice | None = None
            is_open = False
            for dimension, start in enumerate(starts):
                factor = None if start is None else self.terms.factor(start, loop.variable)
                if start is None or factor is None:
                    starts[dimension] = None
                    moving = index_symbols(guide.offsets[dimension])
                    is_open = is_open or any(loop.variable in self.terms.varies_with(symbol) for symbol in moving)
                elif factor != 0:
                    first = self.terms.replaced(start, loop.variable, loop.lower)
                    if choice is None and first is not None:
                        choice = _Choice(loop, dimension, start, factor, first)
                    # With a factor below 0 the slice begins last in the first iteration.
                    starts[dimension] = first if self.terms.is_never_negative(factor) else None
            if choice is None and is_open:
                return None
            choices.append(choice or _Choice(loop, -1, 0, 0, 0))
        usable = all(isinstance(c.factor, int) or self.terms.is_never_negative(c.factor) for c in choices)
        return choices[::-1] if usable else None

    def _miss(self, points: Points, element: Sequence[Row]) -> None:
        """Demand that the element is in none of the slices, without those for which that is not linear."""
        for slice_ in self.slices:
            cases: list[Case] = []
            for dimension, index in enumerate(element):
                outside = points.outside(slice_, dimension, index)
                if outside is None:
                    break
                cases.extend(outside)
            else:
                points.problem.alternatives.append(tuple(cases))

    def _confirmed(self, points: Points, element: list[int], outcome: Solvability) -> DimensionAnswer:
        """Whether the element is in no slice of any iteration, for the solution's values of loop-invariant symbols."""
        variables = {loop.variable for loop in self.loops}
        values = tuple(
            (symbol, side, evaluate(row, outcome.solution))
            for (symbol, side), row in points.symbols.items()
            if not variables & self.terms.varies_with(symbol)
        )
        for slice_ in self.slices:
            other = Points(self.terms)
            for symbol, _, value in values:
                other.problem.equal(other.row(Symbol(symbol), FIRST), number(value))
            other.exist(self.loops)
            for dimension, index in enumerate(element):
                other.inside(slice_, dimension, FIRST, number(index))
            if other.decide().is_feasible is not False:
                return DimensionAnswer(Answer.UNKNOWN)
        return DimensionAnswer(Answer.NO, values, tuple(element))


def _choose(points: Points, choice: _Choice, element: Sequence[Row], guide: Slice) -> None:
    """Demand the iteration of a loop in which the slice begins last, not after the element."""
    problem, loop = points.problem, choice.loop
    variable, lower = points.row(Symbol(loop.variable), FIRST), points.row(loop.lower, FIRST)
    if choice.dimension < 0:
        problem.equal(variable, lower)
        return
    index, start = element[choice.dimension], points.row(choice.start, FIRST)
    stride = _interleaved(choice, guide)
    if stride:
        problem.at_least(lower, variable, 1 - stride)
        problem.equal(combine(index, start, -1), combine({}, problem.unknown(), stride))
        return
    problem.at_least(index, start)
    step = points.row(loop.step, FIRST)
    moved = points.multiplied(points.row(choice.factor, FIRST), step)
    if _is_backwards(choice):
        neighbour, is_end = combine(start, moved, -1), not_less(lower, combine(variable, step, -1), 1)
    else:
        neighbour, is_end = combine(start, moved), not_less(combine(variable, step), _upper(points, loop))
    problem.alternatives.append((Case(bounds=(not_less(neighbour, index, 1),)), Case(bounds=(is_end,))))


def _lack(points: Points, choice: _Choice, element: Sequence[Row], guide: Slice) -> None:
    """Demand that there is no such iteration."""
    problem, loop = points.problem, choice.loop
    lower, upper = points.row(loop.lower, FIRST), _upper(points, loop)
    if choice.dimension < 0:
        problem.at_least(lower, upper)
        return
    index = element[choice.dimension]
    stride = _interleaved(choice, guide)
    if stride:
        rest = problem.unknown()
        distance = combine(index, points.row(choice.first, FIRST), -1)
        problem.equal(distance, combine(rest, problem.unknown(), stride))
        problem.at_least(rest, {})
        problem.at_least(number(stride - 1), rest)
        problem.at_least(combine(lower, rest), upper)
        return
    empty = Case(bounds=(not_less(lower, upper),))
    if not _is_backwards(choice):
        problem.alternatives.append((empty, Case(bounds=(not_less(points.row(choice.first, FIRST), index, 1),))))
        return
    # There is a last iteration, a number of steps after the first one: there the slice begins at the least.
    steps = problem.unknown()
    last = combine(lower, points.multiplied(points.row(loop.step, FIRST), steps))
    start = combine(points.row(choice.first, FIRST), combine(last, lower, -1), _number(choice.factor))
    ends = (not_less(upper, last, 1), not_less(combine(last, points.row(loop.step, FIRST)), upper))
    late = Case(bounds=(not_less(steps, {}), *ends, not_less(start, index, 1)))
    problem.alternatives.append((empty, late))


def _interleaved(choice: _Choice, guide: Slice) -> int:
    """Return the stride of the slice if the loop moves it by 1 from each iteration to the next; else 0."""
    stride = guide.strides[choice.dimension]
    return stride if isinstance(stride, int) and stride > 1 and choice.factor == choice.loop.step == 1 else 0


def _is_backwards(choice: _Choice) -> bool:
    return _number(choice.factor) < 0


def _number(factor: Index) -> int:
    return factor if isinstance(factor, int) else 0


def _upper(points: Points, loop: InductionVariable) -> Row:
    return {} if loop.upper is None else points.row(loop.upper, FIRST)
