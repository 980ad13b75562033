"""Views of tensors with several sizes that are not known, by dimensions that are flattened and split.

torch-mlir takes such a view for one of the first of these dimensions alone, and the others for 1, without a check.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .support.framework import torch_module
from .support.graph_calls import add_call
from .support.refusal import RefusedGraphError

__all__ = ["symbolic_view"]

_VIEWS = ("aten.view.default", "aten._unsafe_view.default", "aten.reshape.default")


def symbolic_view(graph: Any, node: Any, copied: Mapping[Any, Any]) -> Any | None:
    """The copy, in `graph`, of a view from or to several sizes that are not known; None for any other node.

    `copied` has the copies of nodes before. Raises `RefusedGraphError` if it is not known what becomes what.
    """
    if str(node.target) not in _VIEWS:
        return None
    shapes = node.args[0].meta["val"].shape, node.meta["val"].shape
    if all(sum(type(size) is not int for size in shape) < 2 for shape in shapes):
        return None
    fx = torch_module("torch.fx")
    source, *sizes = fx.map_arg((node.args[0], *node.args[1]), copied.__getitem__)
    aten, mode = torch_module().ops.aten, node.meta["val"].fake_mode
    groups = list(_groups(*shapes))
    if not groups:
        raise RefusedGraphError([str(node.target)], "it is not known which dimensions of unknown sizes become which")
    found = source
    for old, new in reversed(groups):  # from the last dimension on, so that numbers of those before stay
        if len(old) > 1:
            found = add_call(graph, node, aten.flatten.using_ints, (found, old[0], old[-1]), mode=mode)
        if len(new) > 1:
            split = found, old[0], [sizes[place] for place in new]
            found = add_call(graph, node, aten.unflatten.int, split, mode=mode)
    return found


def _groups(old: Sequence[Any], new: Sequence[Any]) -> Iterator[tuple[range, range]]:
    """Yield the least runs of dimensions of both shapes that have as many elements; nothing if some have none."""
    found: list[tuple[range, range]] = []
    begin = (0, 0)
    while begin != (len(old), len(new)):
        ends = ((i, total - i) for total in range(sum(begin) + 1, len(old) + len(new) + 1) for i in range(total + 1))
        fit = (
            end
            for end in ends
            if begin[0] < end[0] <= len(old)
            and begin[1] < end[1] <= len(new)
            and _product(old[begin[0] : end[0]]) == _product(new[begin[1] : end[1]])
        )
        end = next(fit, None)
        if end is None:
            return
        found.append((range(begin[0], end[0]), range(begin[1], end[1])))
        begin = end
    yield from found


def _product(sizes: Sequence[Any]) -> Any:
    """The product of sizes, as an expression of symbols."""
    return math.prod(size if type(size) is int else size.node.expr for size in sizes)
