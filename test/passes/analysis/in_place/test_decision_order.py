"""The orders of decisions: which ops have their turn when, and which of two clashing ties is refused."""

from __future__ import annotations

import pytest
from analysed import Analysed, analyse_with, function
from generated import program

from mlir_inplace.passes.analysis.in_place.decision_order import DecisionOrder, Heuristic
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions

ORDERS = [
    *(DecisionOrder(heuristic) for heuristic in (Heuristic.BOTTOM_UP, Heuristic.TOP_DOWN, Heuristic.FROM_TERMINATORS)),
    *(DecisionOrder.fuzzer(seed) for seed in range(4)),
]

NESTED = """
  %a = tensor.insert %f into %t[%i] : !v loc("a")
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%o = %a) -> (!v) {
    %b = tensor.insert %f into %o[%k] : !v loc("b")
    %r = scf.if %p -> (!v) {
      %c = tensor.insert %f into %b[%i] : !v loc("c")
      scf.yield %c : !v loc("then")
    } else {
      scf.yield %b : !v loc("else")
    } loc("if")
    scf.yield %r : !v loc("next")
  } loc("for")
  %d = tensor.extract %l[%i] : !v loc("d")
"""


def analysed(body: str, heuristic: Heuristic, seed: int = 0) -> Analysed:
    return analyse_with(function(body), AnalysisOptions(boundaries=True, heuristic=heuristic, fuzzer_seed=seed))


def turns(order: DecisionOrder, body: str = NESTED) -> list[str]:
    """The ops that have a name of their own, in the order of their turns."""
    a = analysed(body, Heuristic.BOTTOM_UP)
    labels = [a.op_label(op) for op in order.ops(a.analysis.effects, a.function().function)]
    return [label for label in labels if "." not in label]


def test_bottom_up() -> None:
    assert turns(DecisionOrder(Heuristic.BOTTOM_UP)) == ["d", "next", "else", "then", "c", "if", "b", "for", "a"]


def test_top_down_has_bodies_before_the_ops_around_them() -> None:
    assert turns(DecisionOrder(Heuristic.TOP_DOWN)) == ["a", "b", "c", "then", "else", "if", "next", "for", "d"]


def test_what_terminators_hand_out_comes_first() -> None:
    order = DecisionOrder(Heuristic.FROM_TERMINATORS)
    body = """
      %a = tensor.insert %f into %t[%i] : !v loc("a")
      %b = tensor.insert %f into %u[%i] : !v loc("b")
      %c = tensor.insert %f into %a[%j] : !v loc("c")
      %d = tensor.extract %b[%i] : !v loc("d")
      return %c : !v loc("end")
    """
    assert turns(order, body) == ["end", "c", "a", "d", "b"]


def test_seeds_are_orders() -> None:
    assert turns(DecisionOrder.fuzzer(7)) == turns(DecisionOrder.fuzzer(7))
    assert len({tuple(turns(DecisionOrder.fuzzer(seed))) for seed in range(20)}) > 10
    drawn = [DecisionOrder.fuzzer(seed) for seed in range(20)]
    assert {(order.exits_first, order.postpone) for order in drawn} == {(a, b) for a in (0, 1) for b in (0, 1)}


def test_the_fuzzer_mixes_operands_too() -> None:
    a = analysed('%w = linalg.add ins(%t, %u : !v, !v) outs(%t : !v) -> !v loc("w")', Heuristic.BOTTOM_UP)
    op = a.op("w")
    mixed = {tuple(DecisionOrder.fuzzer(seed).operands(a.snapshot, op)) for seed in range(30)}
    assert len(mixed) == 6
    assert list(DecisionOrder(Heuristic.TOP_DOWN).operands(a.snapshot, op)) == list(a.snapshot.operands(op))


@pytest.mark.parametrize("order", ORDERS)
def test_every_op_has_one_turn_and_bodies_come_first(order: DecisionOrder) -> None:
    for seed in range(5):
        a = analyse_with(program("loops", seed).text, AnalysisOptions(boundaries=True))
        s = a.snapshot
        for analysis in a.analysis.functions:
            ops = list(order.ops(a.analysis.effects, analysis.function))
            assert sorted(ops) == list(s.nested_ops(analysis.function))
            turn = {op: index for index, op in enumerate(ops)}
            for op in ops:
                parent = s.block_op[s.op_block[op]]
                assert parent == analysis.function or turn[op] < turn[parent]


# The slice is read after the update of what it was taken from: one of the two has to be a copy.
CLASH = """
  %s = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("slice")
  %w = tensor.insert %f into %t[%i] : !v loc("w")
  %r = tensor.extract %s[%c0] : !h
"""


@pytest.mark.parametrize(
    ("heuristic", "refused"),
    [(Heuristic.BOTTOM_UP, "slice#0"), (Heuristic.TOP_DOWN, "w#1"), (Heuristic.FROM_TERMINATORS, "slice#0")],
)
def test_who_comes_first_gets_the_buffer(heuristic: Heuristic, refused: str) -> None:
    assert list(analysed(CLASH, heuristic).not_in_place) == [refused]


def test_the_fuzzer_gives_the_buffer_to_either() -> None:
    refused = {tuple(analysed(CLASH, Heuristic.FUZZER, seed).not_in_place) for seed in range(20)}
    assert refused == {("slice#0",), ("w#1",)}


# The same with three slices: forwards, one update is the copy; backwards, each slice is.
SLICES = """
  %s0 = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("s0")
  %s1 = tensor.extract_slice %t[1] [4] [1] : !v to !h loc("s1")
  %s2 = tensor.extract_slice %t[2] [4] [1] : !v to !h loc("s2")
  %w = tensor.insert %f into %t[%i] : !v loc("w")
  %r0 = tensor.extract %s0[%c0] : !h
  %r1 = tensor.extract %s1[%c0] : !h
  %r2 = tensor.extract %s2[%c0] : !h
"""


def test_the_default_takes_the_cheapest_order() -> None:
    assert len(analysed(SLICES, Heuristic.BOTTOM_UP).not_in_place) == 3
    assert list(analysed(SLICES, Heuristic.TOP_DOWN).not_in_place) == ["w#1"]
    assert list(analysed(SLICES, Heuristic.CHEAPEST).not_in_place) == ["w#1"]
