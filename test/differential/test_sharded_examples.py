"""The examples of sharded programs, on several grids: the whole program's results, without copies where none is due."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fast_run import chosen
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.checker.sharded import evaluate_sharded
from mlir_inplace.checking.evaluator import Evaluation, evaluate

EXAMPLES = Path(__file__).parents[2] / "examples" / "sharded"
SHARD = "builtin.module(inplace-shard)"
BUFFERIZE = """builtin.module(inplace-canonicalize,cse,inplace-convert-to-destination-style,
    inplace-one-shot-bufferize{bufferize-function-boundaries=true
        function-boundary-type-conversion=identity-layout-map},
    inplace-canonicalize,cse,inplace-pack-messages)"""
OVERLAP = "builtin.module(inplace-overlap-messages)"
MANY = "64"
"""So many ranks run in one process; some of them have no token, and others a sample more."""
GRIDS = {
    "data_parallel": ("1", "2", "3", "4", MANY),
    "attention": ("1", "2", "3", "4", MANY),
    "summa": ("1x1", "1x2", "3x1", "2x2", "8x8"),
}
SHAPES = {
    "data_parallel": [(100, 8), (100, 4), (8, 4)],
    "attention": [(50, 8)] * 3,
    "summa": [(50, 60), (60, 37), (50, 37)],
}


ON_GRIDS = [(name, grid) for name, grids in GRIDS.items() for grid in grids]
FAST = [one for one in ON_GRIDS if one not in (("attention", MANY), ("summa", "8x8"))]


def module_of(name: str, grid: str, rows: int = 19) -> ir.Module:
    """The example for another grid, and the stencil for other rows."""
    text = (EXAMPLES / f"{name}.mlir").read_text().replace("tensor<19x", f"tensor<{rows}x")
    shape = text.partition("shard.grid @grid(shape = ")[2].partition(")")[0]
    text = text.replace(f"(shape = {shape})", f"(shape = {grid})")
    return ir.Module.parse(text.replace("array<i64: 2>}", f"array<i64: {grid}>}}"))


def made(shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    generator = np.random.default_rng(0)
    return [generator.normal(size=shape).astype(np.float32) for shape in shapes]


def run(module: ir.Module, arguments: Sequence[Any]) -> tuple[list[Any], list[Evaluation]]:
    return evaluate_sharded(module, "main", [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments])


@pytest.mark.parametrize(("name", "grid"), chosen(ON_GRIDS, *FAST))
def test_annotated_examples(name: str, grid: str) -> None:
    with ir.Context():
        module = module_of(name, grid)
        arguments = made(SHAPES[name])
        wanted = evaluate(module, "main", made(SHAPES[name])).results
        mi.run_pipeline(module, SHARD)
        for pipeline in ("", BUFFERIZE, OVERLAP):
            if pipeline:
                mi.run_pipeline(module, pipeline)
            results, ranks = run(module, arguments)
            np.testing.assert_allclose(results[0], wanted[0], rtol=1e-5, atol=1e-5)
    if name == "data_parallel":
        assert [rank.copies for rank in ranks] == [0] * len(ranks), "the all-reduce is in place"


@pytest.mark.parametrize(("grid", "rows"), [("1", 19), ("2", 19), ("3", 19), ("4", 19), (MANY, 70)])
def test_stencil(grid: str, rows: int) -> None:
    """Halos are exchanged in the two buffers that take turns: nothing is allocated and nothing is copied."""
    steps = 5
    (old,) = made([(rows, 12)])
    new = old.copy()
    wanted, other = old.copy(), new.copy()
    for _ in range(steps):
        p = np.pad(wanted, ((1, 1), (0, 0)))
        inner = (p[:-2, 1:-1] + p[2:, 1:-1]) + (p[1:-1, :-2] + p[1:-1, 2:])
        other[:, 1:-1] = inner * np.float32(0.25)
        wanted, other = other, wanted
    with ir.Context():
        module = module_of("stencil", grid, rows)
        for pipeline in ("", BUFFERIZE, OVERLAP):
            if pipeline:
                mi.run_pipeline(module, pipeline)
            results, ranks = run(module, [old, new, steps])
            np.testing.assert_array_equal(results[0], wanted)
        assert {(rank.allocations, rank.copies) for rank in ranks} == {(0, 0)}
