"""The trampolines of this process (`call/trampolines.py`): loaded from the cache on disk, or compiled when it pays."""

from __future__ import annotations

import ctypes
from typing import Any

from ..call.trampoline_code import ADDRESSES, trampoline_module
from ..call.trampolines import Trampolines, are_offsets_known
from ..native.loaded_object import LoadedObject, UnsupportedObjectError, are_supported
from .disk_cache import DiskCache, Entry, cache_place, code_key

__all__ = ["compile_trampolines", "shared_trampolines"]

_LOADED_AFTER, _COMPILED_AFTER = 64, 2048
"""Calls of small programs that cost as much more without trampolines as it takes to load or to compile these."""


class _Shared:
    """Counts calls until there are trampolines."""

    def __init__(self) -> None:
        self.calls = 0
        self.found: Trampolines | None = None


_shared = _Shared()


def shared_trampolines() -> Trampolines | None:
    """The trampolines; None for the first calls of a process, which count here, and where Python is not as expected."""
    if _shared.found is None:
        _shared.calls += 1
        if _shared.calls in (_LOADED_AFTER, _COMPILED_AFTER) and are_offsets_known():
            _shared.found = _loaded() if _shared.calls == _LOADED_AFTER else _compiled()
    return _shared.found


def compile_trampolines() -> None:
    """Have the trampolines from now on, without waiting until they pay, for tests of what they do."""
    if _shared.found is None and are_offsets_known():
        _shared.found = _compiled()


def _cache() -> DiskCache | None:
    place = cache_place(None)
    return place and DiskCache(place)


def _loaded() -> Trampolines | None:
    cache = _cache()
    entry = cache.load(code_key(trampoline_module())) if cache else None
    if entry is None:
        return None
    try:
        return _found(LoadedObject(entry.objects, []))
    except (UnsupportedObjectError, OSError):
        return None


def _compiled() -> Trampolines:
    from mlir import ir

    from ...passes.framework.entered_context import entered, new_context
    from ..native.engine import Engine

    with entered(new_context()):
        engine = Engine(ir.Module.parse(trampoline_module()), opt_level=1, shared_libs=[])
        found = _found(engine)
    objects, cache = engine.objects, _cache()
    if cache and are_supported(objects):
        cache.store(code_key(trampoline_module()), Entry(objects, {}, owns_results=False))
    return found


def _found(code: Any) -> Trampolines:
    addresses = (ctypes.c_int64 * 2)()
    given = ctypes.c_void_p(ctypes.addressof(addresses))
    table = (ctypes.c_void_p * 1)(ctypes.addressof(given))
    code.function(ADDRESSES)(ctypes.addressof(table))
    return Trampolines(addresses[0], addresses[1], code)
