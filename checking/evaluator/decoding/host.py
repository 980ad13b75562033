"""The interface of a module that decoded ops use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from mlir import ir

from ..values.elements import Element
from ..values.ranks import Rank
from ..values.state import EvaluationState

__all__ = ["Callee", "Host"]


class Callee(Protocol):
    """A decoded function."""

    def call(self, state: EvaluationState, values: Sequence[Any]) -> list[Any]:
        """Call it, with registers of its own."""
        ...


class Host(Protocol):
    """A running module: element types and symbols, the state of the run, functions, and the rank that runs."""

    elements: dict[ir.Type, Element]
    state: EvaluationState
    symbols: dict[str, ir.Operation]
    rank: Rank | None

    def function(self, name: str) -> Callee:
        """The function called `name`, decoded once."""
        ...
