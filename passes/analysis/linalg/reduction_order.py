"""Whether tiles of reduction loops may be computed one after the other.

Tiles change the order in which elements are combined as soon as a tiled reduction loop has another one inside of it,
unless it is the last one that is tiled. A payload that ends in a sum, a product, a maximum or the like admits any
order. Any other use of the accumulator (`3 * z + x`, an index that is kept) needs the order of the op.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .structured_op import Structured
from .vector_payload import find_combiner

__all__ = ["admits_tiles"]


class _TiledLoop(Protocol):
    """A loop of an op, and how many iterations a tile has."""

    @property
    def loop(self) -> int: ...
    @property
    def size(self) -> int: ...


def admits_tiles(structured: Structured, loops: Sequence[_TiledLoop]) -> bool:
    """Tell whether results stay what they are if `loops`, outermost first, run around smaller ops.

    Sums of floating-point numbers may be added up in another order. Linear in the loops.
    """
    if find_combiner(structured) is not None:
        return True
    tiled = [one for one in loops if not structured.parallel[one.loop]]
    # Lexicographic order of all loops: those around the last one that is tiled go on by one iteration each.
    in_order = [one.loop for one in tiled] == structured.reduction_loops[: len(tiled)]
    return in_order and all(one.size == 1 for one in tiled[:-1])
