"""Loops around tiles of registers or tensors, in equal steps, with a remainder tile."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from mlir import ir
from mlir.dialects import arith, scf

from ....dialects.structured import index_constant
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number, as_value

__all__ = ["Segment", "build_loop", "segments"]

_Body = Callable[[Number, list[ir.Value]], list[ir.Value]]


@frozen
class Segment:
    """A part of a loop that runs in equal steps.

    Attributes:
        lower: where it begins.
        upper: where it ends; a multiple of `step` after `lower`, except in a single masked step.
        step: how many iterations of the loop one step does.
        count: the number of vectors, or rows, in a step.
        masked: whether the last vector may reach beyond the end.
    """

    lower: Number
    upper: Number
    step: int
    count: int
    masked: bool = False


def segments(
    size: Number, unit: int, count: int, *, halves: bool = False, known: Collection[int] = ()
) -> Iterator[Segment]:
    """Cut a loop of `size` iterations into steps of `count` vectors of `unit` lanes (1 for rows), and a remainder.

    The remainder of a static size is one step with fewer vectors; of a dynamic size, steps of one vector. The last
    vector is masked where it can be incomplete. There are no segments without iterations where the size is static.

    With `halves`, a remainder of rows that is less than half a step is joined with the step before: two steps do half
    of both each. `known` are all values that a dynamic number of rows can have: if only one of them leaves a remainder,
    that is cut like that of a static size.
    """
    step = unit * count
    if isinstance(size, int):
        yield from _known_segments(size, unit, count, halves=halves)
        return
    if step == 1:
        yield Segment(0, size, 1, 1)
        return
    cut = {one: list(_known_segments(one, 1, count, halves=halves)) for one in known if unit == 1}
    odd = [one for one, parts in cut.items() if any(part.count != count for part in parts)]
    if cut and len(odd) <= 1:
        yield from _segments_of_two(size, count, cut[odd[0]] if odd else [])
        return
    main_end = arith.subi(size, arith.remui(size, index_constant(step)))
    yield Segment(0, main_end, step, count)
    yield Segment(main_end, size, unit, 1, masked=unit > 1)


def _known_segments(size: int, unit: int, count: int, *, halves: bool) -> Iterator[Segment]:
    """Cut a loop of static size; see `segments`."""
    step = unit * count
    rest = size % step
    tail, part = rest, rest
    if halves and unit == 1 and size > step and 0 < 2 * rest < step:
        tail = step + rest
        part = (tail + 1) // 2
    main = size - tail
    if main:
        yield Segment(0, main, step, count)
    # Steps that are equal are one loop.
    whole = part and tail // part * part
    for lower, upper, one in ((main, main + whole, part), (main + whole, size, tail - whole)):
        if lower < upper:
            vectors = -(-one // unit)
            yield Segment(lower, upper, vectors * unit, vectors, masked=one % unit != 0)


def _segments_of_two(size: ir.Value, count: int, odd: Sequence[Segment]) -> Iterator[Segment]:
    """Cut rows whose `size` is a multiple of `count`, or the one size whose segments are `odd`."""
    tail = [part for part in odd if part.count != count]
    if not tail:
        yield Segment(0, size, count, count)
        return
    # Without a remainder the main part ends where the rows do, and the loops over the tail have no iterations.
    is_odd = arith.cmpi(arith.CmpIPredicate.eq, size, as_value(odd[-1].upper))
    ends = [arith.select(is_odd, as_value(part.lower), size) for part in tail]
    yield Segment(0, ends[0], count, count)
    for part, lower, upper in zip(tail, ends, [*ends[1:], size], strict=True):
        yield Segment(lower, upper, part.step, part.count)


def build_loop(segment: Segment, carried: Sequence[ir.Value], body: _Body) -> list[ir.Value]:
    """Build a loop that runs `body` for each step of `segment`, or just the body if there is one step; return results.

    `body` gets the induction variable and the carried values, and returns the new ones.
    """
    lower, upper = segment.lower, segment.upper
    if isinstance(lower, int) and isinstance(upper, int) and lower + segment.step >= upper:
        return body(lower, list(carried))
    loop = scf.ForOp(as_value(lower), as_value(upper), index_constant(segment.step), list(carried))
    with ir.InsertionPoint(loop.body):
        scf.yield_(body(loop.induction_variable, list(loop.inner_iter_args)))
    return list(loop.results)
