"""Let products of StableHLO add up in f32 where their result is a narrower float.

In: `stablehlo.dot`, `stablehlo.dot_general` and `stablehlo.convolution` with results of bf16, f16 or a float of 8 bits.
Out: the same with results of f32, which `stablehlo.convert` rounds once. Upstream's legalizer adds up in the type of
the result: a sum of bf16 ones stays at 256. XLA adds up in f32.

```mlir
func.func @f(%x: tensor<2x3xbf16>, %y: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
  %0 = stablehlo.dot %x, %y : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
  return %0 : tensor<2x4xbf16>
}
```

becomes:

```mlir
func.func @f(%x: tensor<2x3xbf16>, %y: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
  %0 = stablehlo.dot %x, %y : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xf32>
  %1 = stablehlo.convert %0 : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  return %1 : tensor<2x4xbf16>
}
```

A `dot_general` that states its algorithm keeps the type that it states. Linear in the operations.

Upstream counterpart: none.
"""

from __future__ import annotations

from mlir import ir

from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.products import element_type, find_products


def analyze_narrow_products(root: ir.Operation) -> list[ir.Operation]:
    """Return the products under `root` that add up in less than f32. Changes nothing."""
    return [op for op in find_products(root) if _is_narrow(op.results[0]) and "algorithm" not in op.attributes]


def _is_narrow(value: ir.Value) -> bool:
    element = element_type(value)
    return isinstance(element, ir.FloatType) and element.width < 32


class WidenProductResultsPass(Pass[PassOptions]):
    """Make results of products f32, and convert them afterwards."""

    argument = "inplace-widen-product-results"
    summary = "let products of StableHLO with results of narrow floats add up in f32"
    statistics = (Statistic("widened-results", "results that are converted now"),)

    def run(self, op: ir.Operation) -> None:
        found = analyze_narrow_products(op)
        for product in found:
            result = product.results[0]
            narrow = ir.RankedTensorType(result.type)
            with ir.InsertionPoint.after(product), product.location:
                result.set_type(ir.RankedTensorType.get(narrow.shape, ir.F32Type.get(), narrow.encoding))
                rounded = ir.Operation.create("stablehlo.convert", [narrow], [result])
            result.replace_all_uses_except(rounded.result, [rounded])
        self.count("widened-results", len(found))
