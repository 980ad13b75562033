"""The vectorization of a linalg op: its lane loop, and its register tile.

The lane loop is the one along which most operands are contiguous. If it is parallel, each lane computes a separate
element. If it reduces, each lane has a partial result, and the lanes are combined at the end; then the combiner of the
payload must be one associative op, or the payload chooses elements in any order, as an argmax does.

The register tile keeps accumulators in registers while the reduction loops run. It has several vectors along the lane
loop, and several rows of another loop (`rows`) that share loads; more rows where loaded elements have to be widened.

A product of matrices whose rows are two or three vectors takes as many rows as there are registers for, if their number
is known (what is left of an unknown number is computed row by row).

Where the rows along the lanes are one or two vectors, and many pixels share them, as they do packed weights of a
convolution, the tile takes almost all registers, with rows of two loops: an image of 7 x 7 pixels has 14 rows then.

If no loop reduces, the tile is two vectors, or four if the payload has a polynomial: the ops of one vector are a
dependence chain, and those of the other vectors hide its latency. Where an op waits for memory and the machine loads no
whole vector at once, vectors are what it loads: a cache line in two steps is there sooner.

If no loop reduces and an input is contiguous along another loop than the lanes, the tile is a square: as many rows of
that loop (`turned`) as a vector has lanes, which are loaded along it and transposed in registers. A gather would cost a
load and an insertion for each element. Where a cache line is wider than a vector, enough squares lie side by side to
write whole lines: otherwise the line is evicted before the rest of it is written.

Elements a few steps apart, as a convolution with a stride reads them, are shuffled out of as many vectors as a step has
elements (`is_strided`).

An op that cannot be vectorized says why (`NotVectorizable`). Linear in the op; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir

from ....dialects.support.element_sizes import element_bytes
from ....dialects.support.frozen_classes import frozen
from ..linalg.element_choices import Choice, find_choice
from ..linalg.products import is_sum_of_products
from ..linalg.structured_op import NotStructured, Structured, read_structured, type_bytes
from ..linalg.vector_payload import find_combiner, has_short_polynomial, reads_rows, waits_for_memory, why_not_lanewise
from .machine import Machine

__all__ = ["NotVectorizable", "VectorPlan", "find_plan", "is_strided", "is_tall", "loads_along", "plan_vectors"]

_MOST_STEPS = 4
"""Elements further apart are gathered: shuffling them out of more vectors saves little."""

_FEW_VECTORS = 2
"""Rows of so many vectors are short: a tile may have many of them."""

_WIDE = 4
"""The most vectors in a row of a tile that has rows."""

_LINE_BITS = 64 * 8
"""The bits of a cache line."""


class NotVectorizable(Exception):
    """The reason why an op is not vectorized: a phrase that follows "because"."""


@frozen
class VectorPlan:
    """How an op becomes loops around vector ops.

    Attributes:
        structured: the op.
        lane_loop: the loop that runs in the lanes.
        lanes: how many lanes a vector has.
        tile: for each loop of the register tile the number of vectors (the lane loop) or rows.
        parallel: the parallel loops, outermost first.
        reductions: the loops that reduce, outermost first.
        combiner: the op that combines lanes, if the lane loop reduces.
        turned: the loop along which inputs are loaded and then transposed in registers, if any.
        choice: how lanes are combined, if the lane loop reduces and there is no `combiner`.
    """

    structured: Structured
    lane_loop: int
    lanes: int
    tile: Mapping[int, int]
    parallel: tuple[int, ...]
    reductions: tuple[int, ...]
    combiner: ir.Operation | None
    turned: int | None = None
    choice: Choice | None = None

    @property
    def reduces_in_lanes(self) -> bool:
        """Whether lanes are partial results, which are combined at the end."""
        return not self.structured.parallel[self.lane_loop]


def plan_vectors(op: ir.Operation, machine: Machine) -> VectorPlan:
    """Return the vectorization of linalg op `op` for `machine`.

    Raises:
        NotVectorizable: the op cannot be vectorized.
    """
    try:
        structured = read_structured(op)
    except NotStructured as reason:
        raise NotVectorizable(str(reason)) from None
    bits = _element_bits(structured)
    problem = why_not_lanewise(structured)
    if problem:
        raise NotVectorizable(problem)
    lanes = machine.lanes(bits)
    lane_loop = _choose_lane_loop(structured, lanes)
    if waits_for_memory(structured, lane_loop):
        lanes = min(lanes, max(1, machine.load_bits // bits))
    turned = _turned_loop(structured, lane_loop, lanes)
    if turned is None:
        tile = _choose_tile(structured, lane_loop, lanes, machine.registers)
    else:
        lanes = _side(lanes, machine.registers)
        tile = {lane_loop: _squares(structured.sizes[lane_loop], lanes, bits), turned: lanes}
    rows = [loop for loop in tile if loop != lane_loop]
    outer = [loop for loop in structured.parallel_loops if loop not in tile]
    inner, combiner, choice = [lane_loop, *rows], None, None
    reductions = [loop for loop in structured.reduction_loops if loop != lane_loop]
    if not structured.parallel[lane_loop]:
        reductions.append(lane_loop)
        inner, combiner = rows, find_combiner(structured)
        choice = find_choice(structured) if combiner is None else None
    parallel = (*outer, *inner)
    return VectorPlan(structured, lane_loop, lanes, tile, parallel, tuple(reductions), combiner, turned, choice)


def find_plan(op: ir.Operation, machine: Machine) -> VectorPlan | None:
    """`plan_vectors`, with None in place of the exception."""
    try:
        return plan_vectors(op, machine)
    except NotVectorizable:
        return None


def _element_bits(structured: Structured) -> int:
    """Return the bits of the widest element; raises for elements whose vectors have another memory layout."""
    widest = 8
    for value in structured.op.operands:
        type_ = ir.ShapedType(value.type).element_type if isinstance(value.type, ir.ShapedType) else value.type
        if isinstance(type_, ir.IndexType):
            widest = max(widest, 64)
        elif isinstance(type_, ir.IntegerType | ir.FloatType) and type_.width == 8 * element_bytes(type_):
            widest = max(widest, type_.width)  # Neither vector lanes nor these elements have padding in memory.
        else:
            raise NotVectorizable(f"elements of type {type_} have another layout in a vector")
    return widest


def _choose_lane_loop(structured: Structured, lanes: int) -> int:
    """Return the lane loop with the lowest cost for each element, counted in loads."""
    costs = {loop: _cost(structured, loop, lanes) for loop in structured.loops}
    possible = {loop: cost for loop, cost in costs.items() if cost is not None}
    if not possible:
        raise NotVectorizable("no loop writes, or combines, contiguous elements, and reads such")
    return min(possible, key=lambda loop: (possible[loop], not structured.parallel[loop], -loop))


def _cost(structured: Structured, loop: int, lanes: int) -> float | None:
    """Return the cost of an element with `loop` in the lanes; None if that is not possible."""
    if structured.parallel[loop]:
        if not all(structured.is_contiguous(operand, loop) for operand in structured.outputs):
            return None
    elif find_combiner(structured) is None and find_choice(structured) is None:
        return None
    if not reads_rows(structured, loop):
        return None
    along = structured.read_along(loop)
    cost = 1.0 + sum(loads_along(structured, operand, loop, lanes) for operand in along)
    size = structured.sizes[loop]
    return cost / (lanes if size is None else max(1, min(size, lanes)))


def is_strided(structured: Structured, operand: int, loop: int, lanes: int) -> bool:
    """Return whether a vector of `operand` along `loop` is shuffled out of vectors of adjacent elements."""
    return 1 < structured.step(operand, loop) <= min(_MOST_STEPS, lanes - 1)


def loads_along(structured: Structured, operand: int, loop: int, lanes: int) -> int:
    """Return the cost of reading a vector of `operand` along `loop`, in loads; a shuffle costs as much as one."""
    step = structured.step(operand, loop)
    return 1 if step == 1 else 2 * step - 1 if is_strided(structured, operand, loop, lanes) else lanes


def _turned_loop(structured: Structured, lane_loop: int, lanes: int) -> int | None:
    """Return the loop along which most inputs that the lane loop would gather are contiguous."""
    if not all(structured.parallel) or lanes == 1:
        return None
    along = structured.gathered_along(lane_loop)
    gathered = [operand for operand in along if not is_strided(structured, operand, lane_loop, lanes)]
    ways = [loop for operand in gathered for loop in structured.loops if structured.is_contiguous(operand, loop)]
    return max(ways, key=ways.count, default=None)


def _side(lanes: int, registers: int) -> int:
    """Return the side of a square: a power of two, with registers for it and its transpose."""
    return 1 << min(lanes, max(2, registers // 2)).bit_length() - 1


def _squares(size: int | None, lanes: int, bits: int) -> int:
    """Return how many squares are side by side, so that whole cache lines are written."""
    most = _LINE_BITS // (lanes * bits)
    return max(1, most if size is None else min(most, -(-size // lanes)))


def _choose_tile(structured: Structured, lane_loop: int, lanes: int, registers: int) -> dict[int, int]:
    """Return the register tile: how many accumulators, in which loops."""
    rows = _row_loops(structured, lane_loop)
    size = structured.sizes[lane_loop]
    most = registers if size is None else max(1, -(-size // lanes))
    if all(structured.parallel):
        return {lane_loop: min(4 if has_short_polynomial(structured) else 2, most)}
    # Widening costs more than the load: more rows share it.
    budget = registers * 3 // 4 if _widens(structured, lane_loop) else registers // 2
    if structured.parallel[lane_loop]:
        vectors = min(4 if rows and registers >= 32 else 2 if rows else 4, most)
        tile = {lane_loop: vectors}
        if registers >= 32 and vectors <= _FEW_VECTORS and _shares_short_rows(structured, lane_loop):
            return tile | _tall(structured, lane_loop, (registers - vectors - 2) // vectors)
        if rows:
            wanted = budget // vectors if registers >= 32 else (registers - 4) // vectors
            if registers >= 32 and is_sum_of_products(structured):
                wanted = max(wanted, _rows_of_product(structured, lane_loop, rows[0], vectors, registers))
            tile[rows[0]] = _at_most(structured.sizes[rows[0]], max(1, wanted))
        return tile
    tile = {lane_loop: 1 if len(rows) > 1 else min(2 if rows else 4, most)}
    for loop in rows:
        tile[loop] = _at_most(structured.sizes[loop], 4 if registers >= 32 or len(rows) == 1 else 2)
    return tile


def _rows_of_product(structured: Structured, lane_loop: int, loop: int, vectors: int, registers: int) -> int:
    """Return how many rows of a product share the vectors of a row of weights, 0 for no more than elsewhere.

    In a depthwise convolution each row has vectors of its own, too.

    There is a register for each vector of the row, and one for an element of the other input. Steps are equal: a last
    one of few rows would read all weights again for these. Of four vectors, six rows were 5 % faster on one thread, but
    half as fast on two, where what is left of a thread's rows went one by one; and models took a quarter longer to
    compile.
    """
    most, size = (registers - vectors - 1) // vectors, structured.sizes[loop]
    alone = structured.depends(0, lane_loop) != structured.depends(1, lane_loop)
    if vectors in (1, _WIDE) or not alone or size is None:
        return 0
    return -(-size // -(-size // most))


def is_tall(plan: VectorPlan) -> bool:
    """Return whether the register tile has whole rows of the inputs along the lanes, and as many rows as it can."""
    width = plan.tile[plan.lane_loop] * plan.lanes
    is_whole = (plan.structured.sizes[plan.lane_loop] or width + 1) <= width
    return (
        is_whole
        and plan.tile[plan.lane_loop] <= _FEW_VECTORS
        and not plan.reduces_in_lanes
        and _shares_short_rows(plan.structured, plan.lane_loop)
    )


def _shares_short_rows(structured: Structured, lane_loop: int) -> bool:
    """Whether inputs along the lanes have rows of that loop only, and images share them: windows, or pixels of a plane.

    Weights of a convolution that are packed in blocks of filters are such.
    """
    along = structured.read_along(lane_loop)
    shapes = [ir.ShapedType(structured.op.operands[operand].type).shape for operand in along]
    rows = _row_loops(structured, lane_loop, len(structured.loops))
    others = [operand for operand in range(structured.inputs) if operand not in along]
    windows = any(len(index.coefficients) > 1 for operand in others for index in structured.indices[operand])
    is_short = all(shape[-1] == structured.sizes[lane_loop] for shape in shapes)
    return is_short and bool(rows) and (windows or len(rows) > 1)


def _tall(structured: Structured, lane_loop: int, most: int) -> dict[int, int]:
    """Return up to two loops of rows, with as many rows as there are registers for, in equal steps.

    With few vectors in a row each step loads little, and is repeated for many rows.
    """
    tile: dict[int, int] = {}
    sizes = structured.sizes
    for loop in sorted(_row_loops(structured, lane_loop, 2), key=lambda loop: -(sizes[loop] or 1 << 30)):
        size = sizes[loop]
        tile[loop] = most if size is None else -(-size // -(-size // most))
        most //= tile[loop]
        if most < 2:
            break
    return tile


def _widens(structured: Structured, lane_loop: int) -> bool:
    """Whether an input that is loaded along the lanes has narrower elements than the computation."""
    types = [value.type for value in structured.op.operands]
    sizes = [type_bytes(one.element_type) if isinstance(one, ir.ShapedType) else 0 for one in types]
    return any(sizes[operand] < max(sizes) for operand in structured.read_along(lane_loop))


def _at_most(size: int | None, wanted: int) -> int:
    return wanted if size is None else max(1, min(size, wanted))


def _row_loops(structured: Structured, lane_loop: int, most: int = 0) -> list[int]:
    """Return up to `most` parallel loops whose iterations can share loads along the lanes.

    Longest loops first; unknown sizes count as long.
    """
    loaded = structured.read_along(lane_loop)
    found = [
        loop
        for loop in structured.parallel_loops
        if loop != lane_loop
        and structured.sizes[loop] != 1
        and any(not structured.depends(operand, loop) for operand in loaded)
    ]
    longest = sorted(found, key=lambda loop: (structured.sizes[loop] or 1 << 30, loop), reverse=True)
    return sorted(longest[: most or (1 if structured.parallel[lane_loop] else 2)])
