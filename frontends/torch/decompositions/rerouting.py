"""Decompositions of ops by themselves: what is left to torch-mlir while another is traced."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_alone: ContextVar[frozenset[Callable[..., Any]]] = ContextVar("_alone", default=frozenset())


def left_alone(rule: Callable[..., Any]) -> bool:
    """Whether a rule is not to be applied, as it is being applied."""
    return rule in _alone.get()


@contextmanager
def rerouted(rule: Callable[..., Any]) -> Generator[None]:
    """Leave ops alone that a rule is for, inside of it."""
    token = _alone.set(_alone.get() | {rule})
    try:
        yield
    finally:
        _alone.reset(token)
