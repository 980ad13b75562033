"""Truncate f64 to f16 and bf16 through f32, rounded once, since compiler runtime libraries lack functions for it.

In: `arith.truncf` of f64 values or vectors to f16 or bf16, and `arith.convertf` between narrow floats, which becomes an
extension to f32 and a truncation. Out: the same numbers, in two steps. The first step of a truncation rounds to odd: a
number that is not exact in f32 becomes the neighbour whose last bit is 1. So the second step sees that it was not
exact, and on which side of a tie it is; f32 has more than the two further bits that this takes (Boldo and
Melquiond, *Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd*, 2008). Left alone:
other types, and ops with a rounding mode.

```mlir
func.func @f(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  return %y : f16
}
```

becomes:

```mlir
func.func @f(%x: f64) -> f16 {
  %0 = arith.truncf %x : f64 to f32
  %1 = arith.extf %0 : f32 to f64
  %2 = arith.cmpf one, %1, %x : f64  // Inexact; false for NaN.
  %3 = arith.bitcast %0 : f32 to i32
  %c1_i32 = arith.constant 1 : i32
  %4 = arith.andi %3, %c1_i32 : i32
  %c0_i32 = arith.constant 0 : i32
  %5 = arith.cmpi eq, %4, %c0_i32 : i32  // Even.
  %c0_i32_0 = arith.constant 0 : i32
  %6 = arith.cmpi slt, %3, %c0_i32_0 : i32
  %7 = arith.cmpf ogt, %1, %x : f64
  %8 = arith.xori %7, %6 : i1
  %c-1_i32 = arith.constant -1 : i32
  %9 = arith.select %8, %c-1_i32, %c1_i32 : i32
  %10 = arith.addi %3, %9 : i32  // The other neighbour: one bit less if it is larger than %x, else one more.
  %11 = arith.andi %2, %5 : i1
  %12 = arith.select %11, %10, %3 : i32
  %13 = arith.bitcast %12 : i32 to f32
  %14 = arith.truncf %13 : f32 to f16
  return %14 : f16
}
```

Linear in the operations.

Upstream counterpart: none. `arith-expand` knows f32 to bf16 only.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from ...dialects.support.number_types import number_type, with_number_type
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.small_floats import SMALL_FLOATS
from .rewriting.wide_truncation import rounded_to_odd

_TRUNCATION, _CONVERSION = "arith.truncf", "arith.convertf"
_HALF = frozenset({"f16", "bf16"})
_NARROW = _HALF.union(SMALL_FLOATS)
_TYPES = {_TRUNCATION: ({"f64"}, _HALF), _CONVERSION: (_NARROW, _NARROW)}
"""Of the operand and of the result."""


def analyze_truncations(root: ir.Operation) -> list[ir.Operation]:
    """Return the truncations and conversions under `root` that have no counterpart in a library. Changes nothing."""

    def needs_two_steps(op: ir.Operation) -> bool:
        types = [str(number_type(value.type)) for value in (op.operands[0], op.results[0])]
        is_known = all(type_ in known for type_, known in zip(types, _TYPES[op.name], strict=True))
        return is_known and "roundingmode" not in op.attributes

    return find_ops(root, *_TYPES, where=needs_two_steps)


def _in_f32(op: ir.Operation) -> ir.Value:
    """What `op` truncates or converts as an f32 that gives the same when it is truncated."""
    source = op.operands[0]
    if op.name == _TRUNCATION:
        return rounded_to_odd(source)
    return arith.extf(with_number_type(source.type, ir.F32Type.get()), source)


class ExpandTruncationsPass(Pass[PassOptions]):
    """Truncate f64 to f16 and bf16, and convert between narrow floats, through f32."""

    argument = "inplace-expand-truncations"
    summary = "truncate f64 to f16 and bf16, and convert between narrow floats, through f32, rounded once"
    statistics = (Statistic("expanded-truncations", "truncations that became two"),)
    concerns = tuple(_TYPES)

    def run(self, op: ir.Operation) -> None:
        found = analyze_truncations(op)
        for truncation in found:
            result = truncation.results[0]
            with ir.InsertionPoint(truncation), truncation.location:
                result.replace_all_uses_with(arith.truncf(result.type, _in_f32(truncation)))
            truncation.erase()
        self.count("expanded-truncations", len(found))
