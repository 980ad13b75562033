"""Loop nests in dispatch functions that update one or two tensors, and what NumPy says of them.

A nest is a tree of loops of every kind, branches and updates. `nests.py` draws one, `nest_text.py` writes it as
MLIR. The outermost loop may be handed out to workgroups, element by element or tile by tile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["SIZE", "Branch", "Grid", "Loop", "Nest", "Node", "Outcome", "Update", "at", "nodes_of"]

SIZE = 24
FILLING = 7.0

Array = np.ndarray[Any, Any]
Affine = tuple[int, ...]
"""The factors of the variables around, outer ones first, and a constant."""

Point = tuple[int, ...]


@dataclass(frozen=True)
class Grid:
    """How many workgroups there are, and how many elements each of them takes at once."""

    count: int = 1
    size: int = 1


@dataclass(frozen=True)
class Update:
    """Put a slice of a binding, and slices of the carried tensors added to it, into a carried tensor."""

    kind: str
    """`slice`, `element`, `vector`, `tile` (what the workgroup takes at once), or `fill`."""
    tensor: int
    at: Affine
    size: int
    reads: tuple[tuple[int, Affine], ...] = ()


@dataclass(frozen=True)
class Loop:
    """A loop; `swaps`: it hands back its two tensors at each other's place."""

    kind: str
    """`for`, `while`, `before` (an `scf.while` that does all before its condition), `forall`, `each`, `tiles`."""
    lower: int
    upper: int
    step: int
    body: tuple[Node, ...]
    is_triangular: bool = False
    swaps: bool = False

    def values(self, point: Point, number: int, grid: Grid) -> range:
        """The values of its variable in workgroup `number`."""
        if self.kind == "each":
            return range(number, self.upper, grid.count)
        if self.kind == "tiles":
            return range(number * grid.size, self.upper, grid.count * grid.size)
        upper = point[-1] + 1 if self.is_triangular else self.upper
        inside = range(self.lower, upper, self.step)
        # The condition is asked once more.
        return (
            range(self.lower, self.lower + self.step * (len(inside) + 1), self.step)
            if self.kind == "before"
            else inside
        )


@dataclass(frozen=True)
class Branch:
    """What is done where the innermost variable is odd, and where it is even."""

    then: tuple[Node, ...]
    otherwise: tuple[Node, ...]


Node = Update | Loop | Branch


@dataclass(frozen=True)
class Outcome:
    """For each tensor what the last workgroup holds, what all together hold, and what one of them has updated."""

    last: list[Array]
    together: list[Array]


@dataclass(frozen=True)
class Nest:
    """Tensors by where they come from, and what is done with them."""

    sources: tuple[str, ...]
    """`load`, `in-place`, `computed`, `empty`, or `other`: what the other one's target holds."""
    body: tuple[Node, ...]
    readable: tuple[bool, ...]
    shown: tuple[bool, ...]
    """Whether the outcome has another user."""

    @property
    def has_grid(self) -> bool:
        return any(isinstance(node, Loop) and node.kind in ("each", "tiles") for node in self.body)

    def memory(self) -> list[Array]:
        """What is given, what is added, the targets, and what is shown."""
        numbers, count = np.arange(1.0, SIZE + 1), len(self.sources)
        return [
            numbers,
            numbers * 100,
            *(numbers * -7 * (k + 1) for k in range(count)),
            *(numbers * 0 for _ in range(count)),
        ]

    def run(self, given: Array, added: Array, targets: Sequence[Array], grid: Grid) -> Outcome:
        """What workgroups compute one after the other; NaN for elements that nobody has computed."""
        together = [target.copy() for target in targets]
        updated = [np.zeros(SIZE, bool) for _ in targets]
        carried: list[Array] = []
        for number in range(grid.count):
            sources = {
                "load": [given] * 2,
                "in-place": together,
                "computed": [given + given] * 2,
                "empty": [np.full(SIZE, np.nan)] * 2,
                "other": together[::-1],
            }
            carried = [sources[source][k].copy() for k, source in enumerate(self.sources)]
            running = _Run(carried, added, number, grid)
            running.run(self.body, ())
            for k, mine in enumerate(running.updated):
                updated[k] |= mine
                together[k] = np.where(mine | ~updated[k], running.carried[k], together[k])
            carried = running.carried
        return Outcome(carried, together)


class _Run:
    """One workgroup."""

    def __init__(self, carried: list[Array], added: Array, number: int, grid: Grid) -> None:
        self.carried = carried
        self.updated = [np.zeros(SIZE, bool) for _ in carried]
        self._added, self._number, self._grid = added, number, grid

    def run(self, nodes: Iterable[Node], point: Point) -> None:
        for node in nodes:
            if isinstance(node, Update):
                self._update(node, point, self.carried)
            elif isinstance(node, Branch):
                self.run(node.then if point[-1] % 2 else node.otherwise, point)
            else:
                self._loop(node, point)

    def _loop(self, loop: Loop, point: Point) -> None:
        before = [array.copy() for array in self.carried]
        for value in loop.values(point, self._number, self._grid):
            if loop.kind == "forall":
                for node in loop.body:
                    assert isinstance(node, Update)
                    self._update(node, (*point, value), before)
                continue
            self.run(loop.body, (*point, value))
            if loop.swaps:
                self.carried.reverse()
                self.updated.reverse()

    def _update(self, update: Update, point: Point, content: Sequence[Array]) -> None:
        if update.kind == "fill":
            self.carried[update.tensor][:] = FILLING
            self.updated[update.tensor][:] = True
            return
        begin = at(update.at, point)
        size = min(self._grid.size, SIZE - begin) if update.kind == "tile" else update.size
        value = self._added[begin : begin + size].copy()
        for tensor, place in update.reads:
            value += content[tensor][at(place, point) :][:size]
        self.carried[update.tensor][begin : begin + size] = value
        self.updated[update.tensor][begin : begin + size] = True


def at(affine: Affine, point: Point) -> int:
    return affine[-1] + sum(factor * value for factor, value in zip(affine, point, strict=False))


def nodes_of(nodes: Iterable[Node]) -> Iterator[Node]:
    """All nodes, at any depth."""
    for node in nodes:
        yield node
        if isinstance(node, Loop):
            yield from nodes_of(node.body)
        elif isinstance(node, Branch):
            yield from nodes_of((*node.then, *node.otherwise))
