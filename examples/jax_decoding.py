"""A transformer of JAX writes token by token, with a cache of keys and values that is updated in place.

    python examples/jax_decoding.py

The cache is donated: a step writes the keys and values of one position into it, and moves nothing else. The weights are
closed over; the program reads them where they are.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import mlir_inplace as mi

WORDS, WIDTH, HEADS, LAYERS, LENGTH = 96, 64, 4, 2, 128


def weights() -> dict[str, Any]:
    """Random weights, as NumPy arrays."""
    rng = np.random.default_rng(0)
    shapes = {"query": (WIDTH, WIDTH), "key": (WIDTH, WIDTH), "value": (WIDTH, WIDTH), "output": (WIDTH, WIDTH)}
    shapes |= {"up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}

    def draw(*shape: int) -> Any:
        return rng.normal(0, shape[-2] ** -0.5, shape).astype(np.float32)

    layers = [{name: draw(*shape) for name, shape in shapes.items()} for _ in range(LAYERS)]
    return {"words": draw(WORDS, WIDTH), "layers": layers}


def empty_cache() -> list[dict[str, Any]]:
    """Keys and values of all positions, for each layer."""
    shape = (LENGTH, HEADS, WIDTH // HEADS)
    return [{name: np.zeros(shape, np.float32) for name in ("keys", "values")} for _ in range(LAYERS)]


def normalized(row: Any) -> Any:
    """Layer normalization of one row."""
    row = row - row.mean()
    return row * jax.lax.rsqrt((row * row).mean() + 1e-5)


def decode(model: Any, cache: Any, position: Any, word: Any) -> tuple[Any, Any]:
    """The most probable next word, and the cache with this position."""
    hidden, updated = model["words"][word], []
    for layer, old in zip(model["layers"], cache, strict=True):
        row = normalized(hidden)
        query, key, value = ((row @ layer[name]).reshape(HEADS, -1) for name in ("query", "key", "value"))
        keys = jax.lax.dynamic_update_slice(old["keys"], key[None], (position, 0, 0))
        values = jax.lax.dynamic_update_slice(old["values"], value[None], (position, 0, 0))
        scores = jnp.einsum("hd,lhd->hl", query, keys) * (WIDTH // HEADS) ** -0.5
        shares = jax.nn.softmax(jnp.where(jnp.arange(LENGTH) <= position, scores, -jnp.inf))
        hidden = hidden + jnp.einsum("hl,lhd->hd", shares, values).reshape(WIDTH) @ layer["output"]
        hidden = hidden + jax.nn.gelu(normalized(hidden) @ layer["up"]) @ layer["down"]
        updated.append({"keys": keys, "values": values})
    return jnp.argmax(model["words"] @ normalized(hidden)), updated


def main() -> None:
    """Write some words, and print what was copied."""
    model = jax.tree.map(jnp.asarray, weights())
    step = mi.jit(lambda *state: decode(model, *state), donate_argnums=0, memory_stats=True)
    cache, word, written = empty_cache(), np.int32(1), []
    program = step.program(cache, np.int32(0), word)
    for position in range(20):
        word, cache = step(cache, np.int32(position), np.int32(word))
        written.append(int(word))
    print(f"words {written}")
    row = 2 * LAYERS * WIDTH * 4
    print(f"a step copied {program.memory_stats.copied_bytes} bytes; its keys and values are {row} bytes")


if __name__ == "__main__":
    main()
