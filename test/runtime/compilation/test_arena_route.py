"""Chains of ops that `mi.compile` lets allocate once, however long they are: allocations are counted at run time.

The result is an allocation more. Calls of long chains are in tables, and the buffers of these in the arena.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.runtime.memory.statistics import MemoryStats

Array = np.ndarray[Any, Any]
TYPES = {"S": "tensor<32x32xf32>", "T": "tensor<32x16xf32>", "W": "tensor<32x24xf32>", "C": "tensor<32xf32>"}
ROUNDS = 60
"""Of a few ops each: more calls than a table has at least."""


class Chain(NamedTuple):
    """Rounds of ops on %x<n> and other arguments, the same in NumPy, and the bytes that are live at most.

    Rounds neither shrink nor stretch what they compute, so a wrong value in any of them is one at the end.
    """

    parameters: str
    arguments: tuple[Array, ...]
    round: str
    computed: Callable[..., Array]
    live: int


def _inits(name: str, type_: str) -> str:
    return f"""
    %{name}e<n> = tensor.empty() : {type_}
    %{name}<n> = linalg.fill ins(%z : f32) outs(%{name}e<n> : {type_}) -> {type_}"""


def _numbers(rows: int, columns: int) -> Array:
    return np.linspace(0.5, 1, rows * columns, dtype=np.float32).reshape(rows, columns)


def _rotation(size: int) -> Array:
    """An orthogonal matrix."""
    return np.linalg.qr(np.cos(np.arange(size * size, dtype=np.float64) ** 2).reshape(size, size))[0].astype(np.float32)


PRODUCTS = Chain(
    "%x0: S, %b: S, %c: S",
    (_numbers(32, 32), 2 * _rotation(32)[:, :9] @ _rotation(32)[:, :9].T, _rotation(32)),
    _inits("f", "S")
    + """
    %y<n> = linalg.matmul ins(%x<n>, %b : S, S) outs(%f<n> : S) -> S
    %s<n> = linalg.sub ins(%x<n>, %y<n> : S, S) outs(%fe<n> : S) -> S"""
    + _inits("g", "S")
    + "%x<n+1> = linalg.matmul ins(%s<n>, %c : S, S) outs(%g<n> : S) -> S",
    lambda x, b, c: (x - x @ b) @ c,
    2 * 4096,
)
"""Mirrored, and rotated."""

SIZES = Chain(
    "%x0: T, %b: tensor<16x24xf32>, %c: tensor<24x16xf32>",
    (_numbers(32, 16), _rotation(24)[:16], _rotation(24)[:16].T @ _rotation(16)),
    _inits("f", "W")
    + "%y<n> = linalg.matmul ins(%x<n>, %b : T, tensor<16x24xf32>) outs(%f<n> : W) -> W"
    + _inits("g", "T")
    + "%x<n+1> = linalg.matmul ins(%y<n>, %c : W, tensor<24x16xf32>) outs(%g<n> : T) -> T",
    lambda x, b, c: x @ b @ c,
    2048 + 3072,
)

REDUCTIONS = Chain(
    "%x0: T, %b: T",
    (_numbers(32, 16), _numbers(32, 16)[::-1].copy()),
    _inits("f", "C")
    + """
    %y<n> = linalg.reduce { arith.maximumf } ins(%x<n> : T) outs(%f<n> : C) dimensions = [1]
    %e<n> = tensor.empty() : T
    %w<n> = linalg.broadcast ins(%y<n> : C) outs(%e<n> : T) dimensions = [1]
    %x<n+1> = linalg.sub ins(%b, %w<n> : T, T) outs(%e<n> : T) -> T""",
    lambda x, b: b - np.maximum(x, 0).max(1, keepdims=True),
    2048 + 2 * 128,
)

CHAINS = {"products": PRODUCTS, "sizes": SIZES, "reductions": REDUCTIONS}


def text(chain: Chain, rounds: int = ROUNDS, results: tuple[str, ...] = ()) -> str:
    """A program of `rounds` rounds, which returns the last %x, and `results`."""
    body = "\n".join(chain.round.replace("<n>", str(n)).replace("<n+1>", str(n + 1)) for n in range(rounds))
    names = ", ".join([f"%x{rounds}", *results])
    types = ", ".join([chain.parameters.split(", ")[0].split()[1]] * (1 + len(results)))
    program = f"""func.func @main({chain.parameters}) -> ({types}) {{
      %z = arith.constant 0.0 : f32
      {body} return {names} : {types}
    }}"""
    return re.sub(r"\b[STWC]\b", lambda found: TYPES[found[0]], program)


def run(chain: Chain, rounds: int = ROUNDS, *, prelude: str = "", **options: Any) -> MemoryStats:
    """The statistics of a call, whose values are as expected."""
    program = mi.compile(prelude + text(chain, rounds), memory_stats=True, **options)
    expected, *others = chain.arguments
    for _ in range(rounds):
        expected = chain.computed(expected, *others)
    assert np.unique(expected).size > expected.size / 4
    np.testing.assert_allclose(program.main(*chain.arguments), expected, rtol=1e-3, atol=1e-4)
    return program.memory_stats


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("rounds", [3, ROUNDS])
@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_allocates_once(name: str, rounds: int, optimize: bool) -> None:
    stats = run(CHAINS[name], rounds, optimize=optimize)
    assert (stats.temporaries, stats.frees, stats.leaked_bytes, stats.copies) == (1, 1, 0, 0)
    assert stats.peak_bytes <= CHAINS[name].live + stats.result_bytes


@pytest.mark.parametrize("optimize", [False, True])
def test_a_thousand_ops_allocate_once(optimize: bool) -> None:
    assert run(SIZES, 250, optimize=optimize).temporaries == 1


def test_buffers_of_results_are_not_in_the_arena() -> None:
    """Two results: an array for each, which is the caller's."""
    program = mi.compile(text(SIZES, results=("%x20", "%x40")), memory_stats=True)
    found = program.main(*SIZES.arguments)
    x, *others = SIZES.arguments
    expected: dict[int, Array] = {}
    for n in range(ROUNDS):
        x = expected[n + 1] = SIZES.computed(x, *others)
    for array, n in zip(found, (ROUNDS, 20, 40), strict=True):
        np.testing.assert_allclose(array, expected[n], rtol=1e-3, atol=1e-4)
    stats = program.memory_stats
    assert (stats.temporaries, stats.result_allocations, stats.leaked_bytes) == (1, 3, 0)


