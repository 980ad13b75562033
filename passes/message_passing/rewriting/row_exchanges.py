"""All-gathers of rows as exchanges of parts, which may be received in memory with gaps between the rows."""

from __future__ import annotations

from math import prod

from mlir import ir
from mlir.dialects import arith, cf

from ....dialects.shard.exchanged_parts import call_exchange
from ....dialects.shard.grids import module_of
from ....dialects.support.element_sizes import element_bytes
from ....dialects.support.mpi_names import PartsExchange
from .message_buffers import moved_type

__all__ = ["GATHER", "build_exchange", "part_of", "rows_exchange"]

GATHER = "mpi.allgather"
"""The op."""
_FEW_RANKS, _LONG = 4, 1 << 19
"""Beyond so many ranks MPI gathers in fewer messages than one from each, unless they are of so many bytes together."""


def rows_exchange(part: ir.Type, whole: ir.MemRefType) -> PartsExchange | None:
    """The exchange that an all-gather of such parts is, if these are rows of the whole, and messages are as few."""
    if not isinstance(part, ir.MemRefType) or not part.rank or part.rank != whole.rank:
        return None
    if not part.has_static_shape or not whole.has_static_shape or 0 in part.shape:
        return None
    if moved_type(whole.element_type) is None:
        return None
    dimension = next((number for number, size in enumerate(whole.shape) if size != 1), 0)
    ranks = whole.shape[dimension] // part.shape[dimension]
    if [size * (ranks if number == dimension else 1) for number, size in enumerate(part.shape)] != list(whole.shape):
        return None
    is_long = prod(whole.shape) * element_bytes(whole.element_type) >= _LONG
    return PartsExchange(ranks, dimension, None) if ranks <= _FEW_RANKS or is_long else None


def part_of(gather: ir.Operation) -> tuple[str, int | None]:
    """MPI's type of what a rank gives, and how many of these, if that is known: such gathers may meet."""
    type_ = ir.ShapedType(gather.operands[0].type)
    name, each = moved_type(type_.element_type) or ("", 0)
    is_known = type_.has_rank and type_.has_static_shape
    return name, prod(type_.shape) * each if is_known else None


def build_exchange(gather: ir.Operation, rows: PartsExchange, target: ir.Value) -> None:
    """Build the exchange for an all-gather into memory with gaps, and what compares the sizes, as the gather does."""
    number = ir.IntegerType.get_signless(32)
    sent, _, communicator = gather.operands
    ranks = ir.Operation.create("mpi.comm_size", results=[number], operands=[communicator]).result
    agree = arith.cmpi(arith.CmpIPredicate.eq, ranks, arith.constant(number, rows.ranks))
    cf.AssertOp(agree, f"{GATHER}: the sizes of source and destination do not agree")
    call_exchange(module_of(gather), rows, communicator, sent, target)
