"""Structured ops with unusual maps and bodies, against compiled code: the same elements, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluation, EvaluationError, evaluate

ADD = "%r = arith.addf %x, %y : f32"
COPY = ""

# Each: map of the input, map of the output, iterators, body from %x (input) and %y (output), what it yields.
GENERICS: dict[str, tuple[str, str, str, str, str]] = {
    "transposed output": ("(i, j) -> (i, j)", "(i, j) -> (j, i)", "pp", ADD, "%r"),
    "a diagonal": ("(i) -> (i, i)", "(i) -> (i, 0)", "p", ADD, "%r"),
    "a constant index": ("(i, j) -> (i, 2)", "(i, j) -> (i, j)", "pp", ADD, "%r"),
    "a part of the output": ("(i, j) -> (i, j)", "(i, j) -> (j, 1)", "rp", ADD, "%r"),
    "an element of the output": ("(i, j) -> (i, j)", "(i, j) -> (1, 2)", "rr", ADD, "%r"),
    "reduced in the outer loop": ("(i, j) -> (i, j)", "(i, j) -> (0, j)", "rp", ADD, "%r"),
    "rounded down": ("(i, j) -> (i floordiv 2, j mod 3)", "(i, j) -> (i, j)", "pp", ADD, "%r"),
    "rounded up": ("(i, j) -> (i ceildiv 2, j)", "(i, j) -> (i, j)", "pp", ADD, "%r"),
    "backwards": ("(i, j) -> (3 - i, j)", "(i, j) -> (i, j)", "pp", ADD, "%r"),
    "a row for all": ("(i, j) -> (0, j)", "(i, j) -> (i, j)", "pp", ADD, "%r"),
    "nothing read of the output": ("(i, j) -> (j, i)", "(i, j) -> (i, j)", "pp", COPY, "%x"),
    "the output as it is": ("(i, j) -> (j, i)", "(i, j) -> (i, j)", "pp", COPY, "%y"),
    "a value from outside": ("(i, j) -> (j, i)", "(i, j) -> (i, j)", "pp", COPY, "%p"),
    "indices": (
        *("(i, j) -> (i, j)", "(i, j) -> (i, 0)", "pr"),
        """%i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %k = affine.apply affine_map<(a, b) -> (a * 10 + b)> (%i, %j)
        %n = arith.index_cast %k : index to i32
        %f = arith.sitofp %n : i32 to f32
        %m = arith.mulf %f, %x : f32
        %r = arith.subf %m, %y : f32""",
        "%r",
    ),
    "a branch": (
        *("(i, j) -> (i, j)", "(i, j) -> (j, i)", "pp"),
        """%j = linalg.index 1 : index
        %one = arith.constant 1 : index
        %c = arith.cmpi sle, %j, %one : index
        %r = scf.if %c -> f32 {
          %s = arith.addf %x, %p : f32
          scf.yield %s : f32
        } else {
          scf.yield %y : f32
        }""",
        "%r",
    ),
    "elements of another tensor": (
        *("(i, j) -> (i, j)", "(i, j) -> (0, j)", "rp"),
        """%i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %e = tensor.extract %a[%j, %i] : tensor<4x4xf32>
        %s = arith.subf %y, %e : f32
        %r = arith.addf %s, %x : f32""",
        "%r",
    ),
    "a sum that rounds": (
        *("(i, j) -> (i, j)", "(i, j) -> (0, i)", "pr"),
        """%d = arith.divf %x, %p : f32
        %r = arith.addf %y, %d : f32""",
        "%r",
    ),
}
ITERATORS = {"p": '"parallel"', "r": '"reduction"'}


def program(name: str) -> str:
    source, target, iterators, body, result = GENERICS[name]
    kinds = ", ".join(ITERATORS[kind] for kind in iterators)
    return f"""
    func.func @main(%a: tensor<4x4xf32>, %o: tensor<4x4xf32>, %p: f32) -> tensor<4x4xf32> {{
      %0 = linalg.generic {{indexing_maps = [affine_map<{source}>, affine_map<{target}>], iterator_types = [{kinds}]}}
          ins(%a : tensor<4x4xf32>) outs(%o : tensor<4x4xf32>) {{
        ^bb0(%x: f32, %y: f32):
          {body}
          linalg.yield {result} : f32
      }} -> tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    }}"""


def given() -> tuple[Any, ...]:
    numbers = np.random.default_rng(7).permutation(32).astype(np.float32)
    return numbers[:16].reshape(4, 4), numbers[16:].reshape(4, 4), 0.7


def run(text: str, *arguments: Any) -> Evaluation:
    with ir.Context():
        return evaluate(ir.Module.parse(text), "main", arguments)


@pytest.mark.parametrize("name", GENERICS)
def test_elements_are_those_of_compiled_code(name: str) -> None:
    """On tensors, and on the memrefs that bufferization makes of them."""
    text = program(name)
    wanted = mi.compile(text, opt_level=0).main(*given())
    found = run(text, *given())
    assert found.undefined == (None,)
    np.testing.assert_array_equal(found.results[0], wanted)
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true})")
        (result,) = evaluate(module, "main", given()).results
    np.testing.assert_array_equal(result, wanted)


TWO_OUTPUTS = """
    #id = affine_map<(i) -> (i)>
    #zero = affine_map<(i) -> (0)>
    func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
      %0:2 = linalg.generic {indexing_maps = [#MAP, #MAP], iterator_types = ["KIND"]}
          outs(%a, %b : tensor<3xf32>, tensor<3xf32>) {
        ^bb0(%x: f32, %y: f32):
          linalg.yield %y, %x : f32, f32
      } -> (tensor<3xf32>, tensor<3xf32>)
      return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
    }"""


@pytest.mark.parametrize(
    ("kind", "wanted"), [("parallel", ([4, 5, 6], [1, 2, 3])), ("reduction", ([4, 2, 3], [1, 5, 6]))]
)
def test_outputs_that_are_exchanged(kind: str, wanted: tuple[list[int], list[int]]) -> None:
    text = TWO_OUTPUTS.replace("MAP", "id" if kind == "parallel" else "zero").replace("KIND", kind)
    if kind == "reduction":  # Something has to say how long the loop is.
        text = text.replace("[#zero, #zero]", "[#id, #zero, #zero]").replace("outs(", "ins(%a : tensor<3xf32>) outs(")
        text = text.replace("bb0(", "bb0(%unused: f32, ")
    found = run(text, np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32))
    np.testing.assert_array_equal(found.results, wanted)


def test_an_input_that_is_left() -> None:
    text = """
    func.func @main(%a: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
      %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i + 1)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]} ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) {
        ^bb0(%x: f32, %y: f32):
          linalg.yield %x : f32
      } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }"""
    numbers = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(run(text, numbers, numbers[:3]).results[0], [1, 2, 3])
    with pytest.raises(EvaluationError, match="operand 0 is indexed with 1 to 4 in dimension 0, whose size is 4"):
        run(text, numbers, numbers)
    assert run(text, numbers[:0], numbers[:0]).results[0].shape == (0,)


def test_undefined_elements_that_are_not_chosen_do_no_harm() -> None:
    text = """
    #id = affine_map<(i) -> (i)>
    func.func @main(%a: tensor<3xf32>, %c: tensor<3xi1>) -> (tensor<3xf32>, tensor<3xf32>) {
      %e = tensor.empty() : tensor<3xf32>
      %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%a, %c : tensor<3xf32>, tensor<3xi1>) outs(%e : tensor<3xf32>) {
        ^bb0(%x: f32, %d: i1, %y: f32):
          %0 = arith.addf %y, %y : f32
          %1 = arith.select %d, %x, %0 : f32
          linalg.yield %1 : f32
      } -> tensor<3xf32>
      %2 = linalg.select ins(%c, %0, %a : tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>)
          -> tensor<3xf32>
      return %0, %2 : tensor<3xf32>, tensor<3xf32>
    }"""
    found = run(text, np.array([1, 2, 3], np.float32), np.array([True, False, True]))
    np.testing.assert_array_equal(found.undefined[0], [False, True, False])
    np.testing.assert_array_equal(found.results[0][[0, 2]], [1, 3])
    assert found.undefined[1] is None
    np.testing.assert_array_equal(found.results[1], [1, 2, 3])


def test_integers_that_change_their_sign_one_by_one() -> None:
    text = """
    func.func @main(%x: memref<4xi8>, %y: memref<4xui8>, %back: memref<4xi8>) {
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%x : memref<4xi8>) outs(%y : memref<4xui8>) {
      ^bb0(%a: i8, %b: ui8):
        %0 = builtin.unrealized_conversion_cast %a : i8 to ui8
        linalg.yield %0 : ui8
      }
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%y : memref<4xui8>) outs(%back : memref<4xi8>) {
      ^bb0(%a: ui8, %b: i8):
        %0 = builtin.unrealized_conversion_cast %a : ui8 to i8
        linalg.yield %0 : i8
      }
      return
    }"""
    x = np.array([-1, 127, -128, 3], np.int8)
    found = run(text, x, np.zeros(4, np.uint8), np.zeros(4, np.int8)).arguments
    np.testing.assert_array_equal(found[1], x.view(np.uint8))
    np.testing.assert_array_equal(found[2], x)
