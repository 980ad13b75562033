"""Train an MLP with JAX's gradients, in place: no step copies a byte, and the parameters never move.

    python examples/jax_training.py

The parameters are donated, so each step writes the new ones over the old ones. In a loop of JAX (`lax.scan`) memory for
temporaries is allocated once, however many steps it makes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import mlir_inplace as mi

STEPS, BATCH, SIZES = 100, 32, (64, 128, 10)


def loss(parameters: Any, images: Any, labels: Any) -> Any:
    """The cross entropy of an MLP."""
    hidden = images
    for weights, bias in parameters[:-1]:
        hidden = jax.nn.relu(hidden @ weights + bias)
    weights, bias = parameters[-1]
    scores = jax.nn.log_softmax(hidden @ weights + bias)
    return -jnp.mean(jnp.sum(scores * jax.nn.one_hot(labels, SIZES[-1]), axis=1))


def train_step(parameters: Any, images: Any, labels: Any) -> Any:
    """One step of gradient descent: new parameters, and the loss of the old ones."""
    value, gradient = jax.value_and_grad(loss)(parameters, images, labels)
    return jax.tree.map(lambda old, slope: old - 0.05 * slope, parameters, gradient), value


def train(parameters: Any, images: Any, labels: Any) -> Any:
    """As many steps as there are batches."""
    return jax.lax.scan(lambda current, batch: train_step(current, *batch), parameters, (images, labels))


def first_parameters() -> list[tuple[Any, Any]]:
    """Random weights, as NumPy arrays."""
    rng = np.random.default_rng(0)
    shapes = pairwise(SIZES)
    return [(rng.normal(0, m**-0.5, (m, n)).astype(np.float32), np.zeros(n, np.float32)) for m, n in shapes]


def batches() -> tuple[Any, Any]:
    """Random images whose label is the largest of their first pixels."""
    images = np.random.default_rng(1).normal(size=(STEPS, BATCH, SIZES[0])).astype(np.float32)
    return images, images[:, :, : SIZES[-1]].argmax(axis=2).astype(np.int32)


def main() -> None:
    """Train in both ways, and print what moved in memory."""
    images, labels = batches()
    step = mi.jit(train_step, donate_argnums=0, memory_stats=True)
    parameters = first_parameters()
    program = step.program(parameters, images[0], labels[0])
    copied, losses = 0, []
    for batch in range(STEPS):
        updated, value = step(parameters, images[batch], labels[batch])
        copied += program.memory_stats.copied_bytes
        losses.append(float(value))
        assert all(new is old for new, old in zip(jax.tree.leaves(updated), jax.tree.leaves(parameters), strict=True))
    print(f"{STEPS} calls: loss {losses[0]:.3f} to {losses[-1]:.3f}, {copied} bytes copied")

    whole = mi.from_jax(train, first_parameters(), images, labels, donate_argnums=0, memory_stats=True)
    _, values = whole.main(first_parameters(), images, labels)
    print(f"one call of {STEPS} steps: loss {values[0]:.3f} to {values[-1]:.3f}; {whole.memory_stats}")


if __name__ == "__main__":
    main()
