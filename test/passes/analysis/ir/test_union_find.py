"""Sets that are joined two at a time, and taken apart again in reverse order."""

from __future__ import annotations

from disjoint_sets import classes, pairs
from hypothesis import given

from mlir_inplace.passes.analysis.ir.union_find import UnionFind


@given(pairs, pairs)
def test_unions_can_be_taken_back(kept: list[tuple[int, int]], undone: list[tuple[int, int]]) -> None:
    sets = UnionFind()
    expected = list(range(8))
    for a, b in kept:
        root = sets.union(a, b)
        assert root == sets.find(a) == sets.find(b)
        low, high = sorted((expected[a], expected[b]))
        expected = [low if value == high else value for value in expected]
    assert classes(sets, 8) == expected
    mark = sets.mark()
    for a, b in undone:
        sets.union(a, b)
    sets.undo(mark)
    assert classes(sets, 8) == expected
