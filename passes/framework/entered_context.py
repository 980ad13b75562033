"""A context to work in, whatever the caller has entered and loaded."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Any

from mlir import ir
from mlir._mlir_libs import get_dialect_registry

from .errors import PassError
from .interpreter_exit import in_bindings

DIALECTS = (
    *("affine", "arith", "bufferization", "cf", "func", "linalg", "llvm"),
    *("math", "memref", "scf", "tensor", "ub", "vector"),
)
"""The dialects of the ops that passes make."""


def empty_context() -> ir.Context:
    """A context without dialects: what parses or copies IR into it loads those that it meets."""
    made: Any = ir.Context  # The stubs have the class that it extends.
    return made(load_on_create_dialects=())


def new_context() -> ir.Context:
    """A context for a program of our own, with the dialects of the ops that passes make.

    Parsers and upstream's passes load others as they meet them. A third of the time of `ir.Context()`, which loads all.
    """
    context = empty_context()
    for name in DIALECTS:
        context.get_dialect_descriptor(name)  # Loads it, and imports no Python classes of its ops as `dialects` does.
    return context


@cache
def scratch_context() -> ir.Context:
    """A context that holds no IR: to parse pipelines in, and to stand between the caller's context and ours."""
    return empty_context()


@contextmanager
def entered(context: ir.Context) -> Generator[None]:
    """`with context`, but without an insertion point and a location of the same context that the caller has entered.

    `with context` alone keeps both, so that each clone, and each op that is made to stand nowhere, would be inserted
    into the caller's block. Dialects that are missing are loaded: passes make ops of others than they find.

    Raises `PassError` where that would end the process.
    """
    _load_dialects(context)
    if _has_insertion_point() or ir.Location.current is not None:
        with in_bindings(), scratch_context(), context:
            yield
    else:
        with in_bindings(), context:
            yield


def _load_dialects(context: ir.Context) -> None:
    if not _missing(context):
        return
    context.load_all_available_dialects()
    missing = _missing(context)
    if missing and context.allow_unregistered_dialects:
        # An op that was read as an unregistered one would dangle as soon as its dialect is registered.
        raise PassError(
            f"the module's context has no dialect '{missing[0]}'; before parsing, register the dialects "
            "(context.append_dialect_registry), or use a context made by mlir.ir.Context()"
        )
    if missing:
        context.append_dialect_registry(get_dialect_registry())
        context.load_all_available_dialects()


def _missing(context: ir.Context) -> list[str]:
    return [name for name in DIALECTS if not context.is_dialect_loaded(name)]


def _has_insertion_point() -> bool:
    try:
        _ = ir.InsertionPoint.current
    except ValueError:
        return False
    return True
