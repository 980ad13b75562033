"""What each refusing rule of destructive updates prevents: the program stays right, the forced one is wrong.

A rule that is new has to come with a program here, or with a reason why there is none.
"""

from __future__ import annotations

import numpy as np
import pytest
from forced_materializations import MATERIALIZATIONS
from forced_stores import STORES
from forced_updates import UPDATES, Refusal, Rule
from mlir import ir
from update_programs import FILL, FIRST, STORE, TARGET, Array, function, loop, run, transformed

import mlir_inplace as mi
from mlir_inplace.dialects import dispatch
from mlir_inplace.passes.analysis import update_materializations, update_rewrites
from mlir_inplace.passes.analysis.destructive_proofs import UpdateProofs
from mlir_inplace.passes.analysis.destructive_update import UpdateRule
from mlir_inplace.passes.analysis.module_analysis import read_effects
from mlir_inplace.passes.analysis.update_rewrites import KeptStore, RewriteRule
from mlir_inplace.passes.promotion.preparation import ACCESSES

DISPATCHED = UPDATES + STORES
REFUSALS = DISPATCHED + MATERIALIZATIONS

STRUCTURAL: dict[Rule, str] = {
    RewriteRule.NO_UPDATE: "it hands on a rule about updates, each of which has a program of its own",
    RewriteRule.LATE_TARGET: "the forced program would use a target that is not there yet: it is no valid program",
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
