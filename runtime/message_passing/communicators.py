"""The ranks of a program: its communicators, and how ranks agree that all of them go on.

A rank that raised alone would leave the others in a collective for ever. So before and after each call the ranks tell
each other whether all is well. If a rank fails while others are in native code, where they may wait for its messages,
it gives them some time to arrive, and then ends all of them with its message.
"""

from __future__ import annotations

import atexit
import ctypes
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from ...passes.framework.contract import MESSAGE_TABLE, MESSAGE_WORDS
from .library import as_communicator, mpi
from .rank_parts import RankParts

if TYPE_CHECKING:
    from ..native.engine import Engine
    from ..native.loaded_object import LoadedObject

__all__ = ["Communicators", "RankError"]

Made = TypeVar("Made")

_PATIENCE = 1.0
"""Seconds that a failed rank waits for the others."""
_STAGGER, _MOST_STAGGERED = 0.1, 20
"""Seconds that each rank waits longer than the one before it, so that one message is printed; and up to which rank."""
_POLL = 0.001


class RankError(RuntimeError):
    """Another rank has failed.

    Attributes:
        rank: its number.
    """

    def __init__(self, message: str, rank: int = 0) -> None:
        super().__init__(message)
        self.rank = rank

    def __reduce__(self) -> tuple[Any, ...]:
        return RankError, (str(self), self.rank)


