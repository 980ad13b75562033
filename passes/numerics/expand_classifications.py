"""Expand `math.isinf` and `math.isnormal` into comparisons, as no upstream pass lowers them to LLVM.

In: `math.isinf` and `math.isnormal` of numbers or vectors. Out: comparisons of their absolute values, in the type that
they have: where narrow floats are computed in wider ones, a subnormal number becomes a normal one. Floats of 8 bits,
some of which have no infinity, are extended to f32, and compared with their own least normal number. Left alone:
tensors, which become loops first, and the classes that upstream lowers, `math.isnan` and `math.isfinite`.

```mlir
func.func @f(%x: f32) -> (i1, i1) {
  %0 = math.isinf %x : f32
  %1 = math.isnormal %x : f32
  return %0, %1 : i1, i1
}
```

becomes:

```mlir
func.func @f(%x: f32) -> (i1, i1) {
  %0 = math.absf %x : f32
  %cst = arith.constant 0x7F800000 : f32
  %1 = arith.cmpf oeq, %0, %cst : f32
  %2 = math.absf %x : f32
  %cst_0 = arith.constant 0x7F800000 : f32
  %3 = arith.cmpf olt, %2, %cst_0 : f32
  %cst_1 = arith.constant 1.17549435E-38 : f32
  %4 = arith.cmpf oge, %2, %cst_1 : f32
  %5 = arith.andi %3, %4 : i1
  return %1, %5 : i1, i1
}
```

Linear in the operations.

Upstream counterpart: none. `convert-math-to-llvm` lowers two of the four classes.
"""

from __future__ import annotations

import math

from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as math_ops

from ...dialects.support.number_types import number_constant, number_type, with_number_type
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.small_floats import SMALL_FLOATS

_INFINITE, _NORMAL = "math.isinf", "math.isnormal"
_LEAST_NORMAL = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022} | {
    name: format_.least_normal for name, format_ in SMALL_FLOATS.items()
}


def analyze_classifications(root: ir.Operation) -> list[ir.Operation]:
    """Return the questions under `root` that become comparisons. Changes nothing."""
    return find_ops(root, _INFINITE, _NORMAL, where=lambda op: str(number_type(op.operands[0].type)) in _LEAST_NORMAL)


def _expanded(op: ir.Operation) -> ir.Value:
    """The answer of `op`; a NaN is neither infinite nor normal."""
    value = op.operands[0]
    name = str(number_type(value.type))
    if name in SMALL_FLOATS:
        value = arith.extf(with_number_type(value.type, ir.F32Type.get()), value)
    type_, size = value.type, math_ops.absf(value)
    infinity = number_constant(type_, math.inf)
    if op.name == _INFINITE:
        return arith.cmpf(arith.CmpFPredicate.OEQ, size, infinity)
    finite = arith.cmpf(arith.CmpFPredicate.OLT, size, infinity)
    least = number_constant(type_, _LEAST_NORMAL[name])
    return arith.andi(finite, arith.cmpf(arith.CmpFPredicate.OGE, size, least))


class ExpandClassificationsPass(Pass[PassOptions]):
    """Ask by comparisons whether numbers are infinite or normal."""

    argument = "inplace-expand-classifications"
    summary = "expand math.isinf and math.isnormal into comparisons"
    statistics = (Statistic("expanded-classifications", "questions that became comparisons"),)
    concerns = (_INFINITE, _NORMAL)

    def run(self, op: ir.Operation) -> None:
        found = analyze_classifications(op)
        for question in found:
            with ir.InsertionPoint(question), question.location:
                question.results[0].replace_all_uses_with(_expanded(question))
            question.erase()
        self.count("expanded-classifications", len(found))
