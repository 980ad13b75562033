"""Productions: indices that are computed, and loops that read and write slices of a vector at such places."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from ..building.boxes import Box
from ..building.builder import Builder, NothingFits
from ..building.productions import production
from ..building.structured import computed_on
from ..building.values import IndexValue, Tensor
from .loops import carry, random_counter
from .slices import put, take

FEATURE = "indices"

LENGTH = 24
"""The length of the vectors that computed positions index."""

_Range: TypeAlias = tuple[int, int]


def _product(a: _Range, b: _Range) -> _Range:
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def _or_bits(a: _Range, b: _Range) -> _Range:
    return 0, (1 << max(a[1], b[1]).bit_length()) - 1


_OF_TWO: dict[str, Callable[[_Range, _Range], _Range]] = {
    "arith.addi": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "arith.subi": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "arith.muli": _product,
    "arith.minsi": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "arith.maxsi": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    "arith.xori": _or_bits,
}
_BY_CONSTANT: dict[str, Callable[[_Range, int], _Range]] = {
    "arith.floordivsi": lambda a, c: (a[0] // c, a[1] // c),
    "arith.remsi": lambda a, c: a if a[1] < c else (0, c - 1),
}
_NOT_NEGATIVE = ("arith.remsi", "arith.xori")


def _recent(builder: Builder) -> IndexValue:
    """Return an index, a new one like the variable of the innermost loop more likely than an old one."""
    known = builder.scope.indices
    return builder.draw.choice(known[-3:] if builder.draw.chance(0.7) else known)


@production(FEATURE, 0.5)
def computed_index(builder: Builder) -> None:
    """An index computed from one or two others; numbers stay small enough to be places in a vector."""
    one = _recent(builder)
    op = builder.draw.choice((*_OF_TWO, "arith.addi", "arith.muli", *_BY_CONSTANT, "affine.apply", "affine.apply"))
    if op == "affine.apply":
        _affine(builder, one)
        return
    constant = builder.draw.choice((1, 1, 2, 2, 3, 4, 5, 7))
    is_constant = op in _BY_CONSTANT or builder.draw.chance(0.6)
    other = builder.constant(constant) if is_constant else _recent(builder)
    bounds = one.bounds, other.bounds
    if op in _NOT_NEGATIVE and min(low for each in bounds for low, _ in each) < 0:
        raise NothingFits

    def of_one_set(number: int) -> _Range:
        if op in _BY_CONSTANT:
            return _BY_CONSTANT[op](one.bounds[number], constant)
        return _OF_TWO[op](one.bounds[number], other.bounds[number])

    _define(builder, f"{op} {one.name}, {other.name} : index", of_one_set)


def _affine(builder: Builder, one: IndexValue) -> None:
    """Add a sum of multiples of two indices and a number."""
    other = _recent(builder)
    a, b, c = (builder.draw.choice(numbers) for numbers in ((1, 1, 2, 3, 4, -1), (0, 1, 1, -1), (0, 0, 1, 2, 6)))

    def of_one_set(number: int) -> _Range:
        (low, high), (least, most) = (_product(i.bounds[number], (f, f)) for i, f in ((one, a), (other, b)))
        return low + least + c, high + most + c

    place = f"affine_map<(i, j) -> (i * {a} + j * {b} + {c})>({one.name}, {other.name})"
    _define(builder, f"affine.apply {place}", of_one_set)


def _define(builder: Builder, text: str, bounds: Callable[[int], _Range]) -> None:
    found = [bounds(number) for number in range(builder.module.sets)]
    if any(low < -LENGTH or high > LENGTH for low, high in found):
        raise NothingFits
    builder.define_index(text, lambda number: found[number])


def _place(builder: Builder, vector: Tensor, size: int, stride: int) -> IndexValue:
    """Add a computed index at which a slice of a vector begins that lies inside of it."""
    last = builder.minimum(vector.sizes[0]) - (size - 1) * stride - 1
    lines, indices = len(builder.lines), len(builder.scope.indices)
    for _ in range(20):
        for _ in range(builder.draw.between(1, 3)):
            with suppress(NothingFits):
                computed_index(builder)
        found = builder.scope.indices[-1]
        if all(found.bounds[n][0] >= 0 and found.bounds[n][1] <= last for n in builder.live):
            return found
        del builder.lines[lines:], builder.scope.indices[indices:]
    return builder.constant(builder.draw.below(last + 1))


@production(FEATURE, 0.7, is_nest=True)
def sweep(builder: Builder) -> None:
    """One or two loops that put slices of a vector, as it was or as it is, into it at other places."""
    vector = builder.find(lambda t: t.rank == 1 and builder.minimum(t.sizes[0]) >= LENGTH // 2)
    if vector is None:
        vector = builder.filled((LENGTH,), builder.draw.choice(("f32", "i32")))
    _sweep(builder, vector, vector, builder.draw.between(1, 2))


def _sweep(builder: Builder, original: Tensor, carried: Tensor, depth: int) -> Tensor:
    counter = random_counter(builder)

    def body(arguments: list[Tensor]) -> list[Tensor]:
        builder.scope.indices.append(counter.index)
        current = arguments[0]
        if depth > 1:
            current = _sweep(builder, original, current, depth - 1)
        for _ in range(builder.draw.between(1 if depth == 1 else 0, 2)):
            current = _moved(builder, original, current)
        return [current]

    carry(builder, [carried], counter, body)
    return builder.scope.tensors[-1]


def _moved(builder: Builder, original: Tensor, current: Tensor) -> Tensor:
    """Add a slice that is computed on and put into `current`, at its place or at another one."""
    draw = builder.draw
    source = original if draw.chance(0.6) else current
    size, stride = draw.choice((1, 1, 2, 3)), draw.choice((1, 1, 1, 2))
    place = _place(builder, source, size, stride)
    part = take(builder, source, Box((place,), (size,), (stride,)))
    changed = computed_on(builder, part)
    if draw.chance(0.5):
        place = _place(builder, current, size, stride)
    return put(builder, changed, current, Box((place,), (size,), (stride,)))
