"""Random choices that are the same on every platform and Python: built on `Random.random`, whose sequence is fixed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


class Draw:
    """Choices from one seed. Each costs one call of the generator of random numbers."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, end: int) -> int:
        """Return an integer from 0 to `end` - 1."""
        return min(int(self._random.random() * end), end - 1)

    def between(self, first: int, last: int) -> int:
        """Return an integer from `first` to `last`, both included."""
        return first + self.below(last - first + 1)

    def chance(self, probability: float) -> bool:
        """True with probability `probability`."""
        return self._random.random() < probability

    def choice(self, items: Sequence[_Item]) -> _Item:
        """Return one of `items`, each as likely as the others."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[_Item], weights: Sequence[float]) -> _Item:
        """Return one of `items`, as likely as its weight says."""
        left = self._random.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            left -= weight
            if left < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence[_Item]) -> list[_Item]:
        """Return `items` in some order."""
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in items]
