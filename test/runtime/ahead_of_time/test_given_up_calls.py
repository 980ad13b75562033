"""Calls of libraries that are given up: memory that the system refuses, recursion without an end, failed assertions."""

from __future__ import annotations

import ctypes
import importlib
import mmap
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from c_libraries import CLibrary, compiled, needs_compiler
from endless_recursion import ODD_AND_EVEN

import mlir_inplace as mi
from mlir_inplace.runtime.native.openmp import find_openmp
from mlir_inplace.tools.inplace_compile import main

pytestmark = needs_compiler

TOO_MUCH, FOREVER = 1 << 45, 1 << 40
PROGRAM = (
    ODD_AND_EVEN
    + """
func.func @sum(%n: index, %m: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %t = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %five = arith.cmpi ne, %m, %c5 : index
  cf.assert %five, "five is too few"
  %f = tensor.empty(%m) : tensor<?xf32>
  %u = linalg.fill ins(%one : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %x = tensor.extract %t[%c0] : tensor<?xf32>
  %y = tensor.extract %u[%c0] : tensor<?xf32>
  %z = arith.addf %x, %y : f32
  return %z : f32
}
func.func @ones(%n: index, %m: index) -> tensor<?x?x4xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%n, %m) : tensor<?x?x4xf32>
  %t = linalg.fill ins(%one : f32) outs(%e : tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  return %t : tensor<?x?x4xf32>
}
"""
)
LEVELS = "x86-64,x86-64-v2,x86-64-v3"
PARALLEL = """
func.func @main(%k: index, %n: index, %zero: tensor<64xf32>) -> tensor<64xf32> {
  %one = arith.constant 1.0 : f32
  %c8 = arith.constant 8 : index
  %r = scf.forall (%i) in (64) shared_outs(%o = %zero) -> tensor<64xf32> {
    %p = arith.cmpi eq, %i, %k : index
    %size = arith.select %p, %n, %c8 : index
    %f = tensor.empty(%size) : tensor<?xf32>
    %u = linalg.fill ins(%one : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
    %s = tensor.extract_slice %u[0] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<64xf32>
    }
  }
  return %r : tensor<64xf32>
}
"""


