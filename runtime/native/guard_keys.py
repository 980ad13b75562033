"""The keys of the process by which threads find the context of their call (`guard_code.py`)."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from .guard_code import USE_GUARD

__all__ = ["use_guard"]


@cache
def _keys() -> tuple[int, int]:
    """The keys of the process, which it keeps: native code has their numbers."""
    create = ctypes.CDLL(None).pthread_key_create
    keys = ctypes.c_uint(), ctypes.c_uint()
    for key in keys:
        if create(ctypes.byref(key), None):
            raise OSError("the system has no more keys for threads")
    return keys[0].value, keys[1].value


def use_guard(code: Any) -> None:
    """Give native code with guarded entry points the keys of the process; other code stays as it is."""
    if code.defines(USE_GUARD):
        keys = [ctypes.c_int64(key) for key in _keys()]
        table = (ctypes.c_void_p * 2)(*map(ctypes.addressof, keys))
        code.function(USE_GUARD)(ctypes.addressof(table))
