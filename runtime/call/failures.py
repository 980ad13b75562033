"""Failed assertions of a program, raised as exceptions in its caller."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING

from ...passes.framework.contract import TAKE_FAILURE

if TYPE_CHECKING:
    from ..native.engine import Engine
    from ..native.loaded_object import LoadedObject

__all__ = ["raising_failures"]

_Native = Callable[[int], None]


def raising_failures(code: Engine | LoadedObject) -> Callable[[_Native], _Native]:
    """A wrapper for native functions of `code` that raises `AssertionError` if an assertion of the program failed.

    One call at a time: all functions of the program record failures at the same place.
    """
    take = code.function(TAKE_FAILURE)
    lock = RLock()  # Native code may call back into Python, which may call the program again.

    def raising(function: _Native) -> _Native:
        def run(table: int) -> None:
            with lock:
                function(table)
                message = _taken(take)
            if message is not None:
                raise AssertionError(message)

        return run

    return raising


def _taken(take: _Native) -> str | None:
    """The message of the last failure, which is forgotten; None if nothing has failed."""
    address = ctypes.c_int64()
    table = (ctypes.c_void_p * 1)(ctypes.addressof(address))
    take(ctypes.addressof(table))
    return ctypes.string_at(address.value).decode(errors="replace") if address.value else None
