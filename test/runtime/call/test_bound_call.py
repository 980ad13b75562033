"""`program.bind`: arguments checked and packed once, then calls with no arguments."""

from __future__ import annotations

import ctypes
import gc
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.program import Program
from mlir_inplace.runtime.compilation.settings import Settings
from mlir_inplace.runtime.source import private_copy

M = "tensor<3x4xf32>"
PROGRAM = f"""
func.func @add(%a: {M}, %b: {M}) -> {M} {{
  %e = tensor.empty() : {M}
  %0 = linalg.add ins(%a, %b : {M}, {M}) outs(%e : {M}) -> {M}
  return %0 : {M}
}}
func.func @update(%a: {M} {{bufferization.writable = true}}, %b: {M}) -> {M} {{
  %0 = linalg.add ins(%a, %b : {M}, {M}) outs(%a : {M}) -> {M}
  return %0 : {M}
}}
func.func @both(%a: {M}, %x: f32) -> ({M}, f32) {{
  %e = tensor.empty() : {M}
  %0 = linalg.fill ins(%x : f32) outs(%e : {M}) -> {M}
  %1 = linalg.sub ins(%a, %0 : {M}, {M}) outs(%e : {M}) -> {M}
  %2 = arith.addf %x, %x : f32
  return %1, %2 : {M}, f32
}}
func.func @ask(%n: index) -> tensor<?xindex> {{
  %e = tensor.empty(%n) : tensor<?xindex>
  %0 = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      outs(%e : tensor<?xindex>) {{
    ^bb0(%o: index):
      %i = linalg.index 0 : index
      linalg.yield %i : index
  }} -> tensor<?xindex>
  return %0 : tensor<?xindex>
}}
"""


@pytest.fixture(scope="module")
def program() -> mi.Program:
    return mi.compile(PROGRAM)


def matrix(first: int) -> np.ndarray:
    return np.arange(first, first + 12, dtype=np.float32).reshape(3, 4)


def test_each_call_reads_the_arrays_again_and_writes_the_same_result(program: mi.Program) -> None:
    a, b = matrix(0), matrix(100)
    call = program.bind(a, b, function="add")
    first = call()
    np.testing.assert_array_equal(first, a + b)
    a *= 3
    assert call() is first
    np.testing.assert_array_equal(first, a + b)
    np.testing.assert_array_equal(a, matrix(0) * 3)


def test_a_result_in_an_argument_is_updated_by_each_call(program: mi.Program) -> None:
    a, b = matrix(0), matrix(100)
    call = program.update.bind(a, b)
    assert call() is a
    assert call() is a
    np.testing.assert_array_equal(a, matrix(0) + 2 * b)


@pytest.mark.parametrize("order", ["C", "F"])
def test_out_receives_the_result_also_if_it_is_not_contiguous(program: mi.Program, order: str) -> None:
    out = np.zeros((3, 4), np.float32, order=order)  # type: ignore[call-overload]
    a = matrix(0)
    call = program.bind(a, matrix(100), function="add", out=out)
    for _ in range(2):
        a += 1
        assert call() is out
        np.testing.assert_array_equal(out, a + matrix(100))


def test_out_may_be_an_argument(program: mi.Program) -> None:
    a = matrix(0)
    call = program.bind(a, a[::-1], function="add", out=a)
    expected = matrix(0)
    for _ in range(2):
        expected = expected + expected[::-1]
        assert call() is a
        np.testing.assert_array_equal(a, expected)


def test_strided_arguments_are_read_where_they_are(program: mi.Program) -> None:
    wide = np.arange(48, dtype=np.float32).reshape(6, 8)
    call = program.bind(wide[::2, 1::2], matrix(0), function="add")
    np.testing.assert_array_equal(call(), wide[::2, 1::2] + matrix(0))
    wide += 7
    np.testing.assert_array_equal(call(), wide[::2, 1::2] + matrix(0))


def test_scalars_are_bound_by_value_and_returned_anew(program: mi.Program) -> None:
    a = matrix(0)
    call = program.bind(a, 2.5, function="both")
    result, scalar = call()
    np.testing.assert_array_equal(result, a - np.float32(2.5))
    assert scalar == 5.0
    assert call()[0] is result


def test_results_of_unknown_size_are_new_arrays(program: mi.Program) -> None:
    call = program.bind(5, function="ask")
    first, second = call(), call()
    first[:] = 0
    np.testing.assert_array_equal(second, np.arange(5))


