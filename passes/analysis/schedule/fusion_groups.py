"""Groups of linalg ops that are computed tile by tile together, so that intermediate results stay in a cache.

A group has a root, whose results are used outside, and producers, whose results only the group uses. All of them are
indexed by the *common loops* (`loops`, of the root): a tile of the root needs the same tile of each producer, so
nothing is recomputed. Softmax, normalizations and attention are such groups: each row is computed from one row, through
reductions.

Producers are collected from the root backwards; one is taken if at least one common loop is left. A group pays if an
intermediate result is larger than half of the second cache. Contractions, which are tiled on their own, are left out,
unless one with so large a result is used by another one, as in attention. In a group with a contraction, a producer
that is not indexed by all common loops stays outside if the intermediate results for one iteration of the remaining
loops are larger than that: the transposed keys of all heads of attention are not indexed by the rows. There is no such
group if the data that each tile rereads, like the weights of a layer, is larger than the second cache; unless it fits
into half of the last cache, and the intermediate results do not fit into all of it.

Linear in the ops and their operands, as a group has at most 64 producers; nothing is changed. Upstream counterpart:
`transform.structured.fuse`, which takes the ops to fuse as operands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from math import prod

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ..linalg.structured_op import OperandIndex, Structured, as_structured, type_bytes
from .cache_tiling import TileLoop
from .machine import Machine

__all__ = ["FusionGroup", "find_groups"]

_ROWS = 8
"""Tiles with at least this many rows have a multiple of it."""

_LINE, _LINES = 64, 4
"""Bytes of a cache line, and how many of them a part of a row should have: fewer are read from memory at half speed."""

_MOST_PRODUCERS = 64
"""Bounds the time: each op of a chain that is no group is the root of another search."""


@frozen
class FusionGroup:
    """Ops to compute together: the root, its producers in program order, and the tiles.

    `common` are the loops of the root that all of them move with.
    """

    root: Structured
    producers: tuple[Structured, ...]
    loops: tuple[TileLoop, ...]
    common: tuple[int, ...]


def find_groups(ops: Sequence[ir.Operation], machine: Machine) -> list[FusionGroup]:
    """Return the groups among `ops`, linalg ops of one function in program order."""
    least = min(machine.l1, machine.l2) // 2
    if not any(type_bytes(type_) > least for type_ in {result.type for op in ops for result in op.results}):
        return []  # Nothing is large enough for a group to be worth it.
    read = [as_structured(op) for op in ops]
    numbers: dict[ir.Value, int] = {result: number for number, op in enumerate(ops) for result in op.results}
    taken: set[int] = set()
    groups: list[FusionGroup] = []
    for number in reversed(range(len(ops))):
        root = read[number]
        if root is None or number in taken:
            continue
        finder = _Finder(root, machine)
        members = _take_producers(finder, read, numbers, taken, number)
        group = finder.group()
        if group is not None:
            taken.update(members)
            groups.append(group)
    return groups


def _take_producers(
    finder: _Finder, read: Sequence[Structured | None], numbers: Mapping[ir.Value, int], taken: set[int], root: int
) -> list[int]:
    """Add the transitive producers of op number `root` to the group of `finder`; return those that were added.

    In reverse program order, so that all users of a producer have been seen before it.
    """
    members: list[int] = []
    seen, waiting = {root}, [-root]
    while waiting and len(members) < _MOST_PRODUCERS:
        number = -heappop(waiting)
        op = read[number]
        if number != root:
            if number in taken or not finder.take(op):
                continue
            members.append(number)
        for value in op.op.operands if op is not None else ():
            producer = numbers.get(value)
            if producer is not None and producer not in seen:
                seen.add(producer)
                heappush(waiting, -producer)
    return members


_Named = Mapping[int, int]
"""From loops of an op to the loops of the root that they equal."""


class _Finder:
    """Collects the producers of one root."""

    def __init__(self, root: Structured, machine: Machine) -> None:
        self.root = root
        self.machine = machine
        self.producers: list[tuple[Structured, _Named]] = []
        self.loops = set(root.parallel_loops) - root.falling
        self.uses: dict[ir.Value, list[tuple[Sequence[OperandIndex], _Named]]] = {}
        self._read_by(root, {loop: loop for loop in self.loops})

    def _read_by(self, op: Structured, named: _Named) -> None:
        """Record the operands that `op`, whose loops are `named`, reads, with the indices."""
        for value, indices in zip(op.op.operands, op.indices, strict=True):
            self.uses.setdefault(value, []).append((indices, named))

    def take(self, op: Structured | None) -> bool:
        """Add `op` if the group can compute it tile by tile; return whether it was added."""
        if op is None or op.op.block != self.root.op.block:
            return False
        results = list(op.op.results)
        if not any(result in self.uses for result in results):
            return False
        if any(len(list(result.uses)) != len(self.uses.get(result, ())) for result in results):
            return False
        if any(result in self.root.op.operands for result in results) and not self._writes_all():
            return False
        if _is_contraction(op) and not (_is_contraction(self.root) and _is_larger(op, self.machine.l2 // 2)):
            return False
        named = self._named(op)
        if not named or not self._fits(set(named.values())):
            return False
        self.loops = set(named.values())
        self.producers.append((op, named))
        self._read_by(op, named)
        return True

    def _writes_all(self) -> bool:
        """Whether the root writes every element of its outputs, so that no element of an init is left."""
        return all(index.loop is not None for number in self.root.outputs for index in self.root.indices[number])

    def _named(self, op: Structured) -> dict[int, int]:
        """Return which loops of `op` are common loops of the root, the same for all its users."""
        found: dict[int, int] | None = None
        compound: set[int] = set()
        for number, result in enumerate(op.op.results):
            output = op.indices[op.inputs + number]
            for read, user in self.uses.get(result, ()):
                own: dict[int, int] = {}
                for written, index in zip(output, read, strict=True):
                    loops = {user[loop] for loop in index.coefficients if loop in user}
                    if index.loop is None or written.loop is None:
                        compound |= loops
                    elif loops:
                        own[written.loop] = user[index.loop]
                found = own if found is None else {loop: own[loop] for loop in found if found[loop] == own.get(loop)}
        common = self.loops - compound
        return {loop: named for loop, named in (found or {}).items() if named in common and loop not in op.falling}

    def _reads_too_much(self) -> bool:
        """Whether rereading panels for every tile costs more than storing intermediate results."""
        panels = self._panel_bytes()
        is_near = panels <= self.machine.l3 // 2 and self._passed_on() > self.machine.l3
        return panels > self.machine.l2 and not is_near

    def _panel_bytes(self) -> int:
        """Return the bytes of the contractions' inputs that every tile rereads."""
        return sum(
            type_bytes(op.op.operands[operand].type)
            for op, common in ((self.root, self.loops), *self.producers)
            if _is_contraction(op)
            for operand in range(op.inputs)
            if op.indices[operand] and not any(op.depends(operand, loop) for loop in common)
        )

    def _fits(self, loops: set[int]) -> bool:
        """Whether the intermediate results of a tile fit into the cache if only `loops` are common."""
        if loops == self.loops or not _is_contraction(self.root):
            return True
        return self._passed_on() // prod(map(self.root.size, loops)) <= self.machine.l2 // 2

    def _passed_on(self) -> int:
        return sum(type_bytes(result.type) for op, _ in self.producers for result in op.op.results)

    def group(self) -> FusionGroup | None:
        """Return the group if it pays."""
        producers = tuple([op for op, _ in reversed(self.producers)])
        is_contraction = _is_contraction(self.root)
        room = self.machine.l2 if is_contraction else self.machine.l1
        if not any(_is_larger(op, room // 2) for op in producers):
            return None
        if is_contraction and (not any(map(_is_contraction, producers)) or self._reads_too_much()):
            return None
        tiles = self._tiles()
        return None if tiles is None else FusionGroup(self.root, producers, tiles, tuple(sorted(self.loops)))

    def _tiles(self) -> tuple[TileLoop, ...] | None:
        """Return tiles whose intermediate results take half of the second cache, tiling outer loops first.

        A quarter of the first cache without a contraction, which needs enough rows for each read of its panels. Parts
        of rows are some cache lines wide, for which there is room in the second cache; None if there is not.
        """
        passed_on = self._passed_on()
        room = self.machine.l2 // 2 if _is_contraction(self.root) else self.machine.l1 // 4
        row_loop, line = self._row_loop()
        tiles: list[TileLoop] = []
        for loop in sorted(self.loops):
            size = self.root.size(loop)
            if passed_on <= room or size == 1:
                continue
            rows = max(1, room * size // passed_on)
            least, step = _ROWS, 1
            if loop == row_loop:
                least = step = line
                if rows < _LINES * least:
                    rows = max(room, self.machine.l2 // 2) * size // passed_on
                if rows < min(least, size):
                    return None
            tiles.append(TileLoop(loop, _even(self.root.sizes[loop], rows // least * least or rows, step)))
            passed_on = passed_on * rows // size
        return tuple(tiles)

    def _row_loop(self) -> tuple[int | None, int]:
        """Return the common loop along rows of the largest intermediate result, and how many elements a line has."""
        results = [
            (result, op.indices[op.inputs + number], named)
            for op, named in self.producers
            for number, result in enumerate(op.op.results)
        ]
        result, written, named = max(results, key=lambda one: type_bytes(one[0].type))
        last = written[-1].loop if written else None
        line = _LINE // type_bytes(ir.ShapedType(result.type).element_type)
        return None if last is None else named.get(last), max(1, line)


def _even(size: int | None, most: int, step: int) -> int:
    """Return the largest divisor of `size` down from `most` in steps, or `most` if there is none half as large."""
    divisors = (rows for rows in range(most, most // 2, -step) if size and size % rows == 0)
    return next(divisors, most)


def _is_contraction(op: Structured) -> bool:
    """Whether `op` reduces, and reads an input again for some of its results."""
    return not all(op.parallel) and any(
        op.reads[operand] and op.indices[operand] and not op.depends(operand, loop)
        for operand in range(op.inputs)
        for loop in op.parallel_loops
    )


def _is_larger(op: Structured, size: int) -> bool:
    """Whether a result of `op` takes more than `size` bytes."""
    return any(type_bytes(result.type) > size for result in op.op.results)
