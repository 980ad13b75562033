"""The programs of `jax_models.py` as one writes them in torch: functions of the same arguments, as tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch.nn import functional

__all__ = ["FUNCTIONS", "exported", "flat", "tensors"]

Function = Callable[..., Any]


def tensors(arguments: Any) -> Any:
    """Nested arguments with tensors in place of the arrays, which share their memory."""
    if isinstance(arguments, dict):
        return {name: tensors(value) for name, value in arguments.items()}
    if isinstance(arguments, (list, tuple)):
        return type(arguments)(tensors(value) for value in arguments)
    return torch.from_numpy(arguments) if isinstance(arguments, np.ndarray) else torch.tensor(arguments)


def flat(values: Any) -> list[Any]:
    """The leaves of nested arguments or results, in JAX's order: dictionaries by their keys."""
    if isinstance(values, dict):
        return [leaf for name in sorted(values) for leaf in flat(values[name])]
    if isinstance(values, (list, tuple)):
        return [leaf for value in values for leaf in flat(value)]
    return [values]


def _like(arguments: Any, leaves: Iterator[Any]) -> Any:
    """The leaves, nested as arguments are."""
    if isinstance(arguments, dict):
        found = {name: _like(arguments[name], leaves) for name in sorted(arguments)}
        return {name: found[name] for name in arguments}
    if isinstance(arguments, (list, tuple)):
        return type(arguments)(_like(one, leaves) for one in arguments)
    return next(leaves)


class _Flat(torch.nn.Module):
    """A module of a program, whose inputs and results are no nests."""

    def __init__(self, name: str, arguments: Any) -> None:
        super().__init__()
        self._function, self._arguments = FUNCTIONS[name], arguments

    def forward(self, *leaves: Any) -> Any:
        return tuple(flat(self._function(*_like(self._arguments, iter(leaves)))))


def exported(name: str, arguments: Any) -> bytes:
    """The ONNX model that torch exports for a program; the inputs are the leaves of its arguments."""
    with torch.no_grad():
        program = torch.onnx.export(_Flat(name, arguments), tuple(flat(arguments)), dynamo=True, verbose=False)
    assert program is not None
    return program.model_proto.SerializeToString()


def _block(x: Any, weights: dict[str, Any], heads: int) -> Any:
    tokens, width = x.shape
    y = functional.layer_norm(x, (width,))
    q, k, v = ((y @ weights[name]).view(tokens, heads, width // heads).transpose(0, 1) for name in "qkv")
    mixed = functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]  # ONNX wants a batch
    x = x + mixed.transpose(0, 1).reshape(tokens, width) @ weights["o"]
    up = functional.gelu(functional.layer_norm(x, (width,)) @ weights["up"], approximate="tanh")
    return x + up @ weights["down"]


def blocks(x: Any, weights: Any) -> Any:
    """Transformer blocks."""
    for one in weights:
        x = _block(x, one, 4)
    return x


def training(weights: Any, x: Any, labels: Any) -> Any:
    """A step of gradient descent on a perceptron."""

    def loss(weights: Any) -> Any:
        y = x
        for w, b in weights[:-1]:
            y = functional.relu(y @ w + b)
        return functional.cross_entropy(y @ weights[-1][0] + weights[-1][1], labels.long())

    slopes = torch.func.grad(loss)(weights)
    return [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in zip(weights, slopes, strict=True)]


def _conv(x: Any, w: Any, groups: int = 1) -> Any:
    """A convolution, channels last, which is a memory format in torch."""
    y = functional.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), padding="same", groups=groups)
    return y.permute(0, 2, 3, 1)


def residual(x: Any, weights: Any) -> Any:
    """Four residual blocks, channels last."""
    for one, two in weights:
        x = functional.relu(x + _conv(functional.relu(_conv(x, one)), two))
    return x


def decoding(x: Any, wq: Any, wk: Any, wv: Any, wo: Any, keys: Any, values: Any, place: Any) -> Any:
    """Attention of one token over cached ones. As in JAX, the arguments keep what they hold."""
    heads, cached, depth = keys.shape
    q, k, v = ((x @ w).view(heads, 1, depth) for w in (wq, wk, wv))
    where = place.reshape(1).long()
    keys, values = keys.index_copy(1, where, k), values.index_copy(1, where, v)
    seen = torch.arange(cached, device=x.device) <= place
    mixed = functional.scaled_dot_product_attention(q[None], keys[None], values[None], attn_mask=seen[None])[0]
    return mixed.reshape(1, heads * depth) @ wo, keys, values


def perceptron(x: Any, v: Any, w: Any) -> Any:
    """Two layers."""
    return torch.softmax(functional.relu(x @ v) @ w, -1)


def recurrent(tokens: Any, weights: Any) -> Any:
    """A gated recurrent unit."""
    width = tokens.shape[-1]
    from_tokens, h, found = tokens @ weights["input"], torch.zeros(tokens.shape[1:]), []
    for from_x in from_tokens:
        from_h = h @ weights["state"]
        z, r = torch.sigmoid(from_x[:, : 2 * width] + from_h[:, : 2 * width]).split(width, 1)
        new = torch.tanh(from_x[:, 2 * width :] + r * from_h[:, 2 * width :])
        h = (1 - z) * h + z * new
        found.append(h)
    return torch.stack(found)


def separable(x: Any, weights: Any) -> Any:
    """Blocks of a depthwise convolution and one of single pixels."""
    for depthwise, pointwise in weights:
        x = functional.relu(_conv(functional.relu(_conv(x, depthwise, groups=x.shape[-1])), pointwise))
    return x


def u_shaped(x: Any, down: Any, up: Any) -> Any:
    """Down to half the pixels twice, up again, and what was there before concatenated."""
    levels = []
    for w in down:
        levels.append(x)
        x = functional.max_pool2d(functional.relu(_conv(x, w)).permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)
    for w, level in zip(reversed(up), reversed(levels), strict=True):
        x = functional.interpolate(x.permute(0, 3, 1, 2), scale_factor=2, mode="nearest").permute(0, 2, 3, 1)
        x = functional.relu(_conv(torch.cat([x, level], -1), w))
    return x


def k_means(points: Any, centres: Any) -> Any:
    """Ten rounds of k-means."""
    for _ in range(10):
        distances = (centres**2).sum(-1) - 2 * points @ centres.T
        members = functional.one_hot(distances.argmin(-1), centres.shape[0]).to(points.dtype)
        centres = (members.T @ points) / members.sum(0).clamp(min=1)[:, None]
    return centres


def heat(u: Any) -> Any:
    """A hundred explicit steps of the heat equation."""
    u = u.clone()
    for _ in range(100):
        inner = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] = inner + 0.2 * (around - 4 * inner)
    return u


FUNCTIONS: dict[str, Function] = {
    "perceptron": perceptron,
    "decoding step": decoding,
    "4 residual blocks": residual,
    "training step": training,
    "4 blocks": blocks,
    "12 blocks": blocks,
    "gated recurrent unit": recurrent,
    "separable blocks": separable,
    "U-shaped net": u_shaped,
    "k-means": k_means,
    "heat equation": heat,
}
"""By the names of the programs."""
