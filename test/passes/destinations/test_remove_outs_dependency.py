"""inplace-remove-outs-dependency: chains of any length, what fusion gains, what is reported, and how it searches."""

from __future__ import annotations

from collections.abc import Sequence
from unittest import mock

import pytest
from mlir import ir
from mlir.passmanager import PassManager
from transformed import counts, transformed

import mlir_inplace as mi
from mlir_inplace.dialects.bufferizable import AliasingValue, OpModel
from mlir_inplace.dialects.registry import register_models
from mlir_inplace.passes.analysis.costs.price import Price
from mlir_inplace.passes.analysis.destinations.costs import Cost
from mlir_inplace.passes.analysis.destinations.outs_dependency import OutsRule, Retie
from mlir_inplace.passes.analysis.destinations.outs_profit import TrialCosts, choose_reties
from mlir_inplace.passes.analysis.whole_module.module import analyze_module
from mlir_inplace.passes.destinations import remove_outs_dependency
from mlir_inplace.passes.destinations.remove_outs_dependency import RemoveOutsDependencyOptions
from mlir_inplace.passes.framework.diagnostics import DiagnosticCollector

REMOVE = "inplace-remove-outs-dependency"
MAP = "affine_map<(i) -> (i)>"


def remarks(text: str, options: str) -> list[str]:
    with ir.Context() as context, DiagnosticCollector(context) as collector:
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module({REMOVE}{{{options}}})")
    return [f"{found.line}: {found.message}" for found in collector.diagnostics]


def generic(name: str, source: str, init: str) -> str:
    return f"""{name} = linalg.generic {{indexing_maps = [{MAP}, {MAP}], iterator_types = ["parallel"]}}
      ins({source} : tensor<?xf32>) outs({init} : tensor<?xf32>) {{
      ^bb0(%in: f32, %out: f32):
        %s = arith.addf %in, %in : f32
        linalg.yield %s : f32
    }} -> tensor<?xf32>"""


def function(lines: Sequence[str], result: str, arguments: str = "%t0: tensor<?xf32>, %x: tensor<?xf32>") -> str:
    body = "\n".join(lines)
    return f"func.func @main({arguments}) -> tensor<?xf32> {{\n{body}\nreturn {result} : tensor<?xf32>\n}}"


# --- chains ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 10, pytest.param(1000, marks=pytest.mark.full)])
def test_producers_die(count: int) -> None:
    """One run leaves the last op, which writes to the top destination; the chain needs no buffer then, as before."""
    text = function([generic(f"%t{i + 1}", "%x", f"%t{i}") for i in range(count)], f"%t{count}")
    changed = transformed(text, REMOVE)
    assert changed.count("linalg.generic") == 1
    assert "outs(%arg0 : tensor<?xf32>)" in changed
    assert counts(text, REMOVE) <= counts(text)


@pytest.mark.parametrize("count", [2, 10, pytest.param(1000, marks=pytest.mark.full)])
def test_outs_walk_to_the_top_where_producers_live(count: int) -> None:
    """Each op is read by the next one, too: inputs stay, and no op has the init of another one any more."""
    text = function([generic(f"%t{i + 1}", f"%t{i}", f"%t{i}") for i in range(count)], f"%t{count}")
    changed = transformed(text, REMOVE)
    assert changed.count("outs(%arg0 : tensor<?xf32>)") == count
    assert counts(text, REMOVE) == counts(text) == (0, 0)


