"""Places in a piece of memory or in a tensor: chains of slices and reshapes, and whether two of them overlap.

A *sum* is a constant plus symbols with factors; a *place* is a tuple of steps from the whole to a part of it. The test
of slices is the checker's own, and simple: sums are compared by their difference, and nothing is known about symbols
but that sizes are not negative. Otherwise the answer is `UNKNOWN`, and the read is reported as not checked.
"""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "WHOLE",
    "LinearSum",
    "Overlap",
    "Place",
    "Reshape",
    "Step",
    "StridedBox",
    "add",
    "is_empty",
    "join",
    "overlap",
    "scaled",
]

DYNAMIC = -1
"""A dynamic size."""
_MOST_REMEMBERED = 1 << 15
"""How many pairs of places are cached, over all programs."""


class LinearSum(NamedTuple):
    """``constant`` plus each symbol times its factor; symbols are the numbers of values, in increasing order."""

    constant: int
    terms: tuple[tuple[int, int], ...] = ()


_NOTHING = LinearSum(0)


def add(a: LinearSum, b: LinearSum, factor: int = 1) -> LinearSum:
    """Return ``a + factor * b``."""
    if not b.terms:
        return LinearSum(a.constant + factor * b.constant, a.terms)
    if factor == -1 and a.terms == b.terms:
        return LinearSum(a.constant - b.constant)
    factors = dict(a.terms)
    for symbol, own in b.terms:
        factors[symbol] = factors.get(symbol, 0) + factor * own
    terms = tuple(sorted((symbol, f) for symbol, f in factors.items() if f))
    return LinearSum(a.constant + factor * b.constant, terms)


def scaled(a: LinearSum, factor: int) -> LinearSum:
    """Return ``factor * a``."""
    return add(LinearSum(0), a, factor)


class StridedBox(NamedTuple):
    """A box with strides; one entry for each dimension of what is sliced."""

    offsets: tuple[LinearSum, ...]
    sizes: tuple[LinearSum, ...]
    strides: tuple[LinearSum, ...]


class Reshape(NamedTuple):
    """All elements, in the same row-major order, under another shape; `DYNAMIC` sizes are unknown."""

    before: tuple[int, ...]
    after: tuple[int, ...]


class Opaque(NamedTuple):
    """A view that is not followed: it may be any part of its source."""

    number: int


Step = StridedBox | Reshape | Opaque
Place = tuple[Step, ...]
WHOLE: Place = ()


class Overlap(enum.Enum):
    """The relation of place ``a`` to place ``b``."""

    SAME = "same"
    AROUND = "a has all elements of b"
    INSIDE = "a lies inside of b"
    DISJOINT = "disjoint"
    UNKNOWN = "unknown"


def join(outer: Place, steps: Sequence[Step]) -> Place:
    """Return ``outer`` followed by ``steps``, normalized so that most equal places are equal tuples."""
    return _joined(outer, tuple(steps)) if steps else outer


@functools.lru_cache(maxsize=_MOST_REMEMBERED)
def _joined(outer: Place, steps: Place) -> Place:
    place = list(outer)
    for step in steps:
        _append(place, step)
    return tuple(place)


def _append(place: list[Step], step: Step) -> None:
    last = place[-1] if place else None
    if isinstance(step, Reshape):
        before = step.before
        if isinstance(last, Reshape):
            before = last.before
            place.pop()
        if before != step.after:
            place.append(Reshape(before, step.after))
        return
    if isinstance(step, StridedBox) and isinstance(last, Reshape):
        widened = _through_unit_dimensions(last, step)
        if widened is not None:
            place.pop()
            outer, reshape = widened
            _append(place, outer)
            _append(place, reshape)
            return
    if isinstance(step, StridedBox) and isinstance(last, StridedBox):
        composed = _composed(last, step)
        if composed is not None:
            place[-1] = composed
            return
    place.append(step)


def _composed(outer: StridedBox, inner: StridedBox) -> StridedBox | None:
    """Return slice ``inner`` of slice ``outer`` as one slice, if its entries are sums."""
    if len(outer.offsets) != len(inner.offsets):
        return None
    offsets: list[LinearSum] = []
    strides: list[LinearSum] = []
    for base, step, offset, stride in zip(outer.offsets, outer.strides, inner.offsets, inner.strides, strict=True):
        if step.terms:
            return None
        offsets.append(add(base, offset, step.constant))
        strides.append(scaled(stride, step.constant))
    return StridedBox(tuple(offsets), inner.sizes, tuple(strides))


def _through_unit_dimensions(reshape: Reshape, slice_: StridedBox) -> tuple[StridedBox, Reshape] | None:
    """Swap a reshape that only drops unit dimensions with the slice after it."""
    kept = dropped_dimensions(reshape.before, reshape.after)
    if kept is None or len(kept) != len(slice_.offsets):
        return None
    zero, one = LinearSum(0), LinearSum(1)
    rank = len(reshape.before)
    offsets, sizes, strides = [zero] * rank, [one] * rank, [one] * rank
    for dimension, offset, size, stride in zip(kept, slice_.offsets, slice_.sizes, slice_.strides, strict=True):
        offsets[dimension], sizes[dimension], strides[dimension] = offset, size, stride
    after = tuple(_static(size) for size in slice_.sizes)
    before = tuple(_static(size) for size in sizes)
    return StridedBox(tuple(offsets), tuple(sizes), tuple(strides)), Reshape(before, after)


