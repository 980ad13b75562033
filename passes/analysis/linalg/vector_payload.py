"""Whether the payload of a linalg op can run on vectors, lane by lane, and how it combines partial results.

Lane by lane means: each op is elementwise, has no effect, and cannot trap on lanes whose result is unused (those beyond
the end of a row); an integer division by zero would trap.
"""

from __future__ import annotations

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from .structured_op import Structured

__all__ = ["MATH_FUNCTIONS", "NEUTRAL_KINDS", "find_combiner", "has_polynomial", "why_not_lanewise"]

NEUTRAL_KINDS = {
    "arith.addf": "add",
    "arith.addi": "add",
    "arith.mulf": "mul",
    "arith.muli": "mul",
    "arith.maximumf": "maximumf",
    "arith.minimumf": "minimumf",
    "arith.maxnumf": "maxnumf",
    "arith.minnumf": "minnumf",
    "arith.maxsi": "maxsi",
    "arith.minsi": "minsi",
    "arith.maxui": "maxui",
    "arith.minui": "minui",
    "arith.andi": "and",
    "arith.ori": "or",
    "arith.xori": "xor",
}
"""The associative ops that combine lanes, with their names in `vector.reduction`."""

MATH_FUNCTIONS = frozenset(
    f"math.{name}"
    for name in (
        "atan",
        "cos",
        "erf",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log10",
        "log1p",
        "log2",
        "rsqrt",
        "sin",
        "tan",
        "tanh",
    )
)
"""The ops that are approximated by polynomials, on vectors of floats of up to 32 bits."""

_TRAPPING = frozenset(
    f"arith.{name}" for name in ("ceildivsi", "ceildivui", "divsi", "divui", "floordivsi", "remsi", "remui")
)
_INDEX = "linalg.index"
_SCALAR_ONLY = frozenset({"math.fpowi"})


def why_not_lanewise(structured: Structured) -> str | None:
    """Return why the payload cannot run on vectors, None if it can."""
    operations = [op.operation for op in structured.payload.operations][:-1]
    for op in operations:
        if op.name in _TRAPPING:
            return f"'{op.name}' may trap on lanes beyond the end of a row"
        lanewise = op.name.startswith(("arith.", "math.")) and op.name not in _SCALAR_ONLY
        if (not lanewise and op.name != _INDEX) or len(op.regions) or len(op.results) != 1:
            return f"'{op.name}' of its payload does not work on vectors"
        if isinstance(op.results[0].type, ir.ShapedType | ir.ComplexType):
            return f"'{op.name}' of its payload yields {op.results[0].type}, which is no element of a vector"
    if not all(structured.parallel) and not all(structured.reads[operand] for operand in structured.outputs):
        return "it reduces, but does not read its init"
    return None


def has_polynomial(structured: Structured) -> bool:
    """Return whether an op of the payload becomes a polynomial, which is a chain of dependent ops."""
    return any(
        op.operation.name in MATH_FUNCTIONS and not isinstance(op.operation.results[0].type, ir.F64Type)
        for op in structured.payload.operations
    )


def find_combiner(structured: Structured) -> ir.Operation | None:
    """Return the op that combines the only init with the value of an iteration, if the payload ends in one."""
    if len(structured.outputs) != 1:
        return None
    block = structured.payload
    operations = [op.operation for op in block.operations]
    (yielded,) = operations[-1].operands
    accumulator = block.arguments[structured.inputs]
    combiner = defining_op(yielded, *NEUTRAL_KINDS)
    if combiner is None or combiner.parent != structured.op:
        return None
    if len(list(accumulator.uses)) != 1 or len(list(yielded.uses)) != 1:
        return None
    (use,) = accumulator.uses
    return combiner if use.owner.operation == combiner else None
