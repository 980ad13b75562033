"""Fast-math and overflow flags that no longer hold once a payload combines elements in another order."""

from __future__ import annotations

from mlir import ir

from ...analysis.linalg.structured_op import Structured
from ...analysis.linalg.vector_payload import find_combiner

__all__ = ["forget_promises"]

_OVERFLOW, _FASTMATH = "overflowFlags", "fastmath"
_FAST = "reassoc,nnan,ninf,nsz,arcp,contract,afn"
_SELECTING = frozenset({"arith.maximumf", "arith.minimumf"})
"""Ops that make no NaN, and have infinities as neutral elements."""


def forget_promises(structured: Structured) -> None:
    """Drop the flags of the combining op that may not hold in another order, or with its neutral element.

    Other sums than those of the op may overflow or be infinite, or infinities of both signs may meet; the neutral
    element may be an infinity or a NaN. With a flag that excludes this, the result could be any value.
    """
    combiner = find_combiner(structured)
    if combiner is None:
        return
    with combiner.context:
        if _OVERFLOW in combiner.attributes:
            combiner.attributes[_OVERFLOW] = ir.Attribute.parse("#arith.overflow<none>")
        if _FASTMATH in combiner.attributes:
            text = str(combiner.attributes[_FASTMATH])
            given = text[text.index("<") + 1 : -1].replace("fast", _FAST).split(",")
            broken = {"ninf"} if combiner.name in _SELECTING else {"nnan", "ninf"}
            if not broken.isdisjoint(given):
                kept = ",".join(flag for flag in given if flag not in broken)
                combiner.attributes[_FASTMATH] = ir.Attribute.parse(f"#arith.fastmath<{kept or 'none'}>")
