"""mpi on memrefs of any layout, and the functions beside it that bufferization calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from .attributes import integer
from .combining import COMBINERS, combined
from .decoder import Decoder
from .errors import EvaluationError
from .handlers import Handler
from .memory import MemRef
from .ranks import Communicator, Rank
from .signature import Function
from .steps import on_values
from .undefined import Partial

__all__ = ["OPS", "SEND_RECEIVE", "exchange", "place_of", "rank_of"]

SEND_RECEIVE = "inplace_mpi_sendrecv"
"""What the names of functions that send and receive begin with."""

_NOBODY = -1
_REDUCTIONS = {1: "max", 2: "min", 3: "sum", 4: "product", 6: "bitwise_and", 8: "bitwise_or", 10: "bitwise_xor"}


def rank_of(decoder: Decoder) -> Rank:
    """The rank that runs the code."""
    rank = decoder.machine.rank
    if rank is None:
        raise EvaluationError("the op communicates, but there is one rank only; call evaluate_ranks")
    return rank


def place_of(op: ir.Operation) -> str:
    """Where a rank waits, for messages."""
    location = str(op.location).removeprefix("loc(").removesuffix(")").replace('"', "")
    return f"'{op.name}' at {location}"


def _taken(memref: MemRef) -> Any:
    """A copy of the elements, in one line, as they are when they are sent."""
    value = memref.read()
    return value.copy().reshape(-1) if type(value) is Partial else np.array(value).reshape(-1)


def _put(memref: MemRef, values: Any) -> None:
    if values.size != memref.array.size:
        raise EvaluationError(f"{values.size} elements are received, but there is memory for {memref.array.size}")
    memref.write(values.reshape(memref.shape))


@on_values
def _world(decoder: Decoder, _op: ir.Operation) -> Function:
    rank = rank_of(decoder)
    return lambda: rank.world.communicator


def _with_code(op: ir.Operation, value: Any) -> Any:
    """The results of an op that may also return an error code, which is success."""
    return (0, value) if len(op.results) == 2 else value


@on_values
def _rank(decoder: Decoder, op: ir.Operation) -> Function:
    rank = rank_of(decoder)
    return lambda communicator: _with_code(op, rank.within(communicator))


@on_values
def _size(_decoder: Decoder, op: ir.Operation) -> Function:
    return lambda communicator: _with_code(op, len(communicator.members))


@on_values
def _split(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place = rank_of(decoder), place_of(op)

    def split(communicator: Communicator, color: Any, key: Any) -> Any:
        given = rank.meet(communicator, place, op.name, (int(color), int(key)))
        chosen = [(of[1], member) for of, member in zip(given, communicator.members, strict=True) if of[0] == color]
        return rank.world.group([member for _, member in sorted(chosen)])

    return split


@on_values
def _all_reduce(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place, kind = rank_of(decoder), place_of(op), _REDUCTIONS.get(integer(op, "op"))
    if kind not in COMBINERS:
        raise EvaluationError(f"reduction {integer(op, 'op')} of mpi is not supported")

    def reduce(source: MemRef, target: MemRef, communicator: Communicator) -> None:
        _put(target, combined(kind, rank.meet(communicator, place, f"{op.name} {kind}", _taken(source))))

    return reduce


@on_values
def _reduce_scatter(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place, kind = rank_of(decoder), place_of(op), _REDUCTIONS.get(integer(op, "op"))
    if kind not in COMBINERS:
        raise EvaluationError(f"reduction {integer(op, 'op')} of mpi is not supported")

    def reduce(source: MemRef, target: MemRef, communicator: Communicator) -> None:
        whole = combined(kind, rank.meet(communicator, place, f"{op.name} {kind}", _taken(source)))
        size, start = target.array.size, target.array.size * rank.within(communicator)
        if whole.size != size * len(communicator.members):
            raise EvaluationError(f"{whole.size} elements are no {len(communicator.members)} parts of {size}")
        _put(target, whole[start : start + size])

    return reduce


@on_values
def _all_gather(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place = rank_of(decoder), place_of(op)

    def gather(source: MemRef, target: MemRef, communicator: Communicator) -> None:
        lines = rank.meet(communicator, place, op.name, _taken(source))
        if len({line.size for line in lines}) > 1:
            raise EvaluationError(f"ranks give {[line.size for line in lines]} elements, which must be equal")
        _put(target, np.concatenate(lines))

    return gather


@on_values
def _send(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place = rank_of(decoder), place_of(op)

    def send(source: MemRef, tag: Any, target: Any, communicator: Communicator) -> None:
        rank.delivered(rank.send(communicator, _taken(source), int(target), int(tag)), place)

    return send


@on_values
def _receive(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place = rank_of(decoder), place_of(op)
    return lambda target, tag, source, communicator: _put(
        target, rank.receive(communicator, int(source), place, int(tag))
    )


@on_values
def _barrier(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place = rank_of(decoder), place_of(op)
    return lambda communicator: rank.meet(communicator, place, op.name, None) and None


def exchange(decoder: Decoder, op: ir.Operation) -> Function:
    """A call of the function that sends and receives."""
    rank, place = rank_of(decoder), place_of(op)

    def run(source: MemRef, target: Any, received: MemRef, origin: Any, communicator: Communicator) -> Sequence[Any]:
        if source.array.size and np.shares_memory(source.array, received.array):
            raise EvaluationError("memory that is sent is received into")
        if int(target) != _NOBODY:
            rank.send(communicator, _taken(source), int(target))
        if int(origin) != _NOBODY:
            _put(received, rank.receive(communicator, int(origin), place))
        return ()

    return run


OPS: dict[str, Handler] = {
    "mpi.comm_world": _world,
    "mpi.comm_rank": _rank,
    "mpi.comm_size": _size,
    "mpi.comm_split": _split,
    "mpi.allreduce": _all_reduce,
    "mpi.reduce_scatter_block": _reduce_scatter,
    "mpi.allgather": _all_gather,
    "mpi.send": _send,
    "mpi.recv": _receive,
    "mpi.barrier": _barrier,
}
