"""Shrinking a program that fails: what each edit does, and that little is left of a large program."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from mlir import ir
from wrong_passes import ForgetCopiesPass, registered

import mlir_inplace as mi
from mlir_inplace.checking.checker import DifferenceKind, edits, reduce_program
from mlir_inplace.checking.checker.options import Options
from mlir_inplace.passes.pipeline.pipeline import Pipeline
from mlir_inplace.runtime.source import private_copy

FORGETFUL = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true},test-forget-copies)"


def chain(number: int, before: str) -> str:
    """Four operations that have nothing to do with what goes wrong."""
    t = "tensor<64xf32>"
    return f"""
      %p{number} = linalg.exp ins(%{before} : {t}) outs(%e : {t}) -> {t}
      %q{number} = linalg.add ins(%p{number}, %{before} : {t}, {t}) outs(%e : {t}) -> {t}
      %s{number} = tensor.extract %q{number}[%c1] : {t}
      %r{number} = arith.mulf %s{number}, %x : f32"""


LINKS = 8
LARGE = f"""
func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {{ return %a : tensor<4xf32> }}
func.func @main(%a: tensor<64xf32>, %x: f32, %n: index) -> (tensor<64xf32>, tensor<64xf32>, f32) {{
  %c0 = arith.constant 0 : index  %c1 = arith.constant 1 : index  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<64xf32>
  {"".join(chain(number, f"q{number - 1}" if number else "a") for number in range(LINKS))}
  %0 = linalg.exp ins(%q{LINKS - 1} : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %1 = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %0) -> tensor<64xf32> {{
    %2 = tensor.insert %r{LINKS - 1} into %t[%i] : tensor<64xf32>
    scf.yield %2 : tensor<64xf32>
  }}
  %3 = linalg.add ins(%0, %1 : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %1, %3, %r{LINKS - 2} : tensor<64xf32>, tensor<64xf32>, f32
}}
"""


@pytest.mark.full
def test_a_large_program_becomes_a_small_one_that_fails_in_the_same_way() -> None:
    with registered(ForgetCopiesPass):
        module = private_copy(LARGE)
        (difference,) = mi.check(module, FORGETFUL).differences
        reduction = reduce_program(module, Options(pipeline=Pipeline.parse(FORGETFUL)), difference)
        assert reduction.original_operations == 8 + 4 * LINKS
        assert reduction.operations <= 6
        assert len(reduction.text.splitlines()) <= 10
        (again,) = mi.check(reduction.text, FORGETFUL).differences
        assert again.kind is reduction.difference.kind is DifferenceKind.RESULT
        assert again.message == reduction.difference.message
        assert reduction.difference.origin is not None
        assert mi.check(reduction.text).ok


def edited(text: str, edit: Callable[[ir.Operation], bool]) -> str | None:
    """What an edit makes of a program; None if it refuses. The result verifies."""
    module = private_copy(text)
    with module.context:
        done = edit(module.operation)
        assert module.operation.verify()
    return str(module) if done else None


def lines(text: str | None) -> list[str]:
    assert text is not None
    return [line.strip() for line in text.splitlines()]


BRANCH = """
func.func @main(%a: tensor<4xf32>, %c: i1, %n: index) -> (tensor<4xf32>, index) {
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  %d = arith.addi %n, %n : index
  return %0, %d : tensor<4xf32>, index
}
"""


class TestEdits:
    def test_a_branch_takes_the_place_of_the_condition(self) -> None:
        text = edited(BRANCH, partial(edits.unwrap, number=2, region=0))
        assert not any("scf" in line for line in lines(text))
        assert any("linalg.exp" in line for line in lines(text))
        text = edited(BRANCH, partial(edits.unwrap, number=2, region=1))
        assert lines(text)[2:4] == ["%0 = arith.addi %arg2, %arg2 : index", "return %arg0, %0 : tensor<4xf32>, index"]

    def test_a_loop_runs_once(self) -> None:
        text = """
        func.func @main(%a: tensor<4xf32>, %x: f32, %n: index) -> tensor<4xf32> {
          %0 = scf.for %i = %n to %n step %n iter_args(%t = %a) -> tensor<4xf32> {
            %1 = tensor.insert %x into %t[%i] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }
        """
        assert lines(edited(text, partial(edits.unwrap, number=2, region=0)))[2:4] == [
            "%inserted = tensor.insert %arg1 into %arg0[%arg2] : tensor<4xf32>",
            "return %inserted : tensor<4xf32>",
        ]

    def test_other_operations_have_no_body_to_unwrap(self) -> None:
        assert edited(BRANCH, partial(edits.unwrap, number=1, region=0)) is None

    def test_users_of_what_is_removed_get_another_value(self) -> None:
        numbers = edits.removable(private_copy(BRANCH).operation)
        assert lines(edited(BRANCH, partial(edits.remove, numbers=numbers)))[2] == (
            "return %arg0, %arg2 : tensor<4xf32>, index"
        )

    def test_what_has_no_substitute_stays(self) -> None:
        text = """
        func.func @main(%n: index) -> tensor<?xf32> {
          %0 = tensor.empty(%n) : tensor<?xf32>
          return %0 : tensor<?xf32>
        }
        """
        numbers = edits.removable(private_copy(text).operation)
        assert edited(text, partial(edits.remove, numbers=numbers)) is None

    def test_results_and_arguments_can_be_dropped(self) -> None:
        text = edited(BRANCH, partial(edits.keep_results, name="main", kept=(1,)))
        assert any(line.endswith("-> index {") for line in lines(text))
        assert edited(BRANCH, partial(edits.keep_results, name="main", kept=(9,))) is None
        unused = "func.func @main(%a: tensor<4xf32>, %n: index) -> index { return %n : index }"
        dropped = edited(unused, partial(edits.drop_argument, name="main", number=0))
        assert lines(dropped)[1] == "func.func @main(%arg0: index) -> index {"
        assert edited(unused, partial(edits.drop_argument, name="main", number=1)) is None

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("%c64 = arith.constant 64 : index", "%c64 = arith.constant 2 : index"),
            ("tensor<64x64xf64>, memref<?x64xi64>", "tensor<2x2xf64>, memref<?x2xi64>"),
            ("[%i, 64] [164, 640] [1, 1]", "[%i, 2] [164, 640] [1, 1]"),
            ("64.0 : f32", "64.0 : f32"),
        ],
    )
    def test_sizes_change_wherever_they_stand(self, text: str, expected: str) -> None:
        assert edits.resize(text, 64, 2) == expected

    def test_sizes_are_found_in_types(self) -> None:
        assert edits.static_sizes("tensor<4x?x16xf32> memref<2x8xf32> vector<7xi1> tensor<f32>") == [16, 8, 7, 4]
