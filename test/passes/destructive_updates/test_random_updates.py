"""Random loop nests that update a tensor: the same values before and after they store slices.

`MLIR_INPLACE_RANDOM_NESTS=500` runs more of them.
"""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
from mlir import ir
from random_updates import SIZE, Nest, random_nest

import mlir_inplace as mi
from mlir_inplace.dialects import dispatch
from mlir_inplace.passes.analysis.destructive_updates.proofs import UpdateProofs
from mlir_inplace.passes.analysis.destructive_updates.rewrites import plan_rewrites
from mlir_inplace.passes.analysis.whole_module.module import read_effects

REWRITE = "builtin.module(inplace-rewrite-destructive-updates{print-rewritten=false print-kept=false})"
COUNT = int(os.environ.get("MLIR_INPLACE_RANDOM_NESTS", "40"))


def rewritten(text: str) -> tuple[str, list[str]]:
    """The text after the pass, and in a few words what was planned."""
    with ir.Context() as context:
        module = dispatch.parse(text, context)
        effects, (function,) = read_effects(module.operation, unknown=("dispatch.load", "dispatch.store"))
        planned = plan_rewrites(effects, function, UpdateProofs(effects))
        words = [f"{plan.reads.name}{' copied' if plan.copies_source else ''}" for plan in planned.accepted]
        words += [plan.rule.name for plan in planned.kept]
        mi.run_pipeline(module, REWRITE)
        return str(module), words


def check(nest: Nest) -> list[str]:
    text = nest.text()
    after, words = rewritten(text)
    assert ("iter_args" in after) == (words[0] in ("READS_TARGET", "OTHER_USERS"))
    for program in (text, after):
        given, added, target = np.arange(1.0, SIZE + 1), np.arange(SIZE) * 100.0, np.arange(SIZE) * -7.0
        wanted = nest.run(given, added, target)
        other = np.zeros(SIZE)
        mi.compile(program, opt_level=0).main(given, added, target, other)
        np.testing.assert_array_equal(target, wanted, err_msg=program)
        np.testing.assert_array_equal(other, wanted if nest.has_other_user else added, err_msg=program)
    return words


def test_random_nests() -> None:
    seen = Counter(words[0] for words in map(check, map(random_nest, range(COUNT))))
    assert {"SOURCE", "SOURCE_BINDING", "TARGET copied"} <= seen.keys()
