"""Attention, and the layers around it that PyTorch computes by one op when it does not train."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..support.framework import torch_module


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    return {
        aten._scaled_dot_product_flash_attention_for_cpu.default: _attention,
        aten._scaled_dot_product_flash_attention_for_cpu_backward.default: _attention_backward,
        aten._native_multi_head_attention.default: _heads,
        aten._transformer_encoder_layer_fwd.default: _encoder_layer,
    }


def _scores(query: Any, key: Any, is_causal: bool, mask: Any, scale: float | None) -> tuple[Any, float]:
    """What the softmax of attention is taken of, and the scale."""
    torch = torch_module()
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = query @ key.transpose(-1, -2) * factor
    if is_causal:
        rows, columns = (torch.arange(size, device=query.device) for size in scores.shape[-2:])
        scores = torch.where(columns.unsqueeze(0) > rows.unsqueeze(1), float("-inf"), scores)
    return (scores if mask is None else scores + mask), factor


def _for_each_head(query: Any, tensor: Any) -> Any:
    """Keys or values, each head once for every head of the query that shares it."""
    shared = query.shape[-3] // tensor.shape[-3]
    if shared == 1:
        return tensor
    batch, heads, *rest = tensor.shape
    return tensor.unsqueeze(2).expand(batch, heads, shared, *rest).flatten(1, 2)


def _of_shared_heads(gradient: Any, tensor: Any) -> Any:
    """The gradient of keys or values: the sum over the heads of the query that share one of theirs."""
    heads = tensor.shape[-3]
    return gradient if gradient.shape[-3] == heads else gradient.unflatten(1, (heads, -1)).sum(2)


def _attention(
    query: Any,
    key: Any,
    value: Any,
    _dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Any = None,
    scale: float | None = None,
) -> Any:
    """Attention, and the logarithm of the sum of exponentials that the backward takes (PyTorch's own gives another).

    The query may have several heads for each head of the keys and values (`enable_gqa`).
    """
    torch = torch_module()
    key, value = _for_each_head(query, key), _for_each_head(query, value)
    scores, _ = _scores(query, key, is_causal, attn_mask, scale)
    if attn_mask is None or scores.shape[-1] == 0:
        return torch.softmax(scores, -1) @ value, torch.logsumexp(scores, -1)
    weights, logsumexp = _masked_softmax(scores)
    return weights @ value, logsumexp


def _masked_softmax(scores: Any) -> tuple[Any, Any]:
    """The softmax of rows, and the logarithm of the sum of exponentials; 0 for a row of which all is masked."""
    torch = torch_module()
    wide = scores.to(torch.float32) if scores.itemsize < torch.float32.itemsize else scores
    greatest = wide.amax(-1, keepdim=True)
    greatest = torch.where(greatest == float("-inf"), 0.0, greatest)
    powers = torch.exp(wide - greatest)
    total = powers.sum(-1, keepdim=True)
    total = torch.where(total == 0, 1.0, total)
    return (powers / total).to(scores.dtype), (greatest + torch.log(total)).squeeze(-1).to(scores.dtype)


def _attention_backward(  # noqa: PLR0913
    gradient: Any,
    query: Any,
    key: Any,
    value: Any,
    result: Any,
    logsumexp: Any,
    _dropout_p: float,
    is_causal: bool,
    *,
    attn_mask: Any = None,
    scale: float | None = None,
) -> Any:
    torch = torch_module()
    given = key, value
    key, value = _for_each_head(query, key), _for_each_head(query, value)
    scores, factor = _scores(query, key, is_causal, attn_mask, scale)
    weights = torch.exp(scores - logsumexp.unsqueeze(-1))
    change = gradient @ value.transpose(-1, -2) - (gradient * result).sum(-1, keepdim=True)
    inner = weights * change * factor
    gradients = inner.transpose(-1, -2) @ query, weights.transpose(-1, -2) @ gradient
    return inner @ key, *(_of_shared_heads(one, tensor) for one, tensor in zip(gradients, given, strict=True))


_OF_PAIRS, _OF_KEYS = 0, 1
"""Masks of a row and a key, and of a key in each sequence; others have all dimensions of the scores."""


def _heads(  # noqa: PLR0913, PLR0917
    query: Any,
    key: Any,
    value: Any,
    _width: int,
    heads: int,
    weights: Any,
    biases: Any,
    out_weights: Any,
    out_bias: Any,
    mask: Any = None,
    need_weights: bool = True,
    average_weights: bool = True,
    mask_kind: int | None = None,
) -> Any:
    """Attention of several heads, and its weights, if they are wanted; what is masked is true in the mask."""
    torch = torch_module()
    if mask is not None and mask_kind is None:
        return NotImplemented
    linear = torch.nn.functional.linear
    projected = zip((query, key, value), weights.chunk(3), biases.chunk(3), strict=True)
    split = [linear(*one).unflatten(-1, (heads, -1)).transpose(1, 2) for one in projected]
    scores, _ = _scores(split[0], split[1], False, None, None)
    if mask is not None:
        mask = mask.to(torch.bool)
        mask = mask[None, None] if mask_kind == _OF_PAIRS else mask[:, None, None] if mask_kind == _OF_KEYS else mask
        scores = scores.masked_fill(mask, float("-inf"))
    chosen = torch.softmax(scores, -1)
    found = linear((chosen @ split[2]).transpose(1, 2).flatten(-2), out_weights, out_bias)
    if not need_weights:
        return found, None
    return found, chosen.mean(1) if average_weights else chosen


def _encoder_layer(  # noqa: PLR0913, PLR0917
    x: Any,
    width: int,
    heads: int,
    weights: Any,
    biases: Any,
    out_weights: Any,
    out_bias: Any,
    uses_gelu: bool,
    norm_first: bool,
    epsilon: float,
    first_scale: Any,
    first_shift: Any,
    second_scale: Any,
    second_shift: Any,
    inner_weights: Any,
    inner_bias: Any,
    outer_weights: Any,
    outer_bias: Any,
    mask: Any = None,
    mask_kind: int | None = None,
) -> Any:
    """A layer of a transformer's encoder, with the norms before or behind its two parts."""
    functional = torch_module().nn.functional

    def attended(rows: Any) -> Any:
        arguments = weights, biases, out_weights, out_bias, mask, False, True, mask_kind
        found = _heads(rows, rows, rows, width, heads, *arguments)
        return found if found is NotImplemented else found[0]

    def inner(rows: Any) -> Any:
        activation = functional.gelu if uses_gelu else functional.relu
        hidden = activation(functional.linear(rows, inner_weights, inner_bias))
        return functional.linear(hidden, outer_weights, outer_bias)

    def first(rows: Any) -> Any:
        return functional.layer_norm(rows, (width,), first_scale, first_shift, epsilon)

    def second(rows: Any) -> Any:
        return functional.layer_norm(rows, (width,), second_scale, second_shift, epsilon)

    found = attended(first(x) if norm_first else x)
    if found is NotImplemented:
        return found
    x = x + found if norm_first else first(x + found)
    return x + inner(second(x)) if norm_first else second(x + inner(x))
