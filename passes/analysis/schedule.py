"""Which loops of a linalg op to tile, how large, and whether to pack: from its structure and the machine.

Only an op that reads something again can gain from caches. Such an op has a *panel*: an input that is loaded for the
lanes and does not depend on the rows, so that all rows read it again. (In a matmul with columns in the lanes, the
panels are slices of the second operand.) If all of that input fits into the second cache, the op stays as it is.
Otherwise

* the longest loop that reduces is cut so that a panel takes a quarter of the second cache: it stays there while all
  rows of a tile read it, and results are not read and written again more often than that needs,
* the rows are cut so that the other operand of a tile takes half of it,
* the lanes are cut to the register tile, and panels are packed.

Where one tile has all rows, only the loop that reduces is cut: the loops of the register tile go through a panel with
all of its rows then, and nobody else reads it, so that packing it would cost more than it brings.

Linear in the op; nothing is changed. Sources: the layering of loops of Goto and van de Geijn, "Anatomy of
high-performance matrix multiplication" (2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlir import ir

from .machine import Machine
from .structured_op import UNKNOWN_SIZE, Structured, type_bytes
from .vector_plan import NotVectorizable, VectorPlan, plan_vectors

__all__ = ["Schedule", "TileLoop", "choose_schedule"]


@dataclass(frozen=True)
class TileLoop:
    """A loop that is tiled: its number, the size of a tile, and whether the last, smaller tile is peeled off."""

    loop: int
    size: int
    peel: bool = False


@dataclass(frozen=True)
class Schedule:
    """How an op is tiled, outermost loop first, before its slices are packed and what is inside is vectorized."""

    structured: Structured
    loops: tuple[TileLoop, ...]


def choose_schedule(op: ir.Operation, machine: Machine) -> Schedule | None:
    """Return how to tile linalg op `op`, or None if it stays as it is: too small, or nothing of it is read again."""
    try:
        plan = plan_vectors(op, machine)
    except NotVectorizable:
        return None
    structured = plan.structured
    rows = [loop for loop in plan.tile if loop != plan.lane_loop]
    if plan.combiner is not None or not rows or not plan.reductions:
        return None
    panels = [
        operand
        for operand in range(structured.inputs)
        if structured.is_contiguous(operand, plan.lane_loop) and not structured.depends(operand, rows[0])
    ]
    if not panels or all(_bytes(structured, operand) <= machine.l2 for operand in panels):
        return None
    loops = _loops(plan, panels[0], rows[0], machine)
    return Schedule(structured, loops) if loops else None


def _loops(plan: VectorPlan, panel: int, row: int, machine: Machine) -> tuple[TileLoop, ...]:
    """Return the loops to tile; none if a panel is in the cache anyway while it is read again."""
    structured = plan.structured
    element = type_bytes(_element_type(structured, panel))
    width = plan.tile[plan.lane_loop] * plan.lanes
    reductions = [loop for loop in plan.reductions if structured.depends(panel, loop)]
    longest = max(reductions, key=lambda loop: _size(structured, loop))
    others = prod(_size(structured, loop) for loop in reductions if loop != longest)
    depth = _even(_size(structured, longest), max(1, machine.l2 // 4 // (width * element * others)))
    height = plan.tile[row]
    rows = max(height, machine.l2 // 2 // (depth * others * element) // height * height)
    outer = (TileLoop(longest, depth),) if depth < _size(structured, longest) else ()
    if _size(structured, row) <= height:
        return ()
    if rows >= _size(structured, row):
        return outer
    return (*outer, TileLoop(row, rows), TileLoop(plan.lane_loop, width, peel=True))


def _even(size: int, most: int) -> int:
    """Cut `size` into equal parts of at most `most`."""
    return -(-size // -(-size // most))


def _size(structured: Structured, loop: int) -> int:
    size = structured.sizes[loop]
    return UNKNOWN_SIZE if size is None else size


def _element_type(structured: Structured, operand: int) -> ir.Type:
    return ir.ShapedType(structured.op.operands[operand].type).element_type


def _bytes(structured: Structured, operand: int) -> int:
    """Return how large an operand is, from the loops that move in it."""
    moved = {loop for index in structured.indices[operand] for loop in index.coefficients}
    return prod(_size(structured, loop) for loop in moved) * type_bytes(_element_type(structured, operand))
