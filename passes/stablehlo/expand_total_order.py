"""Compare floating-point numbers in their total order as integers.

In: `stablehlo.compare` of floating-point tensors with the type TOTALORDER, as JAX sorts: -NaN < -inf < ... < -0 < +0 <
... < inf < NaN. Out: a comparison of signed integers, the bits of the numbers with all but the sign flipped where it is
set. Left alone: other comparisons.

```mlir
func.func @f(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xi1> {
  %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
```

becomes:

```mlir
func.func @f(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xi1> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf16>) -> tensor<4xi16>
  %c = stablehlo.constant dense<15> : tensor<4xi16>
  %c_0 = stablehlo.constant dense<32767> : tensor<4xi16>
  %1 = stablehlo.shift_right_arithmetic %0, %c : tensor<4xi16>
  %2 = stablehlo.and %1, %c_0 : tensor<4xi16>
  %3 = stablehlo.xor %0, %2 : tensor<4xi16>
  %4 = stablehlo.bitcast_convert %y : (tensor<4xf16>) -> tensor<4xi16>
  %c_1 = stablehlo.constant dense<15> : tensor<4xi16>
  %c_2 = stablehlo.constant dense<32767> : tensor<4xi16>
  %5 = stablehlo.shift_right_arithmetic %4, %c_1 : tensor<4xi16>
  %6 = stablehlo.and %5, %c_2 : tensor<4xi16>
  %7 = stablehlo.xor %4, %6 : tensor<4xi16>
  %8 = stablehlo.compare LT, %3, %7, SIGNED : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi1>
  return %8 : tensor<4xi1>
}
```

Linear in the operations.

Upstream counterpart: none; `stablehlo-legalize-to-linalg` compares as if the type were FLOAT.
"""

from __future__ import annotations

from mlir import ir

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.attributes import enum_value


def analyze_total_orders(root: ir.Operation) -> list[ir.Operation]:
    """Return the comparisons under `root` of floating-point numbers in their total order. Changes nothing."""
    return find_ops(root, "stablehlo.compare", where=_is_total_order)


def _is_total_order(op: ir.Operation) -> bool:
    type_ = op.operands[0].type
    is_float = isinstance(type_, ir.RankedTensorType) and isinstance(type_.element_type, ir.FloatType)
    return is_float and enum_value(op, "compare_type") == "TOTALORDER"


def _key(value: ir.Value) -> ir.Value:
    """Build the integers that are ordered as the numbers of `value` are."""
    type_ = ir.RankedTensorType(value.type)
    width = ir.FloatType(type_.element_type).width
    integer = ir.IntegerType.get_signless(width)
    bits_type = ir.RankedTensorType.get(type_.shape, integer)

    def build(name: str, *operands: ir.Value) -> ir.Value:
        return ir.Operation.create(f"stablehlo.{name}", [bits_type], operands).result

    def constant(number: int) -> ir.Value:
        splat = ir.DenseElementsAttr.get_splat(bits_type, ir.IntegerAttr.get(integer, number))
        return ir.Operation.create("stablehlo.constant", [bits_type], attributes={"value": splat}).result

    bits, distance, rest = build("bitcast_convert", value), constant(width - 1), constant((1 << (width - 1)) - 1)
    return build("xor", bits, build("and", build("shift_right_arithmetic", bits, distance), rest))


class ExpandTotalOrderPass(Pass[PassOptions]):
    """Compare floating-point numbers in their total order as integers."""

    argument = "inplace-expand-total-order"
    summary = "compare floating-point numbers in their total order as integers, in StableHLO"
    statistics = (Statistic("expanded-comparisons", "comparisons that became those of integers"),)

    def run(self, op: ir.Operation) -> None:
        found = analyze_total_orders(op)
        for compare in found:
            with ir.InsertionPoint(compare), compare.location:
                keys = [_key(value) for value in compare.operands]
            for number, key in enumerate(keys):
                compare.operands[number] = key
            compare.attributes["compare_type"] = ir.Attribute.parse("#stablehlo<comparison_type SIGNED>", op.context)
        self.count("expanded-comparisons", len(found))
