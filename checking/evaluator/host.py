"""What decoded ops may ask of the module they are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from mlir import ir

from .elements import Element
from .state import EvaluationState

__all__ = ["Callee", "Host"]


class Callee(Protocol):
    """A decoded function."""

    def call(self, state: EvaluationState, values: Sequence[Any]) -> list[Any]:
        """Run with registers of its own."""
        ...


class Host(Protocol):
    """A module that is being run: its element types and symbols, the state of the run, its functions."""

    elements: dict[ir.Type, Element]
    state: EvaluationState
    symbols: dict[str, ir.Operation]

    def function(self, name: str) -> Callee:
        """The function called `name`, decoded once."""
        ...
