"""Operands that are refused in some order, where clauses do not tell which; parts that want different orders."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace
from functools import reduce
from typing import Any
from unittest import mock

import pytest
from analysed import analyse, analyse_with
from generated import program
from mlir import ir

from mlir_inplace.passes.analysis.costs.price import Price
from mlir_inplace.passes.analysis.in_place import function, part_search
from mlir_inplace.passes.analysis.in_place.bonds import Bonds
from mlir_inplace.passes.analysis.in_place.cost_model import CostModel
from mlir_inplace.passes.analysis.in_place.function_decisions import OneShotAnalyzer
from mlir_inplace.passes.analysis.in_place.likely_clauses import Leads, LikelyClauses
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.in_place.part_search import PartSearch
from mlir_inplace.passes.analysis.whole_module.module import analyze_module

_OPTIONS = AnalysisOptions(boundaries=True, skip_dead=True)


def _analysed(subject: str, seed: int) -> Price:
    """The cost of a random program."""
    with ir.Context() as context:
        context.attach_diagnostic_handler(lambda _: True)
        analysis = analyze_module(ir.Module.parse(program(subject, seed, 3).text).operation, _OPTIONS)
        return reduce(Price.plus, (CostModel(analysis.effects).cost(one) for one in analysis.functions))


def _cost(text: str) -> Price:
    a = analyse_with(text, _OPTIONS)
    return CostModel(a.analysis.effects).cost(a.function())


def _written(text: str) -> list[bool]:
    """Which arguments of ``@f`` are written, tensor by tensor."""
    with ir.Context():
        analysis = analyze_module(ir.Module.parse(text).operation, _OPTIONS)
        return list(analysis.summaries["f"].argument_is_written[:2])


@pytest.mark.parametrize(
    ("subject", "seed"),
    [
        # A loop copies yields, or buffers start apart to be swapped, unless one other operand is refused.
        ("globals", 92),
        ("vectors", 1683),
    ],
)
def test_one_operand_refused_more_is_cheaper(subject: str, seed: int) -> None:
    found = _analysed(subject, seed)
    with mock.patch.object(PartSearch, "_climb"):
        assert found < _analysed(subject, seed)


@pytest.mark.parametrize(
    ("subject", "seed"),
    [
        # Clauses prove that nothing is cheaper, and are wrong.
        ("buffers", 143),
        ("blocks", 476),
        # One refusal makes it dearer, the second one of that order is told by its outcome alone.
        ("buffers", 944),
        ("buffers", 972),
        # Loops that swap no buffers pay for less.
        ("destinations", 1478),
        # What the first of two refusals avoids, the second one avoids too: without the first it is cheaper.
        ("globals", 2398),
    ],
)
def test_leads_are_followed_whatever_clauses_prove(subject: str, seed: int) -> None:
    found = _analysed(subject, seed)
    with mock.patch.object(part_search, "_MOST_LOOKS", 0):
        assert found < _analysed(subject, seed)


def test_leads_find_what_clauses_do_not() -> None:
    found = _analysed("blocks", 3038)
    with mock.patch.object(PartSearch, "_follow_leads"):
        assert found < _analysed("blocks", 3038)


def test_a_loop_that_cannot_pass_on_what_it_would_swap_is_tried_without_swaps() -> None:
    """The operand is out-of-place for another reason: only why it is not passed on tells of the swap."""
    found = _analysed("destinations", 1478)
    with mock.patch.object(Leads, "_other_orders", return_value={}):
        assert found < _analysed("destinations", 1478)


@pytest.mark.parametrize(("subject", "seed"), [("buffers", 672), ("destinations", 59), ("vectors", 1478)])
def test_what_joins_buffers_in_the_body_of_a_loop_is_refused(subject: str, seed: int) -> None:
    """No way between the write and the read leads through it."""
    found = _analysed(subject, seed)
    with mock.patch.object(Bonds, "outside_loop", return_value=frozenset()):
        assert found < _analysed(subject, seed)


@pytest.mark.parametrize(("subject", "seed"), [("globals", 1419), ("called blocks", 2427)])
def test_each_loop_does_what_it_does_in_the_order_of_its_part(subject: str, seed: int) -> None:
    """Of structured control flow, and of blocks."""
    found, analyzer = _analysed(subject, seed), function.OneShotAnalyzer

    def begin(*given: Any, orders: object = None, **named: Any) -> OneShotAnalyzer:  # pyright: ignore[reportAny]
        del orders
        return analyzer(*given, **named)

    with mock.patch.object(function, "OneShotAnalyzer", begin):
        assert found < _analysed(subject, seed)


def test_what_one_order_refuses_is_tried_in_the_others() -> None:
    found = _analysed("globals", 2282)
    with mock.patch.object(PartSearch, "_in_other_orders", return_value=()):
        assert found < _analysed("globals", 2282)


def test_trials_whose_outcome_is_known_would_spend_what_finds_another() -> None:
    found = _analysed("vectors", 1944)
    with mock.patch.object(PartSearch, "_known_outcome", return_value=None):
        assert found < _analysed("vectors", 1944)


def test_what_seems_to_cost_the_same_is_tried() -> None:
    found = _analysed("destinations", 756)
    with mock.patch.object(part_search, "_MOST_EQUAL", 0):
        assert found < _analysed("destinations", 756)


def test_operands_without_which_there_is_another_way_are_tried_later() -> None:
    """Within 300 ops in vain: in more, both find the same."""
    with mock.patch.object(part_search, "_MOST_FOLLOWED", 300):
        found = _analysed("everything", 2393)
        with mock.patch.object(LikelyClauses, "spares", return_value=True):
            assert found < _analysed("everything", 2393)


def test_what_is_decided_first_helps_twice() -> None:
    assert _analysed("views", 1323).weighed == 74160


def test_what_is_cheapest_to_refuse_is_decided_first() -> None:
    found = _analysed("destinations", 2153)
    with mock.patch.object(PartSearch, "_decide_first"):
        assert found < _analysed("destinations", 2153)


@pytest.mark.parametrize(("copied", "takes"), [(0, False), (512, True)])
def test_the_first_copy_is_not_made_to_save_an_allocation(copied: int, takes: bool) -> None:
    old = Price.of(copied, 65_536)
    new = old.plus(Price.of(512, 512)).minus(Price.of(0, 65_536))
    assert new < old
    assert part_search.is_better((new, 1.0), (old, 1.0)) is takes


_PUT_BACK = """
func.func @f(%i: index, %t: tensor<2x?x2xi1>) -> (tensor<2x?x2xi1>, tensor<2x?x2xi1>) {
  %s = tensor.extract_slice %t[0, 0, 0] [%i, %i, %i] [1, 1, 1] : tensor<2x?x2xi1> to tensor<?x?x?xi1>
  %w = tensor.insert_slice %s into %t[0, 0, 0] [%i, %i, %i] [1, 1, 1] : tensor<?x?x?xi1> into tensor<2x?x2xi1>
  %r = scf.for %k = %i to %i step %i iter_args(%a = %w) -> (tensor<2x?x2xi1>) {
    %l:2 = scf.for %m = %i to %i step %i iter_args(%b = %a, %c = %s) -> (tensor<2x?x2xi1>, tensor<?x?x?xi1>) {
      %x = tensor.cast %c : tensor<?x?x?xi1> to tensor<2x?x2xi1>
      %y = tensor.cast %b : tensor<2x?x2xi1> to tensor<?x?x?xi1>
      scf.yield %x, %y : tensor<2x?x2xi1>, tensor<?x?x?xi1>
    }
    scf.yield %l#0 : tensor<2x?x2xi1>
  }
  return %r, %t : tensor<2x?x2xi1>, tensor<2x?x2xi1>
}
"""


def test_a_cast_is_refused_forward_that_keeps_two_buffers_apart() -> None:
    """What it saves is not tied to it by a way between two values, so no clause tells it; a lead does, or a climb."""
    found = _cost(_PUT_BACK)
    assert (found.copied, found.ops) == (1024, 3)
    with mock.patch.object(PartSearch, "_follow_leads"):
        assert _cost(_PUT_BACK) == found
        with mock.patch.object(part_search, "_MOST_SINGLY", 0):
            assert _cost(_PUT_BACK).copied > found.copied


def test_nothing_is_tried_singly_where_clauses_prove_what_is_cheapest() -> None:
    with _singly() as asked:
        analyse("""
          %a = tensor.extract_slice %t[0] [6] [1] : !v to tensor<6xf32>
          %w = tensor.insert %f into %t[%i] : !v
          %x = tensor.insert %f into %a[%j] : tensor<6xf32>
          return %w, %x : !v, tensor<6xf32>
        """)
    assert not asked.called
    with _singly() as asked:
        _cost(_PUT_BACK)
    assert asked.called


def _singly() -> AbstractContextManager[mock.MagicMock]:
    return mock.patch.object(PartSearch, "_singles", return_value=[])


def test_the_core_leads_through_what_is_paid_for_where_there_are_two_ways() -> None:
    """Without the operand that is paid for the two were together already, so that way alone is no reason."""
    found = _analysed("buffers", 204)
    with mock.patch.object(Bonds, "_through", return_value=frozenset[int]()):
        assert found < _analysed("buffers", 204)


def test_parts_may_be_cheapest_in_different_orders() -> None:
    """What the first order refuses in one part is refused where another part is decided forward."""
    found = _analysed("buffers", 148)
    assert found.copied == 72


def test_leads_that_seem_to_cost_more_are_followed() -> None:
    found = _analysed("vectors", 1944)
    with mock.patch.object(part_search, "_MOST_ABOVE", 0):
        assert found < _analysed("vectors", 1944)


@pytest.mark.parametrize(("subject", "seed"), [("vectors", 2521), ("calls", 255)])
def test_leads_that_fail_their_check_are_tried_as_if_they_cost_the_same(subject: str, seed: int) -> None:
    found = _analysed(subject, seed)
    with mock.patch.object(part_search, "_MOST_EQUAL", 20):
        assert found < _analysed(subject, seed)


def test_a_part_begins_with_what_is_cheapest_for_the_part() -> None:
    """One loop swaps three bytes at no cost in an order that is dear for another loop."""
    assert _analysed("vectors", 2729).weighed == 2516582915


@pytest.mark.parametrize(("subject", "seed"), [("globals", 2543), ("globals", 2707), ("vectors", 2371)])
def test_leads_are_followed_for_longer_than_single_refusals(subject: str, seed: int) -> None:
    found = _analysed(subject, seed)
    with mock.patch.object(part_search, "_MOST_FOLLOWED", 300):
        assert found < _analysed(subject, seed)


@pytest.mark.parametrize(
    ("subject", "seed"), [("called blocks", 2284), ("called blocks", 2838), ("calls", 2191), ("everything", 2228)]
)
def test_leads_that_seem_to_save_nothing_are_not_taken_in_functions_that_are_called(subject: str, seed: int) -> None:
    """Fewer likely buffers at the same cost may give a summary with which a caller copies."""
    found, of_function = _analysed(subject, seed), AnalysisOptions.of_function

    def uncalled(self: AnalysisOptions, name: str) -> AnalysisOptions:
        return replace(of_function(self, name), is_called=False)

    with mock.patch.object(AnalysisOptions, "of_function", uncalled):
        assert found < _analysed(subject, seed)


def test_leads_that_seem_to_save_nothing_are_taken_in_functions_that_nothing_calls() -> None:
    """The copy is in one branch then, and made half as often."""
    text = """
      func.func @f(%t: tensor<8xf32>, %u: tensor<8xf32>, %f: f32, %i: index, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
        %0 = scf.if %p -> tensor<8xf32> {
          scf.yield %t : tensor<8xf32>
        } else {
          scf.yield %u : tensor<8xf32>
        }
        %1 = tensor.insert %f into %0[%i] : tensor<8xf32>
        return %1, %u : tensor<8xf32>, tensor<8xf32>
      }"""
    caller = """
      func.func @g(%t: tensor<8xf32>, %u: tensor<8xf32>, %f: f32, %i: index, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
        %0:2 = call @f(%t, %u, %f, %i, %p)
          : (tensor<8xf32>, tensor<8xf32>, f32, index, i1) -> (tensor<8xf32>, tensor<8xf32>)
        return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
      }"""
    assert (_written(text), _written(text + caller)) == ([True, False], [False, False])
