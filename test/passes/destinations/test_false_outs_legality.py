"""What ignoring a rule of inplace-remove-outs-dependency would give: each illegal change is made by hand and executed.

In each program `INIT` stands where the init is. With the right one the values are NumPy's; with the one that the pass
refuses, some value is another, and it is known which: that of the destination `%d`, which is 1, 2, 3 and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi

REMOVE = "inplace-remove-outs-dependency"
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Illegal:
    """A program in which `INIT` must be `%0`; with `forced` it returns `wrong` instead of `right`."""

    name: str
    text: str
    arguments: tuple[Any, ...]
    right: Array
    wrong: Array
    forced: str = "%d"

    def with_init(self, init: str) -> str:
        return self.text.replace("INIT", init)


def f32(*values: float) -> Array:
    return np.array(values, np.float32)


def counted(*shape: int) -> Array:
    return (1 + np.arange(np.prod(shape, dtype=int))).reshape(shape).astype(np.float32)


def written(output: str, loops: str, types: tuple[str, str], *, reads: bool = False) -> str:
    """A linalg op that writes `%x` to `INIT`, after `%0` was filled with 50."""
    source, init = (f"tensor<{type_}>" for type_ in types)
    kinds = ", ".join(['"parallel"'] * (1 + loops.count(",")))
    payload = "%sum = arith.addf %in, %out : f32\nlinalg.yield %sum : f32" if reads else "linalg.yield %in : f32"
    return f"""func.func @main(%d: {init}, %x: {source}) -> {init} {{
      %f = arith.constant 50.0 : f32
      %0 = linalg.fill ins(%f : f32) outs(%d : {init}) -> {init}
      %1 = linalg.generic {{
        indexing_maps = [affine_map<({loops}) -> ({loops})>, affine_map<({loops}) -> ({output})>],
        iterator_types = [{kinds}]}} ins(%x : {source}) outs(INIT : {init}) {{
        ^bb0(%in: f32, %out: f32):
          {payload}
      }} -> {init}
      return %1 : {init}
    }}"""


def partly(op: str) -> str:
    """Something that writes a part of `INIT`, after `%0` was filled with 50."""
    return f"""func.func @main(%d: tensor<4xf32>, %x: tensor<2xf32>) -> tensor<4xf32> {{
      %f = arith.constant 50.0 : f32
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %0 = linalg.fill ins(%f : f32) outs(%d : tensor<4xf32>) -> tensor<4xf32>
      {op}
      return %1 : tensor<4xf32>
    }}"""


TWO = f32(8, 9)
ILLEGAL = [
    Illegal(
        "the payload reads the init",
        written("i", "i", ("2xf32", "2xf32"), reads=True),
        (counted(2), TWO),
        right=f32(58, 59),
        wrong=f32(9, 11),
    ),
    Illegal(
        "a loop that may be empty",
        written("i", "i, j", ("2x?xf32", "2xf32")),
        (counted(2), np.zeros((2, 0), np.float32)),
        right=f32(50, 50),
        wrong=f32(1, 2),
    ),
    Illegal(
        "a loop that is empty",
        written("i", "i, j", ("2x0xf32", "2xf32")),
        (counted(2), np.zeros((2, 0), np.float32)),
        right=f32(50, 50),
        wrong=f32(1, 2),
    ),
    Illegal(
        "a diagonal",
        written("i, i", "i", ("2xf32", "2x2xf32")),
        (counted(2, 2), TWO),
        right=np.array([[8, 50], [50, 9]], np.float32),
        wrong=np.array([[8, 2], [3, 9]], np.float32),
    ),
    Illegal(
        "a constant row",
        written("1, i", "i", ("2xf32", "2x2xf32")),
        (counted(2, 2), TWO),
        right=np.array([[50, 50], [8, 9]], np.float32),
        wrong=np.array([[1, 2], [8, 9]], np.float32),
    ),
    Illegal(
        "a map with gaps",
        written("i * 2", "i", ("2xf32", "3xf32")),
        (counted(3), TWO),
        right=f32(8, 50, 9),
        wrong=f32(8, 2, 9),
    ),
    Illegal(
        "a map whose reach depends on dynamic sizes",
        written("i * 2 + j", "i, j", ("?x1xf32", "?xf32")),
        (counted(3), TWO.reshape(2, 1)),
        right=f32(8, 50, 9),
        wrong=f32(8, 2, 9),
    ),
    Illegal(
        "a vector that covers a part",
        partly("""%v = arith.constant dense<[8.0, 9.0]> : vector<2xf32>
        %1 = vector.transfer_write %v, INIT[%c1] {in_bounds = [true]} : vector<2xf32>, tensor<4xf32>"""),
        (counted(4), TWO),
        right=f32(50, 8, 9, 50),
        wrong=f32(1, 8, 9, 4),
    ),
    Illegal(
        "a vector under a mask",
        partly("""%v = arith.constant dense<[6.0, 7.0, 8.0, 9.0]> : vector<4xf32>
        %m = arith.constant dense<[true, false, true, false]> : vector<4xi1>
        %1 = vector.transfer_write %v, INIT[%c0], %m {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>"""),
        (counted(4), TWO),
        right=f32(6, 50, 8, 50),
        wrong=f32(6, 2, 8, 4),
    ),
    Illegal(
        "an insert of a part",
        partly("%1 = tensor.insert_slice %x into INIT[1] [2] [1] : tensor<2xf32> into tensor<4xf32>"),
        (counted(4), TWO),
        right=f32(50, 8, 9, 50),
        wrong=f32(1, 8, 9, 4),
    ),
    Illegal(
        "the payload extracts from the value: that use must stay",
        """func.func @main(%d: tensor<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
          %0 = linalg.negf ins(%x : tensor<2xf32>) outs(%d : tensor<2xf32>) -> tensor<2xf32>
          %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
              outs(%d : tensor<2xf32>) {
            ^bb0(%out: f32):
              %i = linalg.index 0 : index
              %v = tensor.extract INIT[%i] : tensor<2xf32>
              linalg.yield %v : f32
          } -> tensor<2xf32>
          return %1 : tensor<2xf32>
        }""",
        (counted(2), TWO),
        right=f32(-8, -9),
        wrong=f32(1, 2),
    ),
    Illegal(
        "the init of another result has another size",
        """func.func @main(%d: tensor<?xf32>, %x: tensor<?xf32>) -> tensor<?xf32> {
          %f = arith.constant 7.0 : f32
          %a:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>],
              iterator_types = ["parallel", "parallel"]} outs(%d, %x : tensor<?xf32>, tensor<?xf32>) {
            ^bb0(%o0: f32, %o1: f32):
              linalg.yield %o0, %o1 : f32, f32
          } -> (tensor<?xf32>, tensor<?xf32>)
          %1 = linalg.fill ins(%f : f32) outs(INIT : tensor<?xf32>) -> tensor<?xf32>
          return %1 : tensor<?xf32>
        }""",
        (counted(3), TWO),
        right=f32(7, 7),
        wrong=f32(7, 7, 7),
    ),
    Illegal(
        "a loop that yields another size",
        """func.func @main(%d: tensor<?xf32>, %n: index) -> tensor<?xf32> {
          %f = arith.constant 7.0 : f32
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %d) -> tensor<?xf32> {
            %y = tensor.empty(%i) : tensor<?xf32>
            %z = linalg.fill ins(%f : f32) outs(%y : tensor<?xf32>) -> tensor<?xf32>
            scf.yield %z : tensor<?xf32>
          }
          %1 = linalg.fill ins(%f : f32) outs(INIT : tensor<?xf32>) -> tensor<?xf32>
          return %1 : tensor<?xf32>
        }""",
        (counted(5), 3),
        right=f32(7, 7),
        wrong=f32(7, 7, 7, 7, 7),
    ),
    Illegal(
        "a slice between",
        """func.func @main(%d: tensor<?xf32>, %n: index) -> tensor<?xf32> {
          %f = arith.constant 7.0 : f32
          %a = linalg.fill ins(%f : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
          %0 = tensor.extract_slice %a[1] [%n] [1] : tensor<?xf32> to tensor<?xf32>
          %1 = linalg.fill ins(%f : f32) outs(INIT : tensor<?xf32>) -> tensor<?xf32>
          return %1 : tensor<?xf32>
        }""",
        (counted(5), 3),
        right=f32(7, 7, 7),
        wrong=f32(7, 7, 7, 7, 7),
    ),
]


def execute(text: str, arguments: tuple[Any, ...]) -> Array:
    return mi.compile(text, opt_level=0).main(*arguments)


def original(case: Illegal) -> str:
    return case.with_init("%a#1" if "%a:2" in case.text else "%0")


@pytest.mark.parametrize("case", ILLEGAL, ids=[case.name for case in ILLEGAL])
def test_the_change_would_be_wrong(case: Illegal) -> None:
    np.testing.assert_array_equal(execute(original(case), case.arguments), case.right)
    np.testing.assert_array_equal(execute(case.with_init(case.forced), case.arguments), case.wrong)
    assert not np.array_equal(case.right, case.wrong)


@pytest.mark.parametrize("case", ILLEGAL, ids=[case.name for case in ILLEGAL])
def test_the_pass_keeps_the_value(case: Illegal) -> None:
    for mode in ("preserve-destination", "empty"):
        with ir.Context():
            module = ir.Module.parse(original(case))
            mi.run_pipeline(module, f"builtin.module({REMOVE}{{mode={mode}}})")
            np.testing.assert_array_equal(execute(str(module), case.arguments), case.right)


def test_a_cast_between_would_not_verify() -> None:
    """Types must be equal: an init of another type is not valid IR."""
    text = """func.func @main(%d: tensor<4xf32>, %x: tensor<?xf32>) -> tensor<?xf32> {
      %1 = linalg.negf ins(%x : tensor<?xf32>) outs(%d : tensor<4xf32>) -> tensor<?xf32>
      return %1 : tensor<?xf32>
    }"""
    with ir.Context(), pytest.raises(ir.MLIRError):
        ir.Module.parse(text)
