"""The `mpi` ops that are lowered, what each sends or receives, and what is refused.

Nothing here changes the IR.
"""

from __future__ import annotations

from mlir import ir

from ....dialects.support.constants import constant_integer
from ....dialects.support.memref_types import is_row_major
from ....dialects.support.mpi_names import (
    BEGIN_COLLECTIVES,
    BEGIN_RECEIVE,
    BEGIN_SEND,
    COMMUNICATOR,
    SEND_RECEIVE,
    begun_collective,
    parts_exchange_of,
)
from ...analysis.ir.symbols import callee_name
from ...analysis.ir.traversal import find_ops
from ...framework.contract import MESSAGE_TAG, WAIT_FOR
from ...framework.errors import PassFailure
from .message_buffers import moved_type, reduced_type

__all__ = [
    "KINDS",
    "LOWERED",
    "MESSAGES",
    "POSITIONS",
    "analyze_messages",
    "called_prefix",
    "message_buffers",
    "message_name",
    "reduction_of",
]

MESSAGES = ("mpi.send", "mpi.recv", "mpi.isend", "mpi.irecv")
"""What is sent to, or received from, one other process."""
_REDUCTIONS = ("mpi.allreduce", "mpi.reduce_scatter_block")
_COLLECTIVES = ("mpi.allgather", *_REDUCTIONS)
_NOTHING = ("mpi.init", "mpi.finalize")
_OTHERS = (
    *("mpi.comm_world", "mpi.comm_rank", "mpi.comm_size", "mpi.comm_split"),
    *("mpi.wait", "mpi.barrier", "mpi.retval_check", "mpi.error_class"),
)
POSITIONS = ("shard.process_multi_index", "shard.process_linear_index", "shard.grid_shape")
"""Ops of `shard` that ask for the place of this process, or for the grid of all."""
LOWERED = (*_NOTHING, *MESSAGES, *_COLLECTIVES, *_OTHERS)
"""The ops of the dialect that are lowered."""
KINDS = {
    WAIT_FOR: "wait",
    SEND_RECEIVE: "exchange",
    COMMUNICATOR: "group",
    BEGIN_SEND: "begin_send",
    BEGIN_RECEIVE: "begin_receive",
    **dict.fromkeys(BEGIN_COLLECTIVES.values(), "begin_collective"),
}
"""Calls by what their functions' names begin with: the method of the lowering for each."""
_OPERATORS = dict(enumerate(("MAX", "MIN", "SUM", "PROD", "LAND", "BAND", "LOR", "BOR", "LXOR", "BXOR"), 1))
"""Reductions by their numbers in the dialect."""
_OF_BITS = frozenset({"LAND", "LOR", "LXOR", "BAND", "BOR", "BXOR", "MIN", "MAX"})


def analyze_messages(root: ir.Operation) -> list[ir.Operation]:
    """Return the `mpi` ops under `root` in program order. Changes nothing; raises `PassFailure` for what is refused."""
    parts = find_ops(root, "func.call", where=lambda op: parts_exchange_of(op) is not None)
    if parts:
        raise PassFailure(
            f"'@{callee_name(parts[0])}' is more than one message; run inplace-exchange-in-turn before", parts[0]
        )
    found = find_ops(
        root, where=lambda op: op.name.startswith("mpi.") or op.name in POSITIONS or bool(called_prefix(op))
    )
    known = {result for op in found for result in op.results}
    for op in found:
        if op.name.startswith("mpi.") and op.name not in LOWERED:
            raise PassFailure(f"'{op.name}' is not supported; use one of {', '.join(sorted(LOWERED))}", op)
        for result in op.results:
            _require_direct_uses(op, result)
        for operand in op.operands:
            if str(operand.type).startswith("!mpi.") and operand not in known:
                raise PassFailure(f"a {operand.type} comes from an argument; make it where it is used", op)
        for buffer in message_buffers(op):
            _require_message(op, buffer)
        if op.name in MESSAGES and constant_integer(op.operands[1]) == MESSAGE_TAG:
            raise PassFailure(f"tag {MESSAGE_TAG} is that of the exchanges of shard ops; use another one", op)
        if op.name == "mpi.retval_check" and "MPI_SUCCESS" not in str(op.attributes["errclass"]):
            raise PassFailure("only MPI_SUCCESS can be checked: other codes have other numbers in each MPI", op)
    return found


def called_prefix(op: ir.Operation | ir.OpView) -> str:
    """The prefix of the function for messages that a call is of; else nothing."""
    if op.name != "func.call":
        return ""
    name = callee_name(op.operation)
    return next((known for known in KINDS if name.startswith(known)), "")


def _is_made_there(op: ir.Operation | ir.OpView) -> bool:
    """Whether it returns the communicator from a function that makes one."""
    function = op.operation.parent
    if op.name != "func.return" or function is None:
        return False
    return ir.StringAttr(function.attributes["sym_name"]).value.startswith(COMMUNICATOR)


def message_buffers(op: ir.Operation) -> list[ir.Value]:
    """What an op, or a call for messages, sends or receives."""
    called = called_prefix(op)
    if called == SEND_RECEIVE:
        return [op.operands[0], op.operands[2]]
    if called in (BEGIN_SEND, BEGIN_RECEIVE):
        return [op.operands[0]]
    return list(op.operands)[: 2 if message_name(op) in _COLLECTIVES else 1 if op.name in MESSAGES else 0]


def message_name(op: ir.Operation) -> str:
    """The name of an op, or of the collective that a call begins."""
    begun = begun_collective(callee_name(op)) if op.name == "func.call" else None
    return op.name if begun is None else begun[0]


def _require_direct_uses(op: ir.Operation, result: ir.Value) -> None:
    if not str(result.type).startswith("!mpi."):
        return
    for use in result.uses:
        if not use.owner.name.startswith("mpi.") and not called_prefix(use.owner) and not _is_made_there(use.owner):
            message = f"'{use.owner.name}' passes a {result.type} on; use it in the block that makes it"
            raise PassFailure(message, use.owner, [("it is made here", op.location)])


def _require_message(op: ir.Operation, buffer: ir.Value) -> None:
    if not isinstance(buffer.type, ir.MemRefType):
        raise PassFailure(f"'{message_name(op)}' needs memrefs with a rank, got {buffer.type}; cast it", op)
    type_, called = ir.MemRefType(buffer.type), message_name(op)
    if moved_type(type_.element_type) is None:
        raise PassFailure(f"'{called}' cannot move elements of {type_.element_type}: their size is not known", op)
    if called in _COLLECTIVES and not is_row_major(type_) and (called in _REDUCTIONS or buffer == op.operands[1]):
        raise PassFailure(
            f"'{called}' needs elements that lie one after the other, got {type_}; copy them into an allocation", op
        )
    if called not in _REDUCTIONS:
        return
    name, operator = reduced_type(type_.element_type), reduction_of(op)
    if name is None or operator is None or (str(type_.element_type) == "i1" and operator not in _OF_BITS):
        raise PassFailure(f"MPI has no such reduction of {type_.element_type}; convert the elements before", op)


def reduction_of(op: ir.Operation) -> str | None:
    """The reduction's name, if MPI has it for numbers without places."""
    begun = begun_collective(callee_name(op)) if op.name == "func.call" else None
    return _OPERATORS.get(ir.IntegerAttr(op.attributes["op"]).value if begun is None else begun[1])
