"""Reductions whose payload admits one order only, such as `3 * z + x`, are not computed in another one."""

from __future__ import annotations

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.evaluator import evaluate

SMALL = "vector-bits=128 registers=4 l1=64 l2=256 l3=1024 cores=2"


def fold(outer: int, inner: int, kept: str = "%w = arith.muli %z, %three : i32") -> str:
    """A product over two loops, in which what was added up so far is kept as told."""
    a, b, c = f"tensor<12x{outer}x{inner}xi32>", f"tensor<{outer}x{inner}x24xi32>", "tensor<12x24xi32>"
    return f"""
    func.func @main(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
      %three = arith.constant 3 : i32
      %zero = arith.constant 0 : i32
      %r = linalg.generic {{indexing_maps = [affine_map<(m, n, p, q) -> (m, p, q)>,
          affine_map<(m, n, p, q) -> (p, q, n)>, affine_map<(m, n, p, q) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}} ins(%a, %b : {a}, {b}) outs(%c : {c}) {{
      ^bb0(%x: i32, %y: i32, %z: i32):
        %p = arith.muli %x, %y : i32
        {kept}
        %s = arith.addi %w, %p : i32
        linalg.yield %s : i32
      }} -> {c}
      return %r : {c}
    }}"""


def is_tiled(text: str, outer: int, inner: int, pipeline: str) -> bool:
    """Whether the pipeline makes loops; what it makes has the values that sequential loops of NumPy give."""
    rng = np.random.default_rng(0)
    shapes = (12, outer, inner), (outer, inner, 24), (12, 24)
    a, b, c = (rng.integers(-99, 99, shape).astype(np.int32) for shape in shapes)
    factor = 3 if "muli %z" in text else 1
    expected = c.copy()
    for p, q in np.ndindex(outer, inner):
        expected = expected * np.int32(factor) + np.outer(a[:, p, q], b[p, q])
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module(func.func({pipeline}))")
        np.testing.assert_array_equal(evaluate(module, "main", (a, b, c)).results[0], expected)
        return "scf.for" in str(module)


@pytest.mark.parametrize(
    ("outer", "inner", "tiles", "expected"),
    [
        (3, 10, "tile-sizes=0,0,2", True),
        (3, 10, "tile-sizes=0,0,1,4", True),
        (3, 10, "tile-sizes=5,7,1,4 interchange=1,2,0,3", True),
        (3, 10, "tile-sizes=0,0,0,4", False),
        (3, 10, "tile-sizes=0,0,2,4", False),
        (3, 10, "tile-sizes=0,0,1,1 interchange=3,2", False),
    ],
)
def test_tiles_that_keep_the_order(outer: int, inner: int, tiles: str, expected: bool) -> None:
    pipeline = f"inplace-tile{{{tiles}}}"
    assert is_tiled(fold(outer, inner), outer, inner, pipeline) is expected
    plain = fold(outer, inner, "").replace("%w, %p", "%z, %p")
    assert is_tiled(plain, outer, inner, pipeline)


@pytest.mark.parametrize(("outer", "inner", "expected"), [(3, 40, False), (40, 3, True)])
def test_schedules_that_keep_the_order(outer: int, inner: int, expected: bool) -> None:
    pipeline = f'inplace-schedule{{machine="{SMALL}"}}'
    assert is_tiled(fold(outer, inner), outer, inner, pipeline) is expected
    assert is_tiled(fold(outer, inner, "").replace("%w, %p", "%z, %p"), outer, inner, pipeline)
