"""Assertions of programs that fail: an exception with the message, and the program can be called again."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.runtime.native.openmp import find_openmp

OPTIONS = [
    pytest.param({}, id="default"),
    pytest.param({"optimize": True}, id="optimize"),
    pytest.param({"memory_stats": True}, id="counted"),
    pytest.param({"opt_level": 0}, id="O0"),
]
PROGRAM = """
    func.func private @checked(%t: tensor<?xf32>, %i: index) -> (f32, tensor<?xf32>) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %t, %c0 : tensor<?xf32>
      %p = arith.cmpi ult, %i, %n : index
      cf.assert %p, "index \\22i\\22 out of bounds"
      %x = tensor.extract %t[%i] : tensor<?xf32>
      return %x, %t : f32, tensor<?xf32>
    }
    func.func @main(%t: tensor<?xf32>, %n: index) -> (tensor<?xf32>, f32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%n) : tensor<?xf32>
      %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %e, %s = %zero) -> (tensor<?xf32>, f32) {
        %x, %u = func.call @checked(%t, %i) : (tensor<?xf32>, index) -> (f32, tensor<?xf32>)
        %q = tensor.insert %x into %o[%i] : tensor<?xf32>
        %y = arith.addf %s, %x : f32
        scf.yield %q, %y : tensor<?xf32>, f32
      }
      return %r#0, %r#1 : tensor<?xf32>, f32
    }
    func.func @flag(%p: i1) {
      cf.assert %p, "first"
      cf.assert %p, "second"
      return
    }
    func.func @none(%x: i64) -> i64 {
      return %x : i64
    }"""
BOUNDS = r'^-:6:7: index "i" out of bounds$'
NUMBERS = np.arange(4, dtype=np.float32)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_failure_is_an_exception_and_the_next_call_is_as_ever(options: dict[str, bool | int]) -> None:
    program = mi.compile(PROGRAM, **options)
    for _ in range(3):
        with pytest.raises(AssertionError, match=BOUNDS):
            program.main(NUMBERS, 5)
        result, total = program.main(NUMBERS, 3)
        np.testing.assert_array_equal(result, [0, 1, 2])
        assert total == 3
        with pytest.raises(AssertionError, match=r"^-:24:7: first$"):
            program.flag(False)
        program.flag(True)
        assert program.none(7) == 7


def test_strided_arguments_and_bound_calls() -> None:
    program = mi.compile(PROGRAM)
    with pytest.raises(AssertionError, match=BOUNDS):
        program.main(NUMBERS[::2], 3)
    call = program.bind(NUMBERS[::2], 3, function="main")
    for _ in range(2):
        with pytest.raises(AssertionError, match=BOUNDS):
            call()
    fine = program.bind(True, function="flag")
    fine()


@pytest.mark.skipif(find_openmp() is None, reason="there is no OpenMP runtime")
def test_in_a_parallel_loop() -> None:
    program = mi.compile(
        """
        func.func @main(%t: tensor<64xf32>, %k: index) -> tensor<64xf32> {
          %e = tensor.empty() : tensor<64xf32>
          %r = scf.forall (%i) in (64) shared_outs(%o = %e) -> tensor<64xf32> {
            %p = arith.cmpi ne, %i, %k : index
            cf.assert %p, "not this one"
            %s = tensor.extract_slice %t[%i] [1] [1] : tensor<64xf32> to tensor<1xf32>
            scf.forall.in_parallel {
              tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<64xf32>
            }
          }
          return %r : tensor<64xf32>
        }""",
        threads=2,
    )
    numbers = np.arange(64, dtype=np.float32)
    for _ in range(3):
        for k in (0, 17, 63):
            with pytest.raises(AssertionError, match="not this one"):
                program.main(numbers, k)
        np.testing.assert_array_equal(program.main(numbers, 64), numbers)


def test_threads_fail_for_themselves() -> None:
    """A failure is raised in the thread whose call has failed, and in no other."""
    program = mi.compile(PROGRAM)
    start = threading.Barrier(4)

    def calls(number: int) -> int:
        failures = 0
        start.wait(60)
        for turn in range(200):
            size = 4 + (turn + number) % 2
            try:
                _, total = program.main(NUMBERS, size)
            except AssertionError:
                failures += 1
                assert size == 5
            else:
                assert (size, total) == (4, 6)
        return failures

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(calls, range(4))) == [100] * 4


def test_a_program_from_the_disk_cache(tmp_path: Path) -> None:
    for _ in range(2):
        program = mi.compile(PROGRAM, cache=tmp_path)
        with pytest.raises(AssertionError, match=BOUNDS):
            program.main(NUMBERS, 5)
        assert program.main(NUMBERS, 2)[1] == 1
    assert list(tmp_path.rglob("*"))


def test_nothing_leaks() -> None:
    program = mi.compile(PROGRAM, memory_stats=True)
    with pytest.raises(AssertionError, match=BOUNDS):
        program.main(NUMBERS, 5)
    assert program.memory_stats.temporaries > 0
    assert program.memory_stats.leaked_bytes == 0


def test_in_a_function_that_is_called_by_its_address() -> None:
    program = mi.compile(
        """
        func.func private @checked(%x: i64) -> i64 {
          %c0 = arith.constant 0 : i64
          %p = arith.cmpi ne, %x, %c0 : i64
          cf.assert %p, "is zero"
          return %x : i64
        }
        func.func @main(%x: i64) -> i64 {
          %f = func.constant @checked : (i64) -> i64
          %y = func.call_indirect %f(%x) : (i64) -> i64
          return %y : i64
        }"""
    )
    assert program.main(3) == 3
    with pytest.raises(AssertionError, match="is zero"):
        program.main(0)


def test_calls_of_programs_that_cannot_fail_go_straight_to_native_code() -> None:
    program = mi.compile("func.func @main(%x: i64) -> i64 { return %x : i64 }")
    assert program.main(3) == 3
    assert mi.compile(PROGRAM)._build(contiguous=True).engine.defines("inplace_guarded")
    assert not program._build(contiguous=True).engine.defines("inplace_guarded")


SHORTER = """
    func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c5 = arith.constant 5 : index
      %n = tensor.dim %a, %c0 : tensor<?xf32>
      GUARD
      %m = arith.subi %n, %c5 : index
      %e = tensor.empty(%m) : tensor<?xf32>
      %x = arith.constant 7.0 : f32
      %r = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }"""
GUARD = '%ok = arith.cmpi sge, %n, %c5 : index cf.assert %ok, "too short"'


@pytest.mark.parametrize("options", OPTIONS)
def test_a_size_that_is_asserted_to_be_no_less_than_0(options: dict[str, object]) -> None:
    program = mi.compile(SHORTER.replace("GUARD", GUARD), **options)
    for size in (0, 3, 4):
        with pytest.raises(AssertionError, match="too short"):
            program.main(np.zeros(size, np.float32))
    np.testing.assert_array_equal(program.main(np.zeros(7, np.float32)), [7, 7])
    assert program.main(np.zeros(5, np.float32)).shape == (0,)


def test_a_negative_size_is_found_by_runtime_checks() -> None:
    program = mi.compile(SHORTER.replace("GUARD", ""), runtime_checks=True)
    for size in (0, 3, 4):
        with pytest.raises(AssertionError, match=r"'tensor.empty': size 0 is negative"):
            program.main(np.zeros(size, np.float32))
