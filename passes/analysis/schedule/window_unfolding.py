"""Ops whose vectors would be short or strided: windows to copy, and loops to merge, so that they are long.

A convolution of an image of 4 x 4 pixels has rows of 4 results: three quarters of a vector of 16 would be empty. If a
*window*, an input with an index such as `y + ky`, is copied into a tensor with a dimension for each loop, all indices
are loops; then the loops `y, x` are one loop of 16 iterations, the loops that reduce are one as well, and the op is a
product of matrices, which `inplace-transpose-operands`, `inplace-schedule` and `inplace-vectorize` know how to compute.

* Loops with one iteration are dropped: an index `y + ky` is `y` if `ky` has no other value than 0. So a convolution
  with windows of one pixel needs no copy.
* Two loops are *merged* if each operand has neither of them, or the second one right behind the first one.
* The copy has the batch first, then either the reductions and the pixels, for vectors of pixels, or the pixels and the
  reductions, for vectors that reduce: what is best if there are few pixels. Pixels are the last loops of the result
  that windows move with.
* Costs are counted in vector instructions as in `operand_transposition.py`; copying a vector costs a load and a store,
  or a load for each lane if they are not adjacent. A step also costs a quarter for the broadcast that the vectors of
  a register tile share: a row of one vector shares it with none. The op is changed if that saves a tenth.
* A copy that is larger than the second cache is made tile by tile: for one iteration of the batch, and so many rows of
  pixels that it takes a quarter of it.

An elementwise op behind an op that was changed gets the merged loops of that one, if its rows are shorter than a
register tile: then what is the same for all pixels is computed once, and the reshapes between the two are gone.

Linear in the op; nothing is changed. Called im2col where it is done for the whole image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ..linalg.structured_op import Structured, as_structured, type_bytes
from ..linalg.vector_payload import find_combiner
from .cache_tiling import TileLoop
from .machine import Machine
from .operand_transposition import LOAD_COST, cost_as_it_is, rounds
from .vector_plan import VectorPlan, find_plan, loads_along

__all__ = ["Unfolding", "find_merging", "find_unfolding"]

_EXPANDED, _EMPTY = "tensor.expand_shape", "tensor.empty"

_VECTORS = 4
"""How many vectors of a row a register tile has, if there are as many."""
_BROADCAST = 1 / 4
"""The cost of a step's broadcast that no other vector shares."""
_WORTH = 0.9
"""Of its cost as it is, what an op may cost at most to be changed."""


@frozen
class Unfolding:
    """How an op with short rows becomes one with long ones.

    Attributes:
        structured: the op.
        copies: the inputs to copy, with the loops that are the dimensions of the copy.
        groups: the loops of the new op: for each the loops that are merged in it, outermost first.
        tiles: the loops to tile first, outermost first.
    """

    structured: Structured
    copies: Mapping[int, tuple[int, ...]]
    groups: tuple[tuple[int, ...], ...]
    tiles: tuple[TileLoop, ...] = ()


def find_unfolding(op: ir.Operation, machine: Machine, *, tile: bool = False) -> Unfolding | None:
    """Return how to unfold linalg op `op`, or None if that is not possible or does not pay.

    A `tile` of an op that is unfolded tile by tile is unfolded in any case, and not tiled again.
    """
    structured = as_structured(op)
    if structured is None or not structured.reduction_loops or None in structured.sizes or structured.falling:
        return None
    plan = find_plan(op, machine)
    if plan is None or len(plan.structured.outputs) != 1 or plan.structured.asks_for_iterations:
        return None
    finder = _Finder(plan, machine)
    if not finder.is_possible():
        return None
    best = min(finder.ways(), key=lambda way: way.cost, default=None)
    if best is None or not (tile or finder.pays(best)):
        return None
    return Unfolding(plan.structured, best.copies, best.groups, () if tile else finder.tiles())


def find_merging(op: ir.Operation, machine: Machine) -> Unfolding | None:
    """Return which loops of elementwise op `op` to merge; None if there are none, or it is not behind a changed op."""
    plan = find_plan(op, machine)
    if plan is None or plan.reductions or None in plan.structured.sizes or plan.structured.falling:
        return None
    structured, lane_loop = plan.structured, plan.lane_loop
    if len(structured.outputs) != 1 or structured.asks_for_iterations:
        return None
    if structured.size(lane_loop) >= _VECTORS * plan.lanes or not _is_behind(structured):
        return None
    finder = _Finder(plan, machine)
    groups = finder.merged()
    if not any(lane_loop in group and len(group) > 1 for group in groups):
        return None
    return Unfolding(structured, {}, groups)


