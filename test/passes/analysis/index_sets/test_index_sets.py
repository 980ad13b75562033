"""Slices as sets of indices in loops: each rule by name, and thousands of nests run through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from fast_run import seeds
from index_set_problems import (
    Case,
    Generator,
    Values,
    carried_by,
    elements,
    iterations,
    plus,
    touched_once,
    value_of,
)

from mlir_inplace.passes.analysis.index_sets.points import Direction
from mlir_inplace.passes.analysis.index_sets.problems import Answer
from mlir_inplace.passes.analysis.index_sets.relations import DimensionAnswer, IndexSets
from mlir_inplace.passes.analysis.index_sets.slices import Slice
from mlir_inplace.passes.analysis.index_sets.sums import Index, Symbol
from mlir_inplace.passes.analysis.index_sets.symbols import IndexTerms, InductionVariable, Range

YES, NO, UNKNOWN = Answer


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

    def apart(self, first: Slice, second: Slice, *nest: InductionVariable) -> Answer:
        """Whether two slices are disjoint in one iteration."""
        return self.sets.are_disjoint(first, second, nest).answer

    def runs(self, *nest: InductionVariable) -> bool:
        """Whether the last loop always runs, in the iterations of the others."""
        return self.sets.runs_always(nest)(nest[-1])


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
    assert p.apart(low, high) is YES
    assert p.apart(low, whole) is p.apart(whole, high) is NO
    assert p.apart(cut((0, plus(half, 1))), high) is NO


def test_a_tile_that_is_cut_off_at_the_end_lies_within_the_tensor() -> None:
    p = Program()
    loop, i = p.loop(0, p.n, 4)
    tile, full = cut((i, p.least(4, plus(p.n, (-1, i))))), cut((i, 4))
    before, behind = cut((-9, 9)), cut((p.n, 9))
    assert p.apart(tile, before, loop) is p.apart(tile, behind, loop) is YES
    assert p.apart(full, before, loop) is YES
    assert p.apart(full, behind, loop) is NO
    # Without the loop's bounds the tile might begin before the tensor.
    assert p.apart(cut((p.x, 4)), before) is p.apart(cut((p.x, 4)), behind) is NO


def test_a_minimum_is_one_of_its_entries() -> None:
    p = Program()
    assert p.apart(cut((0, p.least(p.n, p.m))), cut((p.n, 5))) is YES
    assert p.apart(cut((0, p.least(p.n, p.m))), cut((plus(p.n, -1), 5))) is NO
    largest = p.terms.extremum((p.n, p.m), is_largest=True)
    assert p.apart(cut((0, p.n)), cut((largest, 5))) is YES
    # min + max = n + m needs the cases.
    both = plus(p.least(p.n, p.m), largest)
    assert p.apart(cut((0, both)), cut((plus(p.n, p.m), 5))) is YES
    assert p.apart(cut((0, plus(p.n, p.m))), cut((both, 5))) is YES
    assert p.apart(cut((0, plus(p.n, p.m, 1))), cut((both, 5))) is NO


def test_strides() -> None:
    p = Program()
    even, odd = cut((0, p.n, 2)), cut((1, p.n, 2))
    assert p.apart(even, odd) is YES
    assert p.apart(even, cut((plus((2, p.n)), 5))) is YES
    assert p.apart(cut((0, p.n, 6)), cut((1, plus((2, p.n)), 3))) is YES
    assert p.apart(cut((4, 3, -2)), cut((1, 2, 2))) is YES
    assert all(p.apart(cut((4, 3, -2)), cut((index, 1))) is NO for index in (0, 2, 4))
    assert p.apart(cut((0, p.n, 2)), cut((0, p.n, 3))) is NO
    # A stride that is a symbol is the same for both, or anything.
    assert p.apart(cut((0, 4, p.ts)), cut((0, 4, p.ts))) is NO
    assert p.apart(cut((0, 4, p.ts)), cut((-5, 5))) is YES


def test_a_product_with_a_tile_size_moves_by_whole_tiles() -> None:
    p = Program()
    at = p.terms.product(p.x, p.ts)
    after = p.terms.product(plus(p.x, 1), p.ts)
    assert at is not None
    assert after is not None
    assert p.apart(cut((at, p.ts)), cut((after, p.ts))) is YES
    assert p.apart(cut((at, plus(p.ts, 1))), cut((after, p.ts))) is not YES


def test_slices_of_different_ranks_are_not_compared() -> None:
    p = Program()
    assert p.apart(cut((0, 4)), cut((0, 4), (0, 4))) is UNKNOWN


# --- different iterations --------------------------------------------------------------------------------------


def test_tiles_of_a_loop_do_not_overlap_if_its_step_is_a_tile() -> None:
    p = Program()
    loop, i = p.loop(0, p.n, 8)
    assert touched_once(p.sets, cut((i, 8)), [loop]).answer is YES
    assert touched_once(p.sets, cut((i, p.least(8, plus(p.n, (-1, i))))), [loop]).answer is YES
    assert touched_once(p.sets, cut((plus((2, i)), 16)), [loop]).answer is YES
    assert touched_once(p.sets, cut((plus((-1, i)), 8)), [loop]).answer is YES
    found = touched_once(p.sets, cut((i, 9)), [loop])
    assert found.answer is NO
    values = {(symbol, side): value for symbol, side, value in found.witness}
    assert values[p.n.value, 0] > values[i.value, 2] == values[i.value, 1] + 8
    # A loop that has one iteration at most has no other one.
    once, j = p.loop(0, 8, 8)
    assert touched_once(p.sets, cut((j, 9)), [once]).answer is YES


def test_tiles_of_a_size_known_at_run_time() -> None:
    p = Program()
    loop, i = p.loop(0, p.n, p.ts)
    assert touched_once(p.sets, cut((i, p.ts)), [loop]).answer is YES
    assert touched_once(p.sets, cut((i, p.least(p.ts, plus(p.n, (-1, i))))), [loop]).answer is YES
    assert touched_once(p.sets, cut((i, plus(p.ts, 1))), [loop]).answer is NO
    ids, k = p.loop(0, p.m)
    at = p.terms.product(k, p.ts)
    assert at is not None
    assert touched_once(p.sets, cut((at, p.ts)), [ids]).answer is YES
    assert touched_once(p.sets, cut((at, plus(p.ts, 1))), [ids]).answer is NO


def test_each_loop_moves_a_dimension() -> None:
    p = Program()
    (rows, i), (columns, j) = p.loop(0, p.n, 4), p.loop(0, p.m, 8)
    tile = cut((i, 4), (j, 8))
    assert touched_once(p.sets, tile, [rows, columns]).answer is YES
    assert touched_once(p.sets, tile, [columns, rows]).answer is YES
    # A row of tiles is written again for each column.
    row = cut((i, 4), (0, p.m))
    assert touched_once(p.sets, row, [rows, columns]).answer is NO
    nest = [rows, columns]
    assert p.sets.are_disjoint(row, row, nest, carried_by(nest, rows, Direction.LATER)).answer is YES
    assert p.sets.are_disjoint(row, row, nest, carried_by(nest, columns, Direction.LATER)).answer is NO


def test_a_triangular_loop() -> None:
    p = Program()
    outer, i = p.loop(0, p.n)
    inner, j = p.loop(plus(i, 1), p.n)
    nest = [outer, inner]
    assert touched_once(p.sets, cut((i, 1), (j, 1)), nest).answer is YES
    assert touched_once(p.sets, cut((j, 1)), nest).answer is NO
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
    assert p.apart(slice_, cut((plus(loaded, 1), 1)), loop) is YES
    assert p.apart(slice_, slice_, loop) is NO
    assert touched_once(p.sets, slice_, [loop]).answer is NO
    shifted = cut((plus(i, loaded), 1))
    assert touched_once(p.sets, shifted, [loop]).answer is NO
    assert touched_once(p.sets, cut((plus(i, p.x), 1)), [loop]).answer is YES


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
        assert touched_once(p.sets, cut((i, size)), nest).answer is YES
        assert touched_once(p.sets, cut((i, plus(size, 1))), nest).answer is not YES
        # What the id itself is used for keeps the loops apart.
        assert touched_once(p.sets, cut((plus(i, (2, g)), size)), nest).answer is not YES


# --- emptiness -------------------------------------------------------------------------------------------------


def test_loops_that_may_not_run() -> None:
    p = Program()
    assert p.runs(p.loop(0, 4)[0])
    assert not p.runs(p.loop(4, 4)[0])
    loop, i = p.loop(0, p.n)
    assert not p.runs(loop)
    # Inside of it n is at least 1.
    again = p.loop(0, p.n)[0]
    assert p.runs(loop, again)
    assert p.runs(loop, p.loop(i, p.n)[0])
    assert not p.runs(loop, p.loop(plus(i, 1), p.n)[0])
    assert not p.runs(p.terms.loop(0, None))


# --- all of it at random ---------------------------------------------------------------------------------------


def at_most(found: DimensionAnswer, case: Case) -> Values | None:
    """The values of the parameters that an answer gives (1 where it gives none), if running through them is quick."""
    values = dict.fromkeys(case.parameters, 1)
    values |= {symbol: value for symbol, _, value in found.witness if symbol in values}
    return values if max(values.values(), default=0) <= 40 else None


def meets(case: Case, depth: int, values: Values) -> bool:
    """Whether the first slice meets the second one of a later iteration of the loop at `depth`, and those around.

    At the depth of the whole nest: of the same iteration of all loops.
    """
    points = [
        (tuple(point[loop.variable] for loop in case.nest), *(elements(case.terms, s, point) for s in case.slices))
        for point in iterations(case.terms, case.nest, values)
    ]
    return any(
        not first.isdisjoint(second)
        for place, first, _ in points
        for other, _, second in points
        if place[:depth] == other[:depth] and (depth == len(place) or place[depth] < other[depth])
    )


def cases(block: int, size: int) -> Iterator[Case]:
    for seed in range(block * size, (block + 1) * size):
        generator = Generator(seed)
        yield generator.case(generator.random.choice((1, 1, 2)))


@pytest.mark.parametrize("block", seeds(8, least=2))
def test_random_slices_at_one_point(block: int) -> None:
    seen: Counter[Answer] = Counter()
    for case in cases(block, 400):
        found = IndexSets(case.terms).are_disjoint(*case.slices, case.nest)
        seen[found.answer] += 1
        if found.answer is YES:
            assert not any(meets(case, len(case.nest), values) for values in case.all_values(4)), case
        values = at_most(found, case) if found.answer is NO else None
        assert values is None or meets(case, len(case.nest), values), case
    assert seen[UNKNOWN] == 0
    assert min(seen[YES], seen[NO]) > 20


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
    seen: Counter[bool] = Counter()
    for case in cases(block, 150):
        runs_always = IndexSets(case.terms).runs_always(case.nest)
        for depth, loop in enumerate(case.nest):
            assert loop.upper is not None
            runs = all(
                value_of(case.terms, loop.lower, point) < value_of(case.terms, loop.upper, point)
                for values in case.all_values(12)
                for point in iterations(case.terms, case.nest[:depth], values)
            )
            assert runs_always(loop) is runs, case
            seen[runs] += 1
    assert min(seen.values()) > 20
