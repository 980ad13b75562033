"""Let conversions from floating-point numbers to integers saturate, as XLA's do.

In: `arith.fptosi` and `arith.fptoui` on scalars. Out: the same, but a number beyond the range of the integers becomes
the last of them, and NaN becomes 0, where `arith` and LLVM leave the result open. Left alone: vectors and tensors.

```mlir
func.func @f(%x: f32) -> i8 {
  %0 = arith.fptosi %x : f32 to i8
  return %0 : i8
}
```

becomes:

```mlir
func.func @f(%x: f32) -> i8 {
  %cst = arith.constant -1.280000e+02 : f32
  %cst_0 = arith.constant 1.280000e+02 : f32
  %0 = arith.fptosi %x : f32 to i8
  %c-128_i8 = arith.constant -128 : i8
  %1 = arith.cmpf ole, %x, %cst : f32
  %2 = arith.select %1, %c-128_i8, %0 : i8
  %c127_i8 = arith.constant 127 : i8
  %3 = arith.cmpf oge, %x, %cst_0 : f32
  %4 = arith.select %3, %c127_i8, %2 : i8
  %c0_i8 = arith.constant 0 : i8
  %5 = arith.cmpf uno, %x, %x : f32
  %6 = arith.select %5, %c0_i8, %4 : i8
  return %6 : i8
}
```

Numbers of fewer than 32 bits are extended to f32 first, in which all bounds are exact. Linear in the operations.

Upstream counterpart: none; LLVM has `llvm.fptosi.sat`, which no op of `arith` becomes.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

_SIGNED = "arith.fptosi"
_F32_WIDTH = 32


def analyze_conversions(root: ir.Operation) -> list[ir.Operation]:
    """Return the conversions under `root` of scalars. Changes nothing."""
    return find_ops(root, _SIGNED, "arith.fptoui", where=lambda op: isinstance(op.operands[0].type, ir.FloatType))


def _saturated(conversion: ir.Operation) -> ir.Value:
    """Build the conversion, and the choice of a bound or of 0 where the number has no integer."""
    (number,) = conversion.operands
    type_ = ir.IntegerType(conversion.results[0].type)
    if ir.FloatType(number.type).width < _F32_WIDTH:
        number = arith.extf(ir.F32Type.get(), number)
    is_signed = conversion.name == _SIGNED
    least = -(1 << (type_.width - 1)) if is_signed else 0
    bound = 1 << (type_.width - is_signed)
    last = bound - 1 if is_signed else -1  # all ones
    low, high = arith.constant(number.type, float(least)), arith.constant(number.type, float(bound))
    result = ir.Operation.create(conversion.name, [type_], [number]).result
    predicate = arith.CmpFPredicate
    choices = ((predicate.OLE, low, least), (predicate.OGE, high, last), (predicate.UNO, number, 0))
    for compared, other, integer in choices:
        replacement = arith.constant(type_, ir.IntegerAttr.get(type_, integer))
        result = arith.select(arith.cmpf(compared, number, other), replacement, result)
    return result


class SaturateConversionsPass(Pass[PassOptions]):
    """Let conversions from floating-point numbers to integers saturate."""

    argument = "inplace-saturate-conversions"
    summary = "let conversions from floating-point numbers to integers saturate, and NaN become 0"
    statistics = (Statistic("saturated-conversions", "conversions that saturate now"),)
    concerns = (_SIGNED, "arith.fptoui")

    def run(self, op: ir.Operation) -> None:
        found = analyze_conversions(op)
        for conversion in found:
            with ir.InsertionPoint(conversion), conversion.location:
                conversion.results[0].replace_all_uses_with(_saturated(conversion))
            conversion.erase()
        self.count("saturated-conversions", len(found))
