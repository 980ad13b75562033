"""Programs of the suite, split at random over a grid: what all ranks compute together is what the program computes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import oracle
import pytest
from fast_run import sample
from mlir import ir
from programs import PROGRAMS
from programs.program import Program, arguments

import mlir_inplace as mi
from mlir_inplace.checking.checker.random_shardings import annotate_at_random, random_grid
from mlir_inplace.checking.checker.sharded import evaluate_sharded
from mlir_inplace.checking.evaluator import evaluate

SHARD = "builtin.module(inplace-shard)"
BUFFERIZE = """builtin.module(inplace-canonicalize,cse,inplace-convert-to-destination-style,
    inplace-one-shot-bufferize{bufferize-function-boundaries=true},inplace-canonicalize,cse,inplace-receive-in-place,
    inplace-exchange-in-turn,inplace-overlap-messages)"""


def entry(module: ir.Module) -> ir.Operation:
    named = [op.operation for op in module.body.operations if "sym_name" in op.operation.attributes]
    return next(op for op in named if ir.StringAttr(op.attributes["sym_name"]).value == "main")


def is_partitioned(program: Program) -> bool:
    """Not what `inplace-shard` refuses: functions of several blocks."""
    with oracle.context():
        return len(entry(oracle.parse(program.text)).regions[0].blocks) == 1


def assert_close(wanted: Any, found: Any) -> None:
    """Equal, but for the order of sums."""
    for one, other in zip(wanted, found, strict=True):
        a, b = np.asarray(one), np.asarray(other)
        if a.dtype.kind in "iub":
            np.testing.assert_array_equal(a, b)
        else:
            tolerance = 1e-2 if a.dtype.itemsize <= 2 else 1e-5
            np.testing.assert_allclose(b.astype(complex), a.astype(complex), rtol=tolerance, atol=1e-5)


@pytest.mark.parametrize("program", sampled := sample(PROGRAMS), ids=[program.name for program in sampled])
def test_a_program_on_all_ranks_is_the_program(program: Program) -> None:
    if not is_partitioned(program):
        return
    chosen = random.Random(program.name)
    grid = random_grid(chosen.choice([1, 2, 3, 4, 6]), chosen)
    module = oracle.parse(program.text)
    given = program.runs[0]
    wanted = evaluate(module, "main", arguments(given)).results
    with oracle.context():
        annotate_at_random(entry(module), grid, chosen)
        mi.run_pipeline(module, SHARD)
        if "inplace.grid" not in module.operation.attributes:
            return
        assert_close(wanted, evaluate_sharded(module, "main", arguments(given))[0])
        mi.run_pipeline(module, BUFFERIZE)
        assert_close(wanted, evaluate_sharded(module, "main", arguments(given))[0])
