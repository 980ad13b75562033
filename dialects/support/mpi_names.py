"""Names of the functions by which bufferized programs communicate, beside the ops of upstream's `mpi` dialect.

Here, so that op models, passes and the evaluator agree on them. `inplace-lower-mpi` makes calls of MPI of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlir import ir

from .frozen_classes import frozen

__all__ = [
    "BEGIN_COLLECTIVES",
    "BEGIN_RECEIVE",
    "BEGIN_SEND",
    "COMMUNICATOR",
    "EXCHANGE_PARTS",
    "NOBODY",
    "OVERWRITES",
    "SEND_RECEIVE",
    "PartsExchange",
    "begin_collective_name",
    "begun_collective",
    "communicator_name",
    "exchange_parts_name",
    "is_exchange",
    "parts_exchange",
    "parts_exchange_of",
    "send_receive_name",
]

COMMUNICATOR = "inplace_mpi_comm"
"""Prefix of functions without arguments that return the communicator of the ranks that differ in some grid axes."""

SEND_RECEIVE = "inplace_mpi_sendrecv"
"""Prefix of declared functions that send one memref while another one is received, as MPI_Sendrecv does.

Their arguments are a memref to send, the rank to send it to, a memref to fill, the rank to receive from, and the
communicator. Both memrefs are of one rank and element type, and do not overlap.
"""

EXCHANGE_PARTS = "inplace_mpi_exchange_parts"
"""Prefix of declared functions that exchange parts with all ranks, and put what is received side by side.

Their arguments are a memref to send, a memref to fill, perhaps a memref with the offsets of the parts in that and the
size of all of them behind, and the communicator. Both memrefs are of one rank and element type, and do not overlap.
Without offsets all parts are of one size. What else there is to know stands in the name (`PartsExchange`).
"""

BEGIN_SEND, BEGIN_RECEIVE = "inplace_mpi_begin_send", "inplace_mpi_begin_receive"
"""Prefixes of declared functions that begin to send or to receive, and return a request to wait for.

Their arguments are a memref, the rank at the other end, and the communicator.
"""

BEGIN_COLLECTIVES = {
    "mpi.allreduce": "inplace_mpi_begin_allreduce",
    "mpi.allgather": "inplace_mpi_begin_allgather",
    "mpi.reduce_scatter_block": "inplace_mpi_begin_reduce_scatter",
}
"""For collectives the prefix of declared functions that begin them, and return a request to wait for.

Their arguments are those of the op. What follows in the name of a reduction is its number in the dialect.
"""

OVERWRITES = "inplace.overwrites"
"""Attribute of a call of such a function that surely receives, so that the memory needs no content before."""

NOBODY = -1
"""In the place of a rank: nothing is sent, or received."""


def communicator_name(axes: Sequence[int]) -> str:
    """The function for these grid axes, in that order."""
    return "_".join((COMMUNICATOR, *map(str, axes)))


def begin_collective_name(op: ir.Operation) -> str:
    """The function that begins what `op` does, another one for each type of its memory."""
    spelled = "_".join(str(operand.type) for operand in list(op.operands)[:2])
    types = re.sub(r"\W+", "_", spelled.replace("?", "d").replace("-", "m")).strip("_")
    reduction = f"_{ir.IntegerAttr(op.attributes['op']).value}" if "op" in op.attributes else ""
    return f"{BEGIN_COLLECTIVES[op.name]}{reduction}_{types}"


def begun_collective(name: str) -> tuple[str, int] | None:
    """The op that a function begins, and the number of the reduction, 0 if it is none; None for another function."""
    for op, prefix in BEGIN_COLLECTIVES.items():
        if name.startswith(prefix):
            number = name.removeprefix(prefix).split("_")[1]
            return op, int(number) if number.isdigit() else 0
    return None


@frozen
class PartsExchange:
    """What a function that exchanges parts does.

    Attributes:
        ranks: how many take part.
        dimension: the one along which parts lie side by side where they are received.
        split: the one of which each rank is sent its balanced part; None if all of it is sent to each.
    """

    ranks: int
    dimension: int
    split: int | None


def exchange_parts_name(kind: PartsExchange, memory: ir.Type, *, offsets: bool) -> str:
    """The function for memrefs of that rank and element type."""
    type_ = ir.MemRefType(memory)
    sent = "all" if kind.split is None else kind.split
    sizes = "_sizes" if offsets else ""
    return f"{EXCHANGE_PARTS}_{kind.ranks}_{kind.dimension}_{sent}{sizes}_{type_.rank}d_{type_.element_type}"


def parts_exchange(name: str) -> PartsExchange | None:
    """What a function does, if it exchanges parts."""
    if not name.startswith(EXCHANGE_PARTS):
        return None
    ranks, dimension, split = name.removeprefix(EXCHANGE_PARTS).split("_")[1:4]
    return PartsExchange(int(ranks), int(dimension), None if split == "all" else int(split))


def parts_exchange_of(op: ir.Operation | ir.OpView) -> PartsExchange | None:
    """What `op` does, if it calls a function that exchanges parts."""
    op = op.operation
    return parts_exchange(ir.FlatSymbolRefAttr(op.attributes["callee"]).value) if op.name == "func.call" else None


def is_exchange(op: ir.Operation | ir.OpView) -> bool:
    """Whether `op` calls a function that sends while it receives."""
    op = op.operation
    return op.name == "func.call" and ir.FlatSymbolRefAttr(op.attributes["callee"]).value.startswith(SEND_RECEIVE)


def send_receive_name(memory: ir.Type) -> str:
    """The function for memrefs of that rank and element type."""
    type_ = ir.MemRefType(memory)
    return f"{SEND_RECEIVE}_{type_.rank}d_{type_.element_type}"
