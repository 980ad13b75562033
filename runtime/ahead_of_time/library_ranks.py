"""The functions of a compiled library that sends messages, as entry points for the ranks of mpi4py.

A package that `python_package.py` writes for such a library has this file, and those that it imports, as they are here.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from ..interface.signature import Signature
from ..message_passing.communicators import Communicators
from ..message_passing.distributed_entry import DistributedEntry
from ..message_passing.library import as_communicator, loaded_mpi, mpi
from ..message_passing.shards import ShardedSignature, require_ranks
from .loaded_library import LoadedLibrary, NativeForms, drop

__all__ = ["LibraryRanks"]


class LibraryRanks(Communicators):
    """The ranks of a library, which its user tells once. `use` makes what `Communicators` has; nothing has it before.

    Args:
        library: the library.
        grid: that of a partitioned program.
        functions: the functions of MPI whose addresses the library takes, in order.
    """

    def __init__(self, library: LoadedLibrary, grid: tuple[int, ...] | None, functions: Sequence[str]) -> None:
        self._library, self._grid, self._functions = library, grid, functions

    def use(self, comm: object) -> None:
        """Run on the ranks of a communicator of mpi4py. All of its ranks call this together, once, before any function.

        Raises `TypeError` and `ValueError` for what is no such communicator, or not for the grid of the program, and
        `RuntimeError` if the ranks are known.
        """
        if "native" in vars(self):
            raise RuntimeError("use_mpi() was called before")
        require_ranks(self._grid, as_communicator(comm).Get_size())
        super().__init__(comm)
        functions = ctypes.CDLL(loaded_mpi().path)
        addresses = [ctypes.cast(getattr(functions, name), ctypes.c_void_p).value or 0 for name in self._functions]
        words = [*self.words(), *addresses, self.rank]
        self._library.function("set_mpi", ctypes.c_int, ctypes.c_void_p)((ctypes.c_uint64 * len(words))(*words))

    def entry_point(
        self,
        symbol: str,
        signature: Signature,
        forms: NativeForms,
        weights: Mapping[int, str],
        shards: ShardedSignature | None,
    ) -> DistributedEntry:
        """The entry point whose C function is `symbol`; the arguments are as for `LoadedLibrary.entry_point`."""
        held = self._library.held(signature, weights)
        rest = None if shards is None else shards.without(held.arrays)
        library = self._library
        return DistributedEntry(signature, lambda c: library.native(symbol, forms, c), drop, held, self, rest)

    def explain(self, error: Exception) -> Exception:
        """`error`, with MPI's text if a function of MPI has failed."""
        code = self._library.function("mpi_code", ctypes.c_int)()
        if not code or not re.search(r"(mpi\.\w+|func\.call) failed$", str(error)):
            return error
        return type(error)(f"{error}: {mpi().Get_error_string(code)}")

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse what is not there before `use`."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError("the ranks are not known: call use_mpi(comm) first, with a communicator of mpi4py")
