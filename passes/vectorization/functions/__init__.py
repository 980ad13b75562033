"""Functions of f32 and f64 vectors, and quotients of integers, as arithmetic: what `inplace-vector-math` builds.

There is one function for each op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .exponentials import exp, exp2, expm1, tanh
from .hyperbolic import acosh, asinh, atanh, cosh, sinh
from .inverse_trigonometry import acos, asin, atan, atan2
from .logarithms import log, log1p, log2, log10
from .others import cbrt, erf, remf, rsqrt
from .powers import powf
from .quotients import QUOTIENTS
from .trigonometry import cos, sin, tan
from .vectors import Floats

__all__ = ["BINARY", "FUNCTIONS", "NAMES", "op_name"]

_ALL = (
    *(acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, erf, exp, exp2, expm1),
    *(log, log10, log1p, log2, powf, remf, rsqrt, sin, sinh, tan, tanh),
)

FUNCTIONS: Mapping[str, Callable[..., Floats]] = {function.__name__: function for function in _ALL}
"""Names as ops have them -> what builds the function at the insertion point, of as many vectors as there are
operands."""

NAMES = (*FUNCTIONS, *QUOTIENTS)
"""The names of all, also of those that take integers."""

BINARY = frozenset({"atan2", "powf", "remf"})
"""The functions of two operands; all others have one."""


def op_name(function: str) -> str:
    """Return the name of the op that computes `function`."""
    return f"arith.{function}" if function == "remf" or function in QUOTIENTS else f"math.{function}"
