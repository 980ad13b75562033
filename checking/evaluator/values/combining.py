"""Reductions over ranks, from the first rank to the last: one order, though MPI promises none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

__all__ = ["COMBINERS", "combined"]

COMBINERS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": np.add,
    "product": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}
"""By the names of the shard dialect."""


def combined(kind: str, values: Sequence[Any]) -> Any:
    """The values of all ranks, element by element."""
    return reduce(COMBINERS[kind], values)
