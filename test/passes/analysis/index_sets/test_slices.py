"""What is known about two slices, compared with the sets of their elements."""

from __future__ import annotations

import itertools

import pytest
from analysed import analyse
from hypothesis import given
from hypothesis import strategies as st

from mlir_inplace.passes.analysis.index_sets.slices import (
    Slice,
    SliceRelation,
    Symbol,
    are_one_or_apart,
    slice_relation,
)

EQUAL, DISJOINT, CONTAINED, UNKNOWN = SliceRelation


def one(offset: int | Symbol, size: int | Symbol, stride: int | Symbol = 1) -> Slice:
    return Slice((offset,), (size,), (stride,))


@pytest.mark.parametrize(
    ("first", "second", "relation", "reverse"),
    [
        (one(0, 4), one(0, 4), EQUAL, EQUAL),
        (one(0, 4), one(4, 4), DISJOINT, DISJOINT),
        (one(0, 4), one(3, 4), UNKNOWN, UNKNOWN),
        (one(1, 2), one(0, 4), CONTAINED, UNKNOWN),
        (one(0, 3), one(0, 4), CONTAINED, UNKNOWN),
        # Strides: evens and odds, every fourth of the evens, a stride that does not meet the other's.
        (one(0, 4, 2), one(1, 4, 2), DISJOINT, DISJOINT),
        (one(0, 2, 4), one(0, 8, 2), CONTAINED, UNKNOWN),
        (one(2, 2, 4), one(0, 8, 2), CONTAINED, UNKNOWN),
        (one(1, 2, 4), one(0, 8, 2), UNKNOWN, UNKNOWN),
        (one(0, 2, 4), one(0, 2, 2), UNKNOWN, UNKNOWN),
        (one(0, 2, 3), one(0, 8, 2), UNKNOWN, UNKNOWN),
        # Nothing is apart from everything.
        (one(0, 0), one(0, 4), DISJOINT, DISJOINT),
        (one(5, 0), one(5, 0), EQUAL, EQUAL),
        # Stride 0 and backwards.
        (one(2, 3, 0), one(0, 4), CONTAINED, UNKNOWN),
        (one(2, 3, 0), one(3, 4), DISJOINT, DISJOINT),
        (one(2, 3, 0), one(2, 2, 0), UNKNOWN, UNKNOWN),
        (one(3, 4, -1), one(0, 4), UNKNOWN, UNKNOWN),
        # Symbols are the same or anything.
        (one(Symbol(7), 4), one(Symbol(7), 4), EQUAL, EQUAL),
        (one(Symbol(7), 4), one(Symbol(8), 4), UNKNOWN, UNKNOWN),
        (one(Symbol(7), 4), one(Symbol(7), 3), UNKNOWN, CONTAINED),
        (one(Symbol(7), 4), one(0, 4), UNKNOWN, UNKNOWN),
        (one(0, Symbol(7)), one(0, Symbol(7)), EQUAL, EQUAL),
        (one(0, 4, Symbol(7)), one(0, 4, Symbol(7)), EQUAL, EQUAL),
        # Rank 0: the one element. Different ranks: slices of different tensors.
        (Slice((), (), ()), Slice((), (), ()), EQUAL, EQUAL),
        (Slice((), (), ()), one(0, 1), UNKNOWN, UNKNOWN),
    ],
)
def test_relation(first: Slice, second: Slice, relation: SliceRelation, reverse: SliceRelation) -> None:
    assert slice_relation(first, second) is relation
    assert slice_relation(second, first) is reverse


ROW, OTHER = Symbol(7), Symbol(8)


@pytest.mark.parametrize(
    ("first", "second", "holds"),
    [
        # Two rows, two columns, two elements, two rows of one block of columns.
        (Slice((ROW, 0), (1, 8), (1, 1)), Slice((OTHER, 0), (1, 8), (1, 1)), True),
        (Slice((0, ROW), (8, 1), (2, 1)), Slice((0, OTHER), (8, 1), (2, 1)), True),
        (Slice((ROW, 0), (1, 1), (1, 1)), Slice((0, OTHER), (1, 1), (1, 1)), True),
        (Slice((ROW, 2), (1, 3), (1, 1)), Slice((OTHER, 2), (1, 3), (1, 1)), True),
        # Two rows each, other columns of two rows, a row and a column, other numbers of elements.
        (Slice((ROW, 0), (2, 8), (1, 1)), Slice((OTHER, 0), (2, 8), (1, 1)), False),
        (Slice((ROW, 2), (1, 3), (1, 1)), Slice((OTHER, 3), (1, 3), (1, 1)), False),
        (Slice((ROW, 0), (1, 8), (1, 1)), Slice((0, OTHER), (8, 1), (1, 1)), False),
        (Slice((ROW, 0), (1, 4), (1, 1)), Slice((OTHER, 0), (1, 8), (1, 1)), False),
        (Slice((ROW, 7), (1, 8), (1, -1)), Slice((OTHER, 0), (1, 8), (1, 1)), False),
        (one(ROW, 1), Slice((OTHER, 0), (1, 8), (1, 1)), False),
    ],
)
def test_one_or_apart(first: Slice, second: Slice, holds: bool) -> None:
    assert are_one_or_apart(first, second) is holds
    assert are_one_or_apart(second, first) is holds


