"""Names of the functions by which bufferized programs communicate, beside the ops of upstream's `mpi` dialect.

Here, so that op models, passes and the evaluator agree on them. `inplace-lower-mpi` makes calls of MPI of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlir import ir

__all__ = [
    "BEGIN_COLLECTIVES",
    "BEGIN_RECEIVE",
    "BEGIN_SEND",
    "COMMUNICATOR",
    "NOBODY",
    "OVERWRITES",
    "SEND_RECEIVE",
    "begin_collective_name",
    "begun_collective",
    "communicator_name",
    "is_exchange",
    "send_receive_name",
]

COMMUNICATOR = "inplace_mpi_comm"
"""Prefix of functions without arguments that return the communicator of the ranks that differ in some grid axes."""

SEND_RECEIVE = "inplace_mpi_sendrecv"
"""Prefix of declared functions that send one memref while another one is received, as MPI_Sendrecv does.

Their arguments are a memref to send, the rank to send it to, a memref to fill, the rank to receive from, and the
communicator. Both memrefs are of one rank and element type, and do not overlap.
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
    """The function that begins what `op` does."""
    types = re.sub(r"\W+", "_", "_".join(str(operand.type) for operand in list(op.operands)[:2])).strip("_")
    reduction = f"_{ir.IntegerAttr(op.attributes['op']).value}" if "op" in op.attributes else ""
    return f"{BEGIN_COLLECTIVES[op.name]}{reduction}_{types}"


def begun_collective(name: str) -> tuple[str, int] | None:
    """The op that a function begins, and the number of the reduction, 0 if it is none; None for another function."""
    for op, prefix in BEGIN_COLLECTIVES.items():
        if name.startswith(prefix):
            number = name.removeprefix(prefix).split("_")[1]
            return op, int(number) if number.isdigit() else 0
    return None


def is_exchange(op: ir.Operation | ir.OpView) -> bool:
    """Whether `op` calls a function that sends while it receives."""
    op = op.operation
    return op.name == "func.call" and ir.FlatSymbolRefAttr(op.attributes["callee"]).value.startswith(SEND_RECEIVE)


def send_receive_name(memory: ir.Type) -> str:
    """The function for memrefs of that rank and element type."""
    type_ = ir.MemRefType(memory)
    return f"{SEND_RECEIVE}_{type_.rank}d_{type_.element_type}"
