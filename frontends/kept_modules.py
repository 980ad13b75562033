"""Modules that a frontend has lowered, kept on disk beside their machine code: the next process lowers nothing."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from typing import Any

from mlir import ir

from ..passes.framework.entered_context import entered, new_context
from ..runtime.compilation.build import usable_place
from ..runtime.compilation.disk_cache import DiskCache, Entry, cache_key, cache_place
from ..runtime.compilation.program import Program
from ..runtime.compilation.program import compile as compile_module

__all__ = ["compile_lowered"]


def compile_lowered(lower: Callable[[], ir.Module], *made_from: object, **options: Any) -> Program:
    """Compile the module that `lower` returns, which depends on `made_from` alone; different ones have other `repr`s.

    Where machine code is kept (the option `cache`, see `compile`) the module is kept too, as bytecode. Raises what
    `lower` and `compile` raise.
    """
    place = usable_place(cache_place(options.get("cache")))
    if place is None:
        return compile_module(lower(), **options)
    cache, key = DiskCache(place), cache_key("lowered module", *made_from)
    kept = cache.load(key)
    if kept is not None:
        with entered(new_context()):
            # Parsed here: bytecode of others is tried in a process of its own, but an entry is what was written.
            module = ir.Module.parse(kept.objects[0])
        return compile_module(module, **options)
    started = time.perf_counter()
    module = lower()
    program = compile_module(module, **options)
    if cache.is_worth(time.perf_counter() - started):
        bytecode = io.BytesIO()
        module.operation.write_bytecode(bytecode)
        cache.store(key, Entry((bytecode.getvalue(),), {}, owns_results=False))
    return program
