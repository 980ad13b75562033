"""One version of a program as native code: from the cache, or compiled by `steps.py`, which is imported only then."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from mlir import ir

from ...dialects.registry import has_process_models
from ...dialects.support.frozen_classes import frozen
from ..call.results import NativeCode
from ..interface.forms import Form
from ..interface.signature import Signature
from ..memory.pool import use_pool
from ..memory.statistics import Recorder
from ..native.engine import Engine, load_library
from ..native.guard_keys import use_guard
from ..native.library_names import native_name
from ..native.loaded_object import LoadedObject, UnsupportedObjectError, are_supported
from ..native.thread_team import thread_symbols
from .disk_cache import CachePlace, DiskCache, Entry, cache_key, plugins
from .settings import Settings
from .stages import is_watched

if TYPE_CHECKING:
    from .steps import Compiled

__all__ = ["Build", "build", "usable_place"]


@frozen
class Build:
    """One compiled version of a program: the owner of the machine code, and the code of each entry point."""

    engine: Engine | LoadedObject
    codes: Mapping[str, NativeCode]


def build(source: ir.Module, signatures: Mapping[str, Signature], settings: Settings, *, contiguous: bool) -> Build:
    """Compile `source`, which is not changed, or load it from the cache.

    Args:
        source: a valid module whose entry points have `signatures`.
        signatures: by the names of the entry points.
        settings: how to compile it.
        contiguous: whether tensor arguments are contiguous; otherwise they may have any strides.

    Raises `PassError` if a pass refuses the program, `OSError` if a library cannot be loaded.
    """
    place = None if settings.callbacks else usable_place(settings.cache, piped=settings.pipeline is not None)
    if place is None:
        return _finish(_compile(source, signatures, settings, contiguous), settings)
    cache = DiskCache(place)
    told = replace(settings, cache=None, pipeline=None)
    key = cache_key(str(source.operation.get_asm(print_generic_op_form=True)), str(settings.pipeline), told, contiguous)
    entry = cache.load(key)
    if entry is not None and set(entry.forms) == set(signatures):
        try:
            libraries = [load_library(path) for path in settings.shared_libs]
            loaded = LoadedObject(entry.objects, libraries, thread_symbols(settings.threads, settings.shared_libs))
            use_pool(loaded)
            use_guard(loaded)
            return _ready(loaded, entry.forms, settings, owns_results=entry.owns_results)
        except (UnsupportedObjectError, OSError):
            pass  # Compile it, which reports any error.
    started = time.perf_counter()
    compiled = _compile(source, signatures, settings, contiguous)
    seconds = time.perf_counter() - started
    built = _finish(compiled, settings)
    objects = compiled.engine.objects if compiled.forms and cache.is_worth(seconds) else ()
    if are_supported(objects):
        cache.store(key, Entry(objects, dict(compiled.forms), compiled.owns_results))
    return built


def _compile(source: ir.Module, signatures: Mapping[str, Signature], settings: Settings, contiguous: bool) -> Compiled:
    from .steps import compile_module

    return compile_module(source, signatures, settings, contiguous=contiguous)


def usable_place(place: CachePlace | None, *, piped: bool = False) -> CachePlace | None:
    """`place`, unless what is compiled depends on what no key holds, or somebody watches.

    Where nobody has asked for a place, passes and models of others are not trusted to be the same next time, nor is a
    pipeline (`piped`).
    """
    if place is None or is_watched() or has_process_models():
        return None
    return place if place.asked or not (piped or plugins()) else None


def _finish(compiled: Compiled, settings: Settings) -> Build:
    return _ready(compiled.engine, compiled.forms, settings, owns_results=compiled.owns_results)


def _ready(
    engine: Engine | LoadedObject, forms: Mapping[str, Form], settings: Settings, *, owns_results: bool
) -> Build:
    recorder = Recorder(engine.function) if settings.memory_stats else None
    codes: dict[str, NativeCode] = {}
    for name, form in forms.items():
        function = engine.function(native_name(name))
        address = ctypes.cast(cast("Any", function), ctypes.c_void_p).value or 0  # a function of ctypes
        codes[name] = NativeCode(function, form, recorder, owns_results, address)
    return Build(engine, codes)
