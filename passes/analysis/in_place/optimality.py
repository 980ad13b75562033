"""What the decisions of a function cost, and how near that is to the least: plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["COPY_WEIGHT", "Optimality", "Price"]


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


@dataclass(frozen=True)
class Optimality:
    """What the decisions cost, and what none cost less than, by the cost model's estimate."""

    cost: Price
    bound: Price
    contested: int
    """The operands among which was chosen."""
    trials: int
    """How many times the function was analysed."""

    @property
    def is_proved(self) -> bool:
        """Whether no decisions cost less."""
        return self.bound >= self.cost

    @property
    def gap(self) -> float:
        """How much of the cost may be saved, at most, by other decisions."""
        return 1 - self.bound.weighed / self.cost.weighed if self.cost.weighed else 0.0

    def to_json(self) -> dict[str, Any]:
        """It as a JSON object; `docs/explanation.schema.json` describes it, and adds the function."""
        return {
            "copied_bytes": self.cost.copied,
            "allocated_bytes": self.cost.allocated,
            "cost": self.cost.weighed,
            "lower_bound": self.bound.weighed,
            "gap": self.gap,
            "contested": self.contested,
        }

    def __str__(self) -> str:
        found = f"the decisions copy {self.cost.copied} bytes and allocate {self.cost.allocated}, by estimate"
        left = "no others cost less" if self.is_proved else f"others may save {100 * self.gap:.1f} % of the cost"
        return f"{found}; {left} (lower bound {self.bound.weighed} of {self.cost.weighed}, {self.contested} contested)"
