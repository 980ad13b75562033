"""Recursion without an end: a `RecursionError`, and the program can be called again."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from endless_recursion import ODD_AND_EVEN

import mlir_inplace as mi

FULL = "^the program calls itself too often: the stack of this thread is full$"
PROGRAM = (
    ODD_AND_EVEN
    + """
    func.func @fill(%t: tensor<8xf32>, %n: i64) -> tensor<8xf32> {
      %c0 = arith.constant 0 : i64
      %i0 = arith.constant 0 : index
      %c1 = arith.constant 1 : i64
      %p = arith.cmpi eq, %n, %c0 : i64
      %r = scf.if %p -> tensor<8xf32> {
        scf.yield %t : tensor<8xf32>
      } else {
        %f = arith.sitofp %n : i64 to f32
        %u = tensor.insert %f into %t[%i0] : tensor<8xf32>
        %m = arith.subi %n, %c1 : i64
        %a = func.call @fill(%u, %m) : (tensor<8xf32>, i64) -> tensor<8xf32>
        %e = tensor.empty() : tensor<8xf32>
        %s = linalg.add ins(%a, %u : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
        scf.yield %s : tensor<8xf32>
      }
      return %r : tensor<8xf32>
    }"""
)
FOREVER = 1 << 40


def filled(start: np.ndarray, count: int) -> np.ndarray:
    updated = [start]
    for number in range(count, 0, -1):
        updated.append(updated[-1].copy())
        updated[-1][0] = number
    total = updated[-1].copy()
    for one in reversed(updated[1:]):
        total = total + one
    return total


@pytest.mark.parametrize("options", [{}, {"memory_stats": True}, {"opt_level": 0}], ids=str)
def test_an_exception_and_the_next_call_is_as_ever(options: dict[str, Any]) -> None:
    program = mi.compile(PROGRAM, **options)
    start = np.arange(8, dtype=np.float32)
    for _ in range(3):
        with pytest.raises(RecursionError, match=FULL):
            program.odd(FOREVER)
        assert program.odd(1000) == program.odd(1000)
        with pytest.raises(RecursionError, match=FULL):
            program.fill(start, FOREVER)
        if "memory_stats" in options:
            assert program.memory_stats.frees > 1000
            assert program.memory_stats.leaked_bytes == 0
        np.testing.assert_array_equal(program.fill(start, 6), filled(start, 6))


def test_in_a_thread_with_a_small_stack() -> None:
    program = mi.compile(PROGRAM, opt_level=0)
    raised: list[str] = []

    def call() -> None:
        try:
            program.fill(np.zeros(8, np.float32), FOREVER)
        except RecursionError as error:
            raised.append(str(error))

    before = threading.stack_size(256 << 10)
    try:
        threads = [threading.Thread(target=call) for _ in range(3)]
        for thread in threads:
            thread.start()
    finally:
        threading.stack_size(before)
    for thread in threads:
        thread.join()
    assert len(raised) == 3
