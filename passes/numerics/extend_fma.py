"""Compute `math.fma` of f16 and bf16 in f32, which processors and libraries support.

In: `math.fma` on numbers or vectors of f16, bf16 or a float of 8 bits. Out: `math.fma` of f32 between `arith.extf` and
`arith.truncf`. The product of two such numbers is exact in f32; the sum is rounded there, and once more to the narrow
type, as code generation does where it extends such ops itself. Left alone: wider types, and tensors, which become loops
first.

```mlir
func.func @f(%a: bf16, %b: bf16, %c: bf16) -> bf16 {
  %d = math.fma %a, %b, %c : bf16
  return %d : bf16
}
```

becomes:

```mlir
func.func @f(%a: bf16, %b: bf16, %c: bf16) -> bf16 {
  %0 = arith.extf %a : bf16 to f32
  %1 = arith.extf %b : bf16 to f32
  %2 = arith.extf %c : bf16 to f32
  %3 = math.fma %0, %1, %2 : f32
  %4 = arith.truncf %3 : f32 to bf16
  return %4 : bf16
}
```

Linear in the operations.

Upstream counterpart: `math-extend-to-supported-types`, which leaves this op alone.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, math

from ...dialects.support.number_types import number_type, with_number_type
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.small_floats import SMALL_FLOATS

_NARROW = frozenset({"f16", "bf16", *SMALL_FLOATS})


def analyze_fma(root: ir.Operation) -> list[ir.Operation]:
    """Return the `math.fma` ops under `root` on numbers or vectors narrower than f32. Changes nothing."""
    return find_ops(root, "math.fma", where=lambda op: str(number_type(op.results[0].type)) in _NARROW)


class ExtendFmaPass(Pass[PassOptions]):
    """Compute math.fma of f16 and bf16 in f32."""

    argument = "inplace-extend-fma"
    summary = "compute math.fma of f16 and bf16 in f32"
    statistics = (Statistic("extended-fma", "ops that were extended to f32"),)
    concerns = ("math.fma",)

    def run(self, op: ir.Operation) -> None:
        found = analyze_fma(op)
        for fma in found:
            narrow = fma.results[0]
            with ir.InsertionPoint(fma), fma.location:
                wide = with_number_type(narrow.type, ir.F32Type.get())
                result = math.fma(*(arith.extf(wide, value) for value in fma.operands))
                narrow.replace_all_uses_with(arith.truncf(narrow.type, result))
            fma.erase()
        self.count("extended-fma", len(found))
