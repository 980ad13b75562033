"""Truncate f64 to f16 and bf16 by way of f32, rounded once, since no library of the compiler's has functions for it.

Goes in: `arith.truncf` of f64 values or vectors to f16 or bf16. Comes out: the same numbers, in two steps. The first
rounds to odd: a number that f32 does not have becomes the neighbour whose last bit is 1. So the second step sees that
it was not exact, and on which side of a half it lies; f32 has more than the two further bits that this takes (Boldo and
Melquiond, *Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd*, 2008). Left alone:
other types, and rounding modes that the op names.

```text
%f32 = arith.truncf %x : f64 to f32
%back = arith.extf %f32 : f32 to f64
%inexact = arith.cmpf one, %back, %x : f64           // false for NaN
... the other neighbour, if %f32 is inexact and even: one bit less where it is larger than %x, else one more
%result = arith.truncf %odd : f32 to f16
```

Linear in the operations.

Upstream counterpart: none. `arith-expand` knows f32 to bf16 only.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from ...dialects.support.number_types import number_type, with_number_type
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions


def analyze_truncations(root: ir.Operation) -> tuple[ir.Operation, ...]:
    """Return the truncations under `root` that have no counterpart in a library. Changes nothing."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "arith.truncf" and "roundingmode" not in op.attributes:
            source, target = (number_type(value.type) for value in (op.operands[0], op.results[0]))
            if isinstance(source, ir.F64Type) and isinstance(target, ir.F16Type | ir.BF16Type):
                found.append(op)
        return ir.WalkResult.ADVANCE

    root.walk(visit)
    return tuple(found)


def _constant(type_: ir.Type, number: int) -> ir.Value:
    if isinstance(type_, ir.VectorType):
        attribute: ir.Attribute = ir.DenseElementsAttr.get_splat(type_, ir.IntegerAttr.get(type_.element_type, number))
    else:
        attribute = ir.IntegerAttr.get(type_, number)
    return arith.constant(type_, attribute)


def _rounded_to_odd(value: ir.Value) -> ir.Value:
    """The f32 next to an f64: itself, or the neighbour whose last bit is 1."""
    single = with_number_type(value.type, ir.F32Type.get())
    bits = with_number_type(value.type, ir.IntegerType.get_signless(32))
    near = arith.truncf(single, value)
    back = arith.extf(value.type, near)
    inexact = arith.cmpf(arith.CmpFPredicate.ONE, back, value)
    word, one = arith.bitcast(bits, near), _constant(bits, 1)
    is_even = arith.cmpi(arith.CmpIPredicate.eq, arith.andi(word, one), _constant(bits, 0))
    # The words of negative numbers grow with the size of the number, too: it is sizes that are compared.
    is_negative = arith.cmpi(arith.CmpIPredicate.slt, word, _constant(bits, 0))
    is_above = arith.cmpf(arith.CmpFPredicate.OGT, back, value)
    is_larger = arith.xori(is_above, is_negative)
    other = arith.addi(word, arith.select(is_larger, _constant(bits, -1), one))
    return arith.bitcast(single, arith.select(arith.andi(inexact, is_even), other, word))


class ExpandTruncationsPass(Pass[PassOptions]):
    """Truncate f64 to f16 and bf16 by way of f32."""

    argument = "inplace-expand-truncations"
    summary = "truncate f64 to f16 and bf16 by way of f32, rounded once"
    statistics = (Statistic("expanded-truncations", "truncations that became two"),)

    def run(self, op: ir.Operation) -> None:
        found = analyze_truncations(op)
        for truncation in found:
            result = truncation.results[0]
            with ir.InsertionPoint(truncation), truncation.location:
                result.replace_all_uses_with(arith.truncf(result.type, _rounded_to_odd(truncation.operands[0])))
            truncation.erase()
        self.count("expanded-truncations", len(found))
