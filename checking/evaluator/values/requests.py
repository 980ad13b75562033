"""Messages that are begun, and waited for later: what may not happen to their memory in between.

Memory that is sent must not change until the wait, and memory that is received into must not be read or written: it is
undefined until then. A wait for a send waits until there is a receive, as a long message does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import EvaluationError
from .memory import MemRef
from .ranks import Communicator, Rank
from .undefined import Partial, empty

__all__ = ["NOBODY", "Request", "begin_collective", "begin_receive", "begin_send", "fill", "taken"]

NOBODY = -1
"""In the place of a rank: nothing is sent, or received."""


class Request:
    """A message that was begun."""

    def __init__(self, rank: Rank, place: str, finish: Callable[[str], None]) -> None:
        self.rank, self.place, self.finish, self.waited = rank, place, finish, False
        rank.begun.append(place)

    def wait(self, place: str) -> None:
        """Wait at a place of the program. Raises if the memory was used in between, or for a second wait."""
        if self.waited:
            raise EvaluationError(f"the message of {self.place} was waited for before")
        self.waited = True
        self.rank.begun.remove(self.place)
        self.finish(place)


def taken(memref: MemRef) -> Any:
    """A copy of the elements, in one line, as they are when they are sent."""
    value = memref.read()
    return value.copy().reshape(-1) if type(value) is Partial else np.array(value).reshape(-1)


def fill(memref: MemRef, values: Any) -> None:
    """Receive elements, in one line."""
    if values.size != memref.array.size:
        raise EvaluationError(f"{values.size} elements are received, but there is memory for {memref.array.size}")
    memref.write(values.reshape(memref.shape))


def begin_send(rank: Rank, place: str, memref: MemRef, target: int, communicator: Communicator, tag: int) -> Request:
    """Begin to send to a rank, or to nobody."""
    if target == NOBODY:
        return Request(rank, place, lambda _: None)
    values, bits, marks = taken(memref), memref.array.tobytes(), memref.marks.tobytes()
    message = rank.send(communicator, values, target, tag)

    def finish(waiting: str) -> None:
        memref.alive()
        if (memref.array.tobytes(), memref.marks.tobytes()) != (bits, marks):
            raise EvaluationError(f"memory that {place} sends is written before the wait for it")
        rank.delivered(message, waiting)

    return Request(rank, place, finish)


def begin_receive(rank: Rank, place: str, memref: MemRef, source: int, communicator: Communicator, tag: int) -> Request:
    """Begin to receive from a rank, or from nobody, which leaves the memory as it is."""
    if source == NOBODY:
        return Request(rank, place, lambda _: None)
    receipt = rank.begin_receive(communicator, source, tag)
    memref.write(empty(memref.shape, memref.array.dtype))

    def finish(waiting: str) -> None:
        memref.alive()
        if not memref.marks.all():
            raise EvaluationError(f"memory that {place} receives into is written before the wait for it")
        fill(memref, rank.received(receipt, waiting))

    return Request(rank, place, finish)


def begin_collective(
    rank: Rank,
    called: tuple[str, str],
    source: MemRef,
    target: MemRef,
    communicator: Communicator,
    result_of: Callable[[list[Any]], Any],
) -> Request:
    """Begin what ranks do together; `called` is what all of them must call, and the place.

    `result_of` is what the rank gets for what all ranks have given.
    """
    what, place = called
    meeting = rank.arrive(communicator, what, taken(source))
    in_place = np.shares_memory(source.array, target.array)
    before = None if in_place else (source.array.tobytes(), source.marks.tobytes())
    target.write(empty(target.shape, target.array.dtype))

    def finish(waiting: str) -> None:
        source.alive()
        target.alive()
        if before is not None and (source.array.tobytes(), source.marks.tobytes()) != before:
            raise EvaluationError(f"memory that {place} sends is written before the wait for it")
        if not target.marks.all():
            raise EvaluationError(f"memory that {place} receives into is written before the wait for it")
        fill(target, result_of(rank.met(communicator, meeting, waiting)))

    return Request(rank, place, finish)
