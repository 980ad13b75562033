"""Memory of large temporaries serves later calls, is bounded, and is nobody's who still has it."""

from __future__ import annotations

import ctypes
import mmap
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.runtime.memory.pool import LEAST_BYTES, MOST_BLOCKS, MOST_BYTES, MemoryPool, memory_pool
from mlir_inplace.runtime.memory.pool_code import LEAST_ADVISED

SIZE = LEAST_BYTES // 2
MALLOC = ctypes.CDLL(None).malloc
MALLOC.argtypes, MALLOC.restype = (ctypes.c_size_t,), ctypes.c_void_p
Take = Callable[[int], int]
Give = Callable[[int], None]


def text(size: int | str = SIZE) -> str:
    """A program whose result is made of a temporary: the elements backwards, twice as large."""
    type_ = f"tensor<{size}xf32>"
    extent, sizes = (f"tensor.dim %a, %c0 : {type_}", "%n") if size == "?" else (f"arith.constant {size} : index", "")
    return f"""
      func.func @main(%a: {type_}) -> {type_} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %n = {extent}
        %last = arith.subi %n, %c1 : index
        %e = tensor.empty({sizes}) : {type_}
        %t = linalg.add ins(%a, %a : {type_}, {type_}) outs(%e : {type_}) -> {type_}
        %f = tensor.empty({sizes}) : {type_}
        %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}}
          outs(%f : {type_}) {{
        ^bb0(%o: f32):
          %i = linalg.index 0 : index
          %j = arith.subi %last, %i : index
          %x = tensor.extract %t[%j] : {type_}
          linalg.yield %x : f32
        }} -> {type_}
        return %r : {type_}
      }}"""


def numbers(seed: int, size: int = SIZE) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(size, dtype=np.float32)


@pytest.fixture
def pool() -> Iterator[MemoryPool]:
    mi.release_memory()
    yield memory_pool()
    mi.release_memory()


@pytest.fixture
def functions(pool: MemoryPool) -> tuple[Take, Give]:
    take, give = pool.table
    assert take and give
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(take), ctypes.CFUNCTYPE(None, ctypes.c_void_p)(give)


@pytest.mark.parametrize("optimize", [False, True])
def test_temporaries_serve_the_next_call(pool: MemoryPool, optimize: bool) -> None:
    program = mi.compile(text(), optimize=optimize)
    held: list[int] = []
    for seed in range(3):
        a = numbers(seed)
        np.testing.assert_array_equal(program.main(a), a[::-1] * 2)
        held.append(pool.held_bytes)
    assert held == [held[0]] * 3
    assert 4 * SIZE <= held[0] < 4 * SIZE + (1 << 16)


def test_programs_share_what_is_kept(pool: MemoryPool) -> None:
    first, second = mi.compile(text()), mi.compile(text())
    first.main(numbers(0))
    held = pool.held_bytes
    a = numbers(1)
    np.testing.assert_array_equal(second.main(a), a[::-1] * 2)
    assert pool.held_bytes == held


