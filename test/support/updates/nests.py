"""Random loop nests, of the kinds of `nest_model.py`: slices are in bounds, threads write to elements of their own."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from .nest_model import SIZE, Affine, Branch, Grid, Loop, Nest, Node, Point, Update, at


def random_nest(seed: int) -> Nest:
    """A nest whose slices are in bounds, in every workgroup of every grid."""
    draw = random.Random(seed)
    tensors = draw.choice((1, 1, 2))
    has_grid = draw.random() < 0.3
    kinds = ["load", "in-place", "computed", "empty"] + ["other"] * (tensors == 2 and not has_grid)
    sources = tuple(draw.choice(kinds) for _ in range(tensors))
    body = _Draw(draw, tensors).outermost(has_grid=has_grid)
    readable = [draw.random() < 0.75 or source == "in-place" for source in sources]
    for k, source in enumerate(sources):
        if source == "other":
            readable[1 - k] = True
    return Nest(sources, body, tuple(readable), tuple(draw.random() < 0.2 for _ in sources))


class _Draw:
    def __init__(self, draw: random.Random, tensors: int) -> None:
        self._draw = draw
        self._tensors = tensors
        self._tile = draw.choice((1, 1, 2, 3, 4))
        self._has_tiles = False

    def outermost(self, *, has_grid: bool) -> tuple[Node, ...]:
        draw = self._draw
        top: list[Point] = [()]
        if has_grid:
            return (self._grid(),)
        nodes: list[Node] = [self._loop(top)]
        if draw.random() < 0.15:
            nodes.insert(draw.choice((0, 1)), self._loop(top))
        if draw.random() < 0.15:
            nodes.insert(draw.choice((0, 1)), self._update(top))
        return tuple(nodes)

    def _grid(self) -> Loop:
        self._has_tiles = self._draw.random() < 0.5
        upper = SIZE if self._has_tiles else self._draw.choice((SIZE, SIZE // self._tile, 7))
        body = self._body([(value,) for value in range(upper)], 1)
        return Loop("tiles" if self._has_tiles else "each", 0, upper, 1, body)

    def _body(self, points: list[Point], depth: int) -> tuple[Node, ...]:
        return tuple(self._node(points, depth) for _ in range(self._draw.choice((1, 1, 1, 2, 2))))

    def _node(self, points: list[Point], depth: int) -> Node:
        kind = self._draw.random()
        if depth < 3 and kind < 0.3 / depth:
            return self._loop(points)
        if depth < 3 and kind > 0.85:
            otherwise = self._body(points, 3) if self._draw.random() < 0.4 else ()
            return Branch(self._body(points, depth + 1), otherwise)
        return self._update(points)

    def _loop(self, points: list[Point]) -> Loop:
        draw, tile = self._draw, self._tile
        depth = len(points[0])
        ranges = (
            [(0, SIZE, tile), (0, SIZE // tile, 1), (1, 8, 1), (0, 7, 2)]
            if depth == 0
            else [(0, 8, tile), (0, 6, 1), (1, 4, 2)]
        )
        lower, upper, step = draw.choice(ranges)
        kind = draw.choice(("for", "for", "for", "while", "before", "forall"))
        triangular = depth > 0 and kind in ("for", "while") and draw.random() < 0.3
        empty = Loop(kind, lower, upper, step, (), triangular)
        inner = [(*point, value) for point in points for value in empty.values(point, 0, Grid())]
        if kind == "forall":
            return Loop(kind, lower, upper, step, self._threads(inner or [(*points[0], lower)]))
        swaps = self._tensors == 2 and draw.random() < 0.12
        return Loop(kind, lower, upper, step, self._body(inner or [(*points[0], lower)], depth + 1), triangular, swaps)

    def _threads(self, points: list[Point]) -> tuple[Update, ...]:
        found: list[Update] = []
        for tensor in range(self._draw.choice((1, self._tensors))):
            tries = (self._update(points, tensor, ("slice",)) for _ in range(20))
            own = (0,) * (len(points[0]) - 1) + (1, 0)
            simple = Update("slice", tensor, own, 1, ((tensor, own),))
            found.append(next((update for update in tries if _is_apart(update, points)), simple))
        return tuple(found)

    def _update(self, points: list[Point], tensor: int = -1, kinds: Sequence[str] = ()) -> Update:
        draw, depth = self._draw, len(points[0])
        tensor = draw.randrange(self._tensors) if tensor < 0 else tensor
        kind = draw.choice(kinds or ("slice",) * 6 + ("element",) * 3 + ("vector", "vector", "fill"))
        if self._has_tiles and not kinds and kind != "fill" and draw.random() < 0.8:
            whole = (1,) + (0,) * depth
            return Update("tile", tensor, whole, 0, tuple((t, whole) for t in self._read_tensors(tensor)))
        size = 1 if kind == "element" else self._tile
        write = self._affine(points, size)
        reads = [(t, write if draw.random() < 0.5 else self._affine(points, size)) for t in self._read_tensors(tensor)]
        return Update(kind, tensor, write, size, tuple(reads) if kind != "fill" else ())

    def _read_tensors(self, tensor: int) -> list[int]:
        count = self._draw.choice((0, 0, 1, 1, 1, 2))
        return [tensor if self._draw.random() < 0.7 else self._draw.randrange(self._tensors) for _ in range(count)]

    def _affine(self, points: list[Point], size: int) -> Affine:
        draw = self._draw
        for _ in range(100):
            factors = [draw.choice((1, 1, 1, self._tile, self._tile, 2, 0, 6, -1)) for _ in points[0]]
            affine = (*factors, draw.choice((0, 0, 0, 0, 1, 2, SIZE - self._tile)))
            if all(0 <= at(affine, point) <= SIZE - size for point in points):
                return affine
        return (0,) * len(points[0]) + (draw.randrange(SIZE - size),)


def _is_apart(update: Update, points: Iterable[Point]) -> bool:
    """Whether threads, in the same iteration of the loops around them, write to elements of their own."""
    seen: set[tuple[Point, int]] = set()
    for point in points:
        for element in range(update.size):
            key = (point[:-1], at(update.at, point) + element)
            if key in seen:
                return False
            seen.add(key)
    return True