@pytest.mark.parametrize("count", [2, 10, pytest.param(1000, marks=pytest.mark.full)])
def test_temporary_buffers_die_with_their_producers(count: int) -> None:
    """Each producer adds a tensor with a buffer of its own: only one such buffer is left."""
    lines = ["%c0 = arith.constant 0 : index", "%n = tensor.dim %x, %c0 : tensor<?xf32>"]
    for i in range(count):
        lines += [
            f"%e{i} = tensor.empty(%n) : tensor<?xf32>",
            generic(f"%u{i}", "%x", f"%e{i}"),
            f"""%t{i + 1} = linalg.add ins(%u{i}, %x : tensor<?xf32>, tensor<?xf32>)
              outs(%t{i} : tensor<?xf32>) -> tensor<?xf32>""",
        ]
    text = function(lines, f"%t{count}")
    assert counts(text) == (count, 0)
    assert counts(text, REMOVE) == (1, 0)


def test_chains_in_one_function_do_not_hinder_each_other() -> None:
    """A chain that must stay, as its first buffer is there anyway, and one that can go."""
    lines = [
        generic("%a", "%x", "%r"),
        "%c0 = arith.constant 0 : index",
        "%v = tensor.extract %a[%c0] : tensor<?xf32>",
        generic("%b", "%x", "%a"),
        "%w = tensor.insert %v into %b[%c0] : tensor<?xf32>",
        generic("%t1", "%w", "%t0"),
        generic("%t2", "%w", "%t1"),
    ]
    arguments = "%t0: tensor<?xf32>, %x: tensor<?xf32>, %r: tensor<?xf32> {bufferization.writable = false}"
    text = function(lines, "%t2", arguments)
    found = remarks(text, "print-kept=true print-replaced=true")
    assert [line.partition(": ")[2].partition(":")[0] for line in found] == [
        "operand #1 of 'linalg.generic' takes block argument #0 instead of result #0 of 'linalg.generic'",
        "operand #1 of 'linalg.generic', an init, stays",
        "operand #1 of 'tensor.insert', an init, stays",
    ]
    assert counts(text, REMOVE) <= counts(text)


# --- fusion ------------------------------------------------------------------------------------------------------


def fused(text: str) -> int:
    """How many generics are left after upstream's elementwise fusion."""
    with ir.Context():
        module = ir.Module.parse(text)
        PassManager.parse("builtin.module(linalg-fuse-elementwise-ops,canonicalize,cse)").run(module.operation)
        return str(module).count("linalg.generic")


OUTS_OF_A_NAMED_OP = function(
    [
        generic("%0", "%x", "%t0"),
        "%1 = linalg.exp ins(%x : tensor<?xf32>) outs(%0 : tensor<?xf32>) -> tensor<?xf32>",
        generic("%2", "%0", "%t0"),
        "%3 = linalg.add ins(%1, %2 : tensor<?xf32>, tensor<?xf32>) outs(%t0 : tensor<?xf32>) -> tensor<?xf32>",
    ],
    "%3",
)
OUTS_WITH_DYNAMIC_SIZES = function([generic("%1", "%x", "%t0"), generic("%2", "%1", "%1")], "%2")


@pytest.mark.parametrize("text", [OUTS_OF_A_NAMED_OP, OUTS_WITH_DYNAMIC_SIZES])
def test_upstreams_fusion_fires(text: str) -> None:
    assert fused(text) == 2
    assert fused(transformed(text, REMOVE)) == 1


def test_a_chain_of_ten_is_fused_to_one_op() -> None:
    text = function([generic(f"%t{i + 1}", f"%t{i}", f"%t{i}") for i in range(10)], "%t10")
    assert fused(text) > 1
    assert fused(transformed(text, REMOVE)) == 1


# --- what is reported --------------------------------------------------------------------------------------------


