"""Which grid axes split which loops of a structured op: those that the result is wanted by, then those of operands.

A loop may be split if every index that depends on it is the loop itself: then the iterations of a part touch the same
part of each operand. A reduction may be split if its combining op is one that MPI has, and the order of it is free:
sums of parts are summed again. Each axis splits one loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ...analysis.linalg.structured_op import Structured, type_bytes
from ...analysis.linalg.vector_payload import find_combiner
from .splits import Split

__all__ = ["REDUCTIONS", "axes_of_loops", "combiner_of", "split_of"]

REDUCTIONS = {
    "arith.addf": "sum",
    "arith.addi": "sum",
    "arith.mulf": "product",
    "arith.muli": "product",
    "arith.maxsi": "max",
    "arith.minsi": "min",
    "arith.andi": "bitwise_and",
    "arith.ori": "bitwise_or",
    "arith.xori": "bitwise_xor",
}
"""For each combining op the reduction between ranks. Not those of floats that NaN decides: MPI does not say how."""

_COMPUTED = ("i8", "i16", "i32", "i64", "f32", "f64")


def combiner_of(structured: Structured) -> ir.Operation | None:
    """The combining op of a reduction that ranks can share."""
    combiner = find_combiner(structured)
    if combiner is None or combiner.name not in REDUCTIONS:
        return None
    flags = combiner.attributes.get("overflowFlags", None)
    wraps = flags is None or "none" in str(flags)
    return combiner if wraps and str(combiner.results[0].type) in _COMPUTED else None


def axes_of_loops(
    structured: Structured, operands: Sequence[Split | None], wanted: Split | None
) -> list[tuple[int, ...]]:
    """For each loop its axes. `operands` are the splits that operands have; `wanted` is that of the first result."""
    axes: list[tuple[int, ...]] = [()] * len(structured.sizes)
    used: set[int] = set()
    admitted = _splittable(structured)

    def offer(operand: int, split: Split) -> None:
        for index, offered in zip(structured.indices[operand], split, strict=True):
            loop = index.loop
            if offered and loop in admitted and not axes[loop] and not used & set(offered):
                axes[loop] = offered
                used.update(offered)

    if wanted is not None:
        offer(structured.outputs[0], wanted)
    sizes = [type_bytes(value.type) for value in structured.op.operands]
    for operand in sorted(range(len(operands)), key=lambda number: -sizes[number]):
        split = operands[operand]
        if split is not None:
            offer(operand, split)
    return axes


def _splittable(structured: Structured) -> set[int]:
    """The loops that may be split."""
    shares = combiner_of(structured) is not None
    known = [loop for loop in structured.loops if structured.sizes[loop] is not None]
    admitted = {loop for loop in known if structured.parallel[loop] or shares}
    for operand, indices in enumerate(structured.indices):
        for index in indices:
            if index.loop is None:
                admitted -= set(index.coefficients)
        if operand in structured.outputs:
            # A parallel loop that an output does not depend on is written by every part.
            indexed = {index.loop for index in indices}
            admitted -= {loop for loop in admitted if structured.parallel[loop] and loop not in indexed}
    return admitted


def split_of(structured: Structured, operand: int, axes: Sequence[tuple[int, ...]]) -> Split:
    """The split of an operand when loops are split so."""
    return tuple(() if index.loop is None else axes[index.loop] for index in structured.indices[operand])