def _is_behind(structured: Structured) -> bool:
    """Whether an op reads what was expanded, and writes into such a value, or an empty tensor."""
    makers = {value: defining_op(value, _EXPANDED) for value in structured.op.operands}
    init = structured.op.operands[structured.inputs]
    is_new = makers[init] is not None or defining_op(init, _EMPTY) is not None
    return is_new and any(maker is not None for maker in makers.values())


@frozen
class _Way:
    """One way to unfold an op: the copies, the merged loops, those in the lanes, and the cost without broadcasts."""

    copies: Mapping[int, tuple[int, ...]]
    groups: tuple[tuple[int, ...], ...]
    lanes: tuple[int, ...]
    cost: float


class _Finder:
    """The facts about one op with static sizes, and the ways to unfold it."""

    def __init__(self, plan: VectorPlan, machine: Machine) -> None:
        self.plan = plan
        self.op = plan.structured
        self.lanes = plan.lanes
        self.machine = machine
        self.combines = find_combiner(plan.structured) is not None
        op = self.op
        self.sizes = [op.size(loop) for loop in op.loops]
        self.loops = [loop for loop in op.loops if self.sizes[loop] > 1]
        self.reductions = [loop for loop in self.loops if not op.parallel[loop]]
        self.rows = [self._row(operand) for operand in range(len(op.indices))]
        """For each operand its loops, outermost first; None for one that has to be copied."""
        self.windows = [operand for operand in range(op.inputs) if self.rows[operand] is None]
        result = self.rows[op.inputs]
        self.results: list[int] = [] if result is None else result
        self.pixels = self._pixels()

    def _row(self, operand: int) -> list[int] | None:
        """Return the loops that are the indices of an operand; None if other indices move."""
        shape = _shape(self.op, operand)
        found: list[int] = []
        for index, extent in zip(self.op.indices[operand], shape, strict=True):
            loops = [loop for loop in index.coefficients if self.sizes[loop] > 1]
            is_still = not loops and extent == 1
            is_loop = len(loops) == 1 and index.coefficient(loops[0]) == 1 and extent == self.sizes[loops[0]]
            if index.constant or not (is_still or is_loop):
                return None
            found += loops
        return found if len(set(found)) == len(found) else None

    def _moving(self, operand: int) -> list[int]:
        """Return the loops that the element of an operand changes with."""
        return [loop for loop in self.loops if self.op.depends(operand, loop)]

    def _pixels(self) -> list[int]:
        """Return the last loops of the result that all windows move with."""
        found: list[int] = []
        for loop in reversed(self.results):
            if not all(self.op.depends(window, loop) for window in self.windows):
                break
            found.insert(0, loop)
        return found

    def is_possible(self) -> bool:
        """Whether the result can be computed by merged loops, from windows that can be copied."""
        is_read = all(self.op.reads[window] for window in self.windows)
        return bool(self.pixels and self.reductions) and is_read and self.rows[self.op.inputs] is not None

    def merged(self) -> tuple[tuple[int, ...], ...]:
        """Return the loops that can be merged without copies; none if an operand has windows."""
        rows = [row for row in self.rows if row is not None]
        return self._groups(rows) if len(rows) == len(self.rows) and self.loops else ()

    def ways(self) -> list[_Way]:
        """Return the ways that are possible: with pixels in the lanes, and with reductions in the lanes."""
        found: list[_Way] = []
        for last in ("pixels", "reductions"):
            copies = {window: self._copy(window, last) for window in self.windows}
            rows = [copies[operand] if operand in copies else tuple(row or ()) for operand, row in enumerate(self.rows)]
            groups = self._groups(rows)
            lanes = groups[-1] if last == "reductions" else next(one for one in groups if self.pixels[-1] in one)
            if self.op.parallel[lanes[-1]] == (last == "reductions") or (last == "reductions" and not self.combines):
                continue
            inputs = [rows[operand] for operand in range(self.op.inputs) if lanes[-1] in rows[operand]]
            # There is something to gain if lanes are fuller, or windows read in rows; and all reads are in rows then.
            if all(row[-1] == lanes[-1] for row in inputs) and (self.windows or len(lanes) > 1):
                cost = self._cost(lanes, len(inputs)) + sum(self._cost_of_copy(one, copies[one]) for one in copies)
                found.append(_Way(copies, groups, lanes, cost))
        return found

    def _copy(self, window: int, last: str) -> tuple[int, ...]:
        """Return the loops of the copy of a window."""
        moving = self._moving(window)
        batch = [loop for loop in self.results if loop in moving and loop not in self.pixels]
        reductions = [loop for loop in self.reductions if loop in moving]
        return (*batch, *reductions, *self.pixels) if last == "pixels" else (*batch, *self.pixels, *reductions)

    def _groups(self, rows: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
        """Return the loops that are merged if the operands have the loops in `rows` as their dimensions."""
        groups: list[list[int]] = []
        for loop in self.loops:
            before = next((one for one in groups if self._follows(loop, one[-1], rows)), None)
            if before is None:
                groups.append([loop])
            else:
                before.append(loop)
        return tuple(map(tuple, groups))

    def _follows(self, loop: int, before: int, rows: Sequence[Sequence[int]]) -> bool:
        """Whether each operand has neither loop, or `loop` right behind `before`; the order of a sum stays."""
        if self.op.parallel[loop] != self.op.parallel[before]:
            return False
        if not self.op.parallel[loop] and self.reductions.index(loop) != self.reductions.index(before) + 1:
            return False
        return all((before, loop) in pairwise(row) or not {before, loop} & set(row) for row in rows)

    def _cost(self, lanes: Sequence[int], loads: int) -> float:
        """Return the cost of the op with the merged loops `lanes` in the lanes, of which it loads `loads` inputs."""
        cost = self._steps(lanes) * (1 + LOAD_COST * loads)
        if not self.op.parallel[lanes[-1]]:
            cost += prod(self.sizes[loop] for loop in self.results) * 2 * rounds(self.lanes)
        return cost

    def pays(self, way: _Way) -> bool:
        """Whether the op costs less by a tenth in this way than as it is."""
        own = cost_as_it_is(self.plan) + self._broadcasts((self.plan.lane_loop,))
        return way.cost + self._broadcasts(way.lanes) < _WORTH * own

    def _broadcasts(self, lanes: Sequence[int]) -> float:
        """Return the cost of the broadcasts of all steps; there are none if both inputs are loaded along the lanes."""
        if not self.op.parallel[lanes[-1]]:
            return 0
        vectors = -(-prod(self.sizes[loop] for loop in lanes) // self.lanes)
        return _BROADCAST * self._steps(lanes) / min(_VECTORS, vectors)

    def _steps(self, lanes: Sequence[int]) -> int:
        """Return how many vectors are computed with the merged loops `lanes` in the lanes."""
        iterations = prod(self.sizes[loop] for loop in lanes)
        return prod(self.sizes) // iterations * -(-iterations // self.lanes)

    def _cost_of_copy(self, window: int, order: Sequence[int]) -> float:
        elements, row = prod(self.sizes[loop] for loop in order), self.sizes[order[-1]]
        vectors = elements // row * -(-row // self.lanes)
        return vectors * (1 + loads_along(self.op, window, order[-1], self.lanes))

    def tiles(self) -> tuple[TileLoop, ...]:
        """Return the loops to tile so that the copies take a quarter of the second cache, if they take two."""
        size = sum(self._bytes(window) for window in self.windows)
        if size <= self.machine.l2:
            return ()
        batch = [loop for loop in self.results if loop not in self.pixels and self._moves_all(loop)]
        size //= prod(self.sizes[loop] for loop in batch)
        tiles = [TileLoop(loop, 1) for loop in batch]
        first, rows = self.pixels[0], self.sizes[self.pixels[0]]
        if size > self.machine.l2 and len(self.pixels) > 1:
            most = max(1, self.machine.l2 // 4 * rows // size)
            tiles.append(TileLoop(first, max(count for count in range(1, most + 1) if rows % count == 0)))
        return tuple(tiles)

    def _moves_all(self, loop: int) -> bool:
        return all(self.op.depends(window, loop) for window in self.windows)

    def _bytes(self, window: int) -> int:
        element = ir.ShapedType(self.op.op.operands[window].type).element_type
        return prod(self.sizes[loop] for loop in self._moving(window)) * type_bytes(element)


def _shape(op: Structured, operand: int) -> Sequence[int]:
    type_ = op.op.operands[operand].type
    return ir.ShapedType(type_).shape if isinstance(type_, ir.ShapedType) else ()
