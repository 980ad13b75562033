"""Cache tile sizes of a linalg op, and whether its operands are packed, from its structure and the machine.

The first rule that holds in the ordered table `_RULES` decides.

Tiling helps only an op that reuses data. Such an op has a *panel*: an input that is loaded along the lanes and does not
depend on the rows, so that every row rereads it. (In a matmul with columns in the lanes, the panels are slices of the
right-hand side.) An op is not tiled if its panels fit into the first cache, nor if they fit into half of the second one
(the other half is for streaming data) and either there are few rows or the rows of a panel do not compete for cache
sets, as rows at a power-of-two stride do. If panels lie one after the other already, as packed weights do, and one fits
into a quarter of the second cache, only rows are cut, into parts of which another quarter holds what they read. Each
iteration of a batch has panels of its own; if they have to be packed, each iteration becomes an op of its own.
Otherwise

* the outermost reduction loops are tiled so that a panel takes a quarter of the second cache: it stays there while all
  rows of a tile read it, and results are reread and rewritten no more often than that requires,
* the rows are tiled, about equally, so that the other operand of a tile takes half of it; there are at least two tiles,
* the lane loop is tiled by the register tile, and panels are packed.

Packed panels stay in the last cache while all rows read them, beside other data. If the panels of one tile of the
reduction took more than a quarter of it, the lane loop is tiled so that they take an eighth, and each part is tiled as
an op of its own.

Packing pays as soon as two register tiles read a panel. Unpacked, its rows lie a page apart and compete for sets of the
first cache; their length decides whether that doubles or halves the read bandwidth.

If the rows are not tiled and an operand is transposed for this op alone, the lane loop is tiled, and each panel is
transposed right before its use: the op then reads it from the cache, not from memory.

An op without rows, or with all of them in registers, reuses nothing (vector-matrix products, sums of columns). The
loops of the register tile would walk down a column of vectors, one page after the other; so an input larger than the
second cache is read a few rows at a time along the lanes, as parallel streams that hardware prefetches. Results are
reread and rewritten for every few rows, but those of one row stay in the first cache. If rows compete for sets, the
number of streams is limited by the ways of the cache. Inputs whose rows are no longer than a register tile are one
stream: they stay so.

Linear in the op; nothing is changed. Source: Goto and van de Geijn, "Anatomy of high-performance matrix
multiplication" (2008).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from math import gcd, prod

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ..linalg.structured_op import Structured, type_bytes
from .machine import Machine
from .own_producers import find_transpositions
from .vector_plan import VectorPlan, find_plan, is_tall

__all__ = ["CacheTiling", "TileLoop", "choose_tiling"]

_STREAMS = {"memory": 8, "last cache": 16}
"""How many rows are read as parallel streams: hardware prefetches no more, and fewer have too few independent
sums to hide the latency of additions where memory is not the limit."""

_WAY = 1 << 12
"""Lines this far apart are in the same set of the first cache; its size is this times its number of ways."""

_LEAST_TILES = 4
"""A part has so many register tiles: with fewer, weights that all parts read are not there in time."""

_FEW_TILES = 8
"""With fewer register tiles than this, packing a panel that fits into the second cache does not pay."""


@frozen
class TileLoop:
    """A tiled loop: its number, the tile size, and whether the last, smaller tile is peeled.

    A remainder of less than `least` iterations is joined with the tile before instead.
    """

    loop: int
    size: int
    peel: bool = False
    least: int = 1

    def __str__(self) -> str:
        return f"loop d{self.loop} by {self.size}"


@frozen
class CacheTiling:
    """How an op is tiled, outermost loop first, before its slices are packed and the inner op is vectorized.

    `producers` of the op are computed in the tiles. The tiles are `parts` if each is tiled again on its own.
    """

    structured: Structured
    loops: tuple[TileLoop, ...]
    producers: tuple[Structured, ...] = ()
    parts: bool = False


def choose_tiling(op: ir.Operation, machine: Machine, *, part: bool = False) -> CacheTiling | None:
    """Return how to tile linalg op `op`, or None if it is not tiled: too small, or none of the kinds above.

    A `part` of an op is not cut into parts again. Reduction loops are tiled from the outermost one on, all but the last
    one by 1, so that the order of a sum is that of the op.
    """
    plan = find_plan(op, machine)
    return None if plan is None else _TilingChooser(plan, machine, part=part).choose()


@frozen
class _Panel:
    """A panel: elements of `bytes` each, a row of them for each of `depth` iterations of the reduction loops.

    `cuts` are the loops that are tiled so that it takes a quarter of the second cache: the outermost ones, since each
    element is then a sum in the order of the op, however few rows or columns a thread has.
    """

    bytes: int
    depth: int
    cuts: tuple[TileLoop, ...]


class _TilingChooser:
    """The rules for one op, the facts they test (each computed once), and the tilings they choose."""

    def __init__(self, plan: VectorPlan, machine: Machine, *, part: bool) -> None:
        self.plan = plan
        self.op = plan.structured
        self.machine = machine
        self.is_part = part
        self.width = plan.tile[plan.lane_loop] * plan.lanes
        """The iterations of the lane loop in a register tile."""
        self.row = next((loop for loop in plan.tile if loop != plan.lane_loop), -1)
        """The loop of the rows; -1 if there is none."""

    def choose(self) -> CacheTiling | None:
        """Return the tiling of the first rule that holds; None if the op stays as it is."""
        for holds, tiling in self._RULES:
            if holds(self):
                return tiling(self) if tiling is not None else None
        return self._packed()

    # --- facts -------------------------------------------------------------------------------------------------

    @cached_property
    def panels(self) -> list[int]:
        """The inputs that all rows read again, a panel of each at a time."""
        op = self.op
        return [
            operand
            for operand in range(op.inputs)
            if op.is_contiguous(operand, self.plan.lane_loop)
            and not op.depends(operand, self.row)
            and any(op.depends(operand, loop) for loop in self.plan.reductions)
        ]

    @cached_property
    def batch(self) -> list[int]:
        """The parallel loops, other than the lane loop, that panels depend on: each iteration has its own panels."""
        return [
            loop
            for loop in self.op.parallel_loops
            if loop != self.plan.lane_loop and any(self.op.depends(operand, loop) for operand in self.panels)
        ]

    @cached_property
    def panel(self) -> _Panel:
        """A panel of the first input that has any, as wide as a register tile."""
        op, operand = self.op, self.panels[0]
        element = _element_bytes(op, operand)
        most = max(1, self.machine.l2 // 4 // (self.width * element))
        depth = prod(op.size(loop) for loop in self.plan.reductions if op.depends(operand, loop))
        cuts: list[TileLoop] = []
        for loop in self.plan.reductions:
            if depth <= most:
                break
            part = 1
            if op.depends(operand, loop):
                inside = depth // op.size(loop)
                part = _even(op.size(loop), max(1, most // inside))
                depth = inside * part
            cuts.append(TileLoop(loop, part))
        return _Panel(element, depth, tuple(cuts))

    @cached_property
    def parts(self) -> tuple[TileLoop, ...]:
        """The loops of parts: those of a batch, and the lanes if all panels of one iteration are too large."""
        panel, l3 = self.panel, self.machine.l3
        loops = tuple(TileLoop(loop, 1) for loop in self.batch)
        lanes = self.op.size(self.plan.lane_loop)
        if panel.depth * panel.bytes * lanes <= l3 // 4:
            return loops
        most = max(1, l3 // 8 // (panel.depth * panel.bytes * self.width))
        size = _even(-(-lanes // self.width), most) * self.width
        is_static = self.op.sizes[self.plan.lane_loop] is not None
        return (*loops, self._columns(size, peel=is_static)) if size < lanes else loops

    def _columns(self, size: int, *, peel: bool = True) -> TileLoop:
        """Return how the lane loop is tiled; never to one column, whose sum would be reassociated over the lanes."""
        return TileLoop(self.plan.lane_loop, size, peel, least=2)

    def _is_near(self, operand: int) -> bool:
        """Whether an input stays in the caches for all rows without packing, for each iteration of the batch."""
        size = _bytes(self.op, operand, self.batch)
        if size <= self.machine.l1 or size > self.machine.l2 // 2:
            return size <= self.machine.l1
        if self.op.size(self.row) < _FEW_TILES * self.plan.tile[self.row]:
            return True
        longest = self._longest([loop for loop in self.plan.reductions if self.op.depends(operand, loop)])
        return self.op.size(longest) <= _places(self.op, operand, longest, self.machine)

    def _is_sequence(self, operand: int, loop: int) -> bool:
        """Whether a register tile reads contiguous memory: each row that `loop` reads is as long as it is wide."""
        *outer, last = ir.ShapedType(self.op.op.operands[operand].type).shape
        return bool(outer) and 0 <= last <= self.width and self.op.indices[operand][-2].loop == loop

    def _longest(self, loops: Iterable[int]) -> int:
        return max(loops, key=self.op.size)

    # --- rules -------------------------------------------------------------------------------------------------

    def _reduces_nothing(self) -> bool:
        """No loop reduces: data that is read again is in registers."""
        return not self.plan.reductions

    def _reduces_in_lanes(self) -> bool:
        """The lanes are partial results: each tile would combine them again."""
        return self.plan.reduces_in_lanes

    def _falls(self) -> bool:
        """An index decreases along a loop, which therefore cannot be tiled."""
        return bool(self.op.falling)

    def _has_no_rows(self) -> bool:
        """It has no rows, or all of them are in registers."""
        return self.row < 0 or self.op.size(self.row) <= self.plan.tile[self.row]

    def _has_no_panels(self) -> bool:
        """All rows have inputs of their own."""
        return not self.panels

    def _are_panels_near(self) -> bool:
        """Panels stay in the caches for all rows without packing."""
        return all(map(self._is_near, self.panels))

    def _are_panels_in_place(self) -> bool:
        """Panels lie one after the other, as packed weights do, and one stays in the second cache for all rows."""
        reductions, whole = self.plan.reductions, not self.panel.cuts and not self.op.has_windows
        return whole and len(reductions) == 1 and all(self._is_sequence(one, reductions[0]) for one in self.panels)

    def _has_parts(self) -> bool:
        """Each part is to be packed on its own."""
        return not self.is_part and bool(self.parts)

    # --- tilings -----------------------------------------------------------------------------------------------

    def _streams(self) -> CacheTiling | None:
        """Read rows as streams; None if inputs along the lanes are near, have few or short rows, or are one stream."""
        op, reductions, machine = self.op, self.plan.reductions, self.machine
        if is_tall(self.plan):
            return None  # It reads one row after the other already.
        longest = self._longest(reductions)
        operands = [
            operand
            for operand in range(op.inputs)
            if op.is_contiguous(operand, self.plan.lane_loop) and op.depends(operand, longest)
        ]
        read = max((_bytes(op, operand) for operand in operands), default=0)
        if operands and all(self._is_sequence(operand, longest) for operand in operands):
            return None
        streams = _STREAMS["memory" if read > machine.l3 else "last cache"]
        places = min((_places(op, operand, longest, machine) for operand in operands), default=streams)
        while streams > max(1, places):
            streams //= 2
        if read <= machine.l2 or op.size(longest) <= streams:
            return None
        before = reductions[: reductions.index(longest)]
        return CacheTiling(op, (*(TileLoop(loop, 1) for loop in before), TileLoop(longest, streams, peel=True)))

    def _transposed(self) -> CacheTiling | None:
        """Tile the lane loop, and transpose for each tile; None if there are no transpositions, or only one tile."""
        turned = tuple(find_transpositions(self.op, (self.plan.lane_loop,)))
        size = self.op.size(self.plan.lane_loop)
        parts = sum(type_bytes(one.op.results[0].type) * self.width // size for one in turned)
        if not turned or size <= self.width or parts > self.machine.l2 // 2:
            return None
        return CacheTiling(self.op, (self._columns(self.width),), turned)

    def _in_parts(self) -> CacheTiling:
        """Cut the op into its parts."""
        turned = find_transpositions(self.op, [one.loop for one in self.parts])
        return CacheTiling(self.op, self.parts, tuple(turned), parts=True)

    def _rows_in_parts(self) -> CacheTiling | None:
        """Cut the rows so that what a part reads of the other operands stays beside two panels; None if all rows do."""
        rows, row = self.op.size(self.row), self.panel.depth * self.panel.bytes
        most = max(_LEAST_TILES * self.plan.tile[self.row], self.machine.l2 // 4 // row)
        if self.is_part or not self.batch or rows <= most or self.op.sizes[self.row] is None:
            return None
        return CacheTiling(self.op, (TileLoop(self.row, _even(rows, most), peel=True),), parts=True)

    def _packed(self) -> CacheTiling:
        """Tile the reduction loops, the rows and the lanes, and pack the panels."""
        panel, height, rows = self.panel, self.plan.tile[self.row], self.op.size(self.row)
        most = max(height, self.machine.l2 // 2 // (panel.depth * panel.bytes) // height * height)
        # Panels are packed before a loop that reads them again: with all rows in one tile there would be none.
        count = max(2, -(-rows // most))
        tile = -(-rows // (count * height)) * height
        return CacheTiling(self.op, (*panel.cuts, TileLoop(self.row, tile), self._columns(self.width)))

    _RULES = (
        (_reduces_nothing, None),
        (_reduces_in_lanes, None),
        (_falls, None),
        (_has_no_rows, _streams),
        (_has_no_panels, None),
        (_are_panels_near, _transposed),
        (_are_panels_in_place, _rows_in_parts),
        (_has_parts, _in_parts),
    )
    """The first rule that holds decides: the op gets this tiling, or stays as it is. If none holds, it is packed."""


def _places(op: Structured, operand: int, loop: int, machine: Machine) -> int:
    """Return how many lines, one for each iteration of `loop`, fit into the first cache; many for dynamic strides."""
    value = op.op.operands[operand]
    # Rows of a slice have the stride of the source's rows.
    while (extract := defining_op(value, "tensor.extract_slice")) is not None:
        source = extract.operands[0]
        if ir.RankedTensorType(source.type).rank != ir.RankedTensorType(value.type).rank:
            break
        value = source
    dimension = next((number for number, index in enumerate(op.indices[operand]) if index.loop == loop), None)
    behind = [] if dimension is None else ir.ShapedType(value.type).shape[dimension + 1 :]
    if dimension is None or ir.ShapedType.get_dynamic_size() in behind:
        return machine.l1
    return machine.l1 // gcd(prod(behind) * _element_bytes(op, operand), _WAY)


def _even(size: int, most: int) -> int:
    """Cut `size` into equal parts of at most `most`."""
    return -(-size // -(-size // most))


def _element_bytes(op: Structured, operand: int) -> int:
    return type_bytes(ir.ShapedType(op.op.operands[operand].type).element_type)


def _bytes(op: Structured, operand: int, still: Iterable[int] = ()) -> int:
    """Return the bytes of an operand that the loops access with those in `still` fixed."""
    moved = {loop for index in op.indices[operand] for loop in index.coefficients} - set(still)
    return prod(map(op.size, moved)) * _element_bytes(op, operand)
