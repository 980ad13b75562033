"""The state of an execution: the content of each root; views of roots."""

from __future__ import annotations

from typing import NamedTuple

from .memory import Content
from .places import WHOLE, Place

__all__ = ["MemoryState", "View"]

_FEW = 4


class View(NamedTuple):
    """A place in a root."""

    root: int
    place: Place = WHOLE


class MemoryState:
    """Contents of roots, as changes of an earlier state."""

    def __init__(self, before: MemoryState | None = None) -> None:
        self.before = before
        self.changes: dict[int, Content] = {}
        self.holders: dict[int, dict[int, None]] = {} if before is None else before.holders
        """For each term, roots that held it in some state, the latest last."""

    def get(self, root: int) -> Content:
        """Return the content of ``root``. The cost is the nesting depth."""
        state: MemoryState | None = self
        while state is not None:
            found = state.changes.get(root)
            if found is not None:
                return found
            state = state.before
        return ()

    def set(self, root: int, content: Content) -> None:
        """Set the content of ``root``."""
        self.changes[root] = content
        for layer in content if len(content) <= _FEW else (content[0], *content[-2:]):
            for term in layer.terms:
                holders = self.holders.setdefault(term, {})
                holders.pop(root, None)
                holders[root] = None

    def fold(self, before: MemoryState) -> MemoryState:
        """Apply all changes since ``before`` to that state, and return it."""
        chain: list[MemoryState] = []
        state: MemoryState | None = self
        while state is not None and state is not before:
            chain.append(state)
            state = state.before
        for state in reversed(chain):
            before.changes.update(state.changes)
        return before