def test_what_each_change_allowed() -> None:
    assert remarks(OUTS_OF_A_NAMED_OP, "print-replaced=true") == [
        "8: operand #1 of 'linalg.exp' takes block argument #0 instead of result #0 of 'linalg.generic': it no longer "
        "depends on that; 'linalg.generic' can be fused with its only user"
    ]
    assert remarks(OUTS_WITH_DYNAMIC_SIZES, "print-replaced=true") == [
        "8: operand #1 of 'linalg.generic' takes block argument #0 instead of result #0 of 'linalg.generic': that "
        "stays an input; 'linalg.generic' can be fused with its only user"
    ]
    text = function([generic("%1", "%x", "%t0"), generic("%2", "%x", "%1")], "%2")
    assert remarks(text, "print-replaced=true") == [
        "8: operand #1 of 'linalg.generic' takes block argument #0 instead of result #0 of 'linalg.generic': it no "
        "longer depends on that; 'linalg.generic' is dead"
    ]
    assert remarks(text, "mode=empty print-replaced=true") == [
        "8: operand #1 of 'linalg.generic' takes a new tensor.empty instead of result #0 of 'linalg.generic': it no "
        "longer depends on that; 'linalg.generic' is dead"
    ]


def test_buffers_that_are_saved() -> None:
    text = function(
        [
            "%c0 = arith.constant 0 : index",
            "%n = tensor.dim %x, %c0 : tensor<?xf32>",
            "%e = tensor.empty(%n) : tensor<?xf32>",
            generic("%u", "%x", "%e"),
            "%1 = linalg.add ins(%u, %x : tensor<?xf32>, tensor<?xf32>) outs(%t0 : tensor<?xf32>) -> tensor<?xf32>",
            generic("%2", "%x", "%1"),
        ],
        "%2",
    )
    assert remarks(text, "print-replaced=true") == [
        "1: the function needs 1 buffer less",
        "12: operand #1 of 'linalg.generic' takes block argument #0 instead of result #0 of 'linalg.add': it no longer "
        "depends on that; 'linalg.add' is dead",
    ]


def test_nothing_is_reported_unless_asked_for() -> None:
    assert remarks(OUTS_OF_A_NAMED_OP, "") == []


def test_an_empty_tensor_needs_sizes_from_elsewhere() -> None:
    """A `tensor.dim` of the old value would keep its producer alive."""
    text = function(
        [
            "%f = arith.constant 0.0 : f32",
            "%p = tensor.pad %t0 low[1] high[1] { ^bb0(%i: index): tensor.yield %f : f32 } "
            ": tensor<?xf32> to tensor<?xf32>",
            "%r = linalg.fill ins(%f : f32) outs(%p : tensor<?xf32>) -> tensor<?xf32>",
        ],
        "%r",
    )
    assert remarks(text, "mode=empty print-kept=true") == [
        "4: operand #1 of 'linalg.fill', an init, stays: its dynamic sizes are known from the value itself only"
    ]
    assert remarks(text, "print-kept=true") == []


def test_options_round_trip() -> None:
    options = RemoveOutsDependencyOptions.parse("mode=empty print-kept=true")
    assert str(options) == "mode=empty print-kept=true"
    assert RemoveOutsDependencyOptions.parse(str(options)) == options
    assert str(RemoveOutsDependencyOptions()) == ""
    assert RemoveOutsDependencyOptions.parse("mode=preserve-destination") == RemoveOutsDependencyOptions()


# --- ops that others describe ------------------------------------------------------------------------------------


class OverwriteModel(OpModel):
    """`toy.overwrite` writes all of operand 1 and reads operand 0; `toy.update` reads both."""

    op_names = ("toy.overwrite", "toy.update")

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        return operand == 0 or op.name == "toy.update"

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        return operand == 1

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        return (AliasingValue(0),) if operand == 1 else ()

    def why_content_is_needed(self, op: ir.Operation, operand: int) -> str:
        return "it adds to it"


register_models((OverwriteModel(),), __name__)


def toy(name: str, op: str, init: str) -> str:
    return f'{name} = "toy.{op}"(%x, {init}) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>'