def two(first: Slice, second: Slice) -> Slice:
    return Slice(first.offsets + second.offsets, first.sizes + second.sizes, first.strides + second.strides)


@pytest.mark.parametrize(
    ("rows", "columns", "relation"),
    [
        ((one(0, 4), one(0, 4)), (one(0, 4), one(0, 4)), EQUAL),
        ((one(0, 4), one(0, 4)), (one(1, 2), one(0, 4)), CONTAINED),
        ((one(1, 1), one(0, 4)), (one(1, 2), one(0, 4)), CONTAINED),
        ((one(0, 4), one(0, 4)), (one(0, 4), one(1, 2)), UNKNOWN),
        ((one(0, 4), one(0, 4)), (one(0, 2), one(2, 2)), DISJOINT),
        ((one(Symbol(1), 4), one(Symbol(2), 4)), (one(0, 2), one(2, 2)), DISJOINT),
        ((one(Symbol(1), 4), one(Symbol(2), 4)), (one(0, 2), one(0, 2)), UNKNOWN),
        ((one(Symbol(1), 4), one(Symbol(1), 4)), (one(0, 2), one(0, 2)), EQUAL),
    ],
)
def test_one_disjoint_dimension_is_enough(
    rows: tuple[Slice, Slice], columns: tuple[Slice, Slice], relation: SliceRelation
) -> None:
    assert slice_relation(two(rows[0], columns[0]), two(rows[1], columns[1])) is relation


dimensions = st.tuples(st.integers(0, 6), st.integers(0, 4), st.integers(-1, 4))


def elements(slice_: Slice) -> set[tuple[int, ...]]:
    axes = [
        [offset + k * stride for k in range(size)]
        for offset, size, stride in zip(slice_.offsets, slice_.sizes, slice_.strides, strict=True)
    ]
    return set(itertools.product(*axes))


@given(
    st.integers(0, 2).flatmap(lambda rank: st.lists(st.tuples(dimensions, dimensions), min_size=rank, max_size=rank))
)
def test_the_relation_is_true_of_the_sets(pairs: list[tuple[tuple[int, int, int], tuple[int, int, int]]]) -> None:
    first, second = (Slice(*(tuple(pair[side][part] for pair in pairs) for part in range(3))) for side in (0, 1))
    a, b = elements(first), elements(second)
    relation = slice_relation(first, second)
    if relation is EQUAL:
        assert a == b
    elif relation is CONTAINED:
        assert a <= b
    elif relation is DISJOINT:
        assert a.isdisjoint(b)


@given(dimensions, dimensions)
def test_contiguous_slices_are_always_told_apart(first: tuple[int, int, int], second: tuple[int, int, int]) -> None:
    """Where strides are 1 nothing is left unknown that could be known."""
    a, b = (one(offset, size) for offset, size, _ in (first, second))
    relation, first_set, second_set = slice_relation(a, b), elements(a), elements(b)
    if first_set.isdisjoint(second_set):
        assert relation is DISJOINT or a == b
    elif first_set <= second_set:
        assert relation in (EQUAL, CONTAINED)
    else:
        assert relation is UNKNOWN


def test_constants_are_numbers_and_values_are_symbols() -> None:
    a = analyse("""
      %s = tensor.extract_slice %t[%c2] [%n] [1] : !v to !d loc("s")
      %r = tensor.extract %t[%i] : !v loc("r")
    """)
    index, count = a.snapshot.operand_value[a.operand("r#1")], a.snapshot.operand_value[a.operand("s#2")]
    assert a.analysis.effects.slices[a.operand("s#0")] == one(2, Symbol(count))
    assert a.analysis.effects.slices[a.operand("r#0")] == one(Symbol(index), 1)
    assert one(2, Symbol(count), Symbol(index)).symbols == (count, index)
