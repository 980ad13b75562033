"""Ops that read backwards, as `7 - d0` does: no pass takes a slice along such a loop."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate

SMALL = 'machine="vector-bits=128 registers=4 l1=64 l2=256 l3=1024 cores=2"'
HEADER = """
  #ij = affine_map<(i, j) -> (i, j)>
  #i = affine_map<(i, j) -> (i)>
"""


def turned(rows: int, columns: int, map_: str) -> str:
    """The elements of a matrix in another order, minus those of the init."""
    matrix = f"tensor<{rows}x{columns}xi32>"
    return f"""{HEADER}
    func.func @main(%a: {matrix}, %b: {matrix}) -> {matrix} {{
      %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> ({map_})>, #ij],
                            iterator_types = ["parallel", "parallel"]}} ins(%a : {matrix}) outs(%b : {matrix}) {{
      ^bb0(%x: i32, %y: i32):
        %d = arith.subi %x, %y : i32
        linalg.yield %d : i32
      }} -> {matrix}
      return %r : {matrix}
    }}"""


def loops_after(text: str, pipeline: str, arguments: tuple[np.ndarray, ...], expected: np.ndarray) -> int:
    """How many loops the pipeline makes; what comes out has the expected value, without a slice out of bounds."""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module(func.func({pipeline}))")
        np.testing.assert_allclose(evaluate(module, "main", arguments).results[0], expected, rtol=1e-5)
        return str(module).count("= scf.for")


@pytest.mark.parametrize(
    ("map_", "pipeline", "loops"),
    [
        ("8 - i, j", "inplace-tile{tile-sizes=2}", 0),
        ("8 - i, j", "inplace-tile{tile-sizes=0,3}", 1),
        ("i, 10 - j", "inplace-tile{tile-sizes=2}", 1),
        ("i, 10 - j", "inplace-tile{tile-sizes=2,3 peel=1}", 0),
    ],
)
def test_only_the_other_loop_is_tiled(map_: str, pipeline: str, loops: int) -> None:
    a = np.arange(99, dtype=np.int32).reshape(9, 11)
    b = (a * 7).astype(np.int32)
    expected = (a[::-1] if map_.startswith("8") else a[:, ::-1]) - b
    assert loops_after(turned(9, 11, map_), pipeline, (a, b), expected) == loops


@pytest.mark.parametrize(("map_", "whole"), [("299 - i, j", "[0, %"), ("i, 599 - j", ", 0] [")])
def test_threads_share_the_other_loop(map_: str, whole: str) -> None:
    a = np.arange(300 * 600, dtype=np.int32).reshape(300, 600)
    expected = (a[::-1] if map_.startswith("299") else a[:, ::-1]) - a
    text = turned(300, 600, map_)
    assert loops_after(text, "inplace-distribute{threads=2}", (a, a), expected) == 1
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(func.func(inplace-distribute{threads=2}))")
        slices = [line for line in str(module).splitlines() if "extract_slice %arg0" in line]
    assert len(slices) == 1
    assert whole in slices[0]


@pytest.mark.parametrize("map_", ["8 - i, j", "i, 10 - j"])
def test_vectors_are_read_backwards_without_slices(map_: str) -> None:
    a = np.arange(99, dtype=np.int32).reshape(9, 11)
    expected = (a[::-1] if map_.startswith("8") else a[:, ::-1]) - 2 * a
    pipeline = 'inplace-vectorize{machine="vector-bits=128"}'
    assert loops_after(turned(9, 11, map_), pipeline, (a, 2 * a), expected) > 0


def test_a_chain_of_rows_is_not_cut_where_one_op_reads_them_backwards() -> None:
    matrix, row = "tensor<12x16xf32>", "tensor<12xf32>"
    text = f"""{HEADER}
    func.func @main(%a: {matrix}, %b: {row}) -> {row} {{
      %e = tensor.empty() : {matrix}
      %x = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (11 - i, j)>, #ij],
                            iterator_types = ["parallel", "parallel"]}} ins(%a : {matrix}) outs(%e : {matrix}) {{
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %p : f32
        linalg.yield %s : f32
      }} -> {matrix}
      %r = linalg.generic {{indexing_maps = [#ij, #i],
                            iterator_types = ["parallel", "reduction"]}} ins(%x : {matrix}) outs(%b : {row}) {{
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        linalg.yield %s : f32
      }} -> {row}
      return %r : {row}
    }}"""
    a, b = np.random.default_rng(0).random((12, 16), np.float32), np.arange(12, dtype=np.float32)
    pipeline = f"inplace-fuse{{elementwise=false {SMALL}}}"
    assert loops_after(text, pipeline, (a, b), 2 * a[::-1].sum(1) + b) == 0
    forwards = text.replace("11 - i", "i")
    assert loops_after(forwards, pipeline, (a, b), 2 * a.sum(1) + b) == 1


def test_products_that_read_backwards_have_no_panels() -> None:
    text = """
    func.func @main(%a: tensor<12x40xf32>, %b: tensor<40x24xf32>, %c: tensor<12x24xf32>) -> tensor<12x24xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (39 - k, n)>,
                                            affine_map<(m, n, k) -> (m, n)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%a, %b : tensor<12x40xf32>, tensor<40x24xf32>) outs(%c : tensor<12x24xf32>) {
      ^bb0(%x: f32, %y: f32, %z: f32):
        %p = arith.mulf %x, %y : f32
        %s = arith.addf %z, %p : f32
        linalg.yield %s : f32
      } -> tensor<12x24xf32>
      return %r : tensor<12x24xf32>
    }"""
    rng = np.random.default_rng(0)
    a, b, c = rng.random((12, 40), np.float32), rng.random((40, 24), np.float32), rng.random((12, 24), np.float32)
    schedule = f"inplace-schedule{{{SMALL}}}"
    assert loops_after(text, schedule, (a, b, c), a @ b[::-1] + c) == 0
    assert loops_after(text.replace("39 - k", "k"), schedule, (a, b, c), a @ b + c) > 0
