"""Entry points take the address of a table of pointers to their arguments and result."""

from __future__ import annotations

import numpy as np

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.stages import watched_stages

PROGRAM = """
func.func @main(%x: tensor<4xf32>, %unused: tensor<2x3xf32>, %i: index) -> (f32, tensor<4xf32>, index) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0 : index
  %at = arith.cmpi eq, %i, %zero : index
  cf.cond_br %at, ^first, ^other
^first:
  %f = tensor.extract %x[%zero] : tensor<4xf32>
  return %f, %x, %zero : f32, tensor<4xf32>, index
^other:
  %y = tensor.insert %one into %x[%i] : tensor<4xf32>
  %g = tensor.extract %x[%i] : tensor<4xf32>
  return %g, %y, %i : f32, tensor<4xf32>, index
}
"""


def test_arguments_and_results_go_through_the_table() -> None:
    lowered: list[str] = []
    with watched_stages(lambda stage, module: lowered.append(str(module)) if stage == "llvm" else None):
        main = mi.compile(PROGRAM).main
        x = np.arange(4, dtype=np.float32) + 5
        for i, number in ((0, 5.0), (2, 7.0)):
            value, array, index = main(x, np.zeros((2, 3), np.float32), i)
            assert (value, index) == (number, i)
            np.testing.assert_array_equal(array, x if i == 0 else [5, 6, 1, 8])
        np.testing.assert_array_equal(x, [5, 6, 7, 8])
    assert "llvm.func @_mlir_main(%arg0: !llvm.ptr) -> i64 attributes" in lowered[0]
    assert "llvm.func @main(" not in lowered[0]


def test_a_function_that_is_called_like_a_wrapper_gets_another_name() -> None:
    program = mi.compile(
        """
        func.func private @_mlir_main(%x: i64) -> i64 {
          %y = arith.addi %x, %x : i64
          return %y : i64
        }
        func.func @_mlir_other(%x: i64) -> i64 { return %x : i64 }
        func.func @other(%x: i64) -> i64 {
          %y = arith.muli %x, %x : i64
          return %y : i64
        }
        func.func @main(%x: i64) -> i64 {
          %y = func.call @_mlir_main(%x) : (i64) -> i64
          return %y : i64
        }"""
    )
    for _ in range(3):
        assert [program[name](5) for name in ("main", "other", "_mlir_other")] == [10, 25, 5]
