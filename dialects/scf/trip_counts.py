"""How often loops run, as far as constant bounds say, or upper bounds that do not exceed a constant."""

from __future__ import annotations

from mlir import ir

from ..subsets import elements
from ..support.constants import constant_integer
from ..support.defining_ops import defining_op

__all__ = ["has_one_thread", "surely_runs"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()

_Bound = int | ir.Value

_WIDTH = 32
"""The bits that an index has at least."""


def surely_runs(loop: ir.Operation) -> bool:
    """Whether an ``scf.for`` has at least one iteration, by constant bounds."""
    lower, upper = (constant_integer(loop.operands[i]) for i in range(2))
    # A negative bound is a large one if the loop compares without signs.
    return lower is not None and upper is not None and 0 <= lower < upper


def has_one_thread(loop: ir.Operation) -> bool:
    """Whether ``loop``, an ``scf.forall``, has one iteration or none."""
    dynamic, attributes = iter(list(loop.operands)), loop.attributes
    names = ("staticLowerBound", "staticUpperBound", "staticStep")
    bounds = [[next(dynamic) if e == _DYNAMIC else e for e in elements(attributes[name])] for name in names]
    return all(map(_is_one_step, *bounds))


def _is_one_step(lower: _Bound, upper: _Bound, step: _Bound) -> bool:
    """Whether a second index would not be below ``upper``, and be no overflow."""
    first, last, by = _constant(lower), _at_most(upper), _constant(step)
    if first is None or last is None or by is None or min(first, last) < 0 or by <= 0:
        return False
    return last <= first + by < 1 << (_WIDTH - 1)


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
