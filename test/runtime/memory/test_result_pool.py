"""Memory of dropped results serves later calls; memory that somebody still has never does."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.runtime.memory.result_pool import _SHARED, LEAST_BYTES, ResultPool

SIZE = LEAST_BYTES // 4
TYPE = f"tensor<{SIZE}xf32>"
PROGRAM = f"""
  func.func @main(%x: f32) -> {TYPE} {{
    %e = tensor.empty() : {TYPE}
    %r = linalg.fill ins(%x : f32) outs(%e : {TYPE}) -> {TYPE}
    return %r : {TYPE}
  }}"""


@pytest.fixture(scope="module")
def program() -> mi.Program:
    return mi.compile(PROGRAM)


def test_results_of_dynamic_sizes_share_four_blocks() -> None:
    """A size takes the block of another one that is not much larger, and all together keep no more than four."""
    main = mi.compile("""
      func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
        %c0 = arith.constant 0 : index
        %n = tensor.dim %a, %c0 : tensor<?xf32>
        %e = tensor.empty(%n) : tensor<?xf32>
        %r = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
        return %r : tensor<?xf32>
      }""").main
    mi.release_memory()
    given = np.zeros(8 * SIZE, np.float32)
    sizes = [*range(2 * SIZE, SIZE, -SIZE // 8), 8 * SIZE]
    addresses = {size: main(given[:size]).ctypes.data for size in sizes}
    assert len(set(addresses.values())) == 2
    kept = [main(given[:size]) for size in (SIZE, SIZE, 2 * SIZE, 2 * SIZE, 4 * SIZE, 8 * SIZE)]
    assert not any(np.shares_memory(one, other) for n, one in enumerate(kept) for other in kept[:n])
    assert all((one == 1).all() for one in kept)
    assert len(_SHARED) == 4
    del kept
    mi.release_memory()
    assert not _SHARED


def test_dropped_memory_is_used_again(program: mi.Program) -> None:
    addresses = {program.main(float(number)).ctypes.data for number in range(5)}
    assert len(addresses) == 1


@pytest.mark.parametrize(
    "keep",
    [
        lambda array: array,
        lambda array: array[5:7],
        lambda array: array.reshape(2, -1).T[3:, 1],
        memoryview,
        lambda array: np.frombuffer(array, np.uint8),
        lambda array: array.view(np.int32)[::2],
    ],
    ids=["array", "slice", "transposed", "memoryview", "buffer", "view"],
)
def test_memory_that_somebody_has_is_not(program: mi.Program, keep: Callable[[Any], Any]) -> None:
    kept = [keep(program.main(float(number))) for number in range(4)]
    gc.collect()
    contents = [np.asarray(one).copy() for one in kept]
    for number in range(4):
        program.main(-1.0 - number)
    for one, before in zip(kept, contents, strict=True):
        np.testing.assert_array_equal(np.asarray(one), before)
    assert len({one.tobytes() for one in contents}) == 4


def test_a_result_that_is_the_next_argument() -> None:
    text = f"""
      func.func @main(%a: {TYPE}) -> {TYPE} {{
        %e = tensor.empty() : {TYPE}
        %r = linalg.add ins(%a, %a : {TYPE}, {TYPE}) outs(%e : {TYPE}) -> {TYPE}
        return %r : {TYPE}
      }}"""
    double = mi.compile(text)
    array = np.arange(SIZE, dtype=np.float32)
    addresses: set[int] = set()
    for _ in range(6):
        array = double.main(array)
        addresses.add(array.ctypes.data)
    np.testing.assert_array_equal(array, np.arange(SIZE, dtype=np.float32) * 64)
    assert len(addresses) == 2


def test_threads_never_share_a_block() -> None:
    pool = ResultPool(64)

    def is_alone(number: int) -> bool:
        for _ in range(500):
            block = pool.take()
            block[...] = number
            if (block != number).any():
                return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(is_alone, range(4)))
