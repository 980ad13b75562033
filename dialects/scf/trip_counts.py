"""How often loops run, as far as constant bounds say, or upper bounds that do not exceed a constant."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from mlir import ir

from ..subsets import elements
from ..support.constants import constant_integer
from ..support.defining_ops import defining_op

__all__ = ["only_index", "runs_at_most_once", "surely_runs", "trip_count"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()

_Bound = int | ir.Value

_WIDTH = 32
"""The bits that an index has at least."""


def surely_runs(loop: ir.Operation) -> bool:
    """Whether an ``scf.for`` has at least one iteration, by constant bounds."""
    operands = loop.operands
    upper = constant_integer(operands[1])
    lower = None if upper is None else constant_integer(operands[0])
    # A negative bound is a large one if the loop compares without signs.
    return lower is not None and upper is not None and 0 <= lower < upper


def runs_at_most_once(loop: ir.Operation) -> bool:
    """Whether ``loop``, an ``scf.for``, ``scf.forall`` or ``scf.parallel``, has one iteration or none."""
    if loop.name == "scf.for":  # Most loops: no lists for these.
        operands = loop.operands
        last = constant_integer(operands[1])
        if last is None and "unsignedCmp" not in loop.attributes:
            last = _at_most(operands[1])
        return last is not None and _is_one_step(operands[0], last, operands[2])
    most = _constant if "unsignedCmp" in loop.attributes else _at_most
    return all(_is_one_step(lower, most(upper), step) for lower, upper, step in _bounds(loop))


def only_index(loop: ir.Operation, dimension: int) -> int | None:
    """Return a loop's index in ``dimension`` if it :func:`runs_at_most_once`; None otherwise, or if there is none."""
    if not runs_at_most_once(loop):
        return None
    lowers = [loop.operands[0]] if loop.name == "scf.for" else [lower for lower, _, _ in _bounds(loop)]
    return _constant(lowers[dimension]) if dimension < len(lowers) else None


def trip_count(loop: ir.Operation) -> int | None:
    """Return the iterations of ``loop``, an ``scf.for``, ``scf.forall`` or ``scf.parallel``, by constant bounds."""
    bounds = [tuple(loop.operands)[:3]] if loop.name == "scf.for" else _bounds(loop)
    counts: list[int] = []
    for entries in bounds:
        lower, upper, step = map(_constant, entries)
        if lower is None or upper is None or step is None or step <= 0:
            return None
        counts.append(max(-(-(upper - lower) // step), 0))
    return prod(counts)


def _bounds(loop: ir.Operation) -> Iterator[tuple[_Bound, _Bound, _Bound]]:
    """Yield lower bound, upper bound and step of each dimension of an ``scf.forall`` or ``scf.parallel``."""
    operands = list(loop.operands)
    if loop.name == "scf.forall":
        dynamic = iter(operands)
        names = ("staticLowerBound", "staticUpperBound", "staticStep")
        groups = [[next(dynamic) if e == _DYNAMIC else e for e in elements(loop.attributes[name])] for name in names]
        yield from zip(*groups, strict=True)
        return
    rank = loop.attributes["operandSegmentSizes"][0]
    yield from zip(operands[:rank], operands[rank : 2 * rank], operands[2 * rank : 3 * rank], strict=True)


def _is_one_step(lower: _Bound, last: int | None, step: _Bound) -> bool:
    """Whether a second iteration would be beyond ``last``, and its index is no overflow."""
    first = _constant(lower)
    if first is None or last is None or min(first, last) < 0:
        return False
    by = _constant(step)
    if by is None or by <= 0:
        return False
    type_ = lower.type if isinstance(lower, ir.Value) else None
    width = ir.IntegerType(type_).width if isinstance(type_, ir.IntegerType) else _WIDTH
    return last <= first + by < 1 << (width - 1)


def _constant(bound: _Bound) -> int | None:
    return bound if isinstance(bound, int) else constant_integer(bound)


def _at_most(bound: _Bound) -> int | None:
    """Return a number that ``bound`` does not exceed, if one is known."""
    known = _constant(bound)
    if known is not None or isinstance(bound, int):
        return known
    if (least := defining_op(bound, "arith.minsi")) is not None:
        entries = [constant_integer(operand) for operand in least.operands]
    elif (least := defining_op(bound, "affine.min")) is not None:
        results = ir.AffineMapAttr(least.attributes["map"]).value.results
        entries = [r.value for r in results if isinstance(r, ir.AffineConstantExpr)]
    else:
        return None
    return min((entry for entry in entries if entry is not None), default=None)