class Communicators:
    """A communicator of mpi4py, and two of its duplicates, so that no message of the caller's meets one of ours.

    One is for native code, the other for Python code. They are made once for each communicator, and freed with it, as
    are the parts that native code splits off.
    """

    def __init__(self, comm: object) -> None:
        """Raises `TypeError`, `ValueError` and `MissingMpiError` as `as_communicator`. All ranks must call it."""
        given = as_communicator(comm)
        self.native, self.control, self._parts = _duplicates(given)
        self.rank: int = given.Get_rank()
        self.size: int = given.Get_size()
        self._table: Any = None
        """The table of the program's last version."""

    def attach(self, engine: Engine | LoadedObject) -> None:
        """Tell native code which communicator to use, and the handles of types and reductions."""
        if not engine.defines(MESSAGE_TABLE):
            return
        address = ctypes.c_uint64()
        pointers = (ctypes.c_void_p * 1)(ctypes.addressof(address))
        engine.function(MESSAGE_TABLE)(ctypes.addressof(pointers))
        self._table = (ctypes.c_uint64 * len(MESSAGE_WORDS)).from_address(address.value)
        for number, word in enumerate(self.words()):
            self._table[number] = word

    def words(self) -> list[int]:
        """The values of `MESSAGE_WORDS`."""
        known: dict[str, Any] = {
            "COMMUNICATOR": self.native,
            "IN_PLACE": int(mpi().IN_PLACE),
            "ERROR": 0,
            "SPLIT": self._parts.address,
        }
        values = (known[name] if name in known else getattr(mpi(), name) for name in MESSAGE_WORDS)
        handle_of = mpi()._handleof
        return [(one if isinstance(one, int) else handle_of(one)) & 0xFFFF_FFFF_FFFF_FFFF for one in values]

    def explain(self, error: Exception) -> Exception:
        """`error`, which native code has raised, with MPI's text if it is that of a code of MPI."""
        place = MESSAGE_WORDS.index("ERROR")
        code = 0 if self._table is None else self._table[place]
        if self._table is None or not code:
            return error
        self._table[place] = 0
        return type(error)(f"{error}: {mpi().Get_error_string(code)}")

    def agree(
        self,
        problem: Exception | None,
        *,
        same: int = 0,
        wish: bool = False,
        running: bool = False,
        asleep: bool = False,
    ) -> bool:
        """Return if no rank has a problem; otherwise raise it, and `RankError` where it is another rank's.

        All ranks must call it. It returns whether any rank has a `wish`, and raises `ValueError` on all of them if
        numbers `same` differ.

        Args:
            problem: what has failed here.
            same: a number of 62 bits that must be the same on all ranks.
            wish: what all ranks do if one needs it.
            running: whether other ranks may be in native code; if they do not arrive, this ends all of them.
            asleep: whether to sleep until the others arrive, which leaves the core to them; otherwise MPI waits in a
                loop, which notices them sooner.
        """
        found = self.largest([problem is not None, same, -same, wish], problem if running else None, asleep=asleep)
        if not found[0] and found[1] == -found[2]:
            return bool(found[3])
        texts: list[str | None] = self.control.allgather(_text(problem))
        if problem is not None:
            raise problem
        for rank, text in enumerate(texts):
            if text is not None:
                raise RankError(f"rank {rank} of {self.size} failed: {text}", rank)
        raise ValueError("the ranks were called with arguments that do not agree: sizes that are not split differ")

    def largest(self, numbers: Sequence[int], problem: Exception | None = None, *, asleep: bool = False) -> list[int]:
        """The largest of each number on all ranks; with a problem, it ends all ranks if some do not arrive.

        With a problem, or `asleep`, it sleeps while others have not arrived.
        """
        mine, found = np.array(numbers, np.int64), np.empty(len(numbers), np.int64)
        request = self.control.Iallreduce(mine, found, mpi().MAX)
        if problem is not None or asleep:
            limit = time.monotonic() + _PATIENCE + _STAGGER * min(self.rank, _MOST_STAGGERED)
            while not request.Test():
                if problem is not None and time.monotonic() > limit:
                    self.abort(problem)
                time.sleep(_POLL)
        else:
            request.Wait()
        return [int(number) for number in found]

    def together(self, make: Callable[[], Made], *, one_first: bool = False) -> Made:
        """What `make` makes on each rank; raises on all of them if it fails on one.

        `one_first`: rank 0 before the others, which then find in the disk cache what it has compiled. What is made may
        take seconds, so whoever waits sleeps: ranks that share cores would take time from those that compile.
        """
        made: list[Made] = []
        problem: Exception | None = None
        for turn in (0, 1) if one_first else (1,):
            if turn or self.rank == 0:
                try:
                    made = made or [make()]
                except Exception as error:  # noqa: BLE001 - it is raised when all ranks know of it
                    problem = error
            self.agree(problem, asleep=True)
        return made[0]

    def abort(self, problem: Exception) -> NoReturn:
        """End all ranks, with a message."""
        sys.stdout.flush()
        print(f"rank {self.rank} of {self.size} failed, which ends all: {_text(problem)}", file=sys.stderr, flush=True)
        self.control.Abort(1)
        raise problem


def _text(problem: Exception | None) -> str | None:
    return None if problem is None else f"{type(problem).__name__}: {problem}"


_keyval: list[int] = []


def _duplicates(comm: Any) -> tuple[Any, Any, RankParts]:
    """What belongs to a communicator, two duplicates among it, made at the first call; all ranks must call it."""
    if not _keyval:
        _keyval.append(type(comm).Create_keyval(delete_fn=_free))
        atexit.register(_free_at_exit)
    found = comm.Get_attr(_keyval[0])
    if found is None:
        found = comm.Dup(), comm.Dup(), RankParts()
        for made in found[:2]:
            made.Set_errhandler(mpi().ERRORS_RETURN)
        comm.Set_attr(_keyval[0], found)
    return found


def _free(_comm: Any, _keyval: int, belongings: tuple[Any, Any, RankParts]) -> None:
    if not mpi().Is_finalized():
        native, control, parts = belongings
        parts.free()
        native.Free()
        control.Free()


def _free_at_exit() -> None:
    """Free what belongs to communicators that nobody frees; mpi4py ends MPI when Python code runs no more."""
    if not mpi().Is_finalized():
        for comm in (mpi().COMM_WORLD, mpi().COMM_SELF):
            if comm.Get_attr(_keyval[0]) is not None:
                comm.Delete_attr(_keyval[0])