def test_ops_that_others_describe() -> None:
    """They are users and producers; what they may do besides is not known, so they do not die."""
    text = function(
        [
            toy("%1", "update", "%t0"),
            toy("%2", "overwrite", "%1"),
            toy("%3", "update", "%2"),
            generic("%4", "%x", "%3"),
        ],
        "%4",
    )
    with ir.Context() as context, DiagnosticCollector(context) as collector:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module({REMOVE}{{print-kept=true}})")
        changed = str(module)
    assert changed.count("(%arg1, %arg0)") == 2
    assert "outs(%arg0 : tensor<?xf32>)" in changed
    assert [found.message for found in collector.diagnostics] == [
        "operand #1 of 'toy.update', an init, stays: its content is needed: it adds to it"
    ]


# --- the search for what pays ------------------------------------------------------------------------------------


class Evaluator:
    """Costs one buffer for each of the bad operands of a function, or one in `caller` if there is such a function.

    Of each of the `pairs` one may be changed. `blamed` says which operands are blamed if they are changed.
    """

    def __init__(
        self,
        bad: Sequence[int],
        caller: str = "",
        pairs: Sequence[tuple[int, int]] = (),
        blamed: Sequence[int] = (),
    ) -> None:
        self.bad = frozenset(bad)
        self.caller = caller
        self.pairs = pairs
        self.blamed = frozenset(blamed)
        self.rounds = 0

    def __call__(self, reties: Sequence[Retie]) -> TrialCosts:
        self.rounds += 1
        changed = {retie.operand for retie in reties}
        bad = len(changed & self.bad) + sum(changed.issuperset(pair) for pair in self.pairs)
        cost = Cost(Price.of(allocated=64 * bad), bad)
        costs = {"f": Cost(), self.caller: cost} if self.caller else {"f": cost}
        return TrialCosts(costs, self.blamed & changed)


def search(count: int, evaluator: Evaluator) -> tuple[set[int], dict[OutsRule, set[int]]]:
    reties = [Retie(operand, old=0, target=operand % 3) for operand in range(count)]
    before = dict.fromkeys(evaluator([]).costs, Cost())
    evaluator.rounds = 0
    outcome = choose_reties({"f": reties}, before, evaluator, size=count)
    rejected: dict[OutsRule, set[int]] = {}
    for kept in outcome.rejected:
        rejected.setdefault(kept.rule, set()).add(kept.operand)
    return {retie.operand for retie in outcome.accepted}, rejected


def test_all_at_once() -> None:
    evaluator = Evaluator([])
    assert search(1000, evaluator) == (set(range(1000)), {})
    assert evaluator.rounds == 1


def test_one_bad_change_is_found_by_halving() -> None:
    evaluator = Evaluator([417])
    assert search(1000, evaluator) == (set(range(1000)) - {417}, {OutsRule.COST: {417}})
    assert evaluator.rounds < 25


def test_all_that_are_to_blame_are_dropped_at_once() -> None:
    bad = range(0, 1000, 7)
    evaluator = Evaluator(bad, blamed=bad)
    assert search(1000, evaluator) == (set(range(1000)) - set(bad), {OutsRule.COST: set(bad)})
    assert evaluator.rounds <= 3


def test_who_is_blamed_gets_a_second_chance() -> None:
    """Either may be changed, but not both; of very many such pairs none is, and the others are."""
    one = Evaluator([], pairs=[(3, 6)], blamed=[3, 6])
    accepted, rejected = search(10, one)
    assert len(accepted) == 9
    assert accepted | rejected[OutsRule.COST] == set(range(10))
    pairs = [(i, i + 1) for i in range(0, 200, 2)]
    many = Evaluator([], pairs=pairs, blamed=range(200))
    assert search(300, many) == (set(range(200, 300)), {OutsRule.COST: set(range(200))})
    assert many.rounds <= 3


def test_what_blame_does_not_explain_is_found_by_halving() -> None:
    """Two bad changes of which one is blamed, and a good one that is blamed wrongly."""
    evaluator = Evaluator([100, 417], blamed=[417, 5])
    assert search(1000, evaluator) == (set(range(1000)) - {100, 417}, {OutsRule.COST: {100, 417}})
    assert evaluator.rounds < 30


