"""Communicators of parts of the ranks, which programs split off: kept as long as what they are parts of.

Machine code asks for them by the address in its table, as it is forgotten before they are: a program may be dropped on
one rank earlier than on another, and to free a communicator all its ranks must be there.
"""

from __future__ import annotations

import ctypes
from typing import Any

from .library import mpi

__all__ = ["RankParts"]

_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_int, ctypes.c_int, ctypes.c_uint64)
"""`MPI_Comm_split`, as machine code calls it: handles are words, and so is the address for the new one."""


class RankParts:
    """The parts of one communicator, and of these parts. One that was made before is found again."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, tuple[tuple[int, int], ...]], Any] = {}
        """By the handle that was split, and by color and key of each of its ranks: so all find it, or none."""
        self._function = _FUNCTION(self._split)
        self.address = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        """The address of the function that machine code calls."""

    def free(self) -> None:
        """Free them, the last one first; all ranks must call it."""
        while self._made:
            made = self._made.popitem()[1]
            if made != mpi().COMM_NULL:
                made.Free()

    def _split(self, handle: int, color: int, key: int, place: int) -> int:
        """Write the handle of the part to the place; return the code of an error, or 0."""
        known = mpi()
        comm, size = known.Comm(), known._sizeof(known.Comm)
        ctypes.memmove(known._addressof(comm), ctypes.byref(ctypes.c_uint64(handle)), size)
        try:
            of = handle, tuple(comm.allgather((color, key)))
            if of not in self._made:
                self._made[of] = comm.Split(color, key)
        except known.Exception as error:
            return error.Get_error_code()
        ctypes.memmove(place, known._addressof(self._made[of]), size)
        return 0
