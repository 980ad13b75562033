"""`check`: right programs pass, and each way of being wrong is found and told exactly."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wrong_passes import DropFreesPass, ForgetCopiesPass, FreeTwicePass, HangPass, StrayPass, registered

import mlir_inplace as mi
from mlir_inplace.checking.checker import DifferenceKind
from mlir_inplace.checking.checker.isolation import isolated
from mlir_inplace.runtime.compilation import lowering

ONE_SHOT = "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"
FORGETFUL = f"builtin.module({ONE_SHOT},test-forget-copies)"

DISPATCH = Path(__file__).parents[3] / "examples" / "dispatch_matmul.mlir"

TWO_VERSIONS = """
func.func @main(%a: tensor<4xf32>, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.insert %x into %0[%c1] : tensor<4xf32>
  %2 = linalg.add ins(%0, %1 : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
"""

LOOP = """
func.func @main(%a: tensor<4xf32>, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index  %c4 = arith.constant 4 : index  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %0) -> tensor<4xf32> {
    %v = tensor.extract %0[%i] : tensor<4xf32>
    %d = arith.addf %v, %v : f32
    %n = tensor.insert %d into %t[%c1] : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
"""

DYNAMIC = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.add ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
"""

TEMPORARY = """
func.func @main(%a: tensor<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %0 = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%0 : tensor<?xf32>) outs(%a : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %r = tensor.extract %1[%c0] : tensor<?xf32>
  return %r : f32
}
"""


@pytest.fixture(autouse=True)
def wrong_passes() -> Iterator[None]:
    with registered(ForgetCopiesPass, DropFreesPass, FreeTwicePass, StrayPass, HangPass):
        yield


def with_last_step(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Lets one more pass follow deallocation."""
    phase = lowering.Phase("test", "wrong on purpose", (name,))
    monkeypatch.setattr(lowering, "DEALLOCATE", (*lowering.DEALLOCATE, phase))


class TestRightPrograms:
    def test_a_right_program(self) -> None:
        report = mi.check(TWO_VERSIONS)
        assert report.ok
        assert str(report) == (
            "'main': 8 input sets, compared with upstream's bufferization with a copy before every write\n"
            "  allocations: 24 (16 for results), frees: 8, copies: 8 (128 bytes), leaked: 0 bytes, bad frees: 0\n"
            "  equal"
        )

    def test_sizes_vary_and_include_the_edges(self) -> None:
        """Upstream's reference refuses sizes that do not agree; those are counted, and others are used."""
        report = mi.check(DYNAMIC)
        assert report.ok
        (counts,) = report.counts
        assert counts.input_sets == 8
        assert counts.allocations == 8

    def test_a_dispatch_function_gets_the_sizes_it_asks_for(self) -> None:
        report = mi.check(DISPATCH)
        assert report.ok
        (counts,) = report.counts
        assert (counts.input_sets, counts.reference) == (
            8,
            "this project's bufferization with a copy before every write",
        )

    def test_given_inputs(self) -> None:
        report = mi.check(DYNAMIC, inputs=[[np.ones((2, 3), np.float32)] * 2])
        assert report.ok
        assert report.counts[0].input_sets == 1

    def test_what_was_never_written_is_left_out(self) -> None:
        text = """
        func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %0 = tensor.insert_slice %a into %e[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        """
        assert mi.check(text).ok

    def test_no_functions(self) -> None:
        report = mi.check("module {}")
        assert report.ok
        assert str(report) == "nothing to check: the program has no public function with a body"


class TestDifferences:
    def test_a_forgotten_copy(self) -> None:
        report = mi.check(TWO_VERSIONS, FORGETFUL)
        (difference,) = report.differences
        assert difference.kind is DifferenceKind.RESULT
        assert difference.function == "main"
        assert str(difference) == (
            "'main': result 1 is 3.0 where 2.7840254 is right at [1] (1 of 4 elements are wrong)\n"
            "  -:5:8: 'tensor.insert' overwrites result 0 of 'linalg.exp' at -:4:8, which 'linalg.add' at -:6:8 reads\n"
            "  inputs:\n"
            "    argument 0: tensor<4xf32> = [0.75, 0.25, 0.5 , 1. ]\n"
            "    argument 1: f32 = 1.5"
        )

    def test_an_overwrite_in_a_loop(self) -> None:
        (difference,) = mi.check(LOOP, FORGETFUL).differences
        assert difference.message.startswith("result 0 is 5.4365635 where 1.2840254 is right at [1]")
        assert str(difference.origin) == (
            "-:9:10: 'tensor.insert' overwrites result 0 of 'linalg.exp' at -:5:8, "
            "which 'tensor.extract' at -:7:10 reads"
        )

    def test_a_result_that_is_overwritten_before_it_is_returned(self) -> None:
        text = """
        func.func @main(%a: tensor<4xf32>, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %c1 = arith.constant 1 : index
          %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.insert %x into %0[%c1] : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }
        """
        (difference,) = mi.check(text, FORGETFUL).differences
        assert str(difference.origin) == "-:5:16: 'tensor.insert' overwrites result 0 of 'linalg.exp' at -:4:16"

    def test_an_argument_that_must_not_change(self) -> None:
        text = """
        func.func @main(%a: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
          %c1 = arith.constant 1 : index
          %0 = tensor.insert %x into %a[%c1] : tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        """
        (difference,) = mi.check(text, FORGETFUL).differences
        assert difference.kind is DifferenceKind.ARGUMENT
        assert difference.message == (
            "argument 0 must not change, but it is 1.5 where 0.25 is right at [1] (1 of 4 elements are wrong)"
        )
        assert str(difference.origin) == "-:4:16: 'tensor.insert' overwrites argument 0 of 'func.func' at -:2:9"

    def test_a_crash(self) -> None:
        (difference,) = mi.check(TWO_VERSIONS, f"builtin.module({ONE_SHOT},test-stray)").differences
        assert difference.kind is DifferenceKind.CRASH
        assert difference.message == "the call crashed (SIGSEGV)"
        assert str(difference.origin) == (
            "-:6:8: the program crashes after 'tensor.insert' at -:5:8 before 'linalg.add' has computed a value"
        )

    def test_a_loop_without_end(self) -> None:
        report = mi.check(TWO_VERSIONS, f"builtin.module({ONE_SHOT},test-hang)", time_limit=0.5)
        (difference,) = report.differences
        assert difference.kind is DifferenceKind.HANG
        assert difference.message == "the call did not end within 0.5 s"
        assert str(difference.origin) == (
            "-:6:8: the program does not end after 'tensor.insert' at -:5:8 before 'linalg.add' has computed a value"
        )

    def test_a_leak(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with_last_step(monkeypatch, "test-drop-frees")
        (difference,) = mi.check(TEMPORARY).differences
        assert difference.kind is DifferenceKind.LEAK
        assert difference.message.startswith("2 buffers of 32 bytes leaked (allocations: 2 ")

    def test_memory_that_is_freed_twice(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with_last_step(monkeypatch, "test-free-twice")
        (difference,) = mi.check(TEMPORARY).differences
        assert difference.kind is DifferenceKind.BAD_FREE
        assert difference.message.startswith("memory that is no living allocation is freed 2 times (")


class TestUnchecked:
    def test_no_input_fits(self) -> None:
        text = """
        func.func @main(%a: tensor<?xf32>, %i: index) -> f32 {
          %c = arith.constant 1000 : index
          %0 = arith.addi %i, %c : index
          %1 = tensor.extract %a[%0] : tensor<?xf32>
          return %1 : f32
        }
        """
        report = mi.check(text)
        assert not report.ok
        assert str(report).startswith("'main': not checked: the program takes none of the inputs tried (")
        assert str(report).endswith("); give inputs that it takes")
        assert mi.check(text, inputs=[[np.arange(1200, dtype=np.float32), 100]]).ok

    def test_a_program_without_end_is_not_tried_for_long(self) -> None:
        text = """
        func.func @main(%m: memref<4xf32>, %n: index) {
          %t = arith.constant true
          %c0 = arith.constant 0 : index
          %z = arith.constant 0.0 : f32
          scf.while : () -> () { scf.condition(%t) } do { memref.store %z, %m[%c0] : memref<4xf32>  scf.yield }
          return
        }
        """
        report = mi.check(text, time_limit=0.2)
        assert str(report) == (
            "'main': not checked: the program takes none of the inputs tried (the reference did not end in time); "
            "give inputs that it takes"
        )

    def test_types_that_numpy_has_not(self) -> None:
        report = mi.check("func.func @main(%a: tensor<4xi5>) -> tensor<4xi5> { return %a : tensor<4xi5> }")
        assert [unchecked.function for unchecked in report.unchecked] == ["main"]
        assert "type i5 cannot cross the NumPy boundary" in report.unchecked[0].reason

    def test_a_program_that_does_not_compile(self) -> None:
        with pytest.raises(mi.PassError, match="must bufferize function boundaries"):
            mi.check(DYNAMIC, "builtin.module(canonicalize)")

    def test_an_unknown_function(self) -> None:
        with pytest.raises(ValueError, match="the program has no entry point 'other'; it has: main"):
            mi.check(DYNAMIC, function="other")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"engine": "magic"}, "engine must be one of jit"),
            ({"rounds": 0}, "rounds and time_limit must be positive"),
            ({"seed": -1}, "seed and tolerance not negative"),
        ],
    )
    def test_wrong_arguments(self, arguments: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            mi.check(DYNAMIC, **arguments)


class TestIsolation:
    def test_a_value_and_messages(self) -> None:
        def work(send: Any) -> int:
            send("one")
            send("two")
            return 3

        ended = isolated(work, 10)
        assert (ended.value, ended.messages, ended.crashed) == (3, ("one", "two"), False)

    def test_an_exception(self) -> None:
        ended = isolated(lambda _: int("x"), 10)
        assert isinstance(ended.error, ValueError)

    def test_an_exception_that_cannot_be_sent(self) -> None:
        class Local(Exception):
            pass

        def work(_: Any) -> None:
            raise Local("why")

        assert str(isolated(work, 10).error) == "Local: why"

    def test_a_signal_with_what_was_printed(self) -> None:
        def work(_: Any) -> None:
            os.write(2, b"first\nlast words\n")
            os.kill(os.getpid(), signal.SIGSEGV)

        ended = isolated(work, 10)
        assert ended.crashed
        assert ended.cause == "SIGSEGV: last words"

    def test_work_without_end(self) -> None:
        def work(_: Any) -> None:
            while True:
                pass

        ended = isolated(work, 0.2)
        assert ended.hung
        assert ended.cause == "it did not end in time"

    def test_a_child_dies_with_its_parent(self) -> None:
        def work(send: Any) -> None:
            def inner(_: Any) -> None:
                os.kill(os.getppid(), signal.SIGKILL)
                time.sleep(30)

            send(isolated(inner, 60))

        ended = isolated(work, 20)
        assert ended.killed_by == signal.SIGKILL