def test_memory_of_each_call_is_counted() -> None:
    counted = mi.compile(PROGRAM, memory_stats=True)
    call = counted.bind(matrix(0), matrix(100), function="add")
    np.testing.assert_array_equal(call(), matrix(0) + matrix(100))
    assert (counted.memory_stats.allocations, counted.memory_stats.copies) == (0, 0)
    ask = counted.bind(5, function="ask")
    ask()
    ask()
    assert (counted.memory_stats.allocations, counted.memory_stats.result_bytes) == (1, 40)


def test_a_bound_call_keeps_the_code_and_the_arrays_alive() -> None:
    program = mi.compile(PROGRAM)
    a = matrix(0)
    array = weakref.ref(a)
    call = program.bind(a, matrix(100), function="add")
    del program, a
    gc.collect()
    assert array() is not None
    np.testing.assert_array_equal(call(), matrix(0) + matrix(100))
    del call
    gc.collect()
    assert array() is None


def test_a_bound_array_cannot_be_resized_and_may_get_another_shape(program: mi.Program) -> None:
    a = np.arange(12, dtype=np.float32).reshape(3, 4).copy()
    call = program.bind(a, matrix(100), function="add")
    with pytest.raises(ValueError, match="cannot resize"):
        a.resize((40, 40))
    a.shape = (12,)
    np.testing.assert_array_equal(call(), matrix(0) + matrix(100))


def test_what_is_wrong_is_told_when_it_is_bound(program: mi.Program) -> None:
    a, b = matrix(0), matrix(100)
    with pytest.raises(ValueError, match="^say which function to bind; the program has 4: add, update, both, ask$"):
        program.bind(a, b)
    with pytest.raises(KeyError, match="no entry point 'sub'"):
        program.bind(a, b, function="sub")
    with pytest.raises(TypeError, match=r"^expected the name of a function, got list \['add'\]$"):
        program.bind(a, b, function=["add"])  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match=r"^add takes 2 arguments, got 1: add\("):
        program.bind(a, function="add")
    with pytest.raises(ValueError, match=r"^argument 1 \('b'\): expected shape 3x4 for tensor<3x4xf32>, got 4x3$"):
        program.bind(a, b.T, function="add")
    with pytest.raises(
        TypeError, match=r"^argument 0 \('a'\): expected dtype float32 for tensor<3x4xf32>, got float64"
    ):
        program.bind(a.astype(float), b, function="add")
    with pytest.raises(
        ValueError, match=r"^argument 0 \('a'\) is written in place, but its memory overlaps argument 1"
    ):
        program.bind(a, a, function="update")
    with pytest.raises(ValueError, match="^out for result 0: expected shape 3x4"):
        program.bind(a, b, function="add", out=np.empty((4, 3), np.float32))
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        program.bind(a, b, function="add")(a)  # type: ignore[call-arg]


def test_the_only_function_need_not_be_named() -> None:
    only = mi.compile("func.func @twice(%x: f64) -> f64 { %0 = arith.addf %x, %x : f64 return %0 : f64 }")
    assert only.bind(1.5)() == 3.0
    with pytest.raises(ValueError, match="^there is nothing to bind: the program has no entry points$"):
        mi.compile("func.func private @f() { return }").bind()


WAITING = """
    func.func private @wait()
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      call @wait() : () -> ()
      %r = arith.addf %a, %a : tensor<4xf32>
      return %r : tensor<4xf32>
    }"""
RUNNING = "running already, and all its calls share their results; bind once for each thread"


def waiting(call: Callable[[], None]) -> mi.Program:
    """A program that calls back in the middle."""
    callback = ctypes.CFUNCTYPE(None)(call)
    return Program(private_copy(WAITING), Settings(None, 2, memory_stats=False, callbacks={"wait": callback}))


def test_a_call_in_another_thread_is_refused_while_one_runs() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert go_on.wait(60)

    call = waiting(wait).bind(np.ones(4, np.float32))
    with ThreadPoolExecutor(1) as other:
        first = other.submit(call)
        try:
            assert begun.wait(60)
            for _ in range(2):  # The refused call does not count as one that has ended.
                with pytest.raises(RuntimeError, match=RUNNING):
                    call()
        finally:
            go_on.set()
        np.testing.assert_array_equal(first.result(60), np.full(4, 2, np.float32))
    np.testing.assert_array_equal(call(), np.full(4, 2, np.float32))


def test_a_call_within_itself_is_refused() -> None:
    found: list[str] = []

    def again() -> None:
        try:
            call()
        except RuntimeError as error:
            found.append(str(error))

    call = waiting(again).bind(np.ones(4, np.float32))
    call()
    call()
    assert [RUNNING in text for text in found] == [True, True]
