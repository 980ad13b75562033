"""Assert that integers are divided by something, and that the quotient is a number of their type.

In: any program, after loops and conditions have become branches. Out: the same with `cf.assert` in front of divisions
and remainders. On x86 those end the process with SIGFPE otherwise; elsewhere they give some number.

```mlir
func.func @f(%a: i32, %b: i32) -> i32 {
  %q = arith.divui %a, %b : i32
  return %q : i32
}
```

becomes:

```mlir
func.func @f(%a: i32, %b: i32) -> i32 {
  %c0_i32 = arith.constant 0 : i32
  %ok = arith.cmpi ne, %b, %c0_i32 : i32
  cf.assert %ok, "integer division by zero"
  %q = arith.divui %a, %b : i32
  return %q : i32
}
```

A signed division also asserts that it is not the least number by -1. Of vectors all lanes must hold. Divisors that are
constants are known. Linear in the operations.

Upstream counterpart: none. In MLIR both are undefined behavior, which lets an optimizer assume that they do not happen:
so this pass comes before the code is LLVM's.
"""

from __future__ import annotations

import math

from mlir import ir
from mlir.dialects import arith, cf, vector

from ...dialects.support.constants import constant_integer, is_splat, number_of
from ...dialects.support.number_types import number_constant, number_type
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.contract import BY_ZERO, OUT_OF_RANGE
from ..framework.diagnostics import place_text
from ..framework.options import PassOptions

_UNSIGNED = ("arith.ceildivui", "arith.divui", "arith.remui")
_SIGNED = ("arith.ceildivsi", "arith.divsi", "arith.floordivsi", "arith.remsi")
_DIVISIONS = (*_UNSIGNED, *_SIGNED)


class CheckDivisionsPass(Pass[PassOptions]):
    """Assert that integers are divided by something, and that the quotient is a number of their type."""

    argument = "inplace-check-divisions"
    summary = "assert that no integer is divided by zero, and no quotient is out of range"
    anchor = "builtin.module"
    statistics = (Statistic("divisions", "divisions that are checked"),)
    concerns = _DIVISIONS

    def run(self, op: ir.Operation) -> None:
        with op.context:
            for division, place in _placed(op):
                with ir.InsertionPoint(division), place:
                    self.count("divisions", _check(division))


def _placed(root: ir.Operation) -> list[tuple[ir.Operation, ir.Location]]:
    """The divisions below `root`, each with its location, or with the last one before it if it has none.

    What upstream's passes put into the bodies of named linalg ops has none, but the loads in front of it do.
    """
    found: list[tuple[ir.Operation, ir.Location]] = []
    last = root.location

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal last
        own = op.location
        if place_text(own) != "unknown":
            last = own
        if op.name in _DIVISIONS:
            found.append((op.operation, last))
        return ir.WalkResult.ADVANCE

    if find_ops(root, *_DIVISIONS):
        root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _check(division: ir.Operation) -> bool:
    """Insert assertions in front of `division`; return whether it needs any."""
    number, divisor = division.operands
    known = _constant(divisor)
    if known is None:
        _require(arith.cmpi(arith.CmpIPredicate.ne, divisor, number_constant(divisor.type, 0)), BY_ZERO)
    if division.name in _UNSIGNED or known not in (None, -1):
        return known is None
    is_fine = arith.cmpi(arith.CmpIPredicate.ne, number, number_constant(number.type, _least(number.type)))
    if known is None:
        is_fine = arith.ori(is_fine, arith.cmpi(arith.CmpIPredicate.ne, divisor, number_constant(divisor.type, -1)))
    _require(is_fine, OUT_OF_RANGE)
    return True


def _constant(value: ir.Value) -> int | None:
    """The number that `value` certainly is, in each lane; 0 is none, as dividing by it is to be found at run time."""
    number = ir.IntegerAttr(number_of(value)).value if is_splat(value) else constant_integer(value)
    return number or None


def _least(type_: ir.Type) -> int:
    """The least signed number of `type_`, or of its lanes."""
    number = number_type(type_) or type_
    return -(1 << (63 if isinstance(number, ir.IndexType) else ir.IntegerType(number).width - 1))


def _require(condition: ir.Value, message: str) -> None:
    if isinstance(condition.type, ir.VectorType):
        shape, bit = condition.type.shape, ir.IntegerType.get_signless(1)
        if len(shape) != 1:
            condition = vector.shape_cast(ir.VectorType.get([math.prod(shape)], bit), condition)
        condition = vector.reduction(bit, vector.CombiningKind.AND, condition)
    cf.assert_(condition, message)
