"""Messages between two ranks, and the parts of buffers that they carry.

A message is a memref of any layout; `inplace-pack-messages` packs those whose elements do not lie side by side, when it
is known what does. Sending and receiving are one function, so that ranks that exchange elements need no order.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from mlir.dialects import arith, memref

from ..bufferizable import Subset
from ..structured import extent, size_value
from ..subsets import subview
from ..support.defining_ops import defining_op
from ..support.index_math import Number, add, as_value
from ..support.memref_types import dynamic_layout_type, identity_type
from ..support.mpi_names import NOBODY, OVERWRITES, send_receive_name
from .grids import RankGroup, call_declared

__all__ = [
    "allocate_line",
    "any_layout",
    "block",
    "cast_source",
    "dynamic_sizes",
    "rank_number",
    "send_receive",
    "within",
]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def block(buffer: ir.Value, dimension: int, offset: Number, size: Number) -> ir.Value:
    """Build the view of a part of one dimension, whole in all others."""
    rank = ir.MemRefType(buffer.type).rank
    offsets: list[Number] = [0] * rank
    sizes: list[Number] = [extent(buffer, other) for other in range(rank)]
    offsets[dimension], sizes[dimension] = offset, size
    shape = [entry if isinstance(entry, int) else _DYNAMIC for entry in sizes]
    return subview(buffer, Subset(tuple(offsets), tuple(sizes), (1,) * rank), shape)


def dynamic_sizes(op: ir.Operation, source: ir.Value, known: Mapping[int, Number]) -> list[ir.Value]:
    """Build the sizes that the type of the op's result does not tell: `known` ones, else those of memref `source`."""
    type_ = ir.ShapedType(op.results[0].type)
    numbers = [dimension for dimension in range(type_.rank) if type_.is_dynamic_dim(dimension)]
    return [as_value(known[d]) if d in known else size_value(source, d) for d in numbers]


def send_receive(
    group: RankGroup,
    communicator: ir.Value,
    sent: tuple[ir.Value, ir.Value],
    received: tuple[ir.Value, ir.Value],
    *,
    overwrites: bool,
) -> None:
    """Build the call that sends a memref to a rank of the group while another one is received from a rank.

    `overwrites` says that there surely is a rank to receive from.
    """
    lines = [any_layout(memory) for memory, _ in (sent, received)]
    operands = [lines[0], sent[1], lines[1], received[1], communicator]
    call = call_declared(group.module, send_receive_name(lines[0].type), operands)
    if overwrites:
        call.attributes[OVERWRITES] = ir.UnitAttr.get()


def any_layout(buffer: ir.Value) -> ir.Value:
    """Build the cast of a memref to the type that the functions take: all sizes and strides dynamic."""
    type_ = ir.MemRefType(buffer.type)
    wanted = dynamic_layout_type(ir.RankedTensorType.get([_DYNAMIC] * type_.rank, type_.element_type))
    return buffer if type_ == wanted else memref.cast(wanted, buffer)


def cast_source(buffer: ir.Value) -> ir.Value:
    """The memref that was cast, perhaps several times: its type says more."""
    while (cast := defining_op(buffer, "memref.cast")) is not None:
        if not isinstance(cast.operands[0].type, ir.MemRefType):
            return buffer
        buffer = cast.operands[0]
    return buffer


def allocate_line(buffer: ir.Value) -> ir.Value:
    """Build an allocation of the sizes of a memref, without gaps."""
    type_ = ir.MemRefType(buffer.type)
    dynamic = [size_value(buffer, dimension) for dimension in range(type_.rank) if type_.is_dynamic_dim(dimension)]
    return memref.alloc(ir.MemRefType(identity_type(type_, type_.memory_space)), dynamic, [])


def rank_number(number: Number) -> ir.Value:
    """Build a rank as MPI takes it."""
    type_ = ir.IntegerType.get_signless(32)
    return arith.constant(type_, number) if isinstance(number, int) else arith.index_cast(type_, number)


def within(group: RankGroup, rank: ir.Value, distance: int, *, around: bool) -> ir.Value:
    """Build the number of the rank at a distance: around the ends of the group, or nobody beyond them."""
    size, index = group.size, ir.IndexType.get()
    moved = as_value(add(rank, distance % size if around else distance))
    if around:
        return rank_number(arith.remui(moved, arith.constant(index, size)))
    inside = arith.cmpi(arith.CmpIPredicate.ult, moved, arith.constant(index, size))
    return rank_number(arith.select(inside, moved, arith.constant(index, NOBODY)))
