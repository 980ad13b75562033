"""Hoisted allocations: the same values, one allocation instead of one for each iteration, nothing leaked."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi

HOIST = "inplace-hoist-allocations"

NEST = """
func.func @main(%a: memref<4xf32>, %n: index, %m: index, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %w = arith.subi %n, %m : index
    scf.for %j = %c0 to %w step %c1 {
      %b = memref.alloc(%w) : memref<?xf32>
      %x = memref.load %a[%j] : memref<4xf32>
      linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
      %c = memref.alloc() : memref<4xf32>
      linalg.add ins(%a, %out : memref<4xf32>, memref<4xf32>) outs(%c : memref<4xf32>)
      %y = memref.load %b[%c0] : memref<?xf32>
      %z = memref.load %c[%i] : memref<4xf32>
      %s = arith.addf %y, %z : f32
      memref.store %s, %out[%j] : memref<4xf32>
    }
  }
  return
}"""


def expected(a: np.ndarray[Any, Any], n: int, m: int) -> np.ndarray[Any, Any]:
    out = np.zeros(4, np.float32)
    for i in range(n):
        for j in range(n - m):
            out[j] = a[j] + a[i] + out[i]
    return out


@pytest.mark.usefixtures("without_arena")
@pytest.mark.parametrize(("n", "m"), [(4, 1), (3, 0), (2, 5), (0, 0), (0, 3)])
def test_values_and_counts(n: int, m: int) -> None:
    a = np.arange(1, 5, dtype=np.float32)
    counts = []
    for pipeline in ("canonicalize", HOIST):
        program = mi.compile(NEST, pipeline=f"builtin.module({pipeline})", memory_stats=True, opt_level=0)
        out = np.zeros(4, np.float32)
        program.main(a, n, m, out)
        np.testing.assert_array_equal(out, expected(a, n, m))
        stats = program.memory_stats
        assert stats.leaked_bytes == 0 and stats.allocations == stats.frees
        counts.append(stats.allocations)
    assert counts == [2 * n * max(n - m, 0), 2]


def test_moves_for_two_allocations_that_go_to_different_places() -> None:
    """The size goes out of both loops for the first buffer, and must not come back for the second one."""
    text = """func.func @main(%n: index, %f: f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %c0 to %n step %c1 {
          %s = arith.addi %n, %n : index
          %t = arith.addi %s, %i : index
          %a = memref.alloc(%s) : memref<?xf32>
          linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
          %b = memref.alloc(%s, %t) : memref<?x?xf32>
          linalg.fill ins(%f : f32) outs(%b : memref<?x?xf32>)
        }
      }
      return
    }"""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module({HOIST})")
        assert module.operation.verify()
        found = re.findall(r"memref\.alloc|scf\.for", str(module))
    assert found == ["memref.alloc", "scf.for", "memref.alloc", "scf.for"]
