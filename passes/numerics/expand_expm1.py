"""Compute `math.expm1` accurately for small numbers, where nothing vectorizes it.

In: `math.expm1` on numbers or vectors. Out: exp(x) and its logarithm, which gives the rounding error of exp(x), to
correct for it (Kahan's method; Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 1.14.1). Within
a few ulp where `exp` and `log` are within one. Left alone: tensors, which become loops first.

```mlir
func.func @f(%x: f32) -> f32 {
  %y = math.expm1 %x : f32
  return %y : f32
}
```

becomes:

```mlir
func.func @f(%x: f32) -> f32 {
  %cst = arith.constant 1.000000e+00 : f32
  %0 = math.exp %x : f32
  %1 = arith.subf %0, %cst : f32
  %2 = math.log %0 : f32
  %3 = arith.divf %x, %2 : f32
  %4 = arith.mulf %1, %3 : f32
  %cst_0 = arith.constant -1.000000e+00 : f32
  %5 = arith.cmpf oeq, %1, %cst_0 : f32
  %6 = arith.addf %0, %cst : f32
  %7 = arith.cmpf oeq, %0, %6 : f32
  %8 = arith.ori %5, %7 : i1
  %9 = arith.cmpf oeq, %0, %cst : f32
  %10 = arith.select %8, %1, %4 : f32
  %11 = arith.select %9, %x, %10 : f32
  return %11 : f32
}
```

With `u = exp(x)` and `v = u - 1` that is `x` if `u` is 1, `v` if that is -1 or `u` is infinite, and `v * (x / log(u))`
otherwise.

Linear in the operations.

Upstream counterpart: `convert-math-to-llvm`, which computes exp(x) - 1: zero for x = 1e-30, and three correct digits
for 1e-5 in f32.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, math

from ...dialects.support.number_types import number_constant, number_type
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions


def analyze_expm1(root: ir.Operation) -> list[ir.Operation]:
    """Return the `math.expm1` ops under `root` on numbers or vectors. Changes nothing."""
    return find_ops(root, "math.expm1", where=lambda op: number_type(op.results[0].type) is not None)


def _expanded(x: ir.Value) -> ir.Value:
    """Build exp(x) - 1, corrected for the rounding error of exp(x)."""
    one, equal = number_constant(x.type, 1.0), arith.CmpFPredicate.OEQ
    u = math.exp(x)
    v = arith.subf(u, one)
    corrected = arith.mulf(v, arith.divf(x, math.log(u)))
    # Where exp(x) vanishes beside 1, or has no finite logarithm, the difference is right as it is.
    is_far = arith.ori(arith.cmpf(equal, v, number_constant(x.type, -1.0)), arith.cmpf(equal, u, arith.addf(u, one)))
    return arith.select(arith.cmpf(equal, u, one), x, arith.select(is_far, v, corrected))


class ExpandExpm1Pass(Pass[PassOptions]):
    """Compute math.expm1 by exp and log, accurately for small numbers."""

    argument = "inplace-expand-expm1"
    summary = "compute math.expm1 by exp and log, accurately for small numbers"
    statistics = (Statistic("expanded-expm1", "ops that were expanded to exp and log"),)
    concerns = ("math.expm1",)

    def run(self, op: ir.Operation) -> None:
        found = analyze_expm1(op)
        for expm1 in found:
            with ir.InsertionPoint(expm1), expm1.location:
                expm1.results[0].replace_all_uses_with(_expanded(expm1.operands[0]))
            expm1.erase()
        self.count("expanded-expm1", len(found))
