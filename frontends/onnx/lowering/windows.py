"""Windows that slide over a picture: where they are, and the picture padded for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number, add, ceil_div
from .graph import Node
from .structured import (
    pad,
)
from .values import UnsupportedOnnxError, Value

I64, I32 = np.dtype(np.int64), np.dtype(np.int32)


@frozen
class SlidingWindow:
    """How a window slides: one entry for each spatial dimension; `sizes` is the number of its places."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    low: list[Number]
    high: list[Number]
    sizes: list[Number]

    @property
    def rank(self) -> int:
        """The number of spatial dimensions."""
        return len(self.kernel)

    def place(self, out: Sequence[ir.AffineExpr], inside: Sequence[ir.AffineExpr]) -> list[ir.AffineExpr]:
        """What a place and an element of the window read of the padded picture."""
        return [o * s + k * d for o, k, s, d in zip(out, inside, self.strides, self.dilations, strict=True)]


def _count(size: Number, extent: int, stride: int, *, ceil: bool) -> Number:
    """How many places a window has on a dimension of padded size `size`."""
    room = add(size, -extent)
    if isinstance(room, int):
        places = (-(-room // stride) if ceil else room // stride) + 1
        return max(places, 0)
    return add(ceil_div(room, stride) if ceil else add(ceil_div(add(room, 1), stride), -1), 1)


def window_of(node: Node, spatial: Sequence[Number], kernel: Sequence[int], *, ceil: bool = False) -> SlidingWindow:
    """The window that the attributes of a node describe, over a picture of these sizes."""
    rank = len(kernel)
    strides = list(node.attribute("strides") or [1] * rank)
    dilations = list(node.attribute("dilations") or [1] * rank)
    given = list(node.attribute("pads") or [0] * (2 * rank))
    automatic = node.attribute("auto_pad", "NOTSET")
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    low: list[Number] = list(given[:rank])
    high: list[Number] = list(given[rank:])
    sizes: list[Number] = []
    for d, size in enumerate(spatial):
        if automatic.startswith("SAME"):
            if isinstance(size, ir.Value):
                raise UnsupportedOnnxError(f"{node} pads by {automatic}, but the picture's sizes are dynamic")
            places = -(-size // strides[d])
            total = max((places - 1) * strides[d] + extents[d] - size, 0)
            less, more = total // 2, total - total // 2
            low[d], high[d] = (less, more) if automatic == "SAME_UPPER" else (more, less)
            sizes.append(places)
            continue
        if automatic == "VALID":
            low[d] = high[d] = 0
        whole = add(add(size, low[d]), high[d])
        padded = add(size, low[d])
        places = _count(whole, extents[d], strides[d], ceil=ceil)
        if ceil and isinstance(places, int) and isinstance(padded, int) and (places - 1) * strides[d] >= padded:
            places -= 1
        if ceil and isinstance(places, int) and isinstance(whole, int):
            high[d] = add(high[d], max((places - 1) * strides[d] + extents[d] - whole, 0))
        sizes.append(places)
    return SlidingWindow(list(kernel), strides, dilations, low, high, sizes)


def padded(x: Value, window: SlidingWindow, number: Any) -> Value:
    """A picture with batch and channels, padded as the window wants."""
    return pad(x, [0, 0, *window.low], [0, 0, *window.high], number)
