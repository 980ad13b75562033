"""Extend and truncate floats of 8 bits by integer arithmetic, as few processors have instructions for them.

In: `arith.extf` of numbers or vectors of f8E5M2, f8E4M3, f8E3M4, f8E4M3FN and the three FNUZ types, and `arith.truncf`
to them. Out: integer ops on the bits, by way of f32, which holds all of these numbers; the same numbers, rounded once,
of two as near to the even one. What is too large becomes infinite, or NaN in types that have no infinity. Left alone:
other types, and rounding modes that the op names.

```mlir
func.func @f(%x: f8E4M3FN) -> f32 {
  %0 = arith.extf %x : f8E4M3FN to f32
  return %0 : f32
}
```

becomes:

```mlir
func.func @f(%x: f8E4M3FN) -> f32 {
  %0 = arith.bitcast %x : f8E4M3FN to i8
  %1 = arith.extui %0 : i8 to i32
  %c127_i32 = arith.constant 127 : i32
  %2 = arith.andi %1, %c127_i32 : i32
  %c20_i32 = arith.constant 20 : i32
  %3 = arith.shli %2, %c20_i32 : i32
  %4 = arith.bitcast %3 : i32 to f32
  %cst = arith.constant 1.32922800E+36 : f32  // 2 to the power of 127 - 7; subnormal numbers become normal.
  %5 = arith.mulf %4, %cst : f32
  %6 = arith.bitcast %5 : f32 to i32
  %c127_i32_0 = arith.constant 127 : i32
  %7 = arith.cmpi eq, %2, %c127_i32_0 : i32
  %c2143289344_i32 = arith.constant 2143289344 : i32
  %8 = arith.select %7, %c2143289344_i32, %6 : i32
  %c128_i32 = arith.constant 128 : i32
  %9 = arith.andi %1, %c128_i32 : i32
  %c24_i32 = arith.constant 24 : i32
  %10 = arith.shli %9, %c24_i32 : i32
  %11 = arith.ori %8, %10 : i32
  %12 = arith.bitcast %11 : i32 to f32
  return %12 : f32
}
```

Linear in the operations.

Upstream counterpart: none. `arith-expand` knows f8E8M0FNU, f4E2M1FN and bf16.
"""

from __future__ import annotations

from mlir import ir

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.small_floats import convert, is_converted

_CASTS = ("arith.extf", "arith.truncf")


def analyze_small_floats(root: ir.Operation) -> list[ir.Operation]:
    """Return the casts from and to floats of 8 bits under `root`. Changes nothing."""
    return find_ops(root, *_CASTS, where=_is_small)


def _is_small(cast: ir.Operation) -> bool:
    return "roundingmode" not in cast.attributes and is_converted(cast.operands[0].type, cast.results[0].type)


class ExpandSmallFloatsPass(Pass[PassOptions]):
    """Extend and truncate floats of 8 bits by integer arithmetic."""

    argument = "inplace-expand-small-floats"
    summary = "extend and truncate floats of 8 bits by integer arithmetic"
    statistics = (Statistic("expanded-casts", "casts that became integer arithmetic"),)
    concerns = _CASTS

    def run(self, op: ir.Operation) -> None:
        found = analyze_small_floats(op)
        for cast in found:
            result = cast.results[0]
            with ir.InsertionPoint(cast), cast.location:
                result.replace_all_uses_with(convert(cast.operands[0], result.type))
            cast.erase()
        self.count("expanded-casts", len(found))
