"""With `optimize=True` a buffer that every iteration of a loop needs anew is allocated once."""

from __future__ import annotations

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


def allocations(optimize: bool) -> list[int]:
    """How many temporaries runs of 0, 1, 2, ... iterations allocate; their values are as expected."""
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
        assert program.memory_stats.result_allocations == 1
        counts.append(program.memory_stats.temporaries)
    return counts


@pytest.mark.usefixtures("without_arena")
@pytest.mark.parametrize(("optimize", "expected"), [(False, [0, 2, 4, 6, 8]), (True, [2] * 5)])
def test_temporaries_of_a_loop(optimize: bool, expected: list[int]) -> None:
    assert allocations(optimize) == expected


@pytest.mark.parametrize("optimize", [False, True])
def test_temporaries_of_a_loop_lie_in_one_arena(optimize: bool) -> None:
    """It is allocated in front of the loop, also where nothing is hoisted."""
    assert allocations(optimize) == [1] * 5
