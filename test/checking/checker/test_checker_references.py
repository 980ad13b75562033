"""What `check` compares with: compiled references, the evaluator that overrules them, and how values are compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wrong_passes import ForgetCopiesPass, registered

import mlir_inplace as mi
from mlir_inplace.checking.checker import DifferenceKind
from mlir_inplace.checking.checker.inputs import Demands, InputMaker
from mlir_inplace.checking.checker.outcomes import differs, equal_elements
from mlir_inplace.runtime.interface.signature import Signature

FORGETFUL = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true},test-forget-copies)"

DISPATCH = Path(__file__).parents[3] / "examples" / "dispatch_matmul.mlir"

OVERWRITE = """
func.func @main(%a: tensor<4xf32>, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %0 = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.insert %x into %0[%c1] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
"""

# Upstream takes the load for the global's memory, and so sees what is stored later.
GLOBAL = """
ml_program.global private mutable @g(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ml_program.global_load @g : tensor<4xf32>
  ml_program.global_store @g = %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

# Upstream's copy before write hands out the tensor's own memory to be written.
TO_BUFFER = """
func.func @main(%a: tensor<4xf32>, %i: index, %x: f32) -> (f32, f32) {
  %b = bufferization.to_buffer %a : tensor<4xf32> to memref<4xf32, strided<[?], offset: ?>>
  memref.store %x, %b[%i] : memref<4xf32, strided<[?], offset: ?>>
  %0 = memref.load %b[%i] : memref<4xf32, strided<[?], offset: ?>>
  %1 = tensor.extract %a[%i] : tensor<4xf32>
  return %0, %1 : f32, f32
}
"""


@pytest.fixture(autouse=True)
def wrong_pass() -> Iterator[None]:
    with registered(ForgetCopiesPass):
        yield


def test_the_evaluator_as_reference() -> None:
    report = mi.check(OVERWRITE, engine="evaluator", rounds=2)
    assert report.ok
    assert report.counts[0].reference == "the NumPy evaluator"
    assert report.counts[0].input_sets == 2
    (difference,) = mi.check(OVERWRITE, FORGETFUL, engine="evaluator").differences
    assert difference.message == "result 0 is 1.5 where 0.5 is right at [1] (1 of 4 elements are wrong)"
    assert str(difference.origin) == "-:5:8: 'tensor.insert' overwrites result 0 of 'linalg.add' at -:4:8"


def test_the_evaluator_runs_dispatch_functions_on_sizes_that_agree() -> None:
    report = mi.check(DISPATCH, engine="evaluator", rounds=3)
    assert report.ok, report
    assert report.counts[0].input_sets == 3


def test_a_reference_that_is_wrong_is_overruled() -> None:
    report = mi.check(TO_BUFFER, rounds=2)
    assert report.ok, report
    (counts,) = report.counts
    assert counts.overruled == counts.input_sets == 2
    assert ", which is wrong on 2 of them, as the NumPy evaluator says" in str(report)


def test_calls_do_not_see_what_others_left_in_globals() -> None:
    report = mi.check(GLOBAL)
    assert report.ok, report
    assert report.counts[0].reference == "this project's bufferization with a copy before every write"


def test_inputs_that_only_the_evaluator_knows_to_be_forbidden() -> None:
    """The sizes of a reshape are data, and no assertion compares them."""
    text = """
    func.func @main(%a: tensor<12xf32>, %n: index) -> tensor<?x3xf32> {
      %c3 = arith.constant 3 : index
      %s = tensor.from_elements %n, %c3 : tensor<2xindex>
      %0 = tensor.reshape %a(%s) : (tensor<12xf32>, tensor<2xindex>) -> tensor<?x3xf32>
      return %0 : tensor<?x3xf32>
    }
    """
    report = mi.check(text)
    assert report.ok, report
    assert report.counts[0].input_sets >= 1


def test_memory_that_the_call_writes() -> None:
    text = """
    func.func @main(%m: memref<4xf32>, %x: f32) {
      %c1 = arith.constant 1 : index
      %a = memref.alloc() : memref<4xf32>
      memref.copy %m, %a : memref<4xf32> to memref<4xf32>
      memref.store %x, %a[%c1] : memref<4xf32>
      %0 = memref.load %m[%c1] : memref<4xf32>
      memref.store %0, %m[%c1] : memref<4xf32>
      return
    }
    """
    assert mi.check(text, rounds=2).ok
    (difference,) = mi.check(text, FORGETFUL).differences
    assert difference.kind is DifferenceKind.ARGUMENT
    assert difference.message == (
        "argument 0, which the call writes, is 1.5 where 0.25 is right at [1] (1 of 4 elements are wrong)"
    )


class TestValues:
    @pytest.mark.parametrize(
        ("one", "other", "equal"),
        [
            (np.nan, np.nan, True),
            (0.0, -0.0, False),
            (1.0, 1.0 + 1e-16, True),
            (np.inf, np.inf, True),
            (complex(np.nan, 1), complex(np.nan, 1), True),
            (complex(1, 0.0), complex(1, -0.0), False),
            (True, False, False),
        ],
    )
    def test_equality(self, one: Any, other: Any, equal: bool) -> None:
        assert bool(equal_elements(np.asarray(one), np.asarray(other))) is equal

    def test_a_tolerance_is_relative_to_the_largest(self) -> None:
        found, wanted = np.array([1000.0, 1.05]), np.array([1000.0, 1.0])
        everywhere = np.ones(2, bool)
        assert differs(found, wanted, everywhere, 1e-4) == ""
        assert differs(found, wanted, everywhere, 1e-5) == (
            "is 1.05 where 1.0 is right at [1] (1 of 2 elements are wrong)"
        )
        assert differs(np.array([2]), np.array([3]), np.ones(1, bool), 10.0) != ""

    def test_undefined_elements_do_not_matter(self) -> None:
        assert differs(np.array([1.0, 2.0]), np.array([1.0, 3.0]), np.array([True, False]), 0.0) == ""

    def test_shapes(self) -> None:
        assert differs(np.zeros((2, 0)), np.zeros((0, 2)), np.ones((0, 2), bool), 0.0) == (
            "has shape (2, 0) where (0, 2) is right"
        )


def signature(types: str) -> Signature:
    return mi.compile(f"func.func @main({types}) {{ return }}").main.signature


class TestInputs:
    def test_values_are_distinct_across_arguments(self) -> None:
        maker = InputMaker(signature("%a: tensor<3x4xf32>, %b: tensor<?xf64>, %c: tensor<5xi32>, %x: f32"), 0)
        made = maker.make(0, 0, Demands())
        values = [float(value) for argument in made for value in np.ravel(argument)]
        floats, whole = values[:16], values[16:-1]
        assert len(set(floats)) == 16
        assert len(set(whole)) == 5
        assert all(value * 4 == int(value * 4) for value in floats)

    def test_dynamic_sizes_include_the_edges(self) -> None:
        maker = InputMaker(signature("%a: tensor<?x?xf32>"), 0)
        shapes = {maker.make(number, 0, Demands())[0].shape for number in range(4)}
        assert {(0, 0), (1, 1)} < shapes

    def test_the_same_seed_gives_the_same(self) -> None:
        one, same, other = (
            InputMaker(signature("%a: tensor<?xf32>"), seed).make(9, 1, Demands()) for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(one[0], same[0])
        assert one[0].shape != other[0].shape or (one[0] != other[0]).any()

    def test_demands_are_met(self) -> None:
        maker = InputMaker(signature("%a: tensor<?x?xf32>, %n: index"), 0)
        array, scalar = maker.make(0, 0, Demands({(0, 1): 11}, {1: 5}))
        assert array.shape[1] == 11
        assert scalar == 5
