"""Whether the payload of a linalg op can run on vectors, lane by lane, and how it combines partial results.

Lane by lane means: each op is elementwise, has no effect, and cannot trap on lanes whose result is unused (those beyond
the end of a row); an integer division by zero would trap, unless the payload sees to it that no divisor is zero.

A payload may also read elements of tensors at indices of its own (`tensor.extract`), as the gathering of rows does:
along a loop in which all lanes need one element, or elements side by side (`reads_rows`).
"""

from __future__ import annotations

from collections.abc import Collection

from mlir import ir

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.element_sizes import element_bytes
from .safe_divisions import divides_safely
from .structured_op import Structured

__all__ = [
    "MATH_FUNCTIONS",
    "NEUTRAL_KINDS",
    "find_combiner",
    "has_polynomial",
    "has_short_polynomial",
    "reads_rows",
    "waits_for_memory",
    "why_not_lanewise",
]

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
    (
        "arith.remf",
        *(
            f"math.{name}"
            for name in (
                *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "exp"),
                *("exp2", "expm1", "log", "log10", "log1p", "log2", "powf", "rsqrt", "sin", "sinh", "tan", "tanh"),
            )
        ),
    )
)
"""The ops that become arithmetic on vectors of floats of up to 64 bits."""

_LONG_FUNCTIONS = frozenset(f"math.{name}" for name in ("acosh", "asinh", "atanh", "powf"))
"""Those of `MATH_FUNCTIONS` that take twice as many ops as others; in f64 all do."""

_TRAPPING = frozenset(
    f"arith.{name}" for name in ("ceildivsi", "ceildivui", "divsi", "divui", "floordivsi", "remsi", "remui")
)
_INDEX = "linalg.index"
_SCALAR_ONLY = frozenset({"math.fpowi"})
_EXTRACT = "tensor.extract"


def why_not_lanewise(structured: Structured) -> str | None:
    """Return why the payload cannot run on vectors, None if it can."""
    operations = [op.operation for op in structured.payload.operations][:-1]
    for op in operations:
        if op.name in _TRAPPING and not divides_safely(op):
            return f"'{op.name}' may trap on lanes beyond the end of a row"
        if op.name == _EXTRACT:
            if not _has_whole_bytes(op.results[0].type):
                return f"elements of type {op.results[0].type} have another layout in a vector"
            continue
        lanewise = op.name.startswith(("arith.", "math.")) and op.name not in _SCALAR_ONLY
        if (not lanewise and op.name != _INDEX) or len(op.regions) or len(op.results) != 1:
            return f"'{op.name}' of its payload does not work on vectors"
        if isinstance(op.results[0].type, ir.ShapedType | ir.ComplexType):
            return f"'{op.name}' of its payload yields {op.results[0].type}, which is no element of a vector"
    if not all(structured.parallel) and not all(structured.reads[operand] for operand in structured.outputs):
        return "it reduces, but does not read its init"
    return None


def reads_rows(structured: Structured, loop: int) -> bool:
    """Return whether all that the payload extracts is the same along `loop`, or side by side.

    Linear in the payload.
    """
    block = structured.payload
    moving: set[ir.Value] = {block.arguments[operand] for operand in structured.outputs}
    moving |= {block.arguments[operand] for operand in range(structured.inputs) if structured.depends(operand, loop)}
    rising: set[ir.Value] = set()
    """Those that rise by 1 with each iteration."""
    for view in block.operations:
        op = view.operation
        if op.name == _INDEX:
            if ir.IntegerAttr(op.attributes["dim"]).value == loop:
                rising.update(op.results)
                moving.update(op.results)
        elif any(value in moving for value in op.operands):
            if op.name == _EXTRACT:
                *others, last = op.operands
                if any(value in moving for value in others) or last not in rising:
                    return False
            elif _rises(op, moving, rising):
                rising.update(op.results)
            moving.update(op.results)
    return True


def _rises(op: ir.Operation, moving: Collection[ir.Value], rising: Collection[ir.Value]) -> bool:
    """Whether the result of `op` rises with an operand, from which the other one, which is the same, is far."""
    if op.name not in ("arith.addi", "arith.subi") or not isinstance(op.results[0].type, ir.IndexType):
        return False
    left, right = op.operands
    if left in rising:
        return right not in moving
    return op.name == "arith.addi" and right in rising and left not in moving


def _has_whole_bytes(type_: ir.Type) -> bool:
    is_number = isinstance(type_, ir.IntegerType | ir.FloatType)
    return is_number and type_.width == 8 * element_bytes(type_)


def has_polynomial(structured: Structured) -> bool:
    """Return whether an op of the payload becomes a polynomial, which is a chain of dependent ops."""
    return any(op.operation.name in MATH_FUNCTIONS for op in structured.payload.operations)


def waits_for_memory(structured: Structured, loop: int) -> bool:
    """Return whether an elementwise op loads two vectors or more along `loop`, and does little with them.

    Arithmetic on narrow floats is many ops.
    """
    loaded = structured.read_along(loop)
    *operations, _ = structured.payload.operations
    narrow = any(
        isinstance(value.type, ir.FloatType) and value.type.width < ir.F32Type.get().width
        for value in structured.payload.arguments
    )
    is_little = len(operations) <= len(loaded) and not has_polynomial(structured)
    contiguous = all(structured.is_contiguous(operand, loop) for operand in loaded)
    return all(structured.parallel) and len(loaded) > 1 and contiguous and is_little and not narrow


def has_short_polynomial(structured: Structured) -> bool:
    """Return whether ops of the payload become polynomials, and none becomes so many ops that two vectors suffice.

    They keep a processor busy, and more would take long to compile.
    """
    operations = [op.operation for op in structured.payload.operations]
    functions = [op for op in operations if op.name in MATH_FUNCTIONS]
    return bool(functions) and not any(
        op.name in _LONG_FUNCTIONS or isinstance(op.results[0].type, ir.F64Type) for op in functions
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
