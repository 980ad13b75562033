"""Bound calls: arguments are checked and packed once, so that a call costs little more than the jump."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ..interface.signature import Signature
from .failures import raise_failure
from .process_bound import ProcessBound
from .trampolines import TrampolineSource, native_address

Finish = Callable[[], Any]
"""Runs native code on the frame it was made for, and returns what the caller gets."""


class BoundCall(ProcessBound):
    """One function of a program with its arguments: `call = program.bind(a, b)`, then `call()` as often as wanted.

    Arrays are bound, not their contents: each call reads what they hold at that time, and changes an argument that is
    `bufferization.writable`. Scalars are bound by value. All checks are made when it is bound.

    A result is the same array in each call, overwritten by the next one: copy it to keep it. It is the array of `out`
    if that was given (a result that cannot be computed there, because it overlaps an argument or is not contiguous, is
    copied there after each call), an argument's array if the result lives in it, and an array made when it was bound
    otherwise. Only results whose size native code decides are new arrays each time, and scalars new numbers; such
    calls cost a few microseconds.

    The arrays and the native code stay alive as long as the bound call. It goes on with the memory that was bound
    whatever becomes of the array objects: a new `shape` or `flags.writeable` of one changes nothing, and
    `ndarray.resize` is refused by NumPy as long as the array is bound (never force it with `refcheck=False`).
    A bound call is for one thread at a time, since all calls share their results: bind once for each thread. A call
    while another one runs raises `RuntimeError`; where results are new each time, it waits.
    """

    __slots__ = ("_finish", "_idle_table", "_kept", "_native", "_result", "_trampoline", "_trampolines", "signature")

    def __init__(
        self,
        signature: Signature,
        native: Callable[[int], int],
        table: int,
        result: Any,
        finish: Finish | None,
        kept: object,
        trampolines: TrampolineSource,
    ) -> None:
        """`result` is what calls return, unless `finish` runs and returns it; `kept`: what must stay alive."""
        self._trampoline: Callable[[], Any] | None = None
        self._trampolines = trampolines
        self.signature = signature
        self._native = native
        self._idle_table = None if finish else table
        """The frame's table while no call runs; always None for calls that `finish`, so that one check is enough."""
        self._result = result
        self._finish = _one_at_a_time(finish) if finish else None
        self._kept = kept

    def __call__(self) -> Any:
        """Run, and return the result: None, one, or a tuple. Raises `RuntimeError` if a call is running already."""
        trampoline = self._trampoline
        if trampoline is not None:
            result = trampoline()
            return self._call_otherwise() if result is NotImplemented else result
        # CPython changes threads at calls and jumps back only, so that no other thread takes the table as well.
        table = self._idle_table
        if table is None:
            return self._call_otherwise()
        self._idle_table = None
        found = self._trampolines()
        address = native_address(self._native) if found is not None else None
        if found is not None and address is not None:
            # The table stays taken: from now on all calls are the trampoline's.
            self._trampoline = found.bound_function(table, address, self._result, self._kept)
            return self._trampoline()
        try:
            failure = self._native(table)
        finally:
            self._idle_table = table
        if failure:
            raise_failure(failure)
        return self._result

    def _call_otherwise(self) -> Any:
        if self._finish is None:
            raise RuntimeError(
                f"{self!r} is running already, and all its calls share their results; bind once for each thread"
            )
        return self._finish()

    def __repr__(self) -> str:
        return f"<bound call of {self.signature.brief}>"


def _one_at_a_time(finish: Finish) -> Finish:
    # A buffer in the frame must be adopted once, even if several threads call.
    lock = threading.Lock()

    def locked() -> Any:
        with lock:
            return finish()

    return locked
