"""Whether tiles of reduction loops may be computed one after the other.

Tiles change the order in which elements are combined as soon as a tiled reduction loop has another one inside of it,
unless it is the last one that is tiled. A payload that ends in a sum, a product, a maximum or the like admits any
order. Any other use of the accumulator (`3 * z + x`, an index that is kept) needs the order of the op.
"""

from __future__ import annotations

from collections.abc import Sequence

from .structured_op import Structured
from .vector_payload import find_combiner

__all__ = ["admits_tiles"]


def admits_tiles(structured: Structured, loops: Sequence[tuple[int, int]]) -> bool:
    """Whether results stay the same if `loops`, each with its tile size, outermost first, are tiled.

    Floating-point sums may be reassociated. Linear in the loops.
    """
    if find_combiner(structured) is not None:
        return True
    tiled = [(loop, size) for loop, size in loops if not structured.parallel[loop]]
    # Tiles are in lexicographic order if those of all loops around the last one have one iteration.
    in_order = [loop for loop, _ in tiled] == structured.reduction_loops[: len(tiled)]
    return in_order and all(size == 1 for _, size in tiled[:-1])
