"""The threads of the process for `threads=`: a team that helps whoever calls, and is not waited for if it is busy.

OpenMP's runtimes give each thread its share, and wait for all of them. If another process has one of the processors,
the call waits for the thread there: 4 ms, a time slice of the system, for a program of 0.6 ms. Here threads take parts
as they get free, and one that does not run takes none (`team_code.py`).
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from mlir import ir

from ...passes.analysis.ir.traversal import first_op
from ...passes.framework.diagnostics import located
from ...passes.framework.entered_context import entered, new_context
from ...passes.framework.errors import PassError
from .engine import Engine, load_library
from .openmp import is_openmp
from .team_code import ADDRESSES, NAMES, team_module
from .team_records import TeamRecord

__all__ = ["has_team", "require_own_loops", "thread_symbols"]

_OWN = frozenset({"omp.parallel", "omp.terminator", "omp.loop_nest", "omp.yield"})
_LOOP = "omp.wsloop"


def has_team() -> bool:
    """Whether threads of our own can run here: on Linux, on processors that their code is written for."""
    return sys.platform == "linux" and team_module() is not None


def thread_symbols(threads: int, libraries: Sequence[str]) -> Mapping[str, Any]:
    """The functions that code for `threads` calls, by name; none where one of its `libraries` is a runtime of OpenMP.

    They are compiled at the first use, and never freed. Raises `OSError` if the system has no more keys for threads.
    """
    if threads == 1 or not has_team() or any(is_openmp(load_library(path)) for path in libraries):
        return {}
    return _team().symbols


def require_own_loops(module: ir.Operation) -> None:
    """Raise `PassError` for the first op of OpenMP that needs more of a runtime than the team is."""

    def is_foreign(op: ir.Operation) -> bool:
        if not op.name.startswith("omp.") or op.name in _OWN:
            return False
        return op.name != _LOOP or "schedule_kind" not in op.attributes or "nowait" not in op.attributes

    foreign = first_op(module, is_foreign)
    if foreign is not None:
        advice = "it needs a runtime of OpenMP; name its library in shared_libs"
        raise PassError(located(foreign.location, f"'{foreign.name}' cannot be run: {advice}"))


@cache
def _team() -> _Team:
    """The team of the process."""
    team = _Team()
    os.register_at_fork(after_in_child=team.reset)
    return team


class _Team:
    """The native code, and the team's record, whose threads a fork does not copy."""

    def __init__(self) -> None:
        with entered(new_context()):
            self._engine = Engine(ir.Module.parse(team_module() or ""), 1, ())
        # Its threads may wake after the interpreter has ended: the code is not freed then, either.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._engine))
        addresses = (ctypes.c_int64 * (1 + len(NAMES)))()
        given = ctypes.c_void_p(ctypes.addressof(addresses))
        table = (ctypes.c_void_p * 1)(ctypes.addressof(given))
        self._engine.function(ADDRESSES)(ctypes.addressof(table))
        self._words = addresses[0]
        for word in (TeamRecord.STATE_KEY, TeamRecord.COUNT_KEY):
            self._set(word, _new_key())
        self.symbols = {name: ctypes.c_void_p(address) for name, address in zip(NAMES, addresses[1:], strict=True)}

    def reset(self) -> None:
        """Forget the threads, and the region that another thread was in."""
        for word in (TeamRecord.LOCK, TeamRecord.GATE, TeamRecord.WORKERS, TeamRecord.SLEEPERS):
            self._set(word, 0)

    def _set(self, word: TeamRecord, value: int) -> None:
        ctypes.c_int64.from_address(self._words + word * 8).value = value


def _new_key() -> int:
    key = ctypes.c_uint()
    if ctypes.CDLL(None).pthread_key_create(ctypes.byref(key), None):
        raise OSError("the system has no more keys for threads")
    return key.value
