"""What each refusing rule of destructive updates prevents: the program stays right, the forced one is wrong.

A rule that is new has to come with a program here, or with a reason why there is none.
"""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir
from updates.forced_materializations import MATERIALIZATIONS
from updates.forced_stores import STORES
from updates.forced_updates import FROM_SOURCE, UPDATES, Refusal, Rule
from updates.update_programs import FILL, FIRST, SECOND, STORE, TARGET, Array, function, loop, put, run, transformed

import mlir_inplace as mi
from mlir_inplace.dialects import dispatch
from mlir_inplace.passes.analysis.destructive_updates import materializations as update_materializations
from mlir_inplace.passes.analysis.destructive_updates import rewrites as update_rewrites
from mlir_inplace.passes.analysis.destructive_updates.chains import UpdateRule
from mlir_inplace.passes.analysis.destructive_updates.outcomes import KeptStore, RewriteRule
from mlir_inplace.passes.analysis.destructive_updates.proofs import UpdateProofs
from mlir_inplace.passes.analysis.whole_module.module import read_effects
from mlir_inplace.passes.dispatch.rewriting.preparation import ACCESSES

DISPATCHED = UPDATES + STORES
REFUSALS = DISPATCHED + MATERIALIZATIONS

STRUCTURAL: dict[Rule, str] = {
    RewriteRule.NO_UPDATE: "it hands on a rule about updates, each of which has a program of its own",
    RewriteRule.LATE_TARGET: "the forced program would use a target that is not there yet: it is no valid program",
    RewriteRule.IN_THREAD: "the forced program is refused when it is compiled: promotion cannot make a value of it",
    RewriteRule.THREAD_SLICES: "as before",
    RewriteRule.OUTSIDE: "the forced program is no valid one, as test_update_bounds.py shows",
    RewriteRule.VALUE: "a tensor cannot be stored to; test_update_memrefs.py shows what bufferization makes of it",
}
"""Rules without a forced program, and why."""


def rules(text: str) -> list[Rule]:
    """The rules that keep stores of the program."""
    with ir.Context() as context:
        module = dispatch.parse(text, context)
        effects, (function_,) = read_effects(module.operation, unknown=ACCESSES)
        proofs = UpdateProofs(effects)
        kept: list[KeptStore] = [
            *update_rewrites.plan_rewrites(effects, function_, proofs).kept,
            *update_materializations.plan_materializations(effects, function_, proofs)[1],
        ]
        return [one.rule if one.refused is None else one.refused.rule for one in kept]


def test_every_rule_is_tested_or_cannot_be() -> None:
    tested = {refusal.rule for refusal in REFUSALS}
    assert tested | STRUCTURAL.keys() == {*UpdateRule, *RewriteRule}
    assert not tested & STRUCTURAL.keys()


@pytest.mark.parametrize("refusal", REFUSALS, ids=str)
def test_what_a_refusal_prevents(refusal: Refusal) -> None:
    assert rules(refusal.text) == [refusal.rule]
    before, after = transformed(refusal.text)
    assert after == before
    runs = run if refusal in DISPATCHED else run_with_memref
    target, number = runs(refusal.text, *refusal.grid)
    np.testing.assert_array_equal(target, refusal.output)
    if refusal.number is not None:
        assert number == refusal.number
    forced_target, forced_number = runs(refusal.forced, *refusal.grid)
    assert not np.array_equal(forced_target, refusal.output) or forced_number != number


def run_with_memref(text: str) -> tuple[Array, float]:
    target = TARGET.copy()
    number = mi.compile(text, opt_level=0).main(FIRST.copy(), target, 50.0)
    return target, number


def test_a_target_that_is_not_there_yet_cannot_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    late = "%late = dispatch.binding set(1) binding(0) : !dispatch.readwrite<!t>\n"
    text = function(loop(FILL) + late + STORE.replace("%out", "%late"))
    assert rules(text) == [RewriteRule.LATE_TARGET]
    before, after = transformed(text)
    assert after == before
    monkeypatch.setattr(update_rewrites, "why_not_in_memory", lambda *_: None)
    with pytest.raises(mi.PassError, match="does not dominate this use"):
        transformed(text)


IN_THREAD = """
  scf.forall (%w) = (0) to (8) step (4) {
    %h = dispatch.load %in[%w] [4] [1] : !dispatch.readonly<!t> -> tensor<4xf64>
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %h) -> (tensor<4xf64>) {
      %n = tensor.insert %f into %a[%i] : tensor<4xf64>
      scf.yield %n : tensor<4xf64>
    }
    dispatch.store %r, %out[%w] [4] [1] : tensor<4xf64> -> !o
  }
"""
TWO_SLICES = """
  %r = scf.forall (%i) in (8) shared_outs(%a = %t) -> (!t) {
    %one = tensor.extract_slice %u[%i] [1] [1] : !t to tensor<1xf64>
    %at = affine.apply affine_map<(i) -> (i mod 8)>(%i)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %one into %a[%i] [1] [1] : tensor<1xf64> into !t
      tensor.parallel_insert_slice %one into %a[%at] [1] [1] : tensor<1xf64> into !t
    }
  }
"""
THREAD_FORCED = {
    RewriteRule.IN_THREAD: (
        IN_THREAD,
        "scf.forall (%w) = (0) to (8) step (4) {\nscf.for %i = %c0 to %c4 step %c1 {\n%k = arith.addi %w, %i : index\n"
        + put("%f", "%k")
        + "}\n}\n",
        "only store at the top level",
    ),
    RewriteRule.THREAD_SLICES: (
        TWO_SLICES + STORE,
        FROM_SOURCE
        + TWO_SLICES.partition("scf.forall.in_parallel")[0]
        .replace("shared_outs(%a = %t) -> (!t)", "")
        .replace("%r =", "")
        + "dispatch.store %one, %out[%i] [1] [1] : tensor<1xf64> -> !o\n"
        + "dispatch.store %one, %out[%at] [1] [1] : tensor<1xf64> -> !o\n}\n",
        "may overlap",
    ),
}


@pytest.mark.parametrize("rule", THREAD_FORCED, ids=lambda rule: rule.name)
def test_what_threads_store_has_to_be_a_value(rule: RewriteRule) -> None:
    body, forced, message = THREAD_FORCED[rule]
    text = function(body)
    assert rules(text) == [rule]
    before, after = transformed(text)
    assert after == before
    np.testing.assert_array_equal(run(text)[0], np.full(8, 50.0) if rule is RewriteRule.IN_THREAD else SECOND)
    with pytest.raises(mi.PassError, match=message):
        mi.compile(function(forced))
