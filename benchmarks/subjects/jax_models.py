"""Whole programs in JAX for benchmarks: a function, and NumPy arrays to call it with."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Program = tuple[Callable[..., Any], tuple[Any, ...]]

_rng = np.random.default_rng(0)


def _random(*shape: int) -> np.ndarray:
    """Random numbers, of a size that keeps sums of products near 1."""
    return _rng.standard_normal(shape, np.float32) / np.float32(shape[0] ** 0.5)


def _normalized(x: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def _block(x: Any, weights: dict[str, Any], heads: int) -> Any:
    """A transformer block."""
    tokens, width = x.shape
    split = (tokens, heads, width // heads)
    y = _normalized(x)
    q, k, v = ((y @ weights[name]).reshape(split) for name in ("q", "k", "v"))
    scores = jax.nn.softmax(jnp.einsum("thd,shd->hts", q, k) / (width // heads) ** 0.5)
    x = x + jnp.einsum("hts,shd->thd", scores, v).reshape(tokens, width) @ weights["o"]
    return x + jax.nn.gelu(_normalized(x) @ weights["up"]) @ weights["down"]


def blocks(count: int) -> Program:
    """Transformer blocks: 128 tokens, width 256, 4 heads."""
    width = 256
    shapes = dict.fromkeys("qkvo", (width, width)) | {"up": (width, 4 * width), "down": (4 * width, width)}
    weights = [{name: _random(*shape) for name, shape in shapes.items()} for _ in range(count)]

    def function(x: Any, weights: Any) -> Any:
        for one in weights:
            x = _block(x, one, 4)
        return x

    return function, (_random(128, width), weights)


def training(batch: int, sizes: tuple[int, ...]) -> Program:
    """A step of gradient descent on a perceptron."""
    weights = [(_random(*pair), np.zeros(pair[1], np.float32)) for pair in pairwise(sizes)]
    labels = _rng.integers(0, sizes[-1], batch).astype(np.int32)

    def loss(weights: Any, x: Any, labels: Any) -> Any:
        for w, b in weights[:-1]:
            x = jax.nn.relu(x @ w + b)
        scores = jax.nn.log_softmax(x @ weights[-1][0] + weights[-1][1])
        return -jnp.take_along_axis(scores, labels[:, None], 1).mean()

    def function(weights: Any, x: Any, labels: Any) -> Any:
        return jax.tree.map(lambda w, g: w - 0.1 * g, weights, jax.grad(loss)(weights, x, labels))

    return function, (weights, _random(batch, sizes[0]), labels)


def residual() -> Program:
    """Four residual blocks, channels last."""
    weights = [(_random(3, 3, 64, 64) / 20, _random(3, 3, 64, 64) / 20) for _ in range(4)]

    def function(x: Any, weights: Any) -> Any:
        for one, two in weights:
            x = jax.nn.relu(x + _conv(jax.nn.relu(_conv(x, one)), two))
        return x

    return function, (_random(1, 28, 28, 64), weights)


def decoding() -> Program:
    """Attention of one token over 2,048 cached ones, 12 heads."""
    heads, cached, depth = 12, 2048, 64
    width = heads * depth

    def function(x: Any, wq: Any, wk: Any, wv: Any, wo: Any, keys: Any, values: Any, place: Any) -> Any:
        q, k, v = ((x @ w).reshape(heads, 1, depth) for w in (wq, wk, wv))
        keys = jax.lax.dynamic_update_slice(keys, k, (0, place, 0))
        values = jax.lax.dynamic_update_slice(values, v, (0, place, 0))
        scores = jnp.einsum("hqd,hkd->hqk", q, keys) / depth**0.5
        scores = jax.nn.softmax(jnp.where(jnp.arange(cached) <= place, scores, -jnp.inf))
        return jnp.einsum("hqk,hkd->hqd", scores, values).reshape(1, width) @ wo, keys, values

    arrays = [_random(1, width), *(_random(width, width) for _ in range(4))]
    return function, (*arrays, _random(heads, cached, depth), _random(heads, cached, depth), np.int32(1000))


def perceptron() -> Program:
    """Two layers."""
    arguments = (_random(32, 64), _random(64, 128), _random(128, 10))
    return lambda x, v, w: jax.nn.softmax(jax.nn.relu(x @ v) @ w), arguments


def recurrent() -> Program:
    """A gated recurrent unit over 100 tokens: batch 16, width 128."""
    width = 128
    weights = {name: _random(width, 3 * width) for name in ("input", "state")}

    def function(tokens: Any, weights: Any) -> Any:
        def step(h: Any, x: Any) -> tuple[Any, Any]:
            from_x, from_h = x @ weights["input"], h @ weights["state"]
            z = jax.nn.sigmoid(from_x[:, :width] + from_h[:, :width])
            r = jax.nn.sigmoid(from_x[:, width : 2 * width] + from_h[:, width : 2 * width])
            new = jnp.tanh(from_x[:, 2 * width :] + r * from_h[:, 2 * width :])
            h = (1 - z) * h + z * new
            return h, h

        return jax.lax.scan(step, jnp.zeros(tokens.shape[1:], jnp.float32), tokens)[1]

    return function, (_random(100, 16, width) * 10, weights)


def _conv(x: Any, w: Any, groups: int = 1, stride: int = 1) -> Any:
    """A convolution, channels last."""
    numbers = ("NHWC", "HWIO", "NHWC")
    strides = (stride, stride)
    return jax.lax.conv_general_dilated(x, w, strides, "SAME", dimension_numbers=numbers, feature_group_count=groups)


def separable() -> Program:
    """Four blocks of a depthwise convolution and one of single pixels: 28x28, 64 channels."""
    weights = [(_random(3, 3, 1, 64), _random(1, 1, 64, 64) / 8) for _ in range(4)]

    def function(x: Any, weights: Any) -> Any:
        for depthwise, pointwise in weights:
            x = jax.nn.relu(_conv(jax.nn.relu(_conv(x, depthwise, groups=64)), pointwise))
        return x

    return function, (_random(1, 28, 28, 64), weights)


def u_shaped() -> Program:
    """Down to half the pixels twice, up again, and what was there before concatenated: 64x64, 16 channels."""
    channels = (16, 32, 64)
    down = [_random(3, 3, a, b) / 8 for a, b in pairwise(channels)]
    up = [_random(3, 3, a + b, a) / 8 for a, b in pairwise(channels)]

    def function(x: Any, down: Any, up: Any) -> Any:
        levels = []
        for w in down:
            levels.append(x)
            y = jax.nn.relu(_conv(x, w))
            x = jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        for w, level in zip(reversed(up), reversed(levels), strict=True):
            x = jnp.repeat(jnp.repeat(x, 2, 1), 2, 2)
            x = jax.nn.relu(_conv(jnp.concatenate([x, level], -1), w))
        return x

    return function, (_random(1, 64, 64, 16), down, up)


def k_means() -> Program:
    """Ten rounds of k-means: 4,096 points of 16 numbers, 32 centres."""

    def function(points: Any, centres: Any) -> Any:
        def step(_: Any, centres: Any) -> Any:
            distances = (centres**2).sum(-1) - 2 * points @ centres.T
            members = jax.nn.one_hot(distances.argmin(-1), centres.shape[0], dtype=points.dtype)
            return (members.T @ points) / jnp.maximum(members.sum(0), 1)[:, None]

        return jax.lax.fori_loop(0, 10, step, centres)

    points = _rng.standard_normal((4096, 16), np.float32)
    return function, (points, points[:32].copy())


def heat() -> Program:
    """A hundred explicit steps of the heat equation on 256x256 points."""

    def function(u: Any) -> Any:
        def step(_: Any, u: Any) -> Any:
            inner = u[1:-1, 1:-1]
            around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
            return u.at[1:-1, 1:-1].set(inner + 0.2 * (around - 4 * inner))

        return jax.lax.fori_loop(0, 100, step, u)

    return function, (_rng.standard_normal((256, 256), np.float32),)


PROGRAMS: dict[str, Callable[[], Program]] = {
    "perceptron": perceptron,
    "decoding step": decoding,
    "4 residual blocks": residual,
    "training step": lambda: training(128, (784, 512, 512, 10)),
    "4 blocks": lambda: blocks(4),
    "12 blocks": lambda: blocks(12),
}
"""What `first_result.py` compiles, and `models.py` runs."""

OTHERS: dict[str, Callable[[], Program]] = {
    "gated recurrent unit": recurrent,
    "separable blocks": separable,
    "U-shaped net": u_shaped,
    "k-means": k_means,
    "heat equation": heat,
}
"""What only `models.py` runs."""