@pytest.fixture(scope="module", params=["native", LEVELS], ids=["one", "levels"])
def library(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> CLibrary:
    return compiled(tmp_path_factory.mktemp("library"), PROGRAM, "--target-cpu", request.param)


def index(value: int) -> ctypes.c_int64:
    return ctypes.c_int64(value)


def summed(library: CLibrary, n: int, m: int) -> tuple[str, float]:
    found = ctypes.c_float()
    return library.call("sum", index(n), index(m), ctypes.byref(found)), found.value


def refused(library: CLibrary) -> int:
    function = library.function("refused_bytes")
    function.restype = ctypes.c_size_t
    return function()


def test_refused_memory_has_a_number_and_its_size(library: CLibrary) -> None:
    for _ in range(3):
        assert summed(library, 10, TOO_MUCH) == ("OUT_OF_MEMORY", 0)
        assert TOO_MUCH * 4 <= refused(library) <= TOO_MUCH * 4 + 128
        assert summed(library, 10, 20) == ("OK", 2)
    assert "refused" in library.message(library.errors["OUT_OF_MEMORY"])


@pytest.mark.parametrize("sizes", [(TOO_MUCH, 1), (1 << 33, 1 << 33), (3, 1 << 62), (-1, 1)])
def test_a_result_of_refused_memory_is_not_written(library: CLibrary, sizes: tuple[int, int]) -> None:
    words = (ctypes.c_int64 * 8)(*range(8))
    assert library.call("ones", *map(index, sizes), ctypes.byref(words)) == "OUT_OF_MEMORY"
    assert list(words) == list(range(8))
    assert refused(library) >= TOO_MUCH


def test_recursion_without_an_end_has_a_number(library: CLibrary) -> None:
    found, results = ctypes.c_int64(), list[str]()
    for _ in range(3):
        assert library.call("odd", ctypes.c_int64(FOREVER), ctypes.byref(found)) == "DEEP_RECURSION"
        assert library.call("odd", ctypes.c_int64(3), ctypes.byref(found)) == "OK"
        assert found.value == mi.compile(PROGRAM, cache=False).odd(3)
    before = threading.stack_size(256 << 10)
    try:
        threads = [
            threading.Thread(
                target=lambda: results.append(
                    library.call("odd", ctypes.c_int64(FOREVER), ctypes.byref(ctypes.c_int64()))
                )
            )
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
    finally:
        threading.stack_size(before)
    for thread in threads:
        thread.join()
    assert results == ["DEEP_RECURSION"] * 3


@pytest.mark.parametrize("last", [5, TOO_MUCH], ids=["assertion", "memory"])
def test_what_a_call_allocated_is_freed(library: CLibrary, last: int) -> None:
    """Each call has half a megabyte when it is given up: blocks that no pool keeps."""

    def in_use() -> int:
        return int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE

    error, _ = summed(library, 1 << 17, last)
    assert error.startswith("ASSERTION" if last == 5 else "OUT_OF_MEMORY")
    before = in_use()
    for _ in range(40):
        assert summed(library, 1 << 17, last)[0] == error
    assert in_use() - before < 4 << 20


def test_each_thread_learns_of_its_own_failures(library: CLibrary) -> None:
    wrong: list[object] = []

    def run(size: int, expected: str) -> None:
        for turn in range(500):
            found = summed(library, 7, size - turn)[0]
            asked = refused(library)
            if not found.startswith(expected):
                wrong.append(found)
            if expected == "OUT_OF_MEMORY" and not 0 <= asked - (size - turn) * 4 <= 128:
                wrong.append((size, turn, asked))

    cases = ((TOO_MUCH, "OUT_OF_MEMORY"), (2 * TOO_MUCH, "OUT_OF_MEMORY"), (1000, "OK"))
    threads = [threading.Thread(target=run, args=case) for case in cases]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


FIRST_CALLS = """
import ctypes, threading
libc, found = ctypes.CDLL(None), []
library = ctypes.CDLL({path!r})
library.lib1_refused_bytes.restype = ctypes.c_size_t
def call(size):
    return library.lib1_sum(ctypes.c_int64(3), ctypes.c_int64(size), ctypes.byref(ctypes.c_float()))
"""
THREADS = """
barrier = threading.Barrier(8)
def run(number):
    barrier.wait()
    found.append((call((1 << 45) + 1000 * number), library.lib1_refused_bytes() // 1000 * 1000, number))
threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
errors, sizes, numbers = zip(*found)
print(len(set(errors)), len(set(sizes)), sorted(numbers))
"""
WITHOUT_KEYS = """
keys = [ctypes.c_uint()]
while libc.pthread_key_create(ctypes.byref(keys[-1]), None) == 0:
    keys.append(ctypes.c_uint())
errors = [call(4), library.lib1_refused_bytes()]
for key in keys[:3]:
    libc.pthread_key_delete(key)
print(*errors, call(4), call(1 << 45))
"""


def first_calls(library: CLibrary, text: str) -> str:
    """What a process prints that has not called the library before."""
    text = FIRST_CALLS.format(path=str(library.path)) + text
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_threads_whose_first_calls_are_at_the_same_time(library: CLibrary) -> None:
    assert first_calls(library, THREADS) == "1 8 [0, 1, 2, 3, 4, 5, 6, 7]"


def test_a_process_without_keys_for_threads(library: CLibrary) -> None:
    """The error has a number, and calls succeed once there are keys."""
    errors = library.errors
    assert first_calls(library, WITHOUT_KEYS) == f"{errors['NO_THREAD_KEYS']} 0 0 {errors['OUT_OF_MEMORY']}"


@pytest.mark.skipif(find_openmp() is None, reason="there is no OpenMP runtime")
def test_in_a_parallel_loop(tmp_path: Path) -> None:
    library = compiled(tmp_path, PARALLEL, "--threads", "2")
    zero, found = np.zeros(64, np.float32), np.zeros(64, np.float32)
    for k in (0, 17, 63):
        assert library.call("main", index(k), index(TOO_MUCH), zero, found) == "OUT_OF_MEMORY"
        assert refused(library) >= TOO_MUCH * 4
    assert library.call("main", index(64), index(TOO_MUCH), zero, found) == "OK"
    np.testing.assert_array_equal(found, np.ones(64))


def test_a_program_that_frees_and_does_not_allocate(tmp_path: Path) -> None:
    text = """
        func.func @drop(%m: memref<?xf32>, %really: i1) {
          scf.if %really {
            memref.dealloc %m : memref<?xf32>
          }
          return
        }"""
    library, allocate = compiled(tmp_path, text), ctypes.CDLL(None).malloc
    allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    for really in (True, False):
        memory = (ctypes.c_int64 * 4)(allocate(256), 64, 1, 0)
        assert library.call("drop", ctypes.byref(memory), ctypes.c_bool(really)) == "OK"
    for options in ({}, {"memory_stats": True}):
        mi.compile(text, **options).drop(np.zeros(3, np.float32), False)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder = tmp_path_factory.mktemp("package")
    (folder / "p.mlir").write_text(PROGRAM)
    assert main([str(folder / "p.mlir"), "--python", str(folder / "given_up"), "--target-cpu", LEVELS]) == 0
    sys.path.insert(0, str(folder))
    yield importlib.import_module("given_up")
    sys.path.remove(str(folder))


@pytest.mark.parametrize(
    ("name", "given", "kind"),
    [
        ("sum", (10, TOO_MUCH), MemoryError),
        ("sum", (TOO_MUCH, 10), MemoryError),
        ("ones", (1 << 33, 1 << 33), MemoryError),
        ("odd", (FOREVER,), RecursionError),
        ("sum", (10, 5), AssertionError),
    ],
)
def test_packages_raise_what_a_compiled_program_raises(
    package: ModuleType, name: str, given: tuple[int, ...], kind: type[Exception]
) -> None:
    program = mi.compile(PROGRAM)
    for _ in range(3):
        with pytest.raises(kind) as expected:
            program[name](*given)
        with pytest.raises(kind) as raised:
            getattr(package, name)(*given)
        with pytest.raises(kind) as bound:
            getattr(package, name).bind(*given)()
        texts = [str(one.value).rpartition(": ")[2] for one in (expected, raised, bound)]  # without places
        assert texts[0] and texts == [texts[0]] * 3
        assert package.sum(2, 3) == 2
