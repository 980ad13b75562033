"""Sets of the numbers 0 to 7 that are joined two at a time."""

from __future__ import annotations

from hypothesis import strategies as st

from mlir_inplace.passes.analysis.ir.union_find import UnionFind

pairs = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12)


def classes(sets: UnionFind, count: int) -> list[int]:
    """For each number the smallest one that it is in one set with."""
    roots = [sets.find(number) for number in range(count)]
    return [roots.index(root) for root in roots]
