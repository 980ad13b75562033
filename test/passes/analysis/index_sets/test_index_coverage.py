"""Whether slices written in a loop nest cover a tensor: each rule by name, and thousands of nests run through."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from fast_run import seeds
from index_set_problems import Case, Element, Generator, Values, plus, touched_once, value_of
from test_index_sets import NO, UNKNOWN, YES, Program, at_most, cut

from mlir_inplace.passes.analysis.index_sets.coverage import covers
from mlir_inplace.passes.analysis.index_sets.problems import Answer
from mlir_inplace.passes.analysis.index_sets.relations import IndexSets
from mlir_inplace.passes.analysis.index_sets.slices import Slice
from mlir_inplace.passes.analysis.index_sets.sums import Index
from mlir_inplace.passes.analysis.index_sets.symbols import InductionVariable, Range


def answer(p: Program, slices: list[Slice], sizes: list[Index], nest: list[InductionVariable]) -> Answer:
    return covers(p.sets, slices, sizes, nest).answer


@pytest.mark.parametrize("is_static", [True, False])
def test_whole_tiles_and_a_remainder(*, is_static: bool) -> None:
    p = Program()
    n = 30 if is_static else p.n
    loop, i = p.loop(0, n, 8)
    assert answer(p, [cut((i, p.least(8, plus(n, (-1, i)))))], [n], [loop]) is YES
    assert answer(p, [cut((i, p.least(7, plus(n, (-1, i)))))], [n], [loop]) is NO
    assert answer(p, [cut((i, p.least(8, plus(n, -1, (-1, i)))))], [n], [loop]) is NO


def test_exact_division() -> None:
    p = Program()
    loop, i = p.loop(0, 32, 8)
    assert answer(p, [cut((i, 8))], [32], [loop]) is YES
    assert answer(p, [cut((i, 8))], [33], [loop]) is NO
    tiles = plus((8, p.n))
    whole, j = p.loop(0, tiles, 8)
    assert answer(p, [cut((j, 8))], [tiles], [whole]) is YES
    counted, k = p.loop(0, p.terms.quotient(p.n, 8))
    found = covers(p.sets, [cut((plus((8, k)), 8))], [p.n], [counted])
    assert found.answer is NO
    assert found.element == (0,)
    rounded_up, k = p.loop(0, p.terms.quotient(plus(p.n, 7), 8))
    assert answer(p, [cut((plus((8, k)), 8))], [p.n], [rounded_up]) is YES


def test_many_slices() -> None:
    """Equal ones count once. Of too many the first may prove that all is covered, not that something is not."""
    p = Program()
    loop, i = p.loop(0, p.n, 8)
    tile = cut((i, p.least(8, plus(p.n, (-1, i)))))
    parts = [cut((plus(k, i), 1)) for k in range(8)]
    assert answer(p, [tile] * 30, [p.n], [loop]) is YES
    assert answer(p, [cut((i, 1))] * 30, [p.n], [loop]) is NO
    assert answer(p, parts[:4], [p.n], [loop]) is NO
    assert answer(p, parts, [p.n], [loop]) is UNKNOWN
    assert answer(p, [tile, *parts], [p.n], [loop]) is YES


def test_bounds_have_to_be_those_of_the_tensor() -> None:
    p = Program()
    for lower, upper, expected in ((1, p.n, NO), (0, plus(p.n, -1), NO), (0, p.m, NO), (-3, plus(p.n, 5), YES)):
        loop, i = p.loop(lower, upper)
        assert answer(p, [cut((i, 1))], [p.n], [loop]) is expected
    assert answer(p, [cut((1, plus(p.n, -1)))], [p.n], []) is NO
    assert answer(p, [cut((0, p.n))], [p.n], []) is YES
    assert answer(p, [cut((0, p.n, p.ts))], [p.n], []) is UNKNOWN


def test_a_tile_size_known_at_run_time() -> None:
    p = Program()
    loop, i = p.loop(0, p.n, p.ts)
    assert answer(p, [cut((i, p.least(p.ts, plus(p.n, (-1, i)))))], [p.n], [loop]) is YES
    assert answer(p, [cut((i, p.ts))], [p.n], [loop]) is YES
    assert answer(p, [cut((i, plus(p.ts, -1)))], [p.n], [loop]) is NO


def test_dimensions_and_orders_of_loops() -> None:
    p = Program()
    (rows, i), (columns, j) = p.loop(0, p.n, 4), p.loop(0, p.m, p.ts)
    tile = cut((i, p.least(4, plus(p.n, (-1, i)))), (j, p.least(p.ts, plus(p.m, (-1, j)))))
    for nest in ([rows, columns], [columns, rows]):
        assert answer(p, [tile], [p.n, p.m], nest) is YES
        assert answer(p, [tile], [p.m, p.n], nest) is not YES
    assert answer(p, [cut((i, 4), (0, p.m))], [p.n, p.m], [rows]) is YES
    assert answer(p, [cut((i, 4), (i, 4))], [p.n, p.n], [rows]) is NO


def test_a_loop_that_moves_nothing_has_to_run() -> None:
    p = Program()
    loop, i = p.loop(0, p.n)
    for bound, expected in ((3, YES), (p.m, NO), (p.n, YES)):
        again, _ = p.loop(0, bound)
        assert answer(p, [cut((i, 1))], [p.n], [loop, again]) is expected


def test_tiles_of_tiles() -> None:
    p = Program()
    outer, i = p.loop(0, p.n, 8)
    inner, j = p.loop(0, p.least(8, plus(p.n, (-1, i))), 2)
    at = plus(i, j)
    assert answer(p, [cut((at, p.least(2, plus(p.n, (-1, at)))))], [p.n], [outer, inner]) is YES
    assert answer(p, [cut((at, 1))], [p.n], [outer, inner]) is NO
    begins, k = p.loop(i, p.least(plus(i, 8), p.n), 2)
    assert answer(p, [cut((k, 2))], [p.n], [outer, begins]) is YES
    late, k = p.loop(plus(i, 1), p.least(plus(i, 8), p.n), 1)
    assert answer(p, [cut((k, 1))], [p.n], [outer, late]) is NO


def test_a_triangle_and_its_mirror_image() -> None:
    p = Program()
    outer, i = p.loop(0, p.n)
    inner, j = p.loop(i, p.n)
    upper, lower = cut((i, 1), (j, 1)), cut((j, 1), (i, 1))
    assert answer(p, [upper], [p.n, p.n], [outer, inner]) is NO
    assert answer(p, [cut((j, 1))], [p.n], [outer, inner]) is YES
    # Both together would; no one iteration shows it for all elements.
    assert answer(p, [upper, lower], [p.n, p.n], [outer, inner]) is UNKNOWN


def test_backwards() -> None:
    p = Program()
    loop, i = p.loop(0, p.n)
    assert answer(p, [cut((plus(p.n, -1, (-1, i)), 1))], [p.n], [loop]) is YES
    assert answer(p, [cut((plus(p.n, (-1, i)), 1))], [p.n], [loop]) is NO
    tiles, k = p.loop(0, 16, 4)
    assert answer(p, [cut((plus(12, (-1, k)), 4))], [16], [tiles]) is YES
    assert answer(p, [cut((plus(12, (-1, k)), 3))], [16], [tiles]) is NO


def test_interleaved_slices() -> None:
    p = Program()
    loop, i = p.loop(0, 4)
    length = p.terms.quotient(plus(p.n, 3, (-1, i)), 4)
    assert answer(p, [cut((i, length, 4))], [p.n], [loop]) is YES
    assert answer(p, [cut((i, p.terms.quotient(p.n, 4), 4))], [p.n], [loop]) is NO
    three, j = p.loop(0, 3)
    assert answer(p, [cut((j, p.n, 4))], [p.n], [three]) is NO


def test_several_slices_in_an_iteration() -> None:
    p = Program()
    loop, i = p.loop(0, p.n, 4)
    low, high = cut((i, 2)), cut((plus(i, 2), 2))
    assert answer(p, [low, high], [p.n], [loop]) is YES
    assert answer(p, [high, low], [p.n], [loop]) is YES
    assert answer(p, [low], [p.n], [loop]) is NO
    assert answer(p, [low, cut((plus(i, 3), 1))], [p.n], [loop]) is NO


def test_tensors_without_elements() -> None:
    p = Program()
    assert answer(p, [], [0], []) is YES
    assert answer(p, [], [p.n], []) is NO
    assert answer(p, [cut((0, 0), (0, p.m))], [0, p.m], []) is YES


@pytest.mark.parametrize("size", [4, "ts"])
def test_tiles_handed_out_to_workgroups(size: object) -> None:
    p = Program()
    tile: Index = p.ts if size == "ts" else 4
    count = p.terms.fresh(Range(1))
    ids, g = p.loop(0, count)
    first, stride = p.terms.product(g, tile), p.terms.product(count, tile)
    assert first is not None
    assert stride is not None
    tiles, i = p.loop(first, p.n, stride)
    slice_ = cut((i, p.least(tile, plus(p.n, (-1, i)))))
    assert answer(p, [slice_], [p.n], [ids, tiles]) is YES
    # Not if the workgroups leave out a number, if there may be none, or if one does more with its id.
    few, f = p.loop(1, count)
    skipped, k = p.loop(p.terms.product(f, tile) or 0, p.n, stride)
    assert answer(p, [cut((k, tile))], [p.n], [few, skipped]) is not YES
    none, z = p.loop(0, p.m)
    left, k = p.loop(p.terms.product(z, tile) or 0, p.n, p.terms.product(p.m, tile) or 0)
    assert answer(p, [cut((k, tile))], [p.n], [none, left]) is not YES
    assert answer(p, [cut((i, plus(tile, (-1, g))))], [p.n], [ids, tiles]) is not YES


def test_tiles_handed_out_in_two_dimensions() -> None:
    p = Program()
    counts = p.terms.fresh(Range(1)), p.terms.fresh(Range(1))
    (xs, x), (ys, y) = (p.loop(0, count) for count in counts)
    rows, i = p.loop(plus((4, x)), p.n, plus((4, counts[0])))
    columns, j = p.loop(plus((8, y)), p.m, plus((8, counts[1])))
    tile = cut((i, p.least(4, plus(p.n, (-1, i)))), (j, p.least(8, plus(p.m, (-1, j)))))
    assert answer(p, [tile], [p.n, p.m], [ys, xs, rows, columns]) is YES
    assert touched_once(p.sets, tile, [ys, xs, rows, columns]).answer is YES
    assert answer(p, [tile], [p.n, plus(p.m, 1)], [ys, xs, rows, columns]) is NO


def left_out(case: Case, values: Values) -> set[Element]:
    rest = set(itertools.product(*(range(value_of(case.terms, size, values)) for size in case.sizes)))
    for slice_ in case.slices:
        for _, touched in case.touched(slice_, values):
            rest -= touched
    return rest


def check(case: Case) -> Answer:
    sets = IndexSets(case.terms)
    found = covers(sets, case.slices, case.sizes, case.nest)
    if found.answer is YES:
        assert not any(left_out(case, values) for values in case.all_values(5) if is_possible(case, values)), case
    values = at_most(found, case) if found.answer is NO else None
    assert values is None or found.element in left_out(case, values), case
    return found.answer


def is_possible(case: Case, values: Values) -> bool:
    steps = [loop.step for loop in case.nest if not isinstance(loop.step, int)]
    return all(value_of(case.terms, step, values) > 0 for step in steps)


@pytest.mark.parametrize("block", seeds(8))
def test_random_nests(block: int) -> None:
    seen: Counter[Answer] = Counter()
    for seed in range(block * 250, (block + 1) * 250):
        generator = Generator(seed)
        seen[check(generator.case(generator.random.choice((1, 1, 2)), slices=generator.random.choice((1, 1, 2))))] += 1
    assert min(seen[YES], seen[NO]) > 20
    assert seen[UNKNOWN] < 25


@pytest.mark.parametrize("block", seeds(8))
def test_random_tiles(block: int) -> None:
    """Loops that move a slice forwards, each in one dimension, are what an exact answer is promised for."""
    seen: Counter[Answer] = Counter()
    for seed in range(block * 100, (block + 1) * 100):
        generator = Generator(seed)
        seen[check(generator.tiles(generator.random.choice((1, 1, 2))))] += 1
    assert min(seen[YES], seen[NO]) > 10
    assert seen[UNKNOWN] == 0
    disjoint: Counter[Answer] = Counter()
    for seed in range(block * 100, (block + 1) * 100):
        generator = Generator(seed)
        disjoint[check_written_once(generator.tiles(generator.random.choice((1, 1, 2))))] += 1
    assert min(disjoint[YES], disjoint[NO]) > 10
    assert disjoint[UNKNOWN] == 0


def check_written_once(case: Case) -> Answer:
    found = touched_once(IndexSets(case.terms), case.slices[0], case.nest)

    def is_written_once(values: Values) -> bool:
        touched = [element for _, touched in case.touched(case.slices[0], values) for element in touched]
        return len(touched) == len(set(touched))

    if found.answer is YES:
        assert all(is_written_once(values) for values in case.all_values(5) if is_possible(case, values)), case
    values = at_most(found, case) if found.answer is NO else None
    assert values is None or not is_written_once(values), case
    return found.answer
