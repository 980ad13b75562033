"""Memory that the system refuses: a `MemoryError`, nothing leaks, and the program can be called again."""

from __future__ import annotations

import ctypes
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_calls import by_trampoline, use_trampolines

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.program import Program
from mlir_inplace.runtime.compilation.settings import Settings
from mlir_inplace.runtime.native.openmp import find_openmp
from mlir_inplace.runtime.source import private_copy

TOO_MUCH = 1 << 45
REFUSED = r"^the program asked for 140737488355\d{3} bytes of memory, and the system refused them$"
PROGRAM = """
    func.func @sum(%n: index, %m: index) -> f32 {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      %e = tensor.empty(%n) : tensor<?xf32>
      %t = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %f = tensor.empty(%m) : tensor<?xf32>
      %u = linalg.fill ins(%one : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
      %x = tensor.extract %t[%c0] : tensor<?xf32>
      %y = tensor.extract %u[%c0] : tensor<?xf32>
      %z = arith.addf %x, %y : f32
      return %z : f32
    }
    func.func @ones(%n: index, %a: tensor<?xf32>) -> tensor<?xf32> {
      %one = arith.constant 1.0 : f32
      %e = tensor.empty(%n) : tensor<?xf32>
      %t = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      return %t : tensor<?xf32>
    }"""
NUMBERS = np.arange(8, dtype=np.float32)


@pytest.mark.parametrize("options", [{}, {"optimize": True}, {"memory_stats": True}, {"opt_level": 0}], ids=str)
def test_an_exception_says_how_much_and_the_next_call_is_as_ever(options: dict[str, Any]) -> None:
    program = mi.compile(PROGRAM, **options)
    for _ in range(3):
        with pytest.raises(MemoryError, match=REFUSED):
            program.sum(10, TOO_MUCH)
        if "memory_stats" in options:
            assert (program.memory_stats.allocations, program.memory_stats.frees) == (1, 1)
            assert program.memory_stats.leaked_bytes == 0
        assert program.sum(10, 20) == 2
        with pytest.raises(MemoryError, match=REFUSED):
            program.ones(TOO_MUCH, NUMBERS)
        with pytest.raises(MemoryError, match=REFUSED):
            program.ones(TOO_MUCH, NUMBERS[::2])
        np.testing.assert_array_equal(program.ones(3, NUMBERS), [1, 1, 1])


def test_bound_calls_and_trampolines(monkeypatch: pytest.MonkeyPatch) -> None:
    use_trampolines(monkeypatch)
    program = mi.compile(PROGRAM)
    program.sum(10, 20)
    program.ones(3, NUMBERS)
    for _ in range(3):
        assert by_trampoline(program.sum, 10, 20) == 2
        with pytest.raises(MemoryError, match=REFUSED):
            by_trampoline(program.sum, 10, TOO_MUCH)
        with pytest.raises(MemoryError, match=REFUSED):
            by_trampoline(program.ones, TOO_MUCH, NUMBERS)
    bound = program.bind(TOO_MUCH, NUMBERS, function="ones")
    direct = mi.compile(
        """
        func.func @main(%t: tensor<4xf32> {bufferization.writable = true}, %n: index) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %one = arith.constant 1.0 : f32
          %e = tensor.empty(%n) : tensor<?xf32>
          %f = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
          %x = tensor.extract %f[%c0] : tensor<?xf32>
          %r = tensor.insert %x into %t[%c0] : tensor<4xf32>
          return %r : tensor<4xf32>
        }"""
    ).bind(np.zeros(4, np.float32), TOO_MUCH)
    for _ in range(3):
        for call in (bound, direct):
            with pytest.raises(MemoryError, match=REFUSED):
                call()


@pytest.mark.skipif(find_openmp() is None, reason="there is no OpenMP runtime")
def test_in_a_parallel_loop() -> None:
    """Only some threads fail; all wait at the end of the loop, and the caller learns of it."""
    program = mi.compile(
        """
        func.func @main(%k: index, %n: index) -> tensor<64xf32> {
          %c0 = arith.constant 0 : index
          %one = arith.constant 1.0 : f32
          %c8 = arith.constant 8 : index
          %e = tensor.empty() : tensor<64xf32>
          %r = scf.forall (%i) in (64) shared_outs(%o = %e) -> tensor<64xf32> {
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
        }""",
        threads=2,
    )
    for _ in range(3):
        for k in (0, 17, 63):
            with pytest.raises(MemoryError, match=REFUSED):
                program.main(k, TOO_MUCH)
        np.testing.assert_array_equal(program.main(64, TOO_MUCH), np.ones(64))


def test_threads_fail_for_themselves() -> None:
    program = mi.compile(PROGRAM)

    def calls(number: int) -> int:
        failures = 0
        for turn in range(200):
            size = TOO_MUCH if (turn + number) % 2 else 7
            try:
                assert program.sum(size, 3) == 2
            except MemoryError:
                failures += 1
                assert size == TOO_MUCH
            else:
                assert size == 7
        return failures

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(calls, range(4))) == [100] * 4


