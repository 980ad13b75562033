"""Slices as sets of indices in loops: each rule by name, and thousands of nests run through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from fast_run import seeds
from index_set_problems import Case, Generator, Values, elements, iterations, plus, value_of

from mlir_inplace.passes.analysis.index_sets.points import Direction
from mlir_inplace.passes.analysis.index_sets.problems import Answer
from mlir_inplace.passes.analysis.index_sets.relations import (
    DimensionAnswer,
    IndexSets,
    Presence,
    SetRelation,
    carried_by,
)
from mlir_inplace.passes.analysis.index_sets.slices import Slice
from mlir_inplace.passes.analysis.index_sets.sums import Index, Symbol
from mlir_inplace.passes.analysis.index_sets.symbols import IndexTerms, InductionVariable, Range

YES, NO, UNKNOWN = Answer
EQUAL, DISJOINT, CONTAINED, CONTAINS, MAY_OVERLAP, NOT_KNOWN = SetRelation


class Program:
    """A table of symbols with two sizes `n`, `m` (not negative), a tile size `ts` (positive), and any index `x`."""

    def __init__(self) -> None:
        self.terms = IndexTerms()
        self.sets = IndexSets(self.terms)
        self.n, self.m = self.terms.fresh(Range(0)), self.terms.fresh(Range(0))
        self.ts = self.terms.fresh(Range(1))
        self.x = self.terms.fresh()

    def loop(self, lower: Index, upper: Index, step: Index = 1) -> tuple[InductionVariable, Symbol]:
        loop = self.terms.loop(lower, upper, step)
        return loop, Symbol(loop.variable)

    def least(self, *entries: Index) -> Index:
        return self.terms.extremum(entries)


def cut(*dimensions: tuple[Index, ...]) -> Slice:
    """A slice by (offset, size) or (offset, size, stride) for each dimension."""
    return Slice(
        tuple(d[0] for d in dimensions),
        tuple(d[1] for d in dimensions),
        tuple(d[2] if len(d) > 2 else 1 for d in dimensions),
    )


# --- one point -------------------------------------------------------------------------------------------------


def test_halves_of_a_size_known_at_run_time() -> None:
    p = Program()
    half = p.terms.quotient(p.n, 2)
    low, high, whole = cut((0, half)), cut((half, plus(p.n, (-1, half)))), cut((0, p.n))
    assert p.sets.relation(low, high) is DISJOINT
    assert p.sets.relation(low, whole) is CONTAINED
    assert p.sets.relation(whole, high) is CONTAINS
    assert p.sets.relation(cut((0, plus(half, 1))), high) is MAY_OVERLAP


def test_a_tile_that_is_cut_off_at_the_end_lies_within_the_tensor() -> None:
    p = Program()
    loop, i = p.loop(0, p.n, 4)
    tile, full = cut((i, p.least(4, plus(p.n, (-1, i))))), cut((i, 4))
    assert p.sets.relation(tile, cut((0, p.n)), [loop]) is CONTAINED
    assert p.sets.relation(full, cut((0, p.n)), [loop]) is MAY_OVERLAP
    assert p.sets.relation(tile, full, [loop]) is CONTAINED
    # Without the loop's bounds the tile might begin before the tensor.
    assert p.sets.relation(cut((p.x, 4)), cut((0, p.n))) is MAY_OVERLAP


def test_a_minimum_is_one_of_its_entries() -> None:
    p = Program()
    assert p.sets.relation(cut((0, p.least(p.n, p.m))), cut((0, p.n))) is CONTAINED
    largest = p.terms.extremum((p.n, p.m), is_largest=True)
    assert p.sets.relation(cut((0, p.n)), cut((0, largest))) is CONTAINED
    # min + max = n + m needs the cases.
    both = plus(p.least(p.n, p.m), largest)
    assert p.sets.relation(cut((0, both)), cut((0, plus(p.n, p.m)))) is EQUAL
    assert p.sets.relation(cut((0, both)), cut((0, plus(p.n, p.m, 1)))) is CONTAINED


def test_strides() -> None:
    p = Program()
    even, odd = cut((0, p.n, 2)), cut((1, p.n, 2))
    assert p.sets.relation(even, odd) is DISJOINT
    assert p.sets.relation(even, cut((0, plus((2, p.n))))) is CONTAINED
    assert p.sets.relation(cut((0, p.n, 6)), cut((0, plus((2, p.n)), 3))) is CONTAINED
    assert p.sets.relation(cut((0, 3, 2)), cut((4, 3, -2))) is EQUAL
    assert p.sets.relation(cut((0, p.n, 2)), cut((0, p.n, 3))) is MAY_OVERLAP
    # A stride that is a symbol is the same for both, or anything.
    assert p.sets.relation(cut((0, 4, p.ts)), cut((0, 4, p.ts))) is EQUAL
    assert p.sets.relation(cut((0, 4, p.ts)), cut((-5, 5))) is DISJOINT


def test_a_product_with_a_tile_size_moves_by_whole_tiles() -> None:
    p = Program()
    at = p.terms.product(p.x, p.ts)
    after = p.terms.product(plus(p.x, 1), p.ts)
    assert at is not None
    assert after is not None
    assert p.sets.relation(cut((at, p.ts)), cut((after, p.ts))) is DISJOINT
    assert p.sets.relation(cut((at, plus(p.ts, 1))), cut((after, p.ts))) is not DISJOINT


def test_slices_of_different_ranks_are_not_compared() -> None:
    p = Program()
    assert p.sets.relation(cut((0, 4)), cut((0, 4), (0, 4))) is NOT_KNOWN
    assert p.sets.is_contained(cut((0, 4)), cut((0, 4), (0, 4))).answer is UNKNOWN


# --- different iterations --------------------------------------------------------------------------------------


def test_tiles_of_a_loop_do_not_overlap_if_its_step_is_a_tile() -> None:
    p = Program()
    loop, i = p.loop(0, p.n, 8)
    assert p.sets.iterations_are_disjoint(cut((i, 8)), [loop]).answer is YES
    assert p.sets.iterations_are_disjoint(cut((i, p.least(8, plus(p.n, (-1, i))))), [loop]).answer is YES
    assert p.sets.iterations_are_disjoint(cut((plus((2, i)), 16)), [loop]).answer is YES
    assert p.sets.iterations_are_disjoint(cut((plus((-1, i)), 8)), [loop]).answer is YES
    found = p.sets.iterations_are_disjoint(cut((i, 9)), [loop])
    assert found.answer is NO
    values = {(symbol, side): value for symbol, side, value in found.witness}
    assert values[p.n.value, 0] > values[i.value, 2] == values[i.value, 1] + 8
    # A loop that has one iteration at most has no other one.
    once, j = p.loop(0, 8, 8)
    assert p.sets.iterations_are_disjoint(cut((j, 9)), [once]).answer is YES


def test_tiles_of_a_size_known_at_run_time() -> None:
    p = Program()
    loop, i = p.loop(0, p.n, p.ts)
    assert p.sets.iterations_are_disjoint(cut((i, p.ts)), [loop]).answer is YES
    assert p.sets.iterations_are_disjoint(cut((i, p.least(p.ts, plus(p.n, (-1, i))))), [loop]).answer is YES
    assert p.sets.iterations_are_disjoint(cut((i, plus(p.ts, 1))), [loop]).answer is NO
    ids, k = p.loop(0, p.m)
    at = p.terms.product(k, p.ts)
    assert at is not None
    assert p.sets.iterations_are_disjoint(cut((at, p.ts)), [ids]).answer is YES
    assert p.sets.iterations_are_disjoint(cut((at, plus(p.ts, 1))), [ids]).answer is NO


def test_each_loop_moves_a_dimension() -> None:
    p = Program()
    (rows, i), (columns, j) = p.loop(0, p.n, 4), p.loop(0, p.m, 8)
    tile = cut((i, 4), (j, 8))
    assert p.sets.iterations_are_disjoint(tile, [rows, columns]).answer is YES
    assert p.sets.iterations_are_disjoint(tile, [columns, rows]).answer is YES
    # A row of tiles is written again for each column.
    row = cut((i, 4), (0, p.m))
    assert p.sets.iterations_are_disjoint(row, [rows, columns]).answer is NO
    assert p.sets.are_disjoint_between(row, row, [rows, columns], rows).answer is YES
    assert p.sets.are_disjoint_between(row, row, [rows, columns], columns).answer is NO


def test_a_triangular_loop() -> None:
    p = Program()
    outer, i = p.loop(0, p.n)
    inner, j = p.loop(plus(i, 1), p.n)
    nest = [outer, inner]
    assert p.sets.iterations_are_disjoint(cut((i, 1), (j, 1)), nest).answer is YES
    assert p.sets.iterations_are_disjoint(cut((j, 1)), nest).answer is NO
    # Row i is never one of the rows j > i that its own iterations write.
    assert p.sets.are_disjoint(cut((i, 1)), cut((j, 1)), nest, {j.value: Direction.ANY}).answer is YES
    assert p.sets.are_disjoint(cut((i, 1)), cut((j, 1)), nest, carried_by(nest, outer, Direction.LATER)).answer is YES
    assert p.sets.are_disjoint(cut((i, 1)), cut((j, 1)), nest, carried_by(nest, outer, Direction.EARLIER)).answer is NO


def test_directions_of_a_loop() -> None:
    p = Program()
    loop, i = p.loop(0, p.n)
    here, next_ = cut((i, 1)), cut((plus(i, 1), 1))
    answers = {d: p.sets.are_disjoint(here, next_, [loop], {i.value: d}).answer for d in Direction}
    assert answers == {
        Direction.SAME: YES,
        Direction.LATER: YES,
        Direction.EARLIER: NO,
        Direction.ANY: NO,
    }


def test_what_a_loop_computes_differs_in_each_iteration() -> None:
    p = Program()
    loop, i = p.loop(0, p.n)
    loaded = p.terms.fresh(loops=[loop.variable])
    slice_ = cut((loaded, 1))
    assert p.sets.relation(slice_, slice_, [loop]) is EQUAL
    assert p.sets.iterations_are_disjoint(slice_, [loop]).answer is NO
    shifted = cut((plus(i, loaded), 1))
    assert p.sets.iterations_are_disjoint(shifted, [loop]).answer is NO
    assert p.sets.iterations_are_disjoint(cut((plus(i, p.x), 1)), [loop]).answer is YES


def test_tiles_that_workgroups_take_turns_at() -> None:
    p = Program()
    count = p.terms.fresh(Range(1))
    for size in (4, p.ts):
        ids, g = p.loop(0, count)
        first, stride = p.terms.product(g, size), p.terms.product(count, size)
        assert first is not None
        assert stride is not None
        tiles, i = p.loop(first, p.n, stride)
        nest = [ids, tiles]
        assert p.sets.iterations_are_disjoint(cut((i, size)), nest).answer is YES
        assert p.sets.iterations_are_disjoint(cut((i, plus(size, 1))), nest).answer is not YES
        # What the id itself is used for keeps the loops apart.
        assert p.sets.iterations_are_disjoint(cut((plus(i, (2, g)), size)), nest).answer is not YES


# --- emptiness -------------------------------------------------------------------------------------------------


def test_loops_that_may_not_run() -> None:
    p = Program()
    assert p.sets.iterations(p.loop(0, 4)[0]) is Presence.ALWAYS
    assert p.sets.iterations(p.loop(4, 4)[0]) is Presence.NEVER
    loop, i = p.loop(0, p.n)
    assert p.sets.iterations(loop) is Presence.SOMETIMES
    # Inside of it n is at least 1.
    again = p.loop(0, p.n)[0]
    assert p.sets.iterations(again, [loop]) is Presence.ALWAYS
    assert p.sets.iterations(p.loop(i, p.n)[0], [loop]) is Presence.ALWAYS
    assert p.sets.iterations(p.loop(plus(i, 1), p.n)[0], [loop]) is Presence.SOMETIMES
    assert p.sets.iterations(p.terms.loop(0, None)) is Presence.UNKNOWN


def test_slices_that_may_be_empty() -> None:
    p = Program()
    loop, i = p.loop(0, p.n, 4)
    rest = plus(p.n, (-1, i))
    assert p.sets.elements(cut((i, p.least(4, rest))), [loop]) is Presence.ALWAYS
    assert p.sets.elements(cut((i, p.least(4, plus(rest, -1)))), [loop]) is Presence.SOMETIMES
    assert p.sets.elements(cut((i, 4), (0, 0)), [loop]) is Presence.NEVER
    assert p.sets.elements(Slice((), (), ())) is Presence.ALWAYS


# --- all of it at random ---------------------------------------------------------------------------------------


def at_most(found: DimensionAnswer, case: Case) -> Values | None:
    """The values of the parameters that an answer gives (1 where it gives none), if running through them is quick."""
    values = dict.fromkeys(case.parameters, 1)
    values |= {symbol: value for symbol, _, value in found.witness if symbol in values}
    return values if max(values.values(), default=0) <= 40 else None


def meets(case: Case, depth: int, values: Values) -> bool:
    """Whether the first slice meets the second one of a later iteration of the loop at `depth`, and those around."""
    points = [
        (tuple(point[loop.variable] for loop in case.nest), *(elements(case.terms, s, point) for s in case.slices))
        for point in iterations(case.terms, case.nest, values)
    ]
    return any(
        not first.isdisjoint(second)
        for place, first, _ in points
        for other, _, second in points
        if place[:depth] == other[:depth] and place[depth] < other[depth]
    )


def cases(block: int, size: int) -> Iterator[Case]:
    for seed in range(block * size, (block + 1) * size):
        generator = Generator(seed)
        yield generator.case(generator.random.choice((1, 1, 2)))


@pytest.mark.parametrize("block", seeds(8, least=2))
def test_random_slices_at_one_point(block: int) -> None:
    holds = {
        EQUAL: lambda a, b: a == b,
        DISJOINT: lambda a, b: a.isdisjoint(b),
        CONTAINED: lambda a, b: a <= b,
        CONTAINS: lambda a, b: a >= b,
        MAY_OVERLAP: lambda a, b: True,
    }
    seen: Counter[SetRelation] = Counter()
    for case in cases(block, 400):
        sets = IndexSets(case.terms)
        relation = sets.relation(*case.slices, case.nest)
        presence = sets.elements(case.slices[0], case.nest)
        seen[relation] += 1
        for values in case.all_values(4):
            for point in iterations(case.terms, case.nest, values):
                first, second = (elements(case.terms, slice_, point) for slice_ in case.slices)
                assert holds[relation](first, second), case
                assert presence is Presence.SOMETIMES or bool(first) is (presence is Presence.ALWAYS), case
    assert seen[NOT_KNOWN] == 0
    assert min(seen[r] for r in (DISJOINT, CONTAINED, CONTAINS, MAY_OVERLAP)) > 0


@pytest.mark.parametrize("block", seeds(8, least=2))
def test_random_slices_in_different_iterations(block: int) -> None:
    seen: Counter[Answer] = Counter()
    for case in cases(block, 400):
        sets = IndexSets(case.terms)
        for depth, loop in enumerate(case.nest):
            found = sets.are_disjoint(*case.slices, case.nest, carried_by(case.nest, loop, Direction.LATER))
            seen[found.answer] += 1
            if found.answer is YES:
                assert not any(meets(case, depth, values) for values in case.all_values(4)), case
            values = at_most(found, case) if found.answer is NO else None
            assert values is None or meets(case, depth, values), case
    assert seen[UNKNOWN] == 0
    assert min(seen[YES], seen[NO]) > 20


@pytest.mark.parametrize("block", seeds(8, least=2))
def test_random_loops_that_may_not_run(block: int) -> None:
    seen: Counter[Presence] = Counter()
    for case in cases(block, 150):
        sets = IndexSets(case.terms)
        for depth, loop in enumerate(case.nest):
            presence = sets.iterations(loop, case.nest[:depth])
            seen[presence] += 1
            assert loop.upper is not None
            for values in case.all_values(5):
                for point in iterations(case.terms, case.nest[:depth], values):
                    runs = value_of(case.terms, loop.lower, point) < value_of(case.terms, loop.upper, point)
                    assert presence is Presence.SOMETIMES or runs is (presence is Presence.ALWAYS), case
    assert seen[Presence.UNKNOWN] == 0
    assert all(seen[p] for p in (Presence.ALWAYS, Presence.NEVER, Presence.SOMETIMES))