def test_large_buffers_stay_by_themselves() -> None:
    """A buffer of more bytes than the limit is freed when it is dead; the small ones are in one arena."""
    rounds, columns = 6, 513
    wide = {"tensor<16x24xf32>": f"tensor<16x{columns}xf32>", "tensor<24x16xf32>": f"tensor<{columns}x16xf32>"}
    program = text(SIZES, rounds).replace(TYPES["W"], f"tensor<32x{columns}xf32>")
    for old, new in wide.items():
        program = program.replace(old, new)
    x, b, c = SIZES.arguments[0], _numbers(16, columns) / columns, _numbers(columns, 16)
    expected = x
    for _ in range(rounds):
        expected = expected @ b @ c
    compiled = mi.compile(program, memory_stats=True)
    np.testing.assert_allclose(compiled.main(x, b, c), expected, rtol=1e-3)
    stats = compiled.memory_stats
    assert (stats.temporaries, stats.leaked_bytes) == (rounds + 1, 0)
    assert stats.peak_bytes < 2 * 4 * 32 * columns


STEP = f"""
func.func private @step(%x0: S, %b: S, %c: S) -> S {{
  %z = arith.constant 0.0 : f32
  {PRODUCTS.round.replace("<n>", "0").replace("<n+1>", "1")}
  return %x1 : S
}}
""".replace("S", TYPES["S"])


@pytest.mark.parametrize("optimize", [False, True])
def test_calls_bring_what_a_function_needs(optimize: bool) -> None:
    """Results of calls, and what the function allocates for itself without `optimize`, lie in the caller's arena."""
    step = "%x<n+1> = func.call @step(%x<n>, %b, %c) : (S, S, S) -> S"
    stats = run(PRODUCTS._replace(round=step), 20, prelude=STEP, optimize=optimize)
    assert (stats.temporaries, stats.frees, stats.leaked_bytes, stats.copies) == (1, 1, 0, 0)


def test_kernels_with_buffers_of_their_own() -> None:
    """With `optimize` large products copy operands to panels, in functions that are called from a table."""
    size = 128
    square = f"tensor<{size}x{size}xf32>"
    program = text(PRODUCTS, 20).replace(TYPES["S"], square)
    x, q = _numbers(size, size), _rotation(size)
    b = 2 * q[:, :9] @ q[:, :9].T
    expected = x
    for _ in range(20):
        expected = PRODUCTS.computed(expected, b, q)
    compiled = mi.compile(program, optimize=True, memory_stats=True)
    np.testing.assert_allclose(compiled.main(x, b, q), expected, rtol=1e-3, atol=1e-3)
    assert compiled.memory_stats.temporaries == 1


def test_one_buffer_of_a_loop_is_allocated_once() -> None:
    """An arena for it alone pays, as each iteration would allocate it."""
    type_ = "tensor<8x8xf32>"
    compiled = mi.compile(
        f"""func.func @main(%a: {type_}, %b: {type_}, %n: index) -> {type_} {{
          %z = arith.constant 0.0 : f32
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> {type_} {{
            %e = tensor.empty() : {type_}
            %f = linalg.fill ins(%z : f32) outs(%e : {type_}) -> {type_}
            %y = linalg.matmul ins(%x, %b : {type_}, {type_}) outs(%f : {type_}) -> {type_}
            %s = linalg.sub ins(%b, %y : {type_}, {type_}) outs(%x : {type_}) -> {type_}
            scf.yield %s : {type_}
          }}
          return %r : {type_}
        }}""",
        memory_stats=True,
    )
    a, b = _numbers(8, 8), _rotation(8)
    expected = a
    for trips in range(4):
        np.testing.assert_allclose(compiled.main(a, b, trips), expected, rtol=1e-4, atol=1e-5)
        assert compiled.memory_stats.temporaries == 1
        expected = b - expected @ b
