"""Training and decoding in place: what the examples show, counted."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.9")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore

import mlir_inplace as mi  # noqa: E402

EXAMPLES = Path(mi.__file__).parent / "examples"


def example(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_training_copies_nothing_and_keeps_the_parameters_where_they_are() -> None:
    training = example("jax_training")
    images, labels = training["batches"]()
    step = mi.jit(training["train_step"], donate_argnums=0, memory_stats=True)
    parameters, expected = training["first_parameters"](), training["first_parameters"]()
    program = step.program(parameters, images[0], labels[0])
    reference = jax.jit(training["train_step"])
    for batch in range(20):
        updated, loss = step(parameters, images[batch], labels[batch])
        expected, expected_loss = reference(expected, images[batch], labels[batch])
        stats = program.memory_stats
        assert (stats.copied_bytes, stats.result_allocations, stats.leaked_bytes) == (0, 1, 0)
        for new, old in zip(jax.tree.leaves(updated), jax.tree.leaves(parameters), strict=True):
            assert new is old
    np.testing.assert_allclose(loss, expected_loss, rtol=1e-4)
    for ours, theirs in zip(jax.tree.leaves(parameters), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-5)


def test_steps_in_a_loop_allocate_as_much_as_one() -> None:
    training = example("jax_training")
    images, labels = training["batches"]()
    counted: list[tuple[int, int]] = []
    for steps in (2, 50):
        program = mi.from_jax(
            training["train"],
            training["first_parameters"](),
            images[:steps],
            labels[:steps],
            donate_argnums=0,
            memory_stats=True,
        )
        parameters = training["first_parameters"]()
        updated, losses = program.main(parameters, images[:steps], labels[:steps])
        assert updated[0][0] is parameters[0][0]
        counted.append((program.memory_stats.allocations, program.memory_stats.copied_bytes))
    assert counted[0] == counted[1]
    assert counted[0][1] == 0
    expected = jax.jit(training["train"])(training["first_parameters"](), images[:50], labels[:50])[1]
    np.testing.assert_allclose(losses, expected, rtol=1e-3)


def test_decoding_copies_at_most_the_new_rows_of_the_cache() -> None:
    decoding = example("jax_decoding")
    model = jax.tree.map(jnp.asarray, decoding["weights"]())
    decode = decoding["decode"]
    step = mi.jit(lambda *state: decode(model, *state), donate_argnums=0, memory_stats=True)
    reference = jax.jit(lambda *state: decode(model, *state))
    cache, expected = decoding["empty_cache"](), decoding["empty_cache"]()
    program = step.program(cache, np.int32(0), np.int32(1))
    word = np.int32(1)
    for position in range(5):
        chosen, updated = step(cache, np.int32(position), word)
        expected_word, expected = reference(expected, np.int32(position), word)
        assert chosen == expected_word
        assert program.memory_stats.copied_bytes <= 2 * decoding["LAYERS"] * decoding["WIDTH"] * 4
        assert all(new is old for new, old in zip(jax.tree.leaves(updated), jax.tree.leaves(cache), strict=True))
        word = np.int32(chosen)
    for ours, theirs in zip(jax.tree.leaves(cache), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-5)