def test_what_is_given_back_is_taken_again(pool: MemoryPool, functions: tuple[Take, Give]) -> None:
    take, give = functions
    block = take(LEAST_BYTES)
    assert pool.held_bytes == 0
    give(block)
    assert pool.held_bytes >= LEAST_BYTES
    assert take(4 * LEAST_BYTES) != block  # It is too small,
    assert take(LEAST_BYTES // 2) != block  # or too large.
    assert take(LEAST_BYTES) == block
    assert pool.held_bytes == 0


def test_blocks_of_others_are_taken(functions: tuple[Take, Give]) -> None:
    take, give = functions
    block = MALLOC(LEAST_BYTES)
    give(block)
    assert take(LEAST_BYTES) == block


def test_small_and_huge_blocks_are_freed(pool: MemoryPool, functions: tuple[Take, Give]) -> None:
    take, give = functions
    for size in (1, LEAST_BYTES // 2, MOST_BYTES + (1 << 20)):
        give(take(size))
    give(0)
    assert pool.held_bytes == 0


@pytest.mark.parametrize("size", [LEAST_BYTES, MOST_BYTES // 4])
def test_no_more_is_kept_than_is_said(pool: MemoryPool, functions: tuple[Take, Give], size: int) -> None:
    take, give = functions
    blocks = [take(size) for _ in range(3 * MOST_BLOCKS)]
    assert len(set(blocks)) == len(blocks)
    most = 0
    for block in blocks:
        give(block)
        most = max(most, pool.held_bytes)
    assert min(MOST_BLOCKS, 3) * size <= most <= min(MOST_BYTES, MOST_BLOCKS * (size + (1 << 16)))
    mi.release_memory()
    assert pool.held_bytes == 0


def test_results_are_the_callers(pool: MemoryPool) -> None:
    program = mi.compile(text("?"))
    arguments = [numbers(seed) for seed in range(4)]
    results = [program.main(a) for a in arguments]
    views = [result[3:9] for result in results]
    del results[1]  # which a view still needs
    results += [program.main(a) for a in arguments[1:]]
    for result, a in zip(results, [arguments[0], *arguments[2:], *arguments[1:]], strict=True):
        np.testing.assert_array_equal(result, a[::-1] * 2)
    for view, a in zip(views, arguments, strict=True):
        np.testing.assert_array_equal(view, a[::-1][3:9] * 2)
    assert pool.held_bytes <= 4 * SIZE + (1 << 16)


def test_results_that_are_gone_serve_the_next_call(pool: MemoryPool) -> None:
    program = mi.compile(text("?"))
    a = numbers(0)
    addresses = {program.main(a).ctypes.data for _ in range(6)}
    # The result is the caller's; the pool has the temporary.
    assert len(addresses) == 1
    assert 4 * SIZE <= pool.held_bytes < 4 * SIZE + (1 << 16)


def test_results_may_be_gone_when_the_interpreter_is() -> None:
    script = f"""
import numpy as np, sys
import mlir_inplace as mi
program = mi.compile({text("?")!r})
sys.kept = [program.main(np.ones({SIZE}, np.float32)) for _ in range(3)]
print(int(sys.kept[2].sum()))
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{2 * SIZE}\n", "")


def test_threads_have_blocks_of_their_own(pool: MemoryPool) -> None:
    program = mi.compile(text())

    def is_right(seed: int) -> bool:
        a = numbers(seed)
        return all(np.array_equal(program.main(a), a[::-1] * 2) for _ in range(20))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(is_right, range(4)))
    assert 0 < pool.held_bytes <= 4 * (4 * SIZE + (1 << 16))


def test_a_program_from_the_cache_keeps_memory_too(pool: MemoryPool, tmp_path: Path) -> None:
    for seed in range(2):
        program = mi.compile(text(), cache=tmp_path)
        a = numbers(seed)
        np.testing.assert_array_equal(program.main(a), a[::-1] * 2)
        assert pool.held_bytes >= 4 * SIZE
        mi.release_memory()


def test_counted_memory_is_not_kept(pool: MemoryPool) -> None:
    program = mi.compile(text(), memory_stats=True)
    program.main(numbers(0))
    stats = program.memory_stats
    assert (stats.temporaries, stats.frees, stats.leaked_bytes) == (1, 1, 0)
    assert pool.held_bytes == 0


ALWAYS_MAPPED = 64 << 20
"""Above the largest threshold that glibc moves to by itself (DEFAULT_MMAP_THRESHOLD_MAX, 32 MiB)."""


def advised(address: int) -> bool:
    """Whether the system was asked for large pages where `address` is."""
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first = line.split(maxsplit=1)[0]
        if "-" in first and not first.endswith(":"):
            lower, upper = (int(bound, 16) for bound in first.split("-"))
            inside = lower <= address < upper
        elif inside and first == "VmFlags:":
            return "hg" in line.split()
    raise AssertionError("no such address")


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="only Linux is asked for large pages")
def test_large_pages_are_asked_for(functions: tuple[Take, Give]) -> None:
    take, give = functions
    for size in (LEAST_ADVISED, 3 * LEAST_ADVISED + 12345):
        block = take(size)
        assert advised(block)
        assert advised(block + size - 1)
        ctypes.memset(block, 1, size)
        give(block)
    # So much malloc always maps anew; less may be memory that was advised and given back by a test before.
    plain = MALLOC(max(8 * LEAST_ADVISED, ALWAYS_MAPPED))
    assert not advised(plain)
    give(plain)
