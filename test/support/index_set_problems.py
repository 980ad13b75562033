"""Random loop nests with slices, and what is true of them, found out by running through all iterations."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mlir_inplace.passes.analysis.index_sets.distributed_loops import gathered
from mlir_inplace.passes.analysis.index_sets.points import Direction
from mlir_inplace.passes.analysis.index_sets.relations import DimensionAnswer, IndexSets, first_no
from mlir_inplace.passes.analysis.index_sets.slices import Slice
from mlir_inplace.passes.analysis.index_sets.sums import Index, Symbol, add, index_terms
from mlir_inplace.passes.analysis.index_sets.symbols import (
    Extremum,
    IndexTerms,
    InductionVariable,
    Product,
    Quotient,
    Range,
)

Values = dict[int, int]
Element = tuple[int, ...]


def plus(*parts: Index | tuple[int, Index]) -> Index:
    """A sum of indices, each of them with a factor if there is one."""
    total: Index = 0
    for part in parts:
        factor, index = part if isinstance(part, tuple) else (1, part)
        found = add(total, index, factor)
        assert found is not None
        total = found
    return total


def value_of(terms: IndexTerms, index: Index, values: Mapping[int, int]) -> int:
    """An index where the values of all loops and parameters are known."""
    if isinstance(index, int):
        return index
    constant = 0 if isinstance(index, Symbol) else index.constant
    return constant + sum(factor * symbol_value(terms, symbol, values) for symbol, factor in index_terms(index))


def symbol_value(terms: IndexTerms, symbol: int, values: Mapping[int, int]) -> int:
    if symbol in values:
        return values[symbol]
    definition = terms.definitions[symbol]
    if isinstance(definition, Extremum):
        entries = [value_of(terms, entry, values) for entry in definition.entries]
        return max(entries) if definition.is_largest else min(entries)
    if isinstance(definition, Quotient):
        return value_of(terms, definition.numerator, values) // definition.divisor
    assert isinstance(definition, Product)
    return value_of(terms, definition.first, values) * value_of(terms, definition.second, values)


def iterations(terms: IndexTerms, nest: tuple[InductionVariable, ...], values: Values) -> Iterator[Values]:
    """The values of parameters and loops in each iteration of the innermost loop, in order."""
    if not nest:
        yield values
        return
    loop = nest[0]
    assert loop.upper is not None
    bounds = (value_of(terms, part, values) for part in (loop.lower, loop.upper, loop.step))
    for iteration in range(*bounds):
        yield from iterations(terms, nest[1:], {**values, loop.variable: iteration})


def elements(terms: IndexTerms, slice_: Slice, values: Values) -> set[Element]:
    axes = [
        [value_of(terms, offset, values) + k * value_of(terms, stride, values) for k in range(max(count, 0))]
        for offset, stride, count in (
            (o, s, value_of(terms, size, values))
            for o, size, s in zip(slice_.offsets, slice_.sizes, slice_.strides, strict=True)
        )
    ]
    return set(itertools.product(*axes))


def carried_by(
    nest: Sequence[InductionVariable], loop: InductionVariable, direction: Direction
) -> dict[int, Direction]:
    """The directions of two iterations of `loop`: the same of the loops around it, any of those inside."""
    inner = nest[nest.index(loop) + 1 :]
    return {loop.variable: direction} | {other.variable: Direction.ANY for other in inner}


def touched_once(sets: IndexSets, slice_: Slice, nest: Sequence[InductionVariable]) -> DimensionAnswer:
    """Whether no element of a slice is touched in two iterations of `nest`: they differ in one outermost loop."""
    terms, loops = gathered(sets.terms, nest, [slice_], sets.runs_always(nest))
    asked = sets if terms is sets.terms else IndexSets(terms)
    return first_no(
        asked.are_disjoint(slice_, slice_, loops, carried_by(loops, loop, Direction.LATER)) for loop in loops
    )


@dataclass(frozen=True)
class Case:
    """A nest, slices in its innermost loop, the sizes of the tensor, and the parameters."""

    terms: IndexTerms
    nest: tuple[InductionVariable, ...]
    slices: tuple[Slice, ...]
    sizes: tuple[Index, ...]
    parameters: tuple[int, ...]

    def all_values(self, most: int) -> Iterator[Values]:
        for numbers in itertools.product(range(most + 1), repeat=len(self.parameters)):
            yield dict(zip(self.parameters, numbers, strict=True))

    def touched(self, slice_: Slice, values: Values) -> list[tuple[Values, set[Element]]]:
        return [(point, elements(self.terms, slice_, point)) for point in iterations(self.terms, self.nest, values)]


class Generator:
    """Cases of a few loops and parameters, in which everything is affine."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.terms = IndexTerms()

    def case(self, rank: int = 1, *, loops: int = 2, slices: int = 2) -> Case:
        r = self.random
        parameters = [self.terms.fresh(Range(0)) for _ in range(r.choice((0, 1, 1, 2)))]
        nest: list[InductionVariable] = []
        for _ in range(r.randint(0, loops)):
            nest.append(self._loop(parameters, nest))
        made = tuple(self._slice(rank, parameters, nest) for _ in range(slices))
        sizes = tuple(r.choice((*parameters, r.randint(0, 6))) for _ in range(rank))
        return Case(self.terms, tuple(nest), made, sizes, tuple(p.value for p in parameters))

    def _loop(self, parameters: list[Symbol], around: list[InductionVariable]) -> InductionVariable:
        r = self.random
        outer = [Symbol(loop.variable) for loop in around]
        lower: Index = r.choice((0, 0, 0, 1, *outer))
        upper: Index = r.choice((r.randint(0, 5), *parameters, *parameters, *outer))
        step = r.choice((1, 1, 2, 3, 4))
        if r.random() < 0.3 and (parameters or outer):
            upper = self.terms.extremum((upper, plus(r.choice((*parameters, *outer)), r.randint(0, 3))))
        return self.terms.loop(lower, upper, step)

    def _slice(self, rank: int, parameters: list[Symbol], nest: list[InductionVariable]) -> Slice:
        dimensions = [self._dimension(parameters, nest) for _ in range(rank)]
        return Slice(*(tuple(entries) for entries in zip(*dimensions, strict=True)))

    def _dimension(self, parameters: list[Symbol], nest: list[InductionVariable]) -> tuple[Index, Index, Index]:
        r = self.random
        variables = [Symbol(loop.variable) for loop in nest]
        offset: Index = r.choice((0, 0, 1, 2))
        for variable in variables:
            if r.random() < 0.7:
                offset = plus(offset, (r.choice((1, 1, 1, 1, 2, 3, -1)), variable))
        if parameters and r.random() < 0.15:
            offset = plus(offset, r.choice(parameters))
        if r.random() < 0.1:
            offset = self.terms.quotient(offset, r.choice((2, 3)))
        size: Index = r.choice((1, 1, 2, 3, 4, *parameters))
        if r.random() < 0.4 and (parameters or variables):
            end = r.choice((*parameters, r.randint(1, 6)))
            size = self.terms.extremum((r.randint(1, 4), plus(end, (-1, offset))), is_largest=r.random() < 0.1)
        return offset, size, r.choice((1, 1, 1, 1, 1, 2, 3, -1))

    def tiles(self, rank: int) -> Case:
        """Loops that cut a tensor into tiles, nearly rightly: what is covered, written once, or neither."""
        r = self.random
        parameters = [self.terms.fresh(Range(0)) for _ in range(rank)]
        tile = self.terms.fresh(Range(1))
        nest: list[InductionVariable] = []
        dimensions: list[tuple[Index, Index, Index]] = []
        sizes: list[Index] = []
        for parameter in parameters:
            size: Index = r.choice((parameter, parameter, 4, 6))
            step: Index = r.choice((1, 2, 3, 4, tile))
            loop = self.terms.loop(r.choice((0, 0, 0, 1)), r.choice((size, size, size, plus(size, -1))), step)
            offset: Index = Symbol(loop.variable)
            nest.append(loop)
            length = step
            if isinstance(step, int) and step > 1 and r.random() < 0.3:
                inside = self.terms.loop(0, r.choice((step, self.terms.extremum((step, plus(size, (-1, offset)))))))
                nest.append(inside)
                offset, length = plus(offset, Symbol(inside.variable)), 1
            length = r.choice((length, length, length, plus(length, -1), plus(length, 1)))
            if r.random() < 0.6:
                length = self.terms.extremum((length, plus(size, (-1, offset))))
            if r.random() < 0.15 and isinstance(size, int) and offset == Symbol(loop.variable):
                offset = plus(size, -1, (-1, offset))
            dimensions.append((offset, length, 1))
            sizes.append(size)
        if r.random() < 0.3:
            nest.append(self.terms.loop(0, r.choice((2, parameters[0]))))
        if r.random() < 0.3:
            r.shuffle(nest)
            nest.sort(key=lambda loop: len(self.terms.varies_with(loop.variable)))
        slice_ = Slice(*(tuple(entries) for entries in zip(*dimensions, strict=True)))
        names = (*(p.value for p in parameters), tile.value)
        return Case(self.terms, tuple(nest), (slice_,), tuple(sizes), names)
