"""Names of the functions by which bufferized programs communicate, beside the ops of upstream's `mpi` dialect.

Here, so that op models, passes and the evaluator agree on them. `inplace-lower-mpi` makes calls of MPI of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

__all__ = [
    "BEGIN_RECEIVE",
    "BEGIN_SEND",
    "COMMUNICATOR",
    "NOBODY",
    "OVERWRITES",
    "SEND_RECEIVE",
    "communicator_name",
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

OVERWRITES = "inplace.overwrites"
"""Attribute of a call of such a function that surely receives, so that the memory needs no content before."""

NOBODY = -1
"""In the place of a rank: nothing is sent, or received."""


def communicator_name(axes: Sequence[int]) -> str:
    """The function for these grid axes, in that order."""
    return "_".join((COMMUNICATOR, *map(str, axes)))


def send_receive_name(memory: ir.Type) -> str:
    """The function for memrefs of that rank and element type."""
    type_ = ir.MemRefType(memory)
    return f"{SEND_RECEIVE}_{type_.rank}d_{type_.element_type}"