def dropped_dimensions(before: Sequence[int], after: Sequence[int]) -> list[int] | None:
    """Return the dimensions of ``before`` that ``after`` keeps, if it only drops unit dimensions."""
    kept: list[int] = []
    for dimension, size in enumerate(before):
        if len(kept) < len(after) and size == after[len(kept)]:
            kept.append(dimension)
        elif size != 1:
            return None
    return kept if len(kept) == len(after) else None


def _static(size: LinearSum) -> int:
    return DYNAMIC if size.terms else size.constant


def is_empty(place: Place) -> bool:
    """Whether ``place`` must be empty: some size is the constant zero."""
    return any(_NOTHING in step.sizes for step in place if isinstance(step, StridedBox))


@functools.lru_cache(maxsize=_MOST_REMEMBERED)
def overlap(a: Place, b: Place) -> tuple[Overlap, Place]:
    """Return the relation of ``a`` to ``b``, and the place of ``b`` in ``a``; for INSIDE, of ``a`` in ``b``."""
    common = 0
    for mine, other in zip(a, b, strict=False):
        if mine != other:
            break
        common += 1
    rest_a, rest_b = a[common:], b[common:]
    if not rest_a or not rest_b:
        rest = rest_b or rest_a
        if all(isinstance(step, Reshape) for step in rest):
            return Overlap.SAME, rest if rest_b else _reversed(rest)
        return (Overlap.AROUND, rest) if rest_b else (Overlap.INSIDE, rest)
    return _compare_rests(rest_a, rest_b)


def _compare_rests(a: Place, b: Place) -> tuple[Overlap, Place]:
    first, second = a[0], b[0]
    if isinstance(first, Reshape) and len(a) == 1:
        return Overlap.AROUND if not _bijective(b) else Overlap.SAME, join(_reversed(a), b)
    if isinstance(second, Reshape) and len(b) == 1:
        return Overlap.INSIDE, join(_reversed(b), a)
    if (
        not isinstance(first, StridedBox)
        or not isinstance(second, StridedBox)
        or len(first.offsets) != len(second.offsets)
    ):
        return Overlap.UNKNOWN, ()
    if _disjoint(first, second):
        return Overlap.DISJOINT, ()
    if _bijective(a[1:]) and (inner := _inside(second, first)) is not None:
        if _bijective(b[1:]) and _inside(first, second) is not None:
            return Overlap.SAME, join(_reversed(a[1:]), b[1:])
        return Overlap.AROUND, join(_reversed(a[1:]), (inner, *b[1:]))
    if _bijective(b[1:]) and (inner := _inside(first, second)) is not None:
        return Overlap.INSIDE, join(_reversed(b[1:]), (inner, *a[1:]))
    return Overlap.UNKNOWN, ()


def _bijective(steps: Place) -> bool:
    return all(isinstance(step, Reshape) for step in steps)


def _reversed(steps: Place) -> Place:
    return tuple(Reshape(step.after, step.before) for step in reversed(steps) if isinstance(step, Reshape))


def _disjoint(a: StridedBox, b: StridedBox) -> bool:
    """Whether the slices must be disjoint: in one dimension, that is enough."""
    for d in range(len(a.offsets)):
        distance = add(b.offsets[d], a.offsets[d], -1)
        if _behind(distance, a, d) or _behind(scaled(distance, -1), b, d):
            return True
        step = math.gcd(a.strides[d].constant, b.strides[d].constant)
        static = not a.strides[d].terms and not b.strides[d].terms and not distance.terms
        if static and step > 1 and distance.constant % step:
            return True
    return False


def _behind(distance: LinearSum, first: StridedBox, d: int) -> bool:
    """Whether a slice that starts ``distance`` after ``first`` does starts after its end, in dimension ``d``."""
    size, stride = first.sizes[d], first.strides[d]
    if stride.terms or stride.constant < 1:
        return False
    # The last element is (size - 1) * stride behind the first one.
    gap = add(add(distance, size, -stride.constant), LinearSum(stride.constant - 1))
    return not gap.terms and gap.constant >= 0


def _inside(inner: StridedBox, outer: StridedBox) -> StridedBox | None:
    """Return the place of ``inner`` in ``outer``, if it must be inside."""
    offsets: list[LinearSum] = []
    strides: list[LinearSum] = []
    for d in range(len(outer.offsets)):
        distance = add(inner.offsets[d], outer.offsets[d], -1)
        step, stride = outer.strides[d], inner.strides[d]
        if distance.terms or step.terms or stride.terms or step.constant < 1:
            return None
        if distance.constant < 0 or distance.constant % step.constant or stride.constant % step.constant:
            return None
        begin, factor = distance.constant // step.constant, stride.constant // step.constant
        room = add(add(outer.sizes[d], inner.sizes[d], -factor), LinearSum(factor - 1 - begin))
        if room.terms or room.constant < 0:
            return None
        offsets.append(LinearSum(begin))
        strides.append(LinearSum(factor))
    return StridedBox(tuple(offsets), inner.sizes, tuple(strides))
