"""Ranks of one program in one process: a thread each, which meet in collectives and exchange messages.

Communication is by values, in the order of ranks, so that runs are deterministic. A send waits until there is a receive
for it. Messages of one rank to another meet its receives in the order in which both were begun. When every rank that
still runs waits, none will go on: that is a deadlock, whose error says where each one waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from .errors import EvaluationError

__all__ = ["Communicator", "Meeting", "Message", "Rank", "Receipt", "World"]

_FINISHED = "returned"


class Communicator:
    """Ranks that communicate among each other; a rank's number here is its place in `members`."""

    def __init__(self, members: Sequence[int]) -> None:
        self.members = tuple(members)
        self.meetings: list[Meeting] = []
        self.reached = dict.fromkeys(self.members, 0)
        self.messages: list[Message] = []
        """Those that no receive was begun for."""
        self.receipts: list[Receipt] = []
        """Receives that nothing was sent for."""


class Meeting:
    """One collective: what each rank that has arrived gives, and what they call."""

    def __init__(self) -> None:
        self.given: dict[int, Any] = {}
        self.called: dict[int, str] = {}


class Message:
    """What one rank has sent; `received` says that there is a receive for it."""

    def __init__(self, source: int, target: int, tag: int, value: Any) -> None:
        self.source, self.target, self.tag, self.value, self.received = source, target, tag, value, False


class Receipt:
    """A receive that a rank has begun, and its message as soon as there is one."""

    def __init__(self, source: int, target: int, tag: int) -> None:
        self.source, self.target, self.tag = source, target, tag
        self.message: Message | None = None

    def takes(self, message: Message) -> bool:
        """Whether the message is one for this receive."""
        return (message.source, message.target, message.tag) == (self.source, self.target, self.tag)

    def take(self, message: Message) -> None:
        """Receive the message."""
        self.message, message.received = message, True


class World:
    """All ranks of a run. One lock guards everything in it."""

    def __init__(self, size: int) -> None:
        self.communicator = Communicator(range(size))
        self.groups: dict[Any, Communicator] = {}
        self.changed = threading.Condition()
        self.waiting: dict[int, tuple[str, Callable[[], bool]]] = {}
        self.finished: set[int] = set()
        self.error: EvaluationError | None = None

    @property
    def size(self) -> int:
        """The number of ranks."""
        return len(self.communicator.members)

    def group(self, members: Sequence[int]) -> Communicator:
        """The communicator of some ranks, one for each list of them."""
        with self.changed:
            return self.groups.setdefault(tuple(members), Communicator(members))

    def wait(self, rank: int, place: str, ready: Callable[[], bool]) -> None:
        """Wait until a condition holds; the lock is held. Raises the error that a rank has, or a deadlock."""
        self.waiting[rank] = (place, ready)
        self.changed.notify_all()
        while not ready():
            self._find_deadlock()
            if self.error is not None:
                raise self.error
            self.changed.wait()
        del self.waiting[rank]

    def finish(self, rank: int, error: EvaluationError | None) -> None:
        """Record the end of a rank; its error, if it is the first one, ends all others."""
        with self.changed:
            self.finished.add(rank)
            self.waiting.pop(rank, None)
            if error is not None and self.error is None:
                self.error = error
            self.changed.notify_all()

    def _find_deadlock(self) -> None:
        if self.error is not None or len(self.waiting) + len(self.finished) < self.size:
            return
        if any(ready() for _, ready in self.waiting.values()):
            return
        places: dict[str, list[int]] = {}
        for rank in range(self.size):
            places.setdefault(_FINISHED if rank in self.finished else self.waiting[rank][0], []).append(rank)
        told = "; ".join(f"{_ranks(ranks)}: {place}" for place, ranks in places.items())
        self.error = EvaluationError(f"deadlock: {told}")
        self.changed.notify_all()


def _ranks(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")
    return f"rank{'s' if len(numbers) > 1 else ''} {shown}"


class Rank:
    """One rank's view of the world."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.number = world, number
        self.begun: list[str] = []
        """Where messages were begun that the rank has not waited for."""

    def within(self, communicator: Communicator) -> int:
        """The rank's number in a communicator."""
        return communicator.members.index(self.number)

    def meet(self, communicator: Communicator, place: str, called: str, value: Any) -> list[Any]:
        """Give a value and get those of all ranks, in order, which must call the same."""
        return self.met(communicator, self.arrive(communicator, called, value), place)

    def arrive(self, communicator: Communicator, called: str, value: Any) -> Meeting:
        """Give a value in a collective, without waiting for the others."""
        world = self.world
        with world.changed:
            number = communicator.reached[self.number]
            communicator.reached[self.number] += 1
            while len(communicator.meetings) <= number:
                communicator.meetings.append(Meeting())
            meeting = communicator.meetings[number]
            meeting.given[self.number], meeting.called[self.number] = value, called
            other = next((rank for rank, name in meeting.called.items() if name != called), None)
            if other is not None:
                told = f"rank {other} calls {meeting.called[other]} while rank {self.number} calls {called}"
                world.error = world.error or EvaluationError(f"{told}; all ranks of a group must call the same")
                world.changed.notify_all()
                raise world.error
            world.changed.notify_all()
            return meeting

    def met(self, communicator: Communicator, meeting: Meeting, place: str) -> list[Any]:
        """Wait until all ranks have arrived, and return what they have given, in order."""
        with self.world.changed:
            everybody = len(communicator.members)
            self.world.wait(self.number, f"waiting in {place}", lambda: len(meeting.given) == everybody)
            return [meeting.given[member] for member in communicator.members]

    def send(self, communicator: Communicator, value: Any, target: int, tag: int) -> Message:
        """Send to a rank of the communicator, without waiting."""
        message = Message(self.number, _member(communicator, target), tag, value)
        with self.world.changed:
            receipt = next((one for one in communicator.receipts if one.takes(message)), None)
            if receipt is None:
                communicator.messages.append(message)
            else:
                communicator.receipts.remove(receipt)
                receipt.take(message)
            self.world.changed.notify_all()
        return message

    def delivered(self, message: Message, place: str) -> None:
        """Wait until a message was received."""
        with self.world.changed:
            self.world.wait(self.number, f"waiting in {place}", lambda: message.received)

    def begin_receive(self, communicator: Communicator, source: int, tag: int) -> Receipt:
        """Begin to receive the next message of a rank, without waiting."""
        receipt = Receipt(_member(communicator, source), self.number, tag)
        with self.world.changed:
            message = next((one for one in communicator.messages if receipt.takes(one)), None)
            if message is None:
                communicator.receipts.append(receipt)
            else:
                communicator.messages.remove(message)
                receipt.take(message)
                self.world.changed.notify_all()
        return receipt

    def received(self, receipt: Receipt, place: str) -> Any:
        """Wait for the message of a receive, and return what was sent."""
        with self.world.changed:
            self.world.wait(self.number, f"waiting in {place}", lambda: receipt.message is not None)
        assert receipt.message is not None
        return receipt.message.value

    def receive(self, communicator: Communicator, source: int, place: str, tag: int) -> Any:
        """Wait for the next message of a rank."""
        return self.received(self.begin_receive(communicator, source, tag), place)


def _member(communicator: Communicator, rank: int) -> int:
    """Return which rank of all one of a communicator is."""
    if not 0 <= rank < len(communicator.members):
        raise EvaluationError(f"rank {rank} is none of {len(communicator.members)}")
    return communicator.members[rank]
