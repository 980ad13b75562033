"""What the decisions of a function cost, and how near that is to the least: plain data."""

from __future__ import annotations

from typing import Any

from ....dialects.support.frozen_classes import frozen
from .price import Price

__all__ = ["Optimality"]


@frozen
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
