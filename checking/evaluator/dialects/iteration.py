"""The iteration space of a structured op for operands of given shapes.

A dimension is vectorized (computed for all its indices at once, on whole arrays) if it alone indexes an axis of every
output: then different indices write different elements. The others are loops, outermost first. So each element is
reduced in the order of the sequential loops.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir

from ..values.errors import EvaluationError
from .affine import compile_expression

__all__ = ["ElementGather", "IndexingMap", "Plan", "make_plan"]

Linear = tuple[int, dict[int, int]]
"""A constant and the coefficients of dimensions."""


def _linear(expression: Any) -> Linear | None:
    if isinstance(expression, ir.AffineDimExpr):
        return 0, {expression.position: 1}
    if isinstance(expression, ir.AffineConstantExpr):
        return expression.value, {}
    if isinstance(expression, ir.AffineAddExpr | ir.AffineMulExpr):
        a, b = _linear(expression.lhs), _linear(expression.rhs)
        if a is None or b is None:
            return None
        if isinstance(expression, ir.AffineMulExpr):
            a, b = (b, a) if b[1] else (a, b)
            return None if b[1] else (a[0] * b[0], {dim: factor * b[0] for dim, factor in a[1].items()})
        merged = dict(a[1])
        for dim, factor in b[1].items():
            merged[dim] = merged.get(dim, 0) + factor
        return a[0] + b[0], merged
    return None


class IndexingMap:
    """An indexing map: the element of an operand for each point of the iteration space."""

    def __init__(self, map_: ir.AffineMap) -> None:
        self.n_dims = map_.n_dims
        results = list(map_.results)
        self.functions = [compile_expression(result, map_.n_dims) for result in results]
        self.linear = [_linear(result) for result in results]
        self.plain = [result.position if isinstance(result, ir.AffineDimExpr) else None for result in results]
        """The dimension that alone indexes an axis, or None."""
        self.is_identity = self.plain == list(range(map_.n_dims))


@dataclass(frozen=True)
class ElementGather:
    """Access to an operand's elements for all vectorized dimensions at once. `key` is a function of the loop indices.

    `axes` permutes the axes to the order of the vectorized dimensions, `expand` adds unit axes for missing ones.
    """

    key: Callable[[Sequence[int]], Any]
    axes: tuple[int, ...] | None
    expand: tuple[Any, ...] | None
    is_fixed: bool

    def take(self, array: Any, point: Sequence[int]) -> Any:
        """The elements, in an array that broadcasts to the vectorized sizes."""
        part = array[self.key(point)]
        if self.axes is not None:
            part = part.transpose(self.axes)
        return part if self.expand is None else part[self.expand]


@dataclass(frozen=True)
class Plan:
    """The sizes, the vectorized dimensions, the loops, and each operand's access."""

    sizes: tuple[int, ...]
    vector: tuple[int, ...]
    loops: tuple[int, ...]
    accesses: tuple[ElementGather, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the vectorized dimensions."""
        return tuple([self.sizes[dim] for dim in self.vector])

    def points(self) -> itertools.product[tuple[int, ...]]:
        """The indices of the loops, in their order."""
        return itertools.product(*[range(self.sizes[dim]) for dim in self.loops])

    def index(self, dim: int, point: Sequence[int]) -> Any:
        """The index of a dimension: a number in loops, else an array of all its indices."""
        if dim in self.loops:
            return np.int64(point[self.loops.index(dim)])
        return _along(self.vector.index(dim), len(self.vector), self.sizes[dim])


def _along(position: int, rank: int, size: int) -> Any:
    """The indices of one of `rank` dimensions, in an array that the others broadcast."""
    shape = [1] * rank
    shape[position] = size
    return np.arange(size).reshape(shape)


def loop_sizes(maps: Sequence[IndexingMap], shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The size of each dimension; raises an error if operands disagree."""
    sizes: list[int | None] = [None] * maps[0].n_dims
    for number, (map_, shape) in enumerate(zip(maps, shapes, strict=True)):
        for dim, size in zip(map_.plain, shape, strict=True):
            if dim is not None and sizes[dim] not in (None, size):
                raise EvaluationError(f"operand {number} has size {size} where dimension d{dim} is {sizes[dim]} long")
            if dim is not None:
                sizes[dim] = size
    if None in sizes:
        raise EvaluationError(f"nothing gives the size of dimension d{sizes.index(None)}")
    return tuple([size or 0 for size in sizes])


def check_bounds(map_: IndexingMap, number: int, shape: Sequence[int], sizes: Sequence[int]) -> None:
    """Raise an error if a map leaves the bounds of its operand."""
    for axis, (dim, length) in enumerate(zip(map_.plain, shape, strict=True)):
        if dim is not None:
            continue
        linear = map_.linear[axis]
        if linear is None:
            grid = np.ix_(*[np.arange(size) for size in sizes]) if sizes else ()
            values = np.asarray(map_.functions[axis](grid))
            low, high = int(values.min()), int(values.max())
        else:
            moves = [factor * (sizes[i] - 1) for i, factor in linear[1].items()]
            low, high = (linear[0] + sum(pick(0, move) for move in moves) for pick in (min, max))
        if low < 0 or high >= length:
            raise EvaluationError(
                f"operand {number} is indexed with {low} to {high} in dimension {axis}, whose size is {length}"
            )


def make_plan(
    maps: Sequence[IndexingMap], outputs: Sequence[IndexingMap], shapes: Sequence[Sequence[int]]
) -> Plan | None:
    """The plan for operands of `shapes`; `outputs` are the last maps. None if points must run one by one."""
    sizes = loop_sizes(maps, shapes)
    if 0 not in sizes:
        for number, (map_, shape) in enumerate(zip(maps, shapes, strict=True)):
            check_bounds(map_, number, shape, sizes)
    vector = tuple(dim for dim in range(len(sizes)) if all(dim in map_.plain for map_ in outputs))
    loops = tuple(dim for dim in range(len(sizes)) if dim not in vector)
    accesses = [make_access(map_, sizes, vector, loops) for map_ in maps]
    if any(access is None for access in (make_slices(map_, sizes, vector, loops) for map_ in outputs)):
        return None
    return Plan(sizes, vector, loops, tuple(accesses))


def make_slices(
    map_: IndexingMap, sizes: Sequence[int], vector: Sequence[int], loops: Sequence[int]
) -> ElementGather | None:
    """An access by basic slicing, whose result is a view; None if there is none."""
    places = {dim: i for i, dim in enumerate(loops)}
    starts: list[tuple[int, list[tuple[int, int]], int | None, int]] = []
    used: list[int] = []
    for linear in map_.linear:
        inside = [] if linear is None else [dim for dim in linear[1] if dim in vector]
        if linear is None or len(inside) > 1 or set(inside) & set(used) or any(linear[1][dim] <= 0 for dim in inside):
            return None
        used += inside
        moving = [(places[dim], factor) for dim, factor in linear[1].items() if dim in places]
        size, stride = (sizes[inside[0]], linear[1][inside[0]]) if inside else (None, 1)
        starts.append((linear[0], moving, size, stride))

    def key(point: Sequence[int]) -> Any:
        entries: list[Any] = []
        for constant, moving, size, stride in starts:
            begin = constant
            for place, factor in moving:
                begin += factor * point[place]
            entries.append(begin if size is None else slice(begin, begin + (size - 1) * stride + 1, stride))
        return tuple(entries) if used else (*entries, ...)  # Never a scalar: outputs are written through it.

    order = tuple(sorted(range(len(used)), key=lambda i: vector.index(used[i])))
    expand = None if len(used) == len(vector) else tuple(slice(None) if dim in used else None for dim in vector)
    is_fixed = not any(moving for _, moving, _, _ in starts)
    axes = None if order == tuple(range(len(used))) else order
    if not is_fixed:
        return ElementGather(key, axes, expand, is_fixed)
    fixed = ... if all(dim in vector for dim in map_.plain) else key(())
    return ElementGather(lambda point: fixed, axes, expand, is_fixed)


def make_access(map_: IndexingMap, sizes: Sequence[int], vector: Sequence[int], loops: Sequence[int]) -> ElementGather:
    """An access by slicing where that is possible, else by arrays of indices."""
    access = make_slices(map_, sizes, vector, loops)
    if access is not None:
        return access
    grid: list[Any] = [0] * len(sizes)
    for position, dim in enumerate(vector):
        grid[dim] = _along(position, len(vector), sizes[dim])

    def key(point: Sequence[int]) -> Any:
        values = list(grid)
        for dim, index in zip(loops, point, strict=True):
            values[dim] = index
        return tuple(np.broadcast_arrays(*[function(values) for function in map_.functions]))

    if loops:
        return ElementGather(key, None, None, is_fixed=False)
    fixed = key(())
    return ElementGather(lambda point: fixed, None, None, is_fixed=True)
