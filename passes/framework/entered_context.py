"""A context to work in, whatever the caller has entered."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

from mlir import ir


@cache
def scratch_context() -> ir.Context:
    """A context that holds no IR: to parse pipelines in, and to stand between the caller's context and ours."""
    return ir.Context()


@contextmanager
def entered(context: ir.Context) -> Generator[None]:
    """`with context`, but without an insertion point and a location of the same context that the caller has entered.

    `with context` alone keeps both, so that each clone, and each op that is made to stand nowhere, would be inserted
    into the caller's block.
    """
    if _has_insertion_point() or ir.Location.current is not None:
        with scratch_context(), context:
            yield
    else:
        with context:
            yield


def _has_insertion_point() -> bool:
    try:
        _ = ir.InsertionPoint.current
    except ValueError:
        return False
    return True
