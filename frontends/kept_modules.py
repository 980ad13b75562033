"""Modules that a frontend has lowered, kept on disk beside their machine code: the next process lowers nothing."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from typing import Any

from mlir import ir

from ..dialects.registry import has_process_models
from ..passes.framework.entered_context import new_context
from ..runtime.compilation.disk_cache import CachePlace, DiskCache, Entry, cache_key, cache_place, plugins
from ..runtime.compilation.program import Program
from ..runtime.compilation.program import compile as compile_module
from ..runtime.compilation.stages import is_watched

__all__ = ["compile_lowered"]


def compile_lowered(lower: Callable[[], ir.Module], *made_from: object, **options: Any) -> Program:
    """Compile the module that `lower` returns, which depends on `made_from` alone; different ones have other `repr`s.

    Where machine code is kept (the option `cache`, see `compile`) the module is kept too, as bytecode. Raises what
    `lower` and `compile` raise.
    """
    place = _usable(cache_place(options.get("cache")))
    if place is None:
        return compile_module(lower(), **options)
    cache, key = DiskCache(place), cache_key("lowered module", *made_from)
    kept = cache.load(key)
    if kept is not None:
        with new_context():
            # Parsed here: bytecode of others is tried in a process of its own, but an entry is what was written.
            module = ir.Module.parse(kept.code)
        return compile_module(module, **options)
    started = time.perf_counter()
    module = lower()
    program = compile_module(module, **options)
    if cache.is_worth(time.perf_counter() - started):
        bytecode = io.BytesIO()
        module.operation.write_bytecode(bytecode)
        cache.store(key, Entry(bytecode.getvalue(), {}, owns_results=False))
    return program


def _usable(place: CachePlace | None) -> CachePlace | None:
    """The place, unless somebody watches, or what is compiled depends on what no key holds."""
    if place is None or is_watched() or has_process_models():
        return None
    return place if place.asked or not plugins() else None
