"""Operands of a linalg op to transpose beforehand, so that each lane of a vector computes a separate result.

In `c[i, j] += a[i, k] * b[j, k]` both inputs are contiguous along `k`, the reduction loop. With `k` in the lanes, each
result needs a sum over its lanes, and each multiplication a load. With `j` in the lanes neither is needed, but `b` has
to be contiguous along `j`. Transposing it pays if enough rows `i` reuse it.

The other way round, a product with few columns has most of its lanes empty if `j` is in the lanes. With `k` in the
lanes they are full; that requires a transposition of the matrix with few columns, which is small.

Costs are counted in vector instructions, where `L` is the number of lanes:

* as it is, reduced in the lanes: for each result `depth / L` steps and `2 log2(L)` instructions to combine lanes;
* as it is, with gathered lanes: for each vector of results `depth` steps;
* a step costs 1, and an eighth for each vector that it loads; a gathered vector is `2 L` loads, and one with a
  small step `s` is `2 s - 1`. (An eighth, since a
  load takes half as long as a multiplication, and four rows share it.)
* an eighth more for each broadcast element that is *far*, as in `c[i, j] += a[k, i] * b[k, j]`: each step reads from
  another cache line, and these are more lines than the first cache keeps until the next rows read them;
* transposed: for each vector of results `depth`, and for each vector of a transposed operand a load, a store, and
  `log2(L)` shuffles;
* transposed and reduced in the lanes: the cost of the reduction, and the cost of transposing.

The choice does not depend on the number of threads, since ops are distributed only later: so the order of summation is
the same for any number of threads.

Linear in the op; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ..linalg.structured_op import NotStructured, Structured, read_structured
from ..linalg.vector_payload import find_combiner
from ..repetition.bodies import BodyReader, NotShared
from .machine import Machine
from .vector_plan import VectorPlan, find_plan, loads_along

__all__ = ["LOAD_COST", "Transposition", "TranspositionFinder", "cost_as_it_is", "rounds"]

_UNKNOWN = 1 << 10
"""The size assumed for a dynamic one."""
LOAD_COST = 1 / 8
"""The cost of a load that several rows share, in vector instructions."""
_LINE = 64
"""The bytes of a line of the cache."""


@frozen
class Transposition:
    """Operands to transpose: for each of `operands` its dimensions in their new order."""

    structured: Structured
    operands: dict[int, tuple[int, ...]]


class TranspositionFinder:
    """Finds operands to transpose for one machine; memoized for equal ops, none of which may change meanwhile."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._reader = BodyReader()
        self._orders: dict[int, dict[int, tuple[int, ...]]] = {}

    def find(self, op: ir.Operation) -> Transposition | None:
        """Return which operands of linalg op `op` to transpose, None if none can be or it does not pay."""
        try:
            structured = read_structured(op)
            if all(structured.parallel):
                return None
            key, _ = self._reader.read((op,))
        except (NotStructured, NotShared):
            return None
        if key not in self._orders:
            self._orders[key] = _find_orders(op, self._machine)
        return Transposition(structured, self._orders[key]) if self._orders[key] else None


def _find_orders(op: ir.Operation, machine: Machine) -> dict[int, tuple[int, ...]]:
    """Return the orders of the operands to transpose; none if that is not possible or does not pay."""
    plan = find_plan(op, machine)
    if plan is None:
        return {}
    structured = plan.structured
    far = _far(plan, machine)
    ways = [
        (loop, _turned(structured, loop, far if loop == plan.lane_loop else {})) for loop in _lane_loops(structured)
    ]
    costs = {number: _cost_transposed(plan, loop, list(turned)) for number, (loop, turned) in enumerate(ways) if turned}
    best = min(costs, key=costs.__getitem__, default=None)
    if best is None or costs[best] >= cost_as_it_is(plan, len(far)):
        return {}
    return ways[best][1]


