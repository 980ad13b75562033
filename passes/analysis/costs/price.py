"""The price of decisions: plain data, which every route compares."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["COPY_WEIGHT", "Price"]

COPY_WEIGHT = 4
"""How many allocated bytes a copied one counts for: it is read and written, an allocated one only takes up room."""


class Price(NamedTuple):
    """What an outcome costs: refusals come before bytes."""

    refusals: int = 0
    """Whether the program cannot be bufferized."""
    weighed: int = 0
    """Bytes that are copied or allocated, each time that happens; copied ones count :data:`COPY_WEIGHT` times."""
    copied: int = 0
    """Bytes that are copied, each time that happens."""
    ops: int = 0
    """Copies and allocations in the text: what decides where bytes are equal."""

    @classmethod
    def of(cls, copied: int = 0, allocated: int = 0) -> Price:
        """Return the cost of bytes that are copied and allocated."""
        return cls(0, COPY_WEIGHT * copied + allocated, copied, (copied > 0) + (allocated > 0))

    @property
    def allocated(self) -> int:
        """Bytes that are allocated, each time that happens."""
        return self.weighed - COPY_WEIGHT * self.copied

    def plus(self, other: Price) -> Price:
        """Return the sum."""
        return Price(self[0] + other[0], self[1] + other[1], self[2] + other[2], self[3] + other[3])

    def minus(self, other: Price) -> Price:
        """Return the difference."""
        return Price(self[0] - other[0], self[1] - other[1], self[2] - other[2], self[3] - other[3])
