"""The stages of a compilation, and who watches the module after each."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

from mlir import ir

__all__ = ["STAGES", "is_watched", "makes_parts", "one_object", "reached", "watched_stages"]

STAGES = ("tensors", "bufferize", "boundary", "deallocate", "buffers", "functions", "llvm", "linked")
"""The steps of a compilation by name, in their order; at last the functions of the runtime are linked in."""

Watcher = Callable[[str, ir.Module], None]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_parts: ContextVar[bool] = ContextVar("parts", default=True)


@contextmanager
def watched_stages(watcher: Watcher) -> Generator[None]:
    """Show `watcher` the module after each of `STAGES`, for compilations in a `with` block; no cache is used there."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def is_watched() -> bool:
    """Whether somebody wants to see the stages."""
    return _watcher.get() is not None


def reached(stage: str, module: ir.Module) -> None:
    """Show the watcher, if there is one, the module after a stage."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(stage, module)


@contextmanager
def one_object() -> Generator[None]:
    """Keep the code of programs compiled in a `with` block in one object file, in which a fault is looked for."""
    token = _parts.set(False)
    try:
        yield
    finally:
        _parts.reset(token)


def makes_parts() -> bool:
    """Whether the code of a program may be in two object files."""
    return _parts.get()
