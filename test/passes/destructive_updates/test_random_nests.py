"""Random nests of all kinds of loops and branches: the same values before and after they store slices."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from fast_run import seeds
from mlir import ir
from updates.nest_model import Array, Branch, Grid, Loop, Nest, nodes_of
from updates.nest_text import text_of
from updates.nests import random_nest

import mlir_inplace as mi
from mlir_inplace.dialects import dispatch
from mlir_inplace.passes.analysis.destructive_updates.outcomes import ReadFrom
from mlir_inplace.passes.analysis.destructive_updates.proofs import UpdateProofs
from mlir_inplace.passes.analysis.destructive_updates.rewrites import plan_rewrites
from mlir_inplace.passes.analysis.whole_module.module import read_effects
from mlir_inplace.passes.dispatch.rewriting.preparation import ACCESSES

REWRITE = "builtin.module(inplace-rewrite-destructive-updates{print-rewritten=false print-kept=false})"
SEEDS = seeds(100)
THREADS = (435, 1165)
"""Seeds of nests whose threads read other elements than their own, of what the others store to."""

COPIED = ", copied first"
LOOPS = ("for", "while", "before", "forall", "each", "tiles")
STORED = {f"{place.name}{copied}" for place in ReadFrom for copied in ("", COPIED)}
GRIDS = (Grid(1, 1), Grid(2, 3), Grid(5, 4), Grid(3, 30))


def rewritten(text: str) -> tuple[str, dict[int, str]]:
    """The text after the pass, and what was planned for each target, by its binding."""
    with ir.Context() as context:
        module = dispatch.parse(text, context)
        effects, (function,) = read_effects(module.operation, unknown=ACCESSES)
        planned = plan_rewrites(effects, function, UpdateProofs(effects))
        words: dict[int, str] = {}
        plans = [(plan.store, plan.reads.name + COPIED * plan.copies_source) for plan in planned.accepted]
        for store, word in [*plans, *((plan.store, plan.rule.name) for plan in planned.kept)]:
            declared = dispatch.binding_of(effects.snapshot.ops[store].operands[1])
            assert declared is not None
            words[dispatch.slot_of(declared).binding] = word
        mi.run_pipeline(module, REWRITE)
        return str(module), words


def run(text: str, nest: Nest, grid: Grid) -> dict[str, Array]:
    """All bindings afterwards, by the names that the program gives them."""
    memories = {f"set 0 binding {number}": values for number, values in enumerate(nest.memory())}
    sizes = {"workgroup count x": grid.count, "workgroup size x": grid.size}
    entry = mi.compile(text, opt_level=0).main
    names = [str(parameter.name) for parameter in entry.signature.parameters]
    entry(*(memories[name] if name in memories else sizes[name] for name in names))
    return memories


def check(nest: Nest) -> list[str]:
    """Run the nest before and after the pass; what was planned."""
    text = text_of(nest)
    after, words = rewritten(text)
    given, added, *others = nest.memory()
    # Without a rewrite workgroups race for all of each tensor: the pass has nothing to do with what comes of it.
    for grid in GRIDS if nest.has_grid and STORED & set(words.values()) else GRIDS[:1]:
        outcome = nest.run(given, added, others[: len(nest.sources)], grid)
        # Workgroups that each store all of a tensor race: there is one outcome with one of them only.
        for program in (text, after) if grid == GRIDS[0] else (after,):
            found = run(program, nest, grid)
            for k, (last, together) in enumerate(zip(outcome.last, outcome.together, strict=True)):
                is_stored = program == after and words.get(2 + k) in STORED
                expect(found, 2 + k, together if is_stored else last, f"{grid}, {words}:\n{program}")
                if nest.shown[k]:
                    expect(found, 2 + len(nest.sources) + k, last, f"{grid}, {words}:\n{program}")
    return list(words.values())


def expect(found: dict[str, Array], number: int, values: Array, message: str) -> None:
    """All elements of a binding that somebody has computed."""
    known = ~np.isnan(values)
    np.testing.assert_array_equal(found[f"set 0 binding {number}"][known], values[known], err_msg=message)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_nests(seed: int) -> None:
    check(random_nest(seed))


def test_all_kinds_of_nests() -> None:
    for seed in THREADS:
        check(random_nest(seed))
    nests = [random_nest(seed) for seed in (*range(20), *THREADS)]
    planned = Counter(word for nest in nests for word in rewritten(text_of(nest))[1].values())
    assert {"SOURCE", "SOURCE_BINDING", "TARGET", f"TARGET{COPIED}", "NO_UPDATE", "GRID_READS"} <= planned.keys()
    nodes = [node for nest in nests for node in nodes_of(nest.body)]
    assert {node.kind for node in nodes if isinstance(node, Loop)} == set(LOOPS)
    assert any(isinstance(node, Branch) for node in nodes)
    assert any(isinstance(node, Loop) and node.swaps for node in nodes)