def _lane_loops(structured: Structured) -> list[int]:
    """Return the possible lane loops: one along which all outputs are contiguous, and the reduction loops."""
    found = [
        loop
        for loop in structured.parallel_loops
        if all(structured.is_contiguous(operand, loop) for operand in structured.outputs)
    ]
    return found[:1] if find_combiner(structured) is None else [*found[:1], *structured.reduction_loops]


def _far(plan: VectorPlan, machine: Machine) -> dict[int, tuple[int, ...]]:
    """Return the orders for broadcast operands that each step reads from another cache line."""
    structured, steps = plan.structured, plan.reductions[-1]
    if plan.reduces_in_lanes or _size(structured, steps) * _LINE <= machine.l1 // 2:
        return {}
    found = {
        operand: _order(structured, operand, steps)
        for operand in structured.read_along(steps)
        if not structured.depends(operand, plan.lane_loop)
        and any(structured.is_contiguous(operand, loop) for loop in plan.parallel)
    }
    return {operand: order for operand, order in found.items() if order is not None}


def _turned(structured: Structured, lane_loop: int, far: Mapping[int, tuple[int, ...]]) -> dict[int, tuple[int, ...]]:
    """Return the orders of the operands that have to be transposed for the lanes; none if that is not possible.

    Those that are `far` are transposed as well.
    """
    orders = {operand: _order(structured, operand, lane_loop) for operand in structured.gathered_along(lane_loop)}
    known = {operand: order for operand, order in orders.items() if order is not None}
    return {**far, **known} if len(known) == len(orders) else {}


def _order(structured: Structured, operand: int, last: int) -> tuple[int, ...] | None:
    """Return the dimensions of an operand with that of loop `last` at the end; None if an index is not one loop."""
    loops = [index.loop for index in structured.indices[operand]]
    if None in loops or len(set(loops)) < len(loops):
        return None
    end = loops.index(last)
    return (*(dimension for dimension in range(len(loops)) if dimension != end), end)


def _size(structured: Structured, loop: int) -> int:
    return structured.size(loop, _UNKNOWN)


def cost_as_it_is(plan: VectorPlan, far: int = 0) -> float:
    """Return the cost of the op as it is, with `far` operands that are far."""
    structured, lanes = plan.structured, plan.lanes
    steps = prod(_size(structured, loop) for loop in structured.loops if loop != plan.lane_loop)
    steps *= -(-_size(structured, plan.lane_loop) // lanes)
    along = structured.read_along(plan.lane_loop)
    loads = far
    for operand in along:
        one = loads_along(structured, operand, plan.lane_loop, lanes)
        loads += 2 * lanes if one == lanes > 1 else one
    cost = steps * (1 + LOAD_COST * loads)
    if plan.reduces_in_lanes:
        cost += _results(structured) * 2 * rounds(lanes)
    return cost


def _cost_transposed(plan: VectorPlan, lane_loop: int, turned: list[int]) -> float:
    """Return the cost with `lane_loop` in the lanes, and the operands `turned` transposed beforehand."""
    structured, lanes = plan.structured, plan.lanes
    cost: float = prod(_size(structured, loop) for loop in structured.loops if loop != lane_loop)
    cost *= -(-_size(structured, lane_loop) // lanes)
    if not structured.parallel[lane_loop]:
        loads = len(structured.read_along(lane_loop))
        cost = cost * (1 + LOAD_COST * loads) + _results(structured) * 2 * rounds(lanes)
    for operand in turned:
        loops = [index.loop for index in structured.indices[operand] if index.loop is not None]
        cost += prod(_size(structured, loop) for loop in loops) // lanes * (2 + rounds(lanes))
    return cost


def _results(structured: Structured) -> int:
    return prod(_size(structured, loop) for loop in structured.parallel_loops)


def rounds(lanes: int) -> int:
    """Return how many halvings make one lane of `lanes`."""
    return (lanes - 1).bit_length()
