"""Calls by trampolines: the same results and errors as without, and whether a call goes that way."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_calls import by_trampoline, compiled_trampolines, use_none, use_trampolines

import mlir_inplace as mi
from mlir_inplace.runtime.call import trampolines as machinery
from mlir_inplace.runtime.compilation import shared_trampolines
from mlir_inplace.runtime.compilation.program import Program
from mlir_inplace.runtime.compilation.settings import Settings
from mlir_inplace.runtime.memory.pool import memory_pool, release_memory
from mlir_inplace.runtime.memory.result_pool import ResultPool
from mlir_inplace.runtime.source import private_copy

ADD = """
func.func @main(%a: tensor<6x5xf32>, %b: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %e = tensor.empty() : tensor<6x5xf32>
  %r = linalg.add ins(%a, %b : tensor<6x5xf32>, tensor<6x5xf32>) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}"""
TWO = """
func.func @main(%a: tensor<?xf64>, %b: tensor<?xf64>) -> (tensor<3xf64>, f64, tensor<3xf64>) {
  %c1 = arith.constant 1 : index
  %one = tensor.cast %a : tensor<?xf64> to tensor<3xf64>
  %other = tensor.cast %b : tensor<?xf64> to tensor<3xf64>
  %e = tensor.empty() : tensor<3xf64>
  %s = linalg.add ins(%one, %other : tensor<3xf64>, tensor<3xf64>) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %d = linalg.sub ins(%one, %other : tensor<3xf64>, tensor<3xf64>) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %x = tensor.extract %a[%c1] : tensor<?xf64>
  return %s, %x, %d : tensor<3xf64>, f64, tensor<3xf64>
}"""
IN_PLACE = """
func.func @main(%t: tensor<4xi32> {bufferization.writable = true}, %u: tensor<4xi32>) -> tensor<4xi32> {
  %r = linalg.add ins(%t, %u : tensor<4xi32>, tensor<4xi32>) outs(%t : tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}"""
MEMREFS = """
func.func @main(%from: memref<4xf32, strided<[?], offset: ?>>, %to: memref<4xf32>) {
  memref.copy %from, %to : memref<4xf32, strided<[?], offset: ?>> to memref<4xf32>
  return
}"""
SCALARS = """
func.func @main(%x: f64, %y: f32, %n: index, %k: i32, %c: i1) -> (f64, f32, index, i32, i1) {
  %two = arith.constant 2.0 : f64
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %true = arith.constant true
  %0 = arith.mulf %x, %two : f64
  %1 = arith.mulf %y, %half : f32
  %2 = arith.addi %n, %one : index
  %3 = arith.muli %k, %three : i32
  %4 = arith.xori %c, %true : i1
  return %0, %1, %2, %3, %4 : f64, f32, index, i32, i1
}"""
RANK_0 = """
func.func @main(%a: tensor<f32>, %x: f32) -> tensor<f32> {
  %0 = tensor.extract %a[] : tensor<f32>
  %1 = arith.addf %0, %x : f32
  %r = tensor.from_elements %1 : tensor<f32>
  return %r : tensor<f32>
}"""
LARGE = """
func.func @main(%a: tensor<262144xf32>) -> tensor<262144xf32> {
  %e = tensor.empty() : tensor<262144xf32>
  %r = linalg.add ins(%a, %a : tensor<262144xf32>, tensor<262144xf32>) outs(%e : tensor<262144xf32>)
      -> tensor<262144xf32>
  return %r : tensor<262144xf32>
}"""
DYNAMIC = """
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}"""
COUNTED = """
func.func @main(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}"""
GIVEN_OR_MADE = """
func.func @main(%t: tensor<?xf32> {bufferization.writable = true}, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    %w = linalg.exp ins(%t : tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  } else {
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %e = tensor.empty(%c2) : tensor<?xf32>
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}"""

WAITING = """
func.func private @wait()
func.func @main(%a: memref<1xf32>) {
  call @wait() : () -> ()
  return
}"""

Calls = list[tuple[tuple[Any, ...], Any]]
"""Arguments and `out` of calls, made anew for each program, since calls change them."""


def f32(*shape: int, start: int = 1) -> np.ndarray:
    return np.arange(start, start + int(np.prod(shape)), dtype=np.float32).reshape(shape)


def misaligned(shape: tuple[int, ...]) -> np.ndarray:
    return np.zeros(4 * int(np.prod(shape)) + 4, np.uint8)[2:-2].view(np.float32).reshape(shape)


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


class Named(np.ndarray):
    """A subclass of arrays."""


def add_calls() -> Calls:
    a, b = f32(6, 5), f32(6, 5, start=40) ** 2
    both, wide, halves = f32(7, 5), f32(6, 10), f32(12, 5)
    return [
        ((a, b), None),
        ((a, b), np.empty((6, 5), np.float32)),
        ((a, a), None),
        ((a, read_only(b.copy())), None),
        ((a, misaligned((6, 5))), None),
        ((wide[:, ::2], b), None),
        ((a.T.copy().T, b), None),
        ((a.astype(np.float64), b), None),
        ((a.astype(">f4"), b), None),
        ((f32(5, 6), b), None),
        ((f32(30), b), None),
        ((a.view(Named), b), None),
        ((a.tolist(), b), None),
        ((a,), None),
        ((a, b, b), None),
        ((), None),
        ((a, None), None),
        ((a, b), (np.empty((6, 5), np.float32),)),
        ((a, b), np.empty((6, 5), np.float32)[::-1]),
        ((a, b), np.empty((5, 6), np.float32)),
        ((a, b), np.empty((6, 5))),
        ((a, b), read_only(np.empty((6, 5), np.float32))),
        ((a, b), misaligned((6, 5))),
        ((a, b), np.empty((6, 5), np.float32).view(Named)),
        ((a, b), [[0.0]]),
        ((both[:6], b), both[1:]),
        ((both[1:], b), both[:6]),
        ((both[:6], b), both[:6]),
        ((halves[:6], b), halves[6:]),
        ((memoryview(a), b), None),
    ]


def two_calls() -> Calls:
    a, b = np.arange(3.0), np.arange(3.0) ** 2 + 5
    three = tuple(np.empty(3) for _ in range(3))
    return [((a, b), None), ((np.arange(9.0)[::3], b), None), ((b, a), None), ((a, b), (three[0], None, three[2]))]


def in_place_calls() -> Calls:
    t = np.arange(8, dtype=np.int32)
    return [
        ((t[:4], np.full(4, 7, np.int32)), None),
        ((t[4:], t[:4]), None),
        ((t[:4], t[4:]), None),
        ((t[2:6], t[:4]), None),
        ((t[:4], t[:4]), None),
        ((read_only(t[:4].copy()), t[4:]), None),
        ((t[:4], t[4:]), np.empty(4, np.int32)),
        ((t[4:], read_only(np.arange(4, dtype=np.int32))), None),
    ]


def memref_calls() -> Calls:
    whole = f32(8)
    return [((whole[:4], np.empty(4, np.float32)), None), ((whole[::2], np.empty(4, np.float32)), None)]


def scalar_calls() -> Calls:
    return [
        ((1.5, 2.5, 7, -4, True), None),
        ((-0.0, 1e30, -(2**63), 2**31 - 1, False), None),
        ((float("inf"), float("-inf"), 2**63 - 2, -(2**31), True), None),
        ((1.5, 1e300, 7, -4, True), None),
        ((1.5, 2.5, 2**63, -4, True), None),
        ((1.5, 2.5, 7, 2**31, True), None),
        ((1.5, 2.5, 7, -(2**31) - 1, True), None),
        ((1.5, 2.5, 7, 2**70, True), None),
        ((1.5, 2.5, True, -4, True), None),
        ((1.5, 2.5, 7, -4, 1), None),
        ((2, 2.5, 7, -4, True), None),
        ((np.float64(1.5), np.float32(2.5), np.int64(7), np.int32(-4), np.True_), None),
        ((1.5, 2.5, 7, -4, None), None),
    ]


def rank_0_calls() -> Calls:
    return [((np.array(2, np.float32), 0.5), None), ((2.0, 0.5), None), ((np.float32(2), 0.5), None)]


def dynamic_calls() -> Calls:
    return [((f32(n) / 9,), None) for n in (3, 0, 7, 3)]


def given_or_made_calls() -> Calls:
    return [((f32(n) / 9, flag), None) for n in (3, 0, 3) for flag in (True, False)]


PROGRAMS: dict[str, tuple[str, Callable[[], Calls], list[int]]] = {
    "add": (ADD, add_calls, [0, 1, 2, 3, 5, 6, 28]),
    "several results": (TWO, two_calls, [0, 1, 2]),
    "in place": (IN_PLACE, in_place_calls, [0, 1, 2, 7]),
    "memrefs": (MEMREFS, memref_calls, [0, 1]),
    "scalars": (SCALARS, scalar_calls, [0, 1]),
    "rank 0": (RANK_0, rank_0_calls, [0]),
    "dynamic": (DYNAMIC, dynamic_calls, [0, 1, 2, 3]),
    "an argument or a new array": (GIVEN_OR_MADE, given_or_made_calls, []),
}
"""Programs, calls of them, and which of these a trampoline makes."""


def outcome(entry: Callable[..., Any], arguments: tuple[Any, ...], out: Any) -> object:
    """All that a caller sees of a call."""
    try:
        result = entry(*arguments, out=out)
    except (TypeError, ValueError) as error:
        return type(error), str(error), told(arguments)
    places = [[one is other for other in (*arguments, out)] for one in as_tuple(result)]
    return told(as_tuple(result)), told(arguments), told(as_tuple(out)), places


def as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def told(values: tuple[Any, ...]) -> list[object]:
    return [
        (type(value).__name__, str(value.dtype), value.shape, value.size and value.strides, value.tolist())
        if isinstance(value, np.ndarray)
        else (type(value).__name__, repr(value) if not isinstance(value, memoryview) else "")
        for value in values
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_call_has_the_same_outcome(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, calls, by = PROGRAMS[name]
    with monkeypatch.context() as none:
        use_none(none)
        slow = mi.compile(text).main
        expected = [outcome(slow, *call) for call in calls()]
        assert slow._trampoline is None
    use_trampolines(monkeypatch)
    quick = mi.compile(text).main
    outcome(quick, *calls()[0])
    assert [outcome(quick, *call) for call in calls()] == expected
    assert [outcome(quick, *call) for call in calls()] == expected
    made = [by_trampoline(quick, *arguments, out=out) for arguments, out in calls()]
    assert [number for number, result in enumerate(made) if result is not NotImplemented] == by


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> mi.Program:
    use_trampolines(monkeypatch)
    program = mi.compile(ADD)
    program.main(f32(6, 5), f32(6, 5))
    return program


def test_each_call_has_a_result_of_its_own(add: mi.Program) -> None:
    first, second = (by_trampoline(add.main, f32(6, 5), f32(6, 5, start=n)) for n in (5, 9))
    assert not np.shares_memory(first, second)
    first[...] = 0
    np.testing.assert_array_equal(second, f32(6, 5) + f32(6, 5, start=9))
    assert second.ctypes.data % 64 == 0
    assert second.flags.writeable
    assert second.flags.c_contiguous


def test_references_are_counted(add: mi.Program) -> None:
    a, b, out = f32(6, 5), f32(6, 5), np.empty((6, 5), np.float32)
    kinds = (np.dtype(np.float32), np.dtype(np.uint8), None, NotImplemented)

    def counts() -> list[int]:
        return [sys.getrefcount(one) for one in (a, b, out, *kinds, by_trampoline(add.main, a, b).base)]

    before = counts()
    for _ in range(1000):
        by_trampoline(add.main, a, b)
        by_trampoline(add.main, a, b, out=out)
        by_trampoline(add.main, a)
    assert max(abs(one - other) for one, other in zip(counts(), before, strict=True)) < 50


def test_returned_arrays_own_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has its own, which goes back when the last view is gone: large blocks to the pool, which gives them anew."""
    use_trampolines(monkeypatch)
    main = mi.compile(COUNTED).main
    given, size = np.zeros(1, np.float32), 1 << 19
    main(given, size)
    release_memory()
    first, second = by_trampoline(main, given, size), by_trampoline(main, given, size)
    assert not np.shares_memory(first, second)
    assert first.flags.writeable
    assert first.flags.c_contiguous
    assert not first.flags.owndata
    first[...] = 7
    np.testing.assert_array_equal(second, 1)
    before = memory_pool().held_bytes
    view, address = second[5:], second.ctypes.data
    del second
    assert memory_pool().held_bytes == before
    np.testing.assert_array_equal(view, 1)
    del view
    assert memory_pool().held_bytes >= before + 4 * size
    assert by_trampoline(main, given, size).ctypes.data == address


def test_large_results_are_from_their_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of dropped results is used again; what somebody has is not."""
    use_trampolines(monkeypatch)
    main = mi.compile(LARGE).main
    given = np.arange(1 << 18, dtype=np.float32)
    main(given)
    addresses = {by_trampoline(main, given).ctypes.data for _ in range(5)}
    assert len(addresses) == 1
    first = by_trampoline(main, given)[5:7]
    others = [by_trampoline(main, np.full(1 << 18, number, np.float32)) for number in range(3)]
    np.testing.assert_array_equal(first, [10, 12])
    assert [other[-1] for other in others] == [0, 2, 4]
    assert all(other.ctypes.data % 64 == 0 and not np.shares_memory(first, other) for other in others)


def test_another_call_while_a_large_result_is_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool is Python, where others may run: they must not use the frame, which has the arguments already."""
    use_trampolines(monkeypatch)
    take, within = ResultPool.take, []

    def take_late(pool: ResultPool) -> Any:
        if not within:
            within.append(None)
            within[0] = main(np.full(1 << 18, 3, np.float32))
        return take(pool)

    monkeypatch.setattr(ResultPool, "take", take_late)
    main = mi.compile(LARGE).main
    given = np.arange(1 << 18, dtype=np.float32)
    main(given)
    within.clear()
    np.testing.assert_array_equal(by_trampoline(main, given), given * 2)
    np.testing.assert_array_equal(within[0], 6)


def test_a_large_result_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is raised, and the plan is free for the next call."""
    use_trampolines(monkeypatch)
    take, free = ResultPool.take, [True]

    def take_or_fail(pool: ResultPool) -> Any:
        if not free[0]:
            raise MemoryError("refused")
        return take(pool)

    monkeypatch.setattr(ResultPool, "take", take_or_fail)
    main = mi.compile(LARGE).main
    given = np.arange(1 << 18, dtype=np.float32)
    main(given)
    free[0] = False
    with pytest.raises(MemoryError, match="refused"):
        by_trampoline(main, given)
    free[0] = True
    np.testing.assert_array_equal(by_trampoline(main, given), given * 2)


def test_plans_of_several_kinds(add: mi.Program) -> None:
    """One after the other, up to a bound; the rest are calls by Python."""
    wide = f32(6, 50)
    slices = [wide[:, n : n + 5 * step : step] for step in range(1, 11) for n in (0,)]
    for one in slices * 2:
        np.testing.assert_array_equal(add.main(one, f32(6, 5)), one + f32(6, 5))
    made = [by_trampoline(add.main, one, f32(6, 5)) is not NotImplemented for one in slices]
    assert made == [True] * 7 + [False] * 3


def test_held_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    use_trampolines(monkeypatch)
    a, b = f32(6, 5), f32(6, 5, start=7)
    held = mi.compile(ADD).hold({"b": b})
    held.main(a)
    np.testing.assert_array_equal(by_trampoline(held.main, a), a + b)
    b *= 2
    np.testing.assert_array_equal(by_trampoline(held.main, a), a + b)
    assert by_trampoline(held.main, a, out=b) is NotImplemented
    np.testing.assert_array_equal(held.main(a, out=b), a + f32(6, 5, start=7) * 2)


def test_names_of_arguments(add: mi.Program) -> None:
    np.testing.assert_array_equal(add.main(b=f32(6, 5, start=3), a=f32(6, 5)), f32(6, 5) + f32(6, 5, start=3))


@pytest.mark.parametrize("options", [{"memory_stats": True}, {"threads": 1}])
def test_calls_that_are_watched_are_made_by_python(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    use_trampolines(monkeypatch)
    program = mi.compile(ADD, **options)
    for _ in range(2):
        np.testing.assert_array_equal(program.main(f32(6, 5), f32(6, 5)), f32(6, 5) * 2)
    counted = "memory_stats" in options
    assert (by_trampoline(program.main, f32(6, 5), f32(6, 5)) is NotImplemented) == counted
    assert not counted or program.memory_stats is not None


def test_failed_assertions_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    use_trampolines(monkeypatch)
    text = 'func.func @main(%c: i1) { cf.assert %c, "no"\nreturn }'
    program = mi.compile(text)
    for _ in range(3):
        program.main(True)
        with pytest.raises(AssertionError, match="^-:1:27: no$"):
            program.main(False)


class TestBoundCalls:
    def test_results(self, monkeypatch: pytest.MonkeyPatch) -> None:
        use_trampolines(monkeypatch)
        a, b = f32(6, 5), f32(6, 5, start=7)
        bound = mi.compile(ADD).main.bind(a, b)
        for _ in range(3):
            np.testing.assert_array_equal(bound(), a + b)
            a += 3
        assert bound._trampoline is not None
        assert bound() is bound()

    def test_keeps_all_alive(self, monkeypatch: pytest.MonkeyPatch) -> None:
        use_trampolines(monkeypatch)
        bound = mi.compile(ADD).main.bind(f32(6, 5), f32(6, 5))
        bound()
        function = bound._trampoline
        del bound
        gc.collect()
        [np.full(30, 9, np.float32) for _ in range(100)]
        assert function is not None
        np.testing.assert_array_equal(function(), f32(6, 5) * 2)

    def test_one_at_a_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """While native code runs, the frame of a plan is in use as well."""
        use_trampolines(monkeypatch)
        begun, go_on = threading.Event(), threading.Event()

        def wait() -> None:
            begun.set()
            assert go_on.wait(60)

        callback = ctypes.CFUNCTYPE(None)(wait)
        program = Program(private_copy(WAITING), Settings(None, 2, memory_stats=False, callbacks={"wait": callback}))
        a = np.zeros(1, np.float32)
        bound = program.main.bind(a)
        go_on.set()
        bound()
        program.main(a)
        for call, again in (
            (bound, bound._trampoline),
            (lambda: program.main(a), lambda: by_trampoline(program.main, a)),
        ):
            go_on.clear()
            begun.clear()
            assert again is not None
            with ThreadPoolExecutor(1) as other:
                first = other.submit(call)
                try:
                    assert begun.wait(60)
                    assert again() is NotImplemented
                    if call is bound:
                        with pytest.raises(RuntimeError, match="is running already"):
                            bound()
                finally:
                    go_on.set()
                first.result()
            assert again() is not NotImplemented


class TestWhenThereAreTrampolines:
    """They are compiled when calls have taken long enough, loaded from the cache earlier, and not used elsewhere."""

    def test_after_many_calls(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("MLIR_INPLACE_CACHE", str(tmp_path))
        monkeypatch.setattr(shared_trampolines, "_COMPILED_AFTER", 200)
        for first in (200, 64):
            monkeypatch.setattr(shared_trampolines, "_shared", shared_trampolines._Shared())
            main = mi.compile(ADD, cache=False).main
            for number in range(1, first + 2):
                np.testing.assert_array_equal(main(f32(6, 5), f32(6, 5)), f32(6, 5) * 2)
                assert (main._trampoline is not None) == (number >= first)
            assert len(list(tmp_path.iterdir())) == 1

    def test_a_broken_entry_is_compiled_anew(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("MLIR_INPLACE_CACHE", str(tmp_path))
        shared_trampolines._compiled()
        (entry,) = tmp_path.iterdir()
        assert shared_trampolines._loaded() is not None
        entry.write_bytes(entry.read_bytes()[:-9])
        assert shared_trampolines._loaded() is None

    @pytest.mark.parametrize("field", ["Py_GIL_DISABLED"])
    def test_not_without_a_lock(self, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
        assert machinery.are_offsets_known()
        monkeypatch.setattr(machinery.sysconfig, "get_config_var", lambda name: int(name == field))
        assert not machinery.are_offsets_known()
        monkeypatch.setattr(shared_trampolines, "_COMPILED_AFTER", 3)
        monkeypatch.setattr(shared_trampolines, "_shared", shared_trampolines._Shared())
        main = mi.compile(ADD).main
        for _ in range(5):
            np.testing.assert_array_equal(main(f32(6, 5), f32(6, 5)), f32(6, 5) * 2)
        assert main._trampoline is None


COLLECTED = """
import gc
from mlir_inplace.runtime.call.trampolines import Trampolines
for _ in range(9):
    garbage = [Trampolines._built_in(1, 0x80, 2, ("kept",))]
    assert garbage[0].__self__[:2] == (2, ("kept",)) and garbage[0].__name__ == "call"
    garbage.append(garbage)
    del garbage
    assert gc.collect() > 0
print("freed")
"""


def test_collected_functions_have_their_method_until_they_are_freed() -> None:
    """The collector clears what it finds in the order it was made, the function last; freed memory is filled."""
    filled = os.environ | {
        "GLIBC_TUNABLES": "glibc.malloc.perturb=255:glibc.malloc.tcache_count=0",
        "PYTHONMALLOC": "malloc",
    }
    done = subprocess.run([sys.executable, "-c", COLLECTED], env=filled, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "freed\n"), done.stderr


def test_the_same_machine_code_serves_all() -> None:
    assert compiled_trampolines().call != compiled_trampolines().bound_call
