"""Results that are an argument which the function may write: which one only the run tells, and nothing is cloned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlir_inplace as mi

W = "{bufferization.writable = true}"
SWAP = f"""
func.func @main(%t: tensor<4xf32> {W}, %u: tensor<4xf32> {W}, %x: f32, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (tensor<4xf32>, tensor<4xf32>) {{
    %w = tensor.insert %x into %b[%i] : tensor<4xf32>
    scf.yield %w, %a : tensor<4xf32>, tensor<4xf32>
  }}
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}}"""


def chosen(results: str, body: str, *, u: str = W) -> mi.Program:
    """A program with two arrays and two flags; `%s` is one of the arrays."""
    types = ", ".join("tensor<4xf32>" if name != "%part" else "tensor<2xf32>" for name in results.split(", "))
    return mi.compile(
        f"""
        func.func @main(%t: tensor<4xf32> {W}, %u: tensor<4xf32> {u}, %c: i1, %d: i1) -> ({types}) {{
          %c1 = arith.constant 1 : index
          %x = arith.constant 9.0 : f32
          %s = arith.select %c, %t, %u : tensor<4xf32>
          {body}
          return {results} : {types}
        }}""",
        memory_stats=True,
    )


def arrays() -> tuple[Any, Any]:
    return np.arange(1, 5, dtype=np.float32), np.arange(11, 15, dtype=np.float32)


@pytest.mark.parametrize("trips", range(5))
def test_swapped_arrays_are_the_callers(trips: int) -> None:
    program = mi.compile(SWAP, memory_stats=True)
    t, u = arrays()
    wanted = [t.copy(), u.copy()]
    for trip in range(trips):
        wanted[1][trip] = 9
        wanted.reverse()
    found = program.main(t, u, 9.0, trips)
    assert all(one is other for one, other in zip(found, (t, u) if trips % 2 == 0 else (u, t), strict=True))
    np.testing.assert_array_equal(found, wanted)
    stats = program.memory_stats
    assert (stats.allocations, stats.copies, stats.leaked_bytes) == (0, 0, 0)


@pytest.mark.parametrize("flag", [False, True])
def test_one_of_two(flag: bool) -> None:
    program = chosen("%r", "%r = tensor.insert %x into %s[%c1] : tensor<4xf32>")
    t, u = arrays()
    assert program.main(t, u, flag, False) is (t if flag else u)
    assert (t[1], u[1]) == ((9, 12) if flag else (2, 9))
    bound = program.bind(t, u, not flag, False)
    assert bound() is (u if flag else t)
    out = np.empty(4, np.float32)
    assert program.main(t, u, flag, False, out=out) is out
    np.testing.assert_array_equal(out, t if flag else u)


def test_read_only_one_is_copied() -> None:
    program = chosen("%s", "", u="")
    t, u = arrays()
    assert program.main(t, u, True, False) is t
    found = program.main(t, u, False, False)
    assert not np.shares_memory(found, u)
    np.testing.assert_array_equal(found, u)


def test_part_is_copied() -> None:
    program = chosen("%part", "%part = tensor.extract_slice %s[0] [2] [1] : tensor<4xf32> to tensor<2xf32>")
    t, u = arrays()
    found = program.main(t, u, True, False)
    assert not np.shares_memory(found, t)
    t[:] = 0
    np.testing.assert_array_equal(found, [1, 2])
    assert program.memory_stats.leaked_bytes == 0


@pytest.mark.parametrize("flags", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("results", ["%s, %v", "%t, %s", "%s, %t"])
def test_results_share_no_memory(results: str, flags: tuple[bool, bool]) -> None:
    program = chosen(results, "%v = arith.select %d, %t, %u : tensor<4xf32>")
    t, u = arrays()
    values = {"%t": t.copy(), "%s": (t if flags[0] else u).copy(), "%v": (t if flags[1] else u).copy()}
    found = program.main(t, u, *flags)
    assert not np.shares_memory(*found)
    for name, result in zip(results.split(", "), found, strict=True):
        np.testing.assert_array_equal(result, values[name])
    assert program.memory_stats.leaked_bytes == 0


@pytest.mark.parametrize("flag", [False, True])
def test_argument_or_new_buffer(flag: bool) -> None:
    body = """
          %r = scf.if %d -> (tensor<4xf32>) {
            %w = tensor.insert %x into %s[%c1] : tensor<4xf32>
            scf.yield %w : tensor<4xf32>
          } else {
            %e = tensor.empty() : tensor<4xf32>
            %w = linalg.add ins(%t, %u : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
            scf.yield %w : tensor<4xf32>
          }"""
    program = chosen("%r", body)
    for _ in range(20):
        t, u = arrays()
        found = program.main(t, u, True, flag)
        np.testing.assert_array_equal(found, [1, 9, 3, 4] if flag else [12, 14, 16, 18])
        assert np.shares_memory(found, t) == (found is t)
        assert not np.shares_memory(found, u)
        assert program.memory_stats.leaked_bytes == 0


def test_held_array() -> None:
    t, u = arrays()
    program = chosen("%r", "%r = tensor.insert %x into %s[%c1] : tensor<4xf32>").hold({"t": t})
    assert program.main(u, True, False) is t
    assert t[1] == 9
