"""With `optimize=True` a buffer that every iteration of a loop needs anew is allocated once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import mlir_inplace as mi

M = "tensor<40x40xf32>"
LOOP = f"""
func.func @main(%x: {M}, %b: {M}, %n: index) -> {M} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> ({M}) {{
    %e = tensor.empty() : {M}
    %f = linalg.fill ins(%z : f32) outs(%e : {M}) -> {M}
    %m = linalg.matmul ins(%y, %b : {M}, {M}) outs(%f : {M}) -> {M}
    %k = linalg.matmul ins(%m, %m : {M}, {M}) outs(%f : {M}) -> {M}
    %s = linalg.add ins(%k, %y : {M}, {M}) outs(%e : {M}) -> {M}
    scf.yield %s : {M}
  }}
  return %r : {M}
}}"""


@pytest.mark.parametrize(("optimize", "temporaries"), [(False, (1, 2)), (True, (2, 0))])
def test_temporaries_of_a_loop(optimize: bool, temporaries: tuple[int, int]) -> None:
    """`temporaries`: how many allocations there are before the first iteration, at most, and for each further one."""
    program = mi.compile(LOOP, optimize=optimize, memory_stats=True)
    x = np.arange(1600, dtype=np.float32).reshape(40, 40) / 1e5
    b = x[::-1].copy()
    counts: list[int] = []
    for iterations in range(5):
        expected = x.astype(np.float64)
        for _ in range(iterations):
            expected = (expected @ b) @ (expected @ b) + expected
        np.testing.assert_allclose(program.main(x, b, iterations), expected, rtol=1e-5)
        assert program.memory_stats.leaked_bytes == 0
        counts.append(program.memory_stats.allocations)
    assert counts[0] <= 1 + temporaries[0]
    assert {after - before for before, after in pairwise(counts[2:])} == {temporaries[1]}
