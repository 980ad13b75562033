"""When an outcome is known to be the cheapest: what clashes tell, and that no order of decisions needs less then."""

from __future__ import annotations

import random
from unittest import mock

import pytest
from analysed import Analysed, analyse_with
from generated import program

from mlir_inplace.passes.analysis.in_place import function as function_analysis
from mlir_inplace.passes.analysis.in_place import improvement
from mlir_inplace.passes.analysis.in_place.cost_model import CostModel
from mlir_inplace.passes.analysis.in_place.decision_order import DecisionOrder, Heuristic
from mlir_inplace.passes.analysis.in_place.fewest_allocations import clash_of, has_fewest_allocations
from mlir_inplace.passes.analysis.in_place.function_decisions import OneShotAnalyzer
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions

_T = "tensor<4x4xf32>"
_OPTIONS = AnalysisOptions(boundaries=True)


def _function(body: str, result: str) -> str:
    return f"""func.func @f(%t: {_T}, %u: {_T}, %n: index) -> {_T} {{
      %c = arith.constant 1.0 : f32
      %e = tensor.empty() : {_T} loc("e")
      %g = tensor.empty() : {_T} loc("g")
      {body}
      return %{result} : {_T}
    }}"""


def _fill(name: str, init: str) -> str:
    return f'%{name} = linalg.fill ins(%c : f32) outs(%{init} : {_T}) -> {_T} loc("{name}")'


def _op(name: str, op: str, a: str, b: str, init: str) -> str:
    return f'%{name} = linalg.{op} ins(%{a}, %{b} : {_T}, {_T}) outs(%{init} : {_T}) -> {_T} loc("{name}")'


def _first_order(body: str, result: str) -> Analysed:
    """What the first order of decisions alone leads to."""
    with mock.patch.object(function_analysis, "is_cheapest", return_value=True):
        return analyse_with(_function(body, result), _OPTIONS)


def _clashes(a: Analysed) -> list[set[str]]:
    effects, decisions = a.analysis.effects, a.function().decisions.values()
    return [{a.place(o) for o in clash_of(effects, d.conflict)} for d in decisions if d.conflict is not None]


def _is_known(a: Analysed) -> bool:
    return has_fewest_allocations(a.analysis.effects, a.function())


def _lines(*lines: str) -> str:
    return "\n".join(lines)


def test_two_tensors_that_are_needed_together_clash() -> None:
    a = _first_order(_lines(_fill("a", "e"), _fill("b", "e"), _op("r", "matmul", "a", "b", "u")), "r")
    assert _clashes(a) == [{"a#1", "b#1"}]
    assert _is_known(a)


def test_an_op_that_reads_while_it_writes_clashes_with_what_it_reads() -> None:
    body = _lines(_fill("a", "e"), _fill("b", "e"), _op("m", "matmul", "a", "t", "b"), _op("r", "add", "m", "t", "u"))
    a = _first_order(body, "r")
    assert _clashes(a) == [{"a#1", "b#1", "m#2"}]
    assert _is_known(a)


def test_what_an_op_may_overwrite_does_not_clash() -> None:
    a = _first_order(_lines(_fill("a", "e"), _op("b", "add", "a", "t", "e"), _op("r", "add", "b", "t", "u")), "r")
    assert _clashes(a) == []


def test_clashes_with_an_operand_in_common_are_not_counted_twice() -> None:
    body = _lines(_fill("a", "e"), _fill("b", "e"), _fill("d", "e"))
    used = _lines(_op("x", "matmul", "a", "b", "u"), _op("r", "matmul", "d", "a", "x"))
    a = _first_order(_lines(body, used), "r")
    assert len(_clashes(a)) == 2
    assert all("a#1" in clash or "d#1" in clash for clash in _clashes(a))
    assert not _is_known(a)


@pytest.mark.parametrize(
    "body",
    [
        # In a loop what is written may be read in the next iteration, or not.
        """%c0 = arith.constant 0 : index
        %s = arith.constant 1 : index
        %r = scf.for %i = %c0 to %n step %s iter_args(%x = %u) -> (tensor<4x4xf32>) {
          %a = linalg.fill ins(%c : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
          %b = linalg.fill ins(%c : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
          %m = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>)
                 outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
          scf.yield %m : tensor<4x4xf32>
        }""",
        # Parts of a tensor may be apart.
        """%a = linalg.fill ins(%c : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
        %b = tensor.insert %c into %a[%n, %n] : tensor<4x4xf32>
        %o = arith.muli %n, %n : index
        %x = tensor.extract %a[%o, %n] : tensor<4x4xf32>
        %r = tensor.insert %x into %b[%n, %n] : tensor<4x4xf32>
        """,
    ],
)
def test_what_other_rules_may_settle_is_no_clash(body: str) -> None:
    a = _first_order(body, "r")
    assert _clashes(a) == [set()]
    assert not _is_known(a)


