"""Questions about slices that fall into parts: what belongs together stays together, and examples hold for all."""

from __future__ import annotations

import pytest

from mlir_inplace.passes.analysis.index_sets.problems import Answer
from mlir_inplace.passes.analysis.index_sets.relations import IndexSets
from mlir_inplace.passes.analysis.index_sets.slices import Slice
from mlir_inplace.passes.analysis.index_sets.sums import Index
from mlir_inplace.passes.analysis.index_sets.symbols import IndexTerms, Range


def one(*offsets: Index) -> Slice:
    """A slice of one element."""
    return Slice(offsets, (1,) * len(offsets), (1,) * len(offsets))


@pytest.mark.parametrize(("second", "expected"), [((3, 3), Answer.NO), ((3, 4), Answer.YES)])
def test_one_symbol_in_two_dimensions(second: tuple[int, int], expected: Answer) -> None:
    terms = IndexTerms()
    symbol = terms.fresh()
    found = IndexSets(terms).are_disjoint(one(symbol, symbol), one(*second))
    assert found.answer is expected


@pytest.mark.parametrize(("second", "expected"), [((5, 2), Answer.NO), ((5, 3), Answer.YES)])
def test_a_symbol_and_what_is_made_of_it(second: tuple[int, int], expected: Answer) -> None:
    terms = IndexTerms()
    symbol = terms.fresh()
    first = one(symbol, terms.quotient(symbol, 2))
    assert IndexSets(terms).are_disjoint(first, one(*second)).answer is expected


def test_a_symbol_and_one_that_it_bounds() -> None:
    terms = IndexTerms()
    bound = terms.fresh(Range(0))
    below = terms.fresh(Range(0, bound))
    sets = IndexSets(terms)
    assert sets.are_disjoint(one(bound, below), one(3, 2)).answer is Answer.NO
    assert sets.are_disjoint(one(bound, below), one(3, 3)).answer is Answer.YES


def test_examples_of_parts_are_one_example() -> None:
    terms = IndexTerms()
    symbols = [terms.fresh() for _ in range(3)]
    found = IndexSets(terms).are_disjoint(one(*symbols), one(4, -5, 6))
    assert found.answer is Answer.NO
    assert {symbol: value for symbol, _, value in found.witness} == {
        symbol.value: value for symbol, value in zip(symbols, (4, -5, 6), strict=True)
    }


def test_nothing_meets_in_a_loop_that_never_runs() -> None:
    terms = IndexTerms()
    runs, never = terms.loop(0, 8), terms.loop(3, 3)
    sets = IndexSets(terms)
    assert sets.are_disjoint(one(0), one(0), [runs]).answer is Answer.NO
    assert sets.are_disjoint(one(0), one(0), [runs, never]).answer is Answer.YES
