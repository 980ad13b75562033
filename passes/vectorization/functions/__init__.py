"""Functions of f32 vectors as polynomials: what `inplace-vector-math` builds, one function for each math op."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .exponentials import exp, exp2, expm1, tanh
from .logarithms import log, log1p, log2, log10
from .others import atan, erf, rsqrt
from .trigonometry import cos, sin, tan
from .vectors import Floats

__all__ = ["FUNCTIONS"]

FUNCTIONS: Mapping[str, Callable[[Floats], Floats]] = {
    function.__name__: function
    for function in (atan, cos, erf, exp, exp2, expm1, log, log10, log1p, log2, rsqrt, sin, tan, tanh)
}
"""Names as `math` ops have them -> what builds the function at the insertion point."""