def test_second_chances_that_take_too_many_rounds_cost_nothing_else() -> None:
    """Sixteen rounds are not enough to try eight bad ones by halving."""
    bad = [*range(100, 5000, 700), 4999]
    evaluator = Evaluator(bad, blamed=bad)
    assert search(5000, evaluator) == (set(range(5000)) - set(bad), {OutsRule.COST: set(bad)})
    assert (len(bad), evaluator.rounds) == (8, 17)


def test_nothing_is_accepted_for_want_of_somebody_to_blame() -> None:
    evaluator = Evaluator(range(20), blamed=[50])
    assert search(20, evaluator) == (set(), {OutsRule.COST: set(range(20))})


def unprofitable(index: int) -> list[str]:
    """A producer whose buffer is read: the next op is better off with it than with a buffer of its own."""
    return [
        generic(f"%a{index}", "%x", "%r"),
        f"%v{index} = tensor.extract %a{index}[%c0] : tensor<?xf32>",
        generic(f"%b{index}", "%x", f"%a{index}"),
        f"%w{index} = tensor.insert %v{index} into %b{index}[%c0] : tensor<?xf32>",
        f"%z{index} = tensor.extract %w{index}[%c0] : tensor<?xf32>",
        f"%y{index} = tensor.insert %z{index} into %x[%c0] : tensor<?xf32>",
    ]


@pytest.mark.parametrize("count", [1, 40, pytest.param(400, marks=pytest.mark.full)])
def test_bad_changes_do_not_keep_a_good_one(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """However many changes do not pay, the one that does is found in a few rounds."""
    analyze = mock.Mock(side_effect=analyze_module)
    monkeypatch.setattr(remove_outs_dependency, "analyze_module", analyze)
    lines = ["%c0 = arith.constant 0 : index"]
    for index in range(count):
        lines += unprofitable(index)
    lines += [generic("%t1", "%x", "%t0"), generic("%t2", "%x", "%t1")]
    arguments = "%t0: tensor<?xf32>, %x: tensor<?xf32>, %r: tensor<?xf32> {bufferization.writable = false}"
    text = function(lines, "%t2", arguments)
    changed = transformed(text, REMOVE)
    assert analyze.call_count <= 8
    assert text.count("linalg.generic") == changed.count("linalg.generic") + 1
    assert "tensor.empty" not in changed
    assert counts(text, REMOVE) <= counts(text)


def test_too_many_bad_changes_leave_the_function_alone() -> None:
    evaluator = Evaluator(range(0, 1000, 7))
    accepted, rejected = search(1000, evaluator)
    assert not accepted
    assert rejected[OutsRule.COST] <= evaluator.bad
    assert rejected[OutsRule.COST] | rejected[OutsRule.UNDECIDED] == set(range(1000))
    assert evaluator.rounds < 70


def test_a_change_that_costs_another_function_is_taken_back() -> None:
    evaluator = Evaluator([3], caller="g")
    assert search(10, evaluator) == (set(), {OutsRule.CALLERS: set(range(10))})


def test_a_function_that_could_not_be_bufferized_any_more_is_left_alone() -> None:
    """Refusals count as costs, also in place of all other costs."""

    def refused(reties: Sequence[Retie]) -> TrialCosts:
        return TrialCosts({"f": Cost(Price(refusals=len(reties)))})

    def not_analysed(reties: Sequence[Retie]) -> TrialCosts:
        return TrialCosts({} if reties else {"f": Cost(Price.of(copied=3))})

    for evaluate in (refused, not_analysed):
        outcome = choose_reties({"f": [Retie(0, 0, 1), Retie(1, 0, 1)]}, evaluate([]).costs, evaluate, size=2)
        assert not outcome.accepted
        assert [kept.rule for kept in outcome.rejected] == [OutsRule.COST, OutsRule.COST]
