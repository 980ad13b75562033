"""Why a call was given up, raised as an exception in its caller: assertions, divisions, memory, recursion."""

from __future__ import annotations

import ctypes
from typing import NoReturn

from ...passes.framework.contract import BY_ZERO, OUT_OF_RANGE
from ..memory.result_pool import refused

__all__ = ["raise_failure"]

_RECURSION = -1
_CLASSES = ((BY_ZERO, ZeroDivisionError), (OUT_OF_RANGE, OverflowError))


def raise_failure(code: int) -> NoReturn:
    """Raise what a guarded entry point has returned (`native/guarded_entries.py`).

    That is one more than the number of bytes that were refused, -1 where little is left of the stack, and for an
    assertion the negative address of its message, which is in the code of the program.
    """
    if code == _RECURSION:
        raise RecursionError("the program calls itself too often: the stack of this thread is full")
    if code < 0:
        message = ctypes.string_at(-code).decode(errors="replace")
        raise next((kind for end, kind in _CLASSES if message.endswith(end)), AssertionError)(message)
    raise refused(code - 1)