def test_a_program_from_the_disk_cache(tmp_path: Path) -> None:
    for _ in range(2):
        program = mi.compile(PROGRAM, cache=tmp_path)
        with pytest.raises(MemoryError, match=REFUSED):
            program.sum(3, TOO_MUCH)
        assert program.sum(3, 4) == 2
    assert list(tmp_path.rglob("*"))


def test_a_call_within_a_call_fails_for_itself() -> None:
    """The outer call goes on, and what it has allocated stays."""
    inner = mi.compile(PROGRAM)
    seen: list[str] = []

    @ctypes.CFUNCTYPE(None)
    def within() -> None:
        try:
            inner.sum(4, TOO_MUCH)
        except MemoryError as error:
            seen.append(str(error))

    text = """
        func.func private @within()
        func.func @main(%n: index, %m: index) -> f32 {
          %c0 = arith.constant 0 : index
          %one = arith.constant 1.0 : f32
          %e = tensor.empty(%n) : tensor<?xf32>
          %t = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
          func.call @within() : () -> ()
          %f = tensor.empty(%m) : tensor<?xf32>
          %u = linalg.fill ins(%one : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
          %x = tensor.extract %t[%c0] : tensor<?xf32>
          %y = tensor.extract %u[%c0] : tensor<?xf32>
          %z = arith.addf %x, %y : f32
          return %z : f32
        }"""
    outer = Program(private_copy(text), Settings(None, 2, memory_stats=True, callbacks={"within": within}))
    for turn in range(3):
        assert outer.main(3, 4) == 2
        with pytest.raises(MemoryError, match=REFUSED):
            outer.main(3, TOO_MUCH)
        assert outer.memory_stats.leaked_bytes == 0
        assert outer.memory_stats.frees == 1
        assert len(seen) == 2 * turn + 2


def test_many_live_blocks() -> None:
    """More than there is room for on the stack, freed in another order, some of them results."""
    count = 40
    made = "\n".join(
        f"""%e{i} = tensor.empty(%n) : tensor<?xf32>
            %x{i} = arith.constant {i}.0 : f32
            %t{i} = linalg.fill ins(%x{i} : f32) outs(%e{i} : tensor<?xf32>) -> tensor<?xf32>"""
        for i in range(count)
    )
    read = "\n".join(f"%y{i} = tensor.extract %t{i}[%c0] : tensor<?xf32>" for i in range(2, count))
    added = "\n".join(f"%s{i} = arith.addf %s{i - 1}, %y{i} : f32" for i in range(2, count))
    program = mi.compile(
        f"""
        func.func @main(%n: index) -> (tensor<?xf32>, f32, tensor<?xf32>) {{
          %c0 = arith.constant 0 : index
          %s1 = arith.constant 0.0 : f32
          {made}
          {read}
          {added}
          return %t1, %s{count - 1}, %t0 : tensor<?xf32>, f32, tensor<?xf32>
        }}""",
        memory_stats=True,
    )
    for number in range(1, count + 2):
        program.main(1)
        program.refuse_memory(number)
        if number <= count:
            with pytest.raises(MemoryError):
                program.main(5)
            assert program.memory_stats.leaked_bytes == 0
            assert program.memory_stats.frees == number - 1
        one, total, zero = program.main(5)
        assert (total, one.tolist(), zero.tolist()) == (sum(range(2, count)), [1.0] * 5, [0.0] * 5)
        assert program.memory_stats.leaked_bytes == 0


@pytest.mark.parametrize(
    ("rows", "columns"),
    [(-1, 1), (1, -1), (1 << 62, 1), (1 << 33, 1 << 33), (3, 1 << 62)],
)
@pytest.mark.parametrize("options", [{}, {"memory_stats": True}], ids=str)
def test_sizes_whose_product_does_not_fit_into_64_bits(rows: int, columns: int, options: dict[str, Any]) -> None:
    """Modulo 2^64 they are small, and what was allocated would be written past its end."""
    program = mi.compile(
        """
        func.func @main(%m: index, %n: index) -> f32 {
          %c0 = arith.constant 0 : index
          %one = arith.constant 1.0 : f32
          %e = tensor.empty(%m, %n) : tensor<?x?x4xf32>
          %t = linalg.fill ins(%one : f32) outs(%e : tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
          %x = tensor.extract %t[%c0, %c0, %c0] : tensor<?x?x4xf32>
          return %x : f32
        }""",
        **options,
    )
    with pytest.raises(MemoryError, match=r"asked for \d{19} bytes"):
        program.main(rows, columns)
    assert program.main(2, 3) == 1


@pytest.mark.parametrize("elements", [TOO_MUCH, (1 << 63) - 1])
def test_a_result_whose_size_folding_finds(elements: int) -> None:
    """Such a result is allocated by the caller."""
    program = mi.compile(
        f"""func.func @main(%f: f32) -> tensor<?xf32> {{
          %n = arith.constant {elements} : index
          %e = tensor.empty(%n) : tensor<?xf32>
          %r = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
          return %r : tensor<?xf32>
        }}"""
    )
    with pytest.raises(MemoryError, match=rf"^the program asked for {str(4 * elements)[:10]}\d+ bytes of memory"):
        program.main(np.float32(1))
