"""What loops of JAX carry is updated in place: no byte is copied in an iteration, and a cache gets its new row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.9")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore
from jax import lax  # noqa: E402  # pyright: ignore

import mlir_inplace as mi  # noqa: E402

WIDTH = 16


def elementwise_scan(state: Any, steps: int) -> Any:
    return lax.scan(lambda x, k: (jnp.cos(x) / 2 + k / 9, x.sum()), state, jnp.arange(steps, dtype=jnp.float32))


def product_in_a_scan(state: Any, steps: int) -> Any:
    weights = jnp.linspace(-1, 1, WIDTH * WIDTH).reshape(WIDTH, WIDTH)
    return lax.scan(lambda x, _: (jnp.tanh(x @ weights), None), state, None, length=steps)[0]


def several_carried(state: Any, steps: int) -> Any:
    def step(carry: Any, _: Any) -> Any:
        x, momentum, count = carry
        momentum = 0.9 * momentum + jnp.sin(x)
        return (x - 0.1 * momentum, momentum, count + 1), None

    return lax.scan(step, (state, jnp.zeros_like(state), jnp.zeros((), jnp.int32)), None, length=steps)[0]


def rows_in_fori(state: Any, steps: int) -> Any:
    return lax.fori_loop(0, steps, lambda i, x: x.at[i].multiply(2.0), state)


def rows_from_rows_before(state: Any, steps: int) -> Any:
    return lax.fori_loop(1, steps, lambda i, x: x.at[i].add(x[i - 1]), state)


def until_small(state: Any, steps: int) -> Any:
    def more(carry: Any) -> Any:
        return (carry[0] < steps) & (jnp.abs(carry[1]).sum() > 1e-9)

    return lax.while_loop(more, lambda carry: (carry[0] + 1, carry[1] * 0.75), (jnp.zeros((), jnp.int32), state))[1]


def nested(state: Any, steps: int) -> Any:
    def row(i: Any, x: Any) -> Any:
        return lax.fori_loop(0, 3, lambda j, y: y.at[i, j].add(1.0), x)

    return lax.fori_loop(0, steps, row, state)


LOOPS = [
    elementwise_scan,
    product_in_a_scan,
    several_carried,
    rows_in_fori,
    rows_from_rows_before,
    until_small,
    nested,
]

COPIED_ONCE = {several_carried: 4}
"""The bytes that a call may copy, however many iterations there are: a constant that is carried."""


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
def test_iterations_copy_nothing(loop: Any, optimize: bool) -> None:
    counted: list[tuple[int, int]] = []
    for steps in (3, 15):
        state = np.random.default_rng(0).normal(size=(WIDTH, WIDTH)).astype(np.float32)
        expected = jax.jit(loop, static_argnums=1)(state.copy(), steps)  # which may still read it
        program = mi.from_jax(
            loop, state, steps, static_argnums=1, donate_argnums=0, optimize=optimize, memory_stats=True
        )
        found = program.main(state)
        for ours, theirs in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
        stats = program.memory_stats
        counted.append((stats.copied_bytes, stats.allocations if optimize else 0))  # which hoists them
    assert counted[0] == counted[1]
    assert counted[0][0] <= COPIED_ONCE.get(loop, 0)


@pytest.mark.parametrize("optimize", [False, True])
def test_a_cache_step_copies_the_new_row(optimize: bool) -> None:
    def step(cache: Any, row: Any, place: Any) -> Any:
        cache = lax.dynamic_update_slice(cache, row[None], (place, 0))
        scores = jnp.where(jnp.arange(64) <= place, cache @ row, -jnp.inf)
        return cache, jax.nn.softmax(scores) @ cache

    cache, row = np.zeros((64, WIDTH), np.float32), np.arange(WIDTH, dtype=np.float32) / WIDTH
    expected = jax.jit(step)(cache.copy(), row, 3)
    program = mi.from_jax(step, cache, row, 3, donate_argnums=0, optimize=optimize, memory_stats=True)
    updated, found = program.main(cache, row, 3)
    assert updated is cache
    np.testing.assert_allclose(found, expected[1], rtol=1e-5)
    np.testing.assert_array_equal(updated, expected[0])
    assert program.memory_stats.copied_bytes == row.nbytes
