"""The payload of a linalg op on vectors: each op works on all lanes, or on a scalar where all lanes are the same.

Several vectors are computed in lockstep, each op of the payload for all of them before the next: while one waits for
its last result, the processor computes the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from mlir import ir
from mlir.dialects import arith, math, tensor, vector

from ....dialects.support.cloning import attributes_of
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen, record
from ...analysis.linalg.structured_op import type_bytes
from .iterations import compared, narrowed

__all__ = [
    "Lanes",
    "Shared",
    "broadcast",
    "build_op",
    "compute_values",
    "last_dimension",
    "padding",
    "run_payload",
    "transpose_square",
    "vector_type",
]

Quotients = dict[ir.Value, tuple[ir.Value, ir.Value]]
"""For a divisor a power of two, and the reciprocal of their product: a dividend is multiplied by both in turn."""


@record
class Shared:
    """Values of a payload that are known before the lanes are run, and how to divide by some of them."""

    values: dict[ir.Value, ir.Value] = field(default_factory=dict[ir.Value, ir.Value])
    quotients: Quotients = field(default_factory=dict[ir.Value, tuple[ir.Value, ir.Value]])


@frozen
class Lanes:
    """One vector that a payload is run for.

    Attributes:
        elements: scalars or vectors for the arguments of the payload.
        index: gives the number of an iteration in a loop.
        shared: the values that are built already.
        masked: whether some lanes are beyond the end of the loop.
    """

    elements: Sequence[ir.Value | None]
    index: Callable[[int], ir.Value]
    shared: Shared = field(default_factory=Shared)
    masked: bool = False


_FUSED = frozenset({"f32", "f64"})
_GROUP_BYTES = 16
"""Shuffles inside groups of this many bytes are fast: whole registers, or the lanes that registers consist of."""


def vector_type(element: ir.Type, lanes: int) -> ir.VectorType:
    """Return the type of `lanes` elements."""
    return ir.VectorType.get([lanes], element)


def broadcast(value: ir.Value, lanes: int) -> ir.Value:
    """Broadcast `value` to all lanes; a vector stays as it is."""
    if isinstance(value.type, ir.VectorType):
        return value
    return vector.broadcast(vector_type(value.type, lanes), value)


def transpose_square(rows: Sequence[ir.Value]) -> list[ir.Value]:
    """Return the columns of a square of as many vectors as each has lanes, a power of two.

    The bits of `i` and `j` are the position of element `j` of row `i`; they must be swapped. Each round joins pairs of
    vectors whose numbers differ in one bit. Inside of groups of 16 bytes their lanes are interleaved: the bit becomes
    the lowest of the lane, and gets the highest that a lane has inside of its group. When no bit of these is left,
    groups are taken apart, those of even numbers from those of odd ones: the bit becomes the highest of the lane, and
    gets the lowest of the group. n log n shuffles, each of which is one instruction where vectors consist of such
    groups; lanes that cross them would be two.
    """
    vectors: list[ir.Value] = list(rows)
    side = len(vectors)
    group = min(side, max(1, _GROUP_BYTES // type_bytes(ir.VectorType(vectors[0].type).element_type)))
    inside = [1 << bit for bit in reversed(range(group.bit_length() - 1))]
    across = [1 << bit for bit in range(group.bit_length() - 1, side.bit_length() - 1)]
    groups = range(0, side, group)
    both = range(0, 2 * side, 2 * group)
    for distance in (*inside, *across):
        if distance < group:
            low = [first + lane + half for first in groups for lane in range(group // 2) for half in (0, side)]
            high = [lane + group // 2 for lane in low]
        else:
            low = [first + lane for first in both for lane in range(group)]
            high = [lane + group for lane in low]
        for number in (one for one in range(side) if not one & distance):
            pair = vectors[number], vectors[number + distance]
            vectors[number], vectors[number + distance] = (vector.shuffle(*pair, mask) for mask in (low, high))
    return vectors


def run_payload(block: ir.Block, vectors: Sequence[Lanes], lanes: int) -> list[list[ir.Value]]:
    """Build `block` for `vectors` of `lanes` in lockstep; return what it yields for each."""
    *_, terminator = block.operations
    return compute_values(block, vectors, lanes, list(terminator.operation.operands))


def compute_values(
    block: ir.Block, vectors: Sequence[Lanes], lanes: int, wanted: Sequence[ir.Value]
) -> list[list[ir.Value]]:
    """Build `block` for `vectors` of `lanes` in lockstep; return its `wanted` values for each.

    Linear in the block, for each vector.
    """
    known: list[dict[ir.Value, ir.Value]] = []
    for one in vectors:
        arguments = zip(block.arguments, one.elements, strict=True)
        known.append({argument: element for argument, element in arguments if element is not None} | one.shared.values)
    *operations, _ = (op.operation for op in block.operations)
    for op in operations:
        for one, values in zip(vectors, known, strict=True):
            value = None if op.results[0] in values else _build_one(op, values, one, lanes)
            if value is not None:
                values[op.results[0]] = value
    return [[values.get(value, value) for value in wanted] for values in known]


def _build_one(op: ir.Operation, known: Mapping[ir.Value, ir.Value], one: Lanes, lanes: int) -> ir.Value | None:
    if op.name == "linalg.index":
        return one.index(ir.IntegerAttr(op.attributes["dim"]).value)
    if op.name == "tensor.extract":
        return _extracted(op, known, one, lanes)
    return _quotient(op, known, one.shared.quotients, lanes) or build_op(op, known, lanes)


def _extracted(op: ir.Operation, known: Mapping[ir.Value, ir.Value], one: Lanes, lanes: int) -> ir.Value:
    """Build the read of elements side by side, or of one for all lanes."""
    source, *indices = (known.get(value, value) for value in op.operands)
    if not any(isinstance(index.type, ir.VectorType) for index in indices):
        return tensor.extract(source, indices)
    *others, last = indices
    type_ = vector_type(op.results[0].type, lanes)
    at = [*others, vector.extract(last, [], [0])]
    return vector.transfer_read(type_, source, at, last_dimension(len(at)), padding(type_), [not one.masked])


def last_dimension(rank: int) -> ir.AffineMapAttr:
    """Return the map of a transfer along the last of `rank` dimensions."""
    return ir.AffineMapAttr.get(ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(rank - 1)]))


def padding(type_: ir.VectorType) -> ir.Value:
    """Build the zero that pads a masked read."""
    return arith.constant(type_.element_type, 0.0 if isinstance(type_.element_type, ir.FloatType) else 0)


def build_op(op: ir.Operation, known: Mapping[ir.Value, ir.Value], lanes: int) -> ir.Value | None:
    """Build `op` of a payload on `known` values, as a scalar if all of them are; None if it is built with its user.

    That is a product whose only use is an addition: fused with that, it rounds once instead of twice.
    """
    if _is_fused_later(op):
        return None
    return _fused(op, known, lanes) or compared(op, known) or narrowed(op, known) or _clone(op, known, lanes)


def _quotient(
    op: ir.Operation, known: Mapping[ir.Value, ir.Value], quotients: Quotients, lanes: int
) -> ir.Value | None:
    """Build the quotient if `op` divides by a value that all lanes share."""
    if op.name != "arith.divf":
        return None
    found = quotients.get(known.get(op.operands[1], op.operands[1]))
    if found is None:
        return None
    dividend = broadcast(known.get(op.operands[0], op.operands[0]), lanes)
    scale, reciprocal = (broadcast(value, lanes) for value in found)
    return arith.mulf(arith.mulf(dividend, scale), reciprocal)


def _clone(op: ir.Operation, known: Mapping[ir.Value, ir.Value], lanes: int) -> ir.Value:
    operands = [known.get(value, value) for value in op.operands]
    type_ = op.results[0].type
    if any(isinstance(value.type, ir.VectorType) for value in operands):
        operands = [broadcast(value, lanes) for value in operands]
        type_ = vector_type(type_, lanes)
    return ir.Operation.create(op.name, results=[type_], operands=operands, attributes=attributes_of(op)).result


def _fused(op: ir.Operation, known: Mapping[ir.Value, ir.Value], lanes: int) -> ir.Value | None:
    """Build a fused multiplication and addition if `op` adds a product that has no other user."""
    if op.name != "arith.addf":
        return None
    for product, other in (tuple(op.operands), tuple(op.operands)[::-1]):
        multiplication = defining_op(product)
        if multiplication is None or not _is_fused_later(multiplication):
            continue
        left, right = (known.get(value, value) for value in multiplication.operands)
        parts = [left, right, known.get(other, other)]
        if not any(isinstance(part.type, ir.VectorType) for part in parts):
            return math.fma(*parts)
        return vector.fma(*(broadcast(part, lanes) for part in parts))
    return None


def _is_fused_later(op: ir.Operation) -> bool:
    """Whether `op` is a product whose one use is an addition that `_fused` builds with it."""
    if op.name != "arith.mulf" or str(op.results[0].type) not in _FUSED:
        return False
    uses = list(op.results[0].uses)
    if len(uses) != 1 or uses[0].owner.name != "arith.addf":
        return False
    products = (defining_op(value, "arith.mulf") for value in uses[0].owner.operands if len(list(value.uses)) == 1)
    return next(product for product in products if product is not None) == op
