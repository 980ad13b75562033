"""Sequences and optional values, as far as a model needs them inside: they are known while it is compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....dialects.support.index_math import ceil_div
from .graph import Node, lowers
from .movement import concat, pieces
from .structured import reshape
from .values import UnsupportedOnnxError, Value

I64, BOOL = np.dtype(np.int64), np.dtype(np.bool_)


def _sequence(node: Node) -> list[Any]:
    value = node.inputs[0]
    if not isinstance(value, list):
        raise UnsupportedOnnxError(f"input 0 of {node} is no sequence")
    return value


def _position(node: Node, at: int, default: int | None = None) -> int:
    if not node.has(at) and default is not None:
        return default
    return int(node.input(at).require_constant(f"the position of {node}").reshape(-1)[0])


@lowers("SequenceEmpty", "SequenceConstruct")
def _construct(node: Node) -> Any:
    return ([*node.inputs],)


@lowers("SequenceAt")
def _at(node: Node) -> Any:
    return _sequence(node)[_position(node, 1)]


@lowers("SequenceLength")
def _length(node: Node) -> Value:
    return Value(I64, constant=np.array(len(_sequence(node)), I64))


@lowers("SequenceInsert")
def _insert(node: Node) -> Any:
    changed = list(_sequence(node))
    changed.insert(_position(node, 2, len(changed)), node.inputs[1])
    return (changed,)


@lowers("SequenceErase")
def _erase(node: Node) -> Any:
    changed = list(_sequence(node))
    changed.pop(_position(node, 1, -1))
    return (changed,)


@lowers("ConcatFromSequence")
def _concat(node: Node) -> Value:
    values = _sequence(node)
    if not node.attribute("new_axis", 0):
        return concat(values, node.axis(values[0].rank))
    axis = node.axis(values[0].rank + 1)
    return concat([reshape(v, [*v.sizes[:axis], 1, *v.sizes[axis:]]) for v in values], axis)


@lowers("SplitToSequence")
def _split(node: Node) -> Any:
    x = node.input()
    axis = node.axis(x.rank, 0)
    size = x.shape[axis]
    if size is None:
        raise UnsupportedOnnxError(f"{node} splits a dimension whose size is not known")
    lengths = [1] * size
    if node.has(1):
        given = node.input(1).require_constant(f"'split' of {node}")
        lengths = [int(n) for n in given.reshape(-1)]
        if given.ndim == 0:
            count = int(given)
            lengths = [min(count, size - n * count) for n in range(int(ceil_div(size, count)))]  # pyright: ignore[reportArgumentType]
    parts = pieces(x, axis, list(lengths))
    if node.has(1) or node.attribute("keepdims", 1):
        return (parts,)
    return ([reshape(p, [*p.sizes[:axis], *p.sizes[axis + 1 :]]) for p in parts],)


@lowers("Optional", "OptionalGetElement")
def _optional(node: Node) -> Any:
    value = node.inputs[0] if node.inputs else None
    if value is None and node.op_type == "OptionalGetElement":
        raise UnsupportedOnnxError(f"{node} takes the element of an optional value that has none")
    return (value,)


@lowers("OptionalHasElement")
def _has_element(node: Node) -> Value:
    return Value(BOOL, constant=np.array(node.has(0), BOOL))
