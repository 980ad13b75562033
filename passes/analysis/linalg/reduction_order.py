"""Whether tiles of reduction loops may be computed one after the other.

Tiling reassociates a reduction as soon as a tiled reduction loop contains another one, unless it is the last tiled one.
A payload that ends in an associative combiner (a sum, a product, a maximum) admits any order. Any other use of the
accumulator (`3 * z + x`, an argmax) needs the order of the op.
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
    # Iterations stay in lexicographic order if the tiles of all loops but the last one have size 1.
    in_order = [loop for loop, _ in tiled] == structured.reduction_loops[: len(tiled)]
    return in_order and all(size == 1 for _, size in tiled[:-1])
