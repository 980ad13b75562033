"""Casts that can never run, in programs as they are compiled."""

from __future__ import annotations

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.steps import VERIFY_EACH

PROGRAM = """
func.func @main(%t: tensor<6xf32>, %p: i1) -> tensor<2x3xf32> {
  %one = arith.constant 1.0 : f32
  %u = tensor.cast %t : tensor<6xf32> to tensor<*xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %r = scf.if %p -> tensor<2x3xf32> {
    %k = tensor.cast %u : tensor<*xf32> to tensor<2x3xf32>
    scf.yield %k : tensor<2x3xf32>
  } else {
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
    scf.yield %f : tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}
"""


@pytest.mark.parametrize("optimize", [False, True])
def test_a_cast_to_another_rank_in_a_branch_that_is_not_taken(optimize: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Upstream's folding makes what MLIR refuses before `inplace-canonicalize` mends it."""
    monkeypatch.setenv(VERIFY_EACH, "0")
    found = mi.compile(PROGRAM, optimize=optimize).main(np.arange(6, dtype=np.float32), False)
    np.testing.assert_array_equal(found, np.ones((2, 3)))
