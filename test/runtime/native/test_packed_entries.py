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


def test_many_words_are_loaded_where_they_are_used() -> None:
    """All at once they would be live together, in which LLVM's time is quadratic. Other blocks use some."""
    count = 300
    names = [f"%x{number}" for number in range(count)]
    adds = [
        f"%e{n} = tensor.extract {name}[%i] : tensor<4xf32>\n%s{n + 1} = arith.addf %s{n}, %e{n} : f32"
        for n, name in enumerate(names)
    ]
    given = ", ".join(f"{name}: tensor<4xf32>" for name in names)
    results = ", ".join(f"%y{n}" for n in range(count))
    types = ", ".join(["tensor<4xf32>"] * count)
    text = f"""
      func.func @main(%i: index, {given}) -> (f32, {types}) {{
        %s0 = arith.constant 0.0 : f32
        %c1 = arith.constant 1 : index
        %at = arith.cmpi eq, %i, %c1 : index
        {" ".join(adds)}
        cf.cond_br %at, ^one, ^other
      ^one:
        return %s{count}, {", ".join(names)} : f32, {types}
      ^other:
        {" ".join(f"%y{n} = tensor.insert %e{n} into {name}[%c1] : tensor<4xf32>" for n, name in enumerate(names))}
        return %s{count}, {results} : f32, {types}
      }}"""
    lowered: list[str] = []
    with watched_stages(lambda stage, module: lowered.append(str(module)) if stage == "llvm" else None):
        main = mi.compile(text).main
    arrays = [np.arange(4, dtype=np.float32) + 4 * number for number in range(count)]
    for i in (1, 2):
        total, *found = main(i, *arrays)
        assert total == sum(float(array[i]) for array in arrays)
        for array, result in zip(arrays, found, strict=True):
            np.testing.assert_array_equal(result, array if i == 1 else [array[0], array[2], *array[2:]])
    first, _, _ = lowered[0].partition("llvm.cond_br")
    additions = [place for place, line in enumerate(first.split("\n")) if "llvm.fadd" in line]
    assert len(additions) == count
    assert additions[0] < len(first.split("\n")) / 10
    assert "llvm.fence" in first


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
