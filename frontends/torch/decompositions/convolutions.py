"""Gradients of convolutions as convolutions of known sizes, and of weights that are normalized."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..support.framework import torch_module


def table(aten: Any) -> Mapping[Any, Callable[..., Any]]:
    """The decomposition of each overload that this file has one for."""
    return {
        aten.convolution_backward.default: _convolution_backward,
        aten._weight_norm_interface_backward.default: _weight_norm_backward,
    }


def _convolution_backward(  # noqa: PLR0913, PLR0917
    gradient: Any,
    x: Any,
    weight: Any,
    _bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    _output_padding: Any,
    groups: int,
    output_mask: Any,
) -> Any:
    """The gradients of image, weight and bias, None for those that are not wanted.

    A transposed convolution is the gradient of a convolution that takes its result to its image: so the gradient of the
    image is that convolution, and in the gradient of the weight the two change roles.
    """
    torch = torch_module()
    axes = x.dim() - 2
    spatial = [list(sizes) if len(sizes) > 1 else list(sizes) * axes for sizes in (stride, padding, dilation)]
    of_x = of_weight = of_bias = None
    if output_mask[0] and transposed:
        of_x = torch.ops.aten.convolution.default(gradient, weight, None, *spatial, False, [0] * axes, groups)
        of_x = _narrowed(of_x, x.shape)
    elif output_mask[0]:
        rest = _rest(gradient, x, weight, spatial)
        of_x = torch.ops.aten.convolution.default(gradient, weight, None, *spatial, True, rest, groups)
    if output_mask[1]:
        image, result = (gradient, x) if transposed else (x, gradient)
        each = [
            _weight_gradient(torch, one, other, weight.shape, spatial)
            for one, other in zip(image.chunk(groups, 1), result.chunk(groups, 1), strict=True)
        ]
        of_weight = torch.cat(each) if groups > 1 else each[0]
    if output_mask[2]:
        of_bias = gradient.sum([0, *range(2, x.dim())])
    return of_x, of_weight, of_bias


def _rest(gradient: Any, x: Any, weight: Any, spatial: Sequence[Sequence[int]]) -> list[Any]:
    """For each axis how much larger `x` is than what a convolution reads to get a result of the gradient's size."""
    return [
        x.shape[axis] - (gradient.shape[axis] - 1) * stride + 2 * padding - dilation * (weight.shape[axis] - 1) - 1
        for axis, (stride, padding, dilation) in enumerate(zip(*spatial, strict=True), 2)
    ]


def _weight_gradient(torch: Any, x: Any, gradient: Any, shape: Any, spatial: Sequence[Any]) -> Any:
    """Of one group: images and channels change roles, and so do stride and dilation."""
    stride, padding, dilation = spatial
    swapped = torch.ops.aten.convolution.default(
        x.transpose(0, 1), gradient.transpose(0, 1), None, dilation, padding, stride, False, [0] * len(stride), 1
    )
    return _narrowed(swapped.transpose(0, 1), shape)


def _narrowed(image: Any, shape: Any) -> Any:
    """The image without what it has beyond the spatial sizes of `shape`."""
    for axis in range(2, len(shape)):
        image = image.narrow(axis, 0, shape[axis])
    return image


def _weight_norm_backward(gradient: Any, direction: Any, lengths: Any, norms: Any, axis: int) -> Any:
    """Of `direction * lengths / norms`, where `norms` are over all axes but one: by direction and by lengths."""
    others = [d for d in range(direction.dim()) if d != axis % direction.dim()]
    along = (gradient * direction).sum(others, keepdim=True) / norms
    return lengths / norms * (gradient - direction * along / norms), along