def _random_body(seed: int) -> tuple[str, str]:
    draw = random.Random(seed)
    values, lines = ["t", "u"], list[str]()
    for index in range(draw.randrange(3, 12)):
        init = draw.choice(["e", "g", *values[2:]])
        name = f"v{index}"
        if draw.random() < 0.4:
            lines.append(_fill(name, init))
        else:
            op = draw.choice(["add", "matmul", "max"])
            lines.append(_op(name, op, draw.choice(values), draw.choice(values), init))
        values.append(name)
    return _lines(*lines), values[-1]


_OTHERS = [
    DecisionOrder(exits_first=True),
    DecisionOrder(Heuristic.TOP_DOWN, exits_first=True),
    DecisionOrder(Heuristic.FROM_TERMINATORS),
    *map(DecisionOrder.fuzzer, range(8)),
]


def test_no_order_needs_fewer_allocations_than_what_is_known_to_be_the_fewest() -> None:
    known = unknown = 0
    for seed in range(120):
        a = _first_order(*_random_body(seed))
        effects, first = a.analysis.effects, a.function()
        costs = CostModel(effects)
        cost = costs.cost(first)
        if all(decision.in_place for decision in first.decisions.values()):
            continue
        if cost.refusals or cost.copied or not _is_known(a):
            unknown += 1
            continue
        known += 1
        for order in _OTHERS:
            other = OneShotAnalyzer(effects, first.function, _OPTIONS, order).run()
            assert costs.cost(other) >= cost, (seed, order)
    assert known > 15
    assert unknown > 15


def test_decisions_are_those_of_all_orders() -> None:
    """What is not tried would not have been taken."""
    texts = [_function(*_random_body(seed)) for seed in range(120, 180)] + [
        program(subject, seed).text for subject in ("loops", "generic") for seed in range(15)
    ]
    saved = 0
    for text in texts:
        quick = analyse_with(text, _OPTIONS)
        with mock.patch.object(improvement, "has_fewest_allocations", return_value=False) as asked:
            full = analyse_with(text, _OPTIONS)
        saved += asked.called
        assert [f.decisions for f in quick.analysis.functions] == [f.decisions for f in full.analysis.functions]
    assert saved > 10


def test_one_order_is_enough_for_a_chain_of_ops_that_share_an_empty_tensor() -> None:
    lines, last = list[str](), "t"
    for n in range(20):
        lines += [
            _fill(f"f{n}", "e"),
            _op(f"m{n}", "matmul", last, "u", f"f{n}"),
            _op(f"a{n}", "add", f"m{n}", "u", "e"),
        ]
        last = f"a{n}"
    with mock.patch.object(function_analysis, "OneShotAnalyzer", side_effect=OneShotAnalyzer) as runs:
        a = analyse_with(_function(_lines(*lines), last), _OPTIONS)
    assert runs.call_count == 1
    refused = [d for d in a.function().decisions.values() if not d.in_place]
    assert len(refused) == 19
    assert len({min(s, default="") for s in _clashes(a)}) == 19


@pytest.mark.parametrize(
    ("written", "read", "is_known"),
    [
        ("%n, %n", "%n, %n", True),
        ("%n, %n", "%n, %o", False),
        ("0, %n", "0, %n", True),
    ],
)
def test_what_writes_the_element_that_is_read_is_copied_by_any_decisions(
    written: str, read: str, is_known: bool
) -> None:
    """The conflict is one with a later write, but this one alone is enough."""
    body = f"""%zero = arith.constant 0 : index
        %o = arith.muli %n, %n : index
        %a = tensor.insert %c into %t[{written.replace("0", "%zero")}] : {_T} loc("a")
        %b = tensor.insert %c into %a[{written.replace("0", "%zero")}] : {_T} loc("b")
        %x = tensor.extract %t[{read.replace("0", "%zero")}] : {_T}
        %r = tensor.insert %x into %b[%o, %o] : {_T} loc("r")"""
    a = _first_order(body, "r")
    assert list(a.not_in_place) == ["a#1"]
    assert a.function().decisions[next(o for o in a.function().decisions if a.place(o) == "a#1")].copies
    assert _is_known(a) is is_known


def test_a_copy_that_another_refusal_may_spare_is_not_known() -> None:
    """If the slice is copied, the tensor that it is of is not."""
    body = f"""%s = tensor.extract_slice %t[%n, 0] [1, 4] [1, 1] : {_T} to tensor<4xf32> loc("s")
        %a = tensor.insert %c into %t[%n, %n] : {_T} loc("a")
        %x = tensor.extract %s[%n] : tensor<4xf32>
        %r = tensor.insert %x into %a[%n, %n] : {_T}"""
    a = _first_order(body, "r")
    assert a.not_in_place
    assert not _is_known(a)
