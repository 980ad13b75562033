"""mpi on memrefs of any layout, and the functions beside it that bufferization calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from mlir import ir

from ..decoding.decoder import Decoder
from ..decoding.handlers import Handler
from ..decoding.steps import on_values, plain
from ..values.attributes import integer
from ..values.combining import COMBINERS, combined
from ..values.errors import EvaluationError
from ..values.memory import MemRef
from ..values.ranks import Communicator, Rank
from ..values.requests import NOBODY, Request, begin_collective, begin_receive, begin_send, fill, taken
from ..values.signature import Function
from ..values.slices import balanced_part

__all__ = ["OPS", "message_function", "place_of", "rank_of"]

_OWN_TAG = -1
"""Exchanges take no message of `mpi.send`."""
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


@on_values
def _world(decoder: Decoder, _op: ir.Operation) -> Function:
    rank = rank_of(decoder)
    return lambda: rank.world.communicator


def _with_code(op: ir.Operation, value: Any) -> Any:
    """The results of an op that may also return an error code, which is success."""
    return (0, value) if len(op.results) == 2 else value


def _code(op: ir.Operation) -> int | None:
    """The code of an op that returns one: success."""
    return 0 if len(op.results) else None


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


def _reduces(part_of: Callable[[Any, MemRef, int, int], Any]) -> Handler:
    """A reduction. `part_of` chooses what a rank gets, by its target, its number, and how many ranks there are."""

    @on_values
    def handler(decoder: Decoder, op: ir.Operation) -> Function:
        rank, place, kind = rank_of(decoder), place_of(op), _REDUCTIONS.get(integer(op, "op"))
        if kind not in COMBINERS:
            raise EvaluationError(f"reduction {integer(op, 'op')} of mpi is not supported")

        def reduce(source: MemRef, target: MemRef, communicator: Communicator) -> int | None:
            whole = combined(kind, rank.meet(communicator, place, f"{op.name} {kind}", taken(source)))
            fill(target, part_of(whole, target, rank.within(communicator), len(communicator.members)))
            return _code(op)

        return reduce

    return handler


def _block_of(whole: Any, target: MemRef, number: int, count: int) -> Any:
    size = target.array.size
    if whole.size != size * count:
        raise EvaluationError(f"{whole.size} elements are no {count} parts of {size}")
    return whole[number * size : (number + 1) * size]


@on_values
def _all_gather(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place = rank_of(decoder), place_of(op)

    def gather(source: MemRef, target: MemRef, communicator: Communicator) -> int | None:
        if not _is_part(source, target, rank.within(communicator)):
            _require_apart(source, target)
        fill(target, _gathered(rank.meet(communicator, place, op.name, taken(source))))
        return _code(op)

    return gather


def _is_part(source: MemRef, target: MemRef, number: int) -> bool:
    """Whether the memory that is gathered begins where its part of the target does, which needs no message."""
    place = number * source.array.size
    if place >= target.array.size:
        return False
    start = target.array[(*np.unravel_index(place, target.shape), ...)]
    return source.array.__array_interface__["data"] == start.__array_interface__["data"]


def _require_apart(sent: MemRef, filled: MemRef) -> None:
    if sent.array.size and np.shares_memory(sent.array, filled.array):
        raise EvaluationError("memory that is sent is received into")


def _gathered(lines: list[Any]) -> Any:
    if len({line.size for line in lines}) > 1:
        raise EvaluationError(f"ranks give {[line.size for line in lines]} elements, which must be equal")
    return np.concatenate(lines)


@on_values
def _send(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place = rank_of(decoder), place_of(op)

    def send(source: MemRef, tag: Any, target: Any, communicator: Communicator) -> int | None:
        rank.delivered(rank.send(communicator, taken(source), int(target), int(tag)), place)
        return _code(op)

    return send


@on_values
def _receive(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place = rank_of(decoder), place_of(op)

    def receive(target: MemRef, tag: Any, source: Any, communicator: Communicator) -> int | None:
        fill(target, rank.receive(communicator, int(source), place, int(tag)))
        return _code(op)

    return receive


@on_values
def _barrier(decoder: Decoder, op: ir.Operation) -> Function:
    rank, place = rank_of(decoder), place_of(op)

    def meet(communicator: Communicator) -> int | None:
        rank.meet(communicator, place, op.name, None)
        return _code(op)

    return meet


def _exchange(rank: Rank, place: str) -> Function:
    """Send and receive at once."""

    def run(source: MemRef, target: Any, received: MemRef, origin: Any, communicator: Communicator) -> Sequence[Any]:
        _require_apart(source, received)
        if int(target) != NOBODY:
            rank.send(communicator, taken(source), int(target), _OWN_TAG)
        if int(origin) != NOBODY:
            fill(received, rank.receive(communicator, int(origin), place, _OWN_TAG))
        return ()

    return run


_PARTS = re.compile(r"inplace_mpi_exchange_parts_\d+_(\d+)_(all|\d+)_")
"""Functions that exchange parts: along which dimension they are put side by side, and which one they are parts of."""


def _exchange_parts(rank: Rank, place: str, dimension: int, split: int | None) -> Function:
    """Send a part to each rank, or all to each, and put what all ranks send side by side."""
    called = f"an exchange of parts of {'nothing' if split is None else split} along {dimension}"

    def run(sent: MemRef, filled: MemRef, *others: Any) -> Sequence[Any]:
        *offsets, communicator = others
        _require_apart(sent, filled)
        value = sent.read()
        values = rank.meet(communicator, place, called, value.copy())
        if split is not None:
            number = rank.within(communicator)
            values = [balanced_part(one, split, len(values), number) for one in values]
        sizes = [one.shape[dimension] for one in values]
        told = offsets[0].read().tolist() if offsets else [sizes[0] * number for number in range(len(sizes) + 1)]
        if list(accumulate(sizes, initial=0)) != told:
            raise EvaluationError(f"parts of {sizes} elements are received, but {told} are their offsets")
        whole = np.concatenate(values, dimension)
        if whole.shape != filled.shape:
            raise EvaluationError(f"{list(whole.shape)} elements are received into {list(filled.shape)}")
        filled.write(whole)
        return ()

    return run


def _wait(rank: Rank, place: str) -> Function:
    def run(request: Request) -> Sequence[Any]:
        assert request.rank is rank
        request.wait(place)
        return (0,)

    return run


_BEGUN = re.compile(r"inplace_mpi_begin_(allreduce|allgather|reduce_scatter)(?:_(\d+))?_")
"""Functions that begin a collective; the number is that of the reduction in the dialect."""


def _result_of(name: str, kind: str | None, rank: Rank, target: MemRef, communicator: Communicator) -> Any:
    """What a rank gets of what all ranks have given, by the op that a collective is."""

    def found(lines: list[Any]) -> Any:
        if kind is None:
            return _gathered(lines)
        whole = combined(kind, lines)
        if name == "allreduce":
            return whole
        return _block_of(whole, target, rank.within(communicator), len(communicator.members))

    return found


def _begun(rank: Rank, place: str, name: str, number: int) -> Function:
    """A collective that is begun."""
    kind = _REDUCTIONS.get(number)
    if number and kind not in COMBINERS:
        raise EvaluationError(f"reduction {number} of mpi is not supported")
    called = f"the begun {name}{f' {kind}' if kind else ''}", place

    def begin(source: MemRef, target: MemRef, communicator: Communicator) -> Sequence[Any]:
        result_of = _result_of(name, kind, rank, target, communicator)
        return (begin_collective(rank, called, source, target, communicator, result_of),)

    return begin


_FUNCTIONS: dict[str, Callable[[Rank, str], Function]] = {
    "inplace_mpi_sendrecv": _exchange,
    "inplace_mpi_begin_send": lambda rank, place: (
        lambda memref, to, comm: (begin_send(rank, place, memref, int(to), comm, _OWN_TAG),)
    ),
    "inplace_mpi_begin_receive": lambda rank, place: (
        lambda memref, of, comm: (begin_receive(rank, place, memref, int(of), comm, _OWN_TAG),)
    ),
    "inplace_mpi_wait_for": _wait,
}
"""Beginnings of the names of functions that a bufferized program calls, and how they run on a rank."""


def message_function(decoder: Decoder, op: ir.Operation, name: str) -> Function | None:
    """What a call of a function for messages does, if it is one; it returns all results."""
    parts = _PARTS.match(name)
    if parts:
        split = None if parts[2] == "all" else int(parts[2])
        return _exchange_parts(rank_of(decoder), place_of(op), int(parts[1]), split)
    collective = _BEGUN.match(name)
    if collective:
        return _begun(rank_of(decoder), place_of(op), collective[1], int(collective[2] or 0))
    found = next((make for prefix, make in _FUNCTIONS.items() if name.startswith(prefix)), None)
    return None if found is None else found(rank_of(decoder), place_of(op))


def _begins(begin: Callable[..., Request]) -> Handler:
    """`mpi.isend` or `mpi.irecv`."""

    @on_values
    def handler(decoder: Decoder, op: ir.Operation) -> Function:
        rank, place = rank_of(decoder), place_of(op)
        return lambda memref, tag, other, communicator: _with_code(
            op, begin(rank, place, memref, int(other), communicator, int(tag))
        )

    return handler


@on_values
def _wait_for(decoder: Decoder, op: ir.Operation) -> Function:
    run = _wait(rank_of(decoder), place_of(op))
    return lambda request: run(request)[0]


OPS: dict[str, Handler] = {
    "mpi.comm_world": _world,
    "mpi.comm_rank": _rank,
    "mpi.comm_size": _size,
    "mpi.comm_split": _split,
    "mpi.allreduce": _reduces(lambda whole, *_: whole),
    "mpi.reduce_scatter_block": _reduces(_block_of),
    "mpi.allgather": _all_gather,
    "mpi.send": _send,
    "mpi.recv": _receive,
    "mpi.isend": _begins(begin_send),
    "mpi.irecv": _begins(begin_receive),
    "mpi.wait": _wait_for,
    "mpi.barrier": _barrier,
    "mpi.retval_check": plain(lambda code: int(code) == 0),
}
