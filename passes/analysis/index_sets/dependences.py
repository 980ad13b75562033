"""What one iteration of a loop nest needs of another: flow, anti and output dependences of slices of one tensor.

A *flow* dependence leads from a write to a later read of the same element, an *anti* dependence from a read to a later
write, an *output* dependence from a write to a later one. The outermost loop in whose iterations the two differ
*carries* it; if they are in one iteration of all loops, no loop does. Writes in between are not looked at: a
dependence through memory need not be one of values.

Cost: three systems for each loop, and for each dependence found a few for each loop from its carrier on inwards.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from .omega_test import CONSTANT, combine, evaluate
from .points import FIRST, SECOND, Direction, Points
from .problems import Answer, Case, not_less
from .relations import MOST_LOOPS, IndexSets, carried_by
from .slices import Slice
from .sums import Symbol
from .symbols import Loop

__all__ = ["Dependence", "DependenceKind", "dependences"]


class DependenceKind(enum.Enum):
    """What is done first with an element, and what later."""

    FLOW = "flow"
    """Written, then read."""
    ANTI = "anti"
    """Read, then written."""
    OUTPUT = "output"
    """Written, then written again."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """A dependence; ``directions`` and ``distances`` go with the loops from the carrier on inwards."""

    kind: DependenceKind
    carrier: int | None
    """The variable of the loop that carries it; None within one iteration of all loops."""
    is_certain: bool
    """Whether there are values of the symbols for which it exists; else it could not be excluded."""
    directions: tuple[Direction, ...] = ()
    distances: tuple[int | None, ...] = ()
    """By how much the induction variable is larger at the second access, if that is always the same number."""


def dependences(
    sets: IndexSets, read: Slice, write: Slice, nest: Sequence[Loop], *, read_first: bool = True
) -> tuple[Dependence, ...]:
    """Return the dependences between ``read`` and ``write``; none is left out.

    Each iteration of ``nest`` does both once, in the order that ``read_first`` says. In a nest that is too deep to be
    asked about loop by loop, all dependences are said to be possible.
    """
    within = DependenceKind.ANTI if read_first else DependenceKind.FLOW
    found: list[Dependence] = []
    apart = sets.are_disjoint(read, write, nest).answer
    if apart is not Answer.YES:
        found.append(Dependence(within, None, is_certain=apart is Answer.NO))
    pairs = (
        (DependenceKind.FLOW, write, read),
        (DependenceKind.ANTI, read, write),
        (DependenceKind.OUTPUT, write, write),
    )
    for depth, loop in enumerate(nest):
        directions = carried_by(nest, loop, Direction.LATER)
        for kind, first, second in pairs:
            if len(nest) > MOST_LOOPS:
                found.append(Dependence(kind, loop.variable, is_certain=False))
                continue
            apart = sets.are_disjoint(first, second, nest, directions).answer
            if apart is Answer.YES:
                continue
            points = sets.points(nest, directions)
            points.overlap(first, second)
            lies = [_described(points, inner) for inner in nest[depth:]]
            found.append(
                Dependence(
                    kind, loop.variable, apart is Answer.NO, tuple(d for d, _ in lies), tuple(n for _, n in lies)
                )
            )
    return tuple(found)


def _described(points: Points, loop: Loop) -> tuple[Direction, int | None]:
    """Return how the iterations of ``loop`` lie to each other in all solutions, and their distance if there is one."""
    forward = combine(points.row(Symbol(loop.variable), SECOND), points.row(Symbol(loop.variable), FIRST), -1)
    first = points.decide()
    if first.is_feasible:
        distance = evaluate(forward, first.solution)
        other = points.problem.copy()
        away = combine(forward, {CONSTANT: -distance})
        other.alternatives.append((Case(bounds=(not_less(away, {}, 1),)), Case(bounds=(not_less({}, away, 1),))))
        if points.decide(other).is_feasible is False:
            direction = Direction.LATER if distance > 0 else Direction.EARLIER if distance else Direction.SAME
            return direction, distance
    possible: set[Direction] = set()
    for direction, row in (
        (Direction.LATER, not_less(forward, {}, 1)),
        (Direction.EARLIER, not_less({}, forward, 1)),
    ):
        if _is_possible(points, Case(bounds=(row,))):
            possible.add(direction)
    if _is_possible(points, Case((forward,))):
        possible.add(Direction.SAME)
    return _summary(possible), None


def _is_possible(points: Points, case: Case) -> bool:
    narrowed = points.problem.copy()
    narrowed.add(case)
    return points.decide(narrowed).is_feasible is not False


def _summary(possible: set[Direction]) -> Direction:
    if possible == {Direction.LATER, Direction.EARLIER}:
        return Direction.OTHER
    return next(iter(possible)) if len(possible) == 1 else Direction.ANY
