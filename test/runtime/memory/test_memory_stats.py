"""Memory statistics: exact numbers for programs whose traffic is known, and no leaks anywhere."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mlir_inplace as mi

PROGRAM = """
func.func @fresh(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tensor.empty() : tensor<8x8xf32>
  %1 = linalg.exp ins(%a : tensor<8x8xf32>) outs(%0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func @in_place(%a: tensor<?xf32> {bufferization.writable = true}) -> tensor<?xf32> {
  %1 = linalg.exp ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @copied(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %1 = tensor.insert %f into %a[%c0] : tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @same_twice(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %1 = tensor.insert %f into %a[%c0] : tensor<?xf32>
  return %1, %1 : tensor<?xf32>, tensor<?xf32>
}
func.func @two_temporaries(%n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %f = arith.constant 2.0 : f64
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf64>
  %b = memref.alloc(%n) : memref<?x2xf64>
  memref.store %f, %a[%c0] : memref<?xf64>
  memref.store %f, %b[%c0, %c0] : memref<?x2xf64>
  %x = memref.load %a[%c0] : memref<?xf64>
  %y = memref.load %b[%c0, %c0] : memref<?x2xf64>
  %r = arith.addf %x, %y : f64
  return %r : f64
}
"""


@pytest.fixture(scope="module")
def program() -> mi.Program:
    return mi.compile(PROGRAM, memory_stats=True)


def test_a_fresh_result_is_the_only_allocation(program: mi.Program) -> None:
    result = program.fresh(np.zeros((8, 8), np.float32))
    assert (result == 1).all()
    stats = program.memory_stats
    assert (stats.allocations, stats.result_allocations, stats.temporaries, stats.frees) == (1, 1, 0, 0)
    assert stats.peak_bytes == stats.allocated_bytes == stats.result_bytes == 8 * 8 * 4
    assert (stats.copies, stats.copied_bytes, stats.leaked_bytes) == (0, 0, 0)
    assert "allocations: 1 (1 for results), frees: 0, peak: 256 bytes" in str(stats)


def test_in_place_takes_no_memory(program: mi.Program) -> None:
    program.in_place(np.zeros(100, np.float32))
    stats = program.memory_stats
    assert (stats.allocations, stats.peak_bytes, stats.copied_bytes) == (0, 0, 0)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_copies_are_counted_in_bytes(program: mi.Program, size: int) -> None:
    result = program.copied(np.zeros(size, np.float32))
    stats = program.memory_stats
    assert (stats.allocations, stats.result_allocations, stats.leaked_bytes) == (1, 1, 0)
    assert (stats.copies, stats.copied_bytes, stats.peak_bytes) == (1, 4 * size, 4 * size)
    assert result[0] == 1


def test_strided_copies_are_counted_too(program: mi.Program) -> None:
    program.copied(np.zeros(30, np.float32)[::-3])
    stats = program.memory_stats
    assert (stats.copies, stats.copied_bytes) == (1, 40)


def test_a_buffer_returned_twice_is_copied_once_more(program: mi.Program) -> None:
    first, second = program.same_twice(np.zeros(10, np.float32))
    stats = program.memory_stats
    assert not np.shares_memory(first, second)
    assert (stats.allocations, stats.result_allocations, stats.leaked_bytes) == (2, 2, 0)
    assert (stats.copies, stats.copied_bytes) == (2, 80)


@pytest.mark.parametrize("size", [1, 5, 4096])
def test_temporaries_are_freed_and_padding_is_not_counted(program: mi.Program, size: int) -> None:
    assert program.two_temporaries(size) == 4.0
    stats = program.memory_stats
    assert (stats.allocations, stats.frees, stats.temporaries, stats.leaked_bytes) == (2, 2, 2, 0)
    assert stats.allocated_bytes == stats.peak_bytes == size * 8 + size * 16


def test_a_program_that_frees_its_memory_itself() -> None:
    program = mi.compile(
        """
        func.func @forgetful(%n: index) -> i8 {
          %c0 = arith.constant 0 : index
          %f = arith.constant 1 : i8
          %a = memref.alloc(%n) {alignment = 256 : i64} : memref<?xi8>
          memref.store %f, %a[%c0] : memref<?xi8>
          %x = memref.load %a[%c0] : memref<?xi8>
          return %x : i8
        }
        func.func @one_after_another(%n: index) -> i8 {
          %c0 = arith.constant 0 : index
          %f = arith.constant 1 : i8
          %a = memref.alloc(%n) {alignment = 128 : i64} : memref<?xi8>
          memref.store %f, %a[%c0] : memref<?xi8>
          %x = memref.load %a[%c0] : memref<?xi8>
          memref.dealloc %a : memref<?xi8>
          %b = memref.alloc(%n) : memref<?xi8>
          memref.store %x, %b[%c0] : memref<?xi8>
          %y = memref.load %b[%c0] : memref<?xi8>
          memref.dealloc %b : memref<?xi8>
          return %y : i8
        }""",
        memory_stats=True,
    )
    program.one_after_another(1000)
    stats = program.memory_stats
    assert (stats.allocations, stats.frees, stats.peak_bytes, stats.leaked_bytes) == (2, 2, 1000, 0)
    program.forgetful(77)
    assert (program.memory_stats.leaked_bytes, program.memory_stats.frees) == (0, 1)


def test_a_leak_shows() -> None:
    """Beside a dealloc that is reached by a branch, nothing is freed but what the program frees."""
    program = mi.compile(
        """
        func.func @main(%c: i1, %n: index) -> i8 {
          %c0 = arith.constant 0 : index
          %f = arith.constant 1 : i8
          %a = memref.alloc(%n) {alignment = 256 : i64} : memref<?xi8>
          memref.store %f, %a[%c0] : memref<?xi8>
          %x = memref.load %a[%c0] : memref<?xi8>
          cf.cond_br %c, ^free, ^end
        ^free:
          memref.dealloc %a : memref<?xi8>
          cf.br ^end
        ^end:
          return %x : i8
        }""",
        memory_stats=True,
    )
    program.main(True, 77)
    assert (program.memory_stats.leaked_bytes, program.memory_stats.frees) == (0, 1)
    program.main(False, 77)
    assert (program.memory_stats.leaked_bytes, program.memory_stats.frees) == (77, 0)


def test_a_program_that_frees_its_memory_itself_may_return_what_it_does_not_own() -> None:
    program = mi.compile(
        """
        memref.global "private" constant @numbers : memref<3xi64> = dense<[2, 3, 5]>
        func.func @constant() -> memref<3xi64> {
          %0 = memref.get_global @numbers : memref<3xi64>
          return %0 : memref<3xi64>
        }
        func.func @part(%a: memref<4xi64>) -> memref<2xi64, strided<[1], offset: 1>> {
          %0 = memref.subview %a[1] [2] [1] : memref<4xi64> to memref<2xi64, strided<[1], offset: 1>>
          return %0 : memref<2xi64, strided<[1], offset: 1>>
        }
        func.func @same(%a: memref<4xi64>) -> memref<4xi64> {
          return %a : memref<4xi64>
        }
        func.func @own(%n: index) -> memref<?xi64> {
          %c0 = arith.constant 0 : index
          %0 = memref.alloc(%n) : memref<?xi64>
          %1 = memref.load %0[%c0] : memref<?xi64>
          memref.store %1, %0[%c0] : memref<?xi64>
          %2 = memref.alloc() : memref<i64>
          memref.store %1, %2[] : memref<i64>
          %3 = memref.load %2[] : memref<i64>
          memref.store %3, %0[%c0] : memref<?xi64>
          memref.dealloc %2 : memref<i64>
          return %0 : memref<?xi64>
        }""",
        memory_stats=True,
    )
    program.constant()[...] = 0
    np.testing.assert_array_equal(program.constant(), [2, 3, 5])
    given = np.arange(4)
    part = program.part(given)
    np.testing.assert_array_equal(part, [1, 2])
    assert not np.shares_memory(part, given)
    assert program.same(given) is given
    assert program.own(5).shape == (5,)
    stats = program.memory_stats
    assert (stats.allocations, stats.frees, stats.result_bytes, stats.leaked_bytes) == (2, 1, 40, 0)


def test_out_saves_the_allocation(program: mi.Program) -> None:
    block = np.empty(64 + 32, np.float32)
    start = (16 - block.ctypes.data) % 64 // 4
    out = block[start : start + 64].reshape(8, 8)  # not where a cache line begins, as NumPy's own arrays often do not
    program.fresh(np.zeros((8, 8), np.float32), out=out)
    assert program.memory_stats.allocations == program.memory_stats.copied_bytes == 0
    program.fresh(np.zeros((8, 8), np.float32), out=np.empty((8, 16), np.float32)[:, ::2])
    stats = program.memory_stats
    assert (stats.allocations, stats.result_allocations, stats.copied_bytes) == (1, 1, 256)


def test_statistics_are_those_of_the_last_call(program: mi.Program) -> None:
    program.copied(np.zeros(10, np.float32))
    first = program.memory_stats
    program.copied(np.zeros(20, np.float32))
    assert (first.copied_bytes, program.memory_stats.copied_bytes) == (40, 80)


def test_thousands_of_calls_leak_nothing(program: mi.Program) -> None:
    given = np.zeros(1000, np.float32)
    for _ in range(2000):
        program.same_twice(given)
        assert program.memory_stats.leaked_bytes == 0


def test_calls_from_several_threads_are_counted_one_by_one(program: mi.Program) -> None:

    def copies(size: int) -> list[int]:
        given = np.zeros(size, np.float32)
        found: list[int] = []
        for _ in range(100):
            program.copied(given)
            found.append(program.memory_stats.copies)
        return found

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(copies, (10, 1000, 5000))) == [[1] * 100] * 3


def test_without_counting_there_are_no_statistics() -> None:
    text = "func.func @main() { return }"
    with pytest.raises(RuntimeError, match="compile with memory_stats=True"):
        _ = mi.compile(text).memory_stats
    with pytest.raises(RuntimeError, match="before the first call"):
        _ = mi.compile(text, memory_stats=True).memory_stats
