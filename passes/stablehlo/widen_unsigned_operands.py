"""Convert unsigned operands of products of StableHLO to the type of the result, where that is wider.

In: `stablehlo.dot`, `stablehlo.dot_general` and `stablehlo.convolution` of unsigned integers that are narrower than the
result. Out: the same on operands of the result's type, which `stablehlo.convert` makes. Upstream's legalizer extends
such operands inside the product, by their sign, and so computes something else for numbers whose first bit is set.

```mlir
func.func @f(%x: tensor<2x3xui8>, %y: tensor<3x4xui8>) -> tensor<2x4xui32> {
  %0 = stablehlo.dot %x, %y : (tensor<2x3xui8>, tensor<3x4xui8>) -> tensor<2x4xui32>
  return %0 : tensor<2x4xui32>
}
```

becomes:

```mlir
func.func @f(%x: tensor<2x3xui8>, %y: tensor<3x4xui8>) -> tensor<2x4xui32> {
  %0 = stablehlo.convert %x : (tensor<2x3xui8>) -> tensor<2x3xui32>
  %1 = stablehlo.convert %y : (tensor<3x4xui8>) -> tensor<3x4xui32>
  %2 = stablehlo.dot %0, %1 : (tensor<2x3xui32>, tensor<3x4xui32>) -> tensor<2x4xui32>
  return %2 : tensor<2x4xui32>
}
```

Linear in the operations.

Upstream counterpart: none.
"""

from __future__ import annotations

from mlir import ir

from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.products import element_type, find_products
from .rewriting.scalars import is_unsigned


def analyze_unsigned_operands(root: ir.Operation) -> list[tuple[ir.Operation, int]]:
    """Return the operands under `root` that need a conversion, as op and number. Changes nothing."""
    return [
        (op, number)
        for op in find_products(root)
        for number, operand in enumerate(op.operands)
        if is_unsigned(element_type(operand)) and element_type(operand) != element_type(op.results[0])
    ]


class WidenUnsignedOperandsPass(Pass[PassOptions]):
    """Convert unsigned operands of products to the type of the result."""

    argument = "inplace-widen-unsigned-operands"
    summary = "convert unsigned operands of products of StableHLO to the wider type of the result"
    statistics = (Statistic("widened-operands", "operands that are converted now"),)

    def run(self, op: ir.Operation) -> None:
        found = analyze_unsigned_operands(op)
        for product, number in found:
            operand = product.operands[number]
            shape = ir.RankedTensorType(operand.type).shape
            with ir.InsertionPoint(product), product.location:
                type_ = ir.RankedTensorType.get(shape, element_type(product.results[0]))
                product.operands[number] = ir.Operation.create("stablehlo.convert", [type_], [operand]).result
        self.count("widened-operands", len(found))
