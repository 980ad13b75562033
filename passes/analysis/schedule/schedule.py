"""Which loops of a linalg op to tile, how large, and whether to pack: from its structure and the machine.

Only an op that reads something again can gain from caches. Such an op has a *panel*: an input that is loaded for the
lanes and does not depend on the rows, so that all rows read it again. (In a matmul with columns in the lanes, the
panels are slices of the second operand.) The op stays as it is if all of that input fits into the first cache, or into
half of the second one if the rows of a panel have places of their own in the first, which those do not have that are a
power of two apart. The other half is for what passes by. If there are few rows, the second cache will do. A batch has
an input of its own in each iteration, and each is an op of its own if that has to be packed. Otherwise

* the outermost loops that reduce are cut so that a panel takes a quarter of the second cache: it stays there while all
  rows of a tile read it, and results are not read and written again more often than that needs,
* the rows are cut, about equally, so that the other operand of a tile takes half of it, into two tiles at least,
* the lanes are cut to the register tile, and panels are packed.

What is packed at a time is in the last cache while all rows read it, and there are others there: if all panels of one
part of the loop that reduces took more than a quarter of it, the lanes are cut, so that they take an eighth, and each
part is an op on its own.

Packing pays as soon as two register tiles read a panel: its rows, each a page from the next, compete for places in the
first cache, and it depends on how long they are whether it is read twice as fast or half as fast.

If an operand of an op whose rows are not cut is transposed for it alone, the lanes are cut, and each panel is
transposed when it is wanted: it comes from the cache then, not from memory.

An op without rows, or with all of them in registers, reads nothing again. (A vector times a matrix, sums of columns.)
The loops of the register tile would go down a column of vectors, and touch another page with each; so of an input
larger than the second cache a few rows at a time are read along the lanes, as streams side by side, which memory is
made for. Results are read and written again for each few rows, but those of one row stay in the first cache. There are
no more streams than it has places for, if rows compete for them.

Linear in the op; nothing is changed. Sources: the layering of loops of Goto and van de Geijn, "Anatomy of
high-performance matrix multiplication" (2008).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import gcd, prod

from mlir import ir

from ..linalg.structured_op import UNKNOWN_SIZE, Structured, type_bytes
from .machine import Machine
from .own_producers import find_transpositions
from .vector_plan import NotVectorizable, VectorPlan, plan_vectors

__all__ = ["Schedule", "TileLoop", "choose_schedule"]

_STREAMS = {"memory": 8, "last cache": 16}
"""How many rows are read side by side: more would be too many for memory to look ahead in, fewer too few sums at a
time to keep the processor busy where it has not to wait for memory."""

_WAY = 1 << 12
"""Lines this far apart have the same place in the first cache, which has as many for them as it has such parts."""

_FEW_TILES = 8
"""Fewer register tiles than these are done with a panel before it pays to have packed it in the second cache."""


@dataclass(frozen=True)
class TileLoop:
    """A loop that is tiled: its number, the size of a tile, and whether the last, smaller tile is peeled off.

    If less than `least` is left to be peeled off, it is joined with the tile before.
    """

    loop: int
    size: int
    peel: bool = False
    least: int = 1

    def __str__(self) -> str:
        return f"loop d{self.loop} by {self.size}"


@dataclass(frozen=True)
class Schedule:
    """How an op is tiled, outermost loop first, before its slices are packed and what is inside is vectorized.

    `producers` are computed in the tiles, for the op only. The tiles are `parts` if each has a schedule of its own.
    """

    structured: Structured
    loops: tuple[TileLoop, ...]
    producers: tuple[Structured, ...] = ()
    parts: bool = False


def choose_schedule(op: ir.Operation, machine: Machine, *, part: bool = False) -> Schedule | None:
    """Return how to tile linalg op `op`, or None if it stays as it is: too small, or of no kind described above.

    A `part` of an op is not cut into parts again. Loops that reduce are cut from the outermost one on, each by one
    iteration but for the last, so that the order of a sum is that of the op.
    """
    try:
        plan = plan_vectors(op, machine)
    except NotVectorizable:
        return None
    if plan.combiner is not None or not plan.reductions:
        return None
    structured = plan.structured
    if structured.falling:
        return None
    rows = [loop for loop in plan.tile if loop != plan.lane_loop]
    if not rows or _size(structured, rows[0]) <= plan.tile[rows[0]]:
        loops = _streams(plan, machine)
        return Schedule(structured, loops) if loops else None
    panels = [
        operand
        for operand in range(structured.inputs)
        if structured.is_contiguous(operand, plan.lane_loop)
        and not structured.depends(operand, rows[0])
        and any(structured.depends(operand, loop) for loop in plan.reductions)
    ]
    if not panels:
        return None
    batch = _batch(plan, panels)
    is_near = all(_is_near(plan, operand, rows[0], batch, machine) for operand in panels)
    if is_near:
        return _turned(plan, machine)
    cut = () if part else _parts(plan, panels[0], batch, machine)
    if cut:
        turned = find_transpositions(structured, [one.loop for one in cut])
        return Schedule(structured, cut, tuple(turned), parts=True)
    return Schedule(structured, _loops(plan, panels[0], rows[0], machine))


def _turned(plan: VectorPlan, machine: Machine) -> Schedule | None:
    """Return by how much to tile the lanes, and which transpositions to do for each tile; None if there are none."""
    structured = plan.structured
    width = plan.tile[plan.lane_loop] * plan.lanes
    size = _size(structured, plan.lane_loop)
    turned = tuple(find_transpositions(structured, (plan.lane_loop,)))
    parts = sum(type_bytes(one.op.results[0].type) * width // size for one in turned)
    if not turned or size <= width or parts > machine.l2 // 2:
        return None
    return Schedule(structured, (_columns(plan, width),), turned)


def _streams(plan: VectorPlan, machine: Machine) -> tuple[TileLoop, ...]:
    """Return the loop to tile for streams; none if what is read along the lanes is in the cache, or has few rows."""
    structured = plan.structured
    longest = max(plan.reductions, key=lambda loop: _size(structured, loop))
    operands = [
        operand
        for operand in range(structured.inputs)
        if structured.is_contiguous(operand, plan.lane_loop) and structured.depends(operand, longest)
    ]
    read = max((_bytes(structured, operand) for operand in operands), default=0)
    streams = _STREAMS["memory" if read > machine.l3 else "last cache"]
    places = min((_places(structured, operand, longest, machine) for operand in operands), default=streams)
    while streams > max(1, places):
        streams //= 2
    if read <= machine.l2 or _size(structured, longest) <= streams:
        return ()
    before = plan.reductions[: plan.reductions.index(longest)]
    return (*(TileLoop(loop, 1) for loop in before), TileLoop(longest, streams, peel=True))


def _places(structured: Structured, operand: int, loop: int, machine: Machine) -> int:
    """Return how many lines the first cache has places for, one in each iteration of `loop`; any if it is not known."""
    value = structured.op.operands[operand]
    places = [number for number, index in enumerate(structured.indices[operand]) if index.loop == loop]
    # Rows of a slice are as far apart as those of what it is taken from.
    while not isinstance(value.owner, ir.Block) and value.owner.name == "tensor.extract_slice":
        source = value.owner.operands[0]
        if ir.RankedTensorType(source.type).rank != ir.RankedTensorType(value.type).rank:
            break
        value = source
    behind = ir.ShapedType(value.type).shape[places[0] + 1 :] if places else []
    if not places or ir.ShapedType.get_dynamic_size() in behind:
        return machine.l1
    stride = prod(behind) * type_bytes(_element_type(structured, operand))
    return machine.l1 // gcd(stride, _WAY)


@dataclass(frozen=True)
class _Panel:
    """What all rows read again: `width` elements of `bytes` in each of `depth` iterations of the loops that reduce.

    So that a panel takes a quarter of the second cache, loops are cut as `cuts` tells: the outermost ones, since each
    element is a sum in the order of the op then, however few rows or columns a thread has.
    """

    width: int
    bytes: int
    depth: int
    cuts: tuple[TileLoop, ...]

    @staticmethod
    def of(plan: VectorPlan, operand: int, machine: Machine) -> _Panel:
        """Return what a panel of `operand` is like."""
        structured = plan.structured
        width = plan.tile[plan.lane_loop] * plan.lanes
        element = type_bytes(_element_type(structured, operand))
        most = max(1, machine.l2 // 4 // (width * element))
        depth = prod(_size(structured, loop) for loop in plan.reductions if structured.depends(operand, loop))
        cuts: list[TileLoop] = []
        for loop in plan.reductions:
            if depth <= most:
                break
            part = 1
            if structured.depends(operand, loop):
                inside = depth // _size(structured, loop)
                part = _even(_size(structured, loop), max(1, most // inside))
                depth = inside * part
            cuts.append(TileLoop(loop, part))
        return _Panel(width, element, depth, tuple(cuts))


def _is_near(plan: VectorPlan, operand: int, row: int, batch: Collection[int], machine: Machine) -> bool:
    """Tell whether all rows find an operand in the caches as it is, for each iteration of the batch."""
    structured = plan.structured
    size = _bytes(structured, operand, batch)
    if size <= machine.l1 or size > machine.l2 // 2:
        return size <= machine.l1
    longest = _longest(plan, operand)
    is_low = _size(structured, row) < _FEW_TILES * plan.tile[row]
    return is_low or _size(structured, longest) <= _places(structured, operand, longest, machine)


def _longest(plan: VectorPlan, operand: int) -> int:
    """Return the longest of the loops that reduce which an operand moves with."""
    loops = [loop for loop in plan.reductions if plan.structured.depends(operand, loop)]
    return max(loops, key=lambda loop: _size(plan.structured, loop))


def _batch(plan: VectorPlan, panels: Iterable[int]) -> list[int]:
    """Return the parallel loops besides the lanes that panels depend on: they have others in each iteration."""
    structured = plan.structured
    return [
        loop
        for loop in structured.loops
        if structured.parallel[loop]
        and loop != plan.lane_loop
        and any(structured.depends(operand, loop) for operand in panels)
    ]


def _parts(plan: VectorPlan, operand: int, batch: Iterable[int], machine: Machine) -> tuple[TileLoop, ...]:
    """Return the loops of parts: those of a batch, and the lanes if panels of one iteration take too much together."""
    panel = _Panel.of(plan, operand, machine)
    loops = tuple(TileLoop(loop, 1) for loop in batch)
    size = plan.structured.sizes[plan.lane_loop]
    lanes = _size(plan.structured, plan.lane_loop)
    if panel.depth * panel.bytes * lanes <= machine.l3 // 4:
        return loops
    most = max(1, machine.l3 // 8 // (panel.depth * panel.bytes * panel.width))
    part = _even(-(-lanes // panel.width), most) * panel.width
    return (*loops, _columns(plan, part, peel=size is not None)) if part < lanes else loops


def _columns(plan: VectorPlan, size: int, *, peel: bool = True) -> TileLoop:
    """Return how the lanes are cut; never to one column, which would be added up in the lanes, in another order."""
    return TileLoop(plan.lane_loop, size, peel, least=2)


def _loops(plan: VectorPlan, operand: int, row: int, machine: Machine) -> tuple[TileLoop, ...]:
    """Return the loops to tile, for panels that are not in the cache anyway."""
    structured = plan.structured
    panel = _Panel.of(plan, operand, machine)
    height = plan.tile[row]
    most = max(height, machine.l2 // 2 // (panel.depth * panel.bytes) // height * height)
    # Panels are packed in front of a loop that reads them again: with all rows in one tile there would be none.
    count = max(2, -(-_size(structured, row) // most))
    rows = -(-_size(structured, row) // (count * height)) * height
    return (*panel.cuts, TileLoop(row, rows), _columns(plan, panel.width))


def _even(size: int, most: int) -> int:
    """Cut `size` into equal parts of at most `most`."""
    return -(-size // -(-size // most))


def _size(structured: Structured, loop: int) -> int:
    size = structured.sizes[loop]
    return UNKNOWN_SIZE if size is None else size


def _element_type(structured: Structured, operand: int) -> ir.Type:
    return ir.ShapedType(structured.op.operands[operand].type).element_type


def _bytes(structured: Structured, operand: int, still: Iterable[int] = ()) -> int:
    """Return how large an operand is, from the loops that move in it while those that are `still` do not."""
    moved = {loop for index in structured.indices[operand] for loop in index.coefficients} - set(still)
    return prod(_size(structured, loop) for loop in moved) * type_bytes(_element_type(structured, operand))
