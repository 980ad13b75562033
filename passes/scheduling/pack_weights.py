"""Read weights of products in the panels that are packed otherwise in each call.

## Before and after

The weights of a model are the same in each call, so whoever calls it may lay them out once.

```mlir
func.func @f(%x: tensor<4x256xf32>, %w: tensor<256x128xf32> {inplace.held}) -> tensor<4x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x128xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x128xf32>) -> tensor<4x128xf32>
  %r = linalg.matmul ins(%x, %w : tensor<4x256xf32>, tensor<256x128xf32>)
      outs(%0 : tensor<4x128xf32>) -> tensor<4x128xf32>
  return %r : tensor<4x128xf32>
}
```

becomes, with `machine="vector-bits=512 registers=32 l1=32768"`:

```mlir
#map = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
func.func @f(%x: tensor<4x256xf32>, %w: tensor<2x256x64xf32> {inplace.held,
    inplace.rearranged = {order = array<i64: 1, 0, 2>, shape = array<i64: 256, 2, 64>}}) -> tensor<4x128xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<4x128xf32>
  %0 = tensor.expand_shape %e [[0], [1, 2]] output_shape [4, 2, 64] : tensor<4x128xf32> into tensor<4x2x64xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4x2x64xf32>) -> tensor<4x2x64xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel",
      "reduction"]} ins(%x, %w : tensor<4x256xf32>, tensor<2x256x64xf32>) outs(%1 : tensor<4x2x64xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %3 = arith.mulf %in, %in_0 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x2x64xf32>
  %r = tensor.collapse_shape %2 [[0], [1, 2]] : tensor<4x2x64xf32> into tensor<4x128xf32>
  return %r : tensor<4x128xf32>
}
```

## Contract

In: a function with arguments that are `inplace.held`. Out: the same values; sums in the same order. Each product in its
first block whose weights are held, and are used nowhere else, reads them in blocks of columns; a transposed matrix is
turned. The result is collapsed to what it was, which moves nothing. Columns behind the last block lie behind the
blocks, and are a product of their own; both are inserted into the result. **The types of held arguments change**:
`inplace.rearranged` says to which shape an array is to be expanded, and then in which order its dimensions are to be
laid out, before it is passed; with `cut` and `rest`, where it is cut into two parts, which lie one after the other, and
the order of the second one's dimensions. Left alone: products whose weights have other than two dimensions, as those of
a batch have, or are narrower than the sum; those where packing does not pay, of small weights or few columns; and
functions that are called in the module. `print-packed` reports each product.

Linear in the ops. Upstream counterpart: `transform.structured.pack`; the choice is in
`passes/analysis/schedule/held_products.py`.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.schedule.held_products import find_products
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.held_arguments import held_arguments, mark_rearranged
from .rewriting.linalg_ops import read_machine
from .rewriting.packed_weights import pack_weights


@frozen
class PackWeightsOptions(PassOptions):
    """Options of `inplace-pack-weights`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'vector-bits=256'")
    print_packed: bool = option(False, help="emit a remark for every product whose weights are packed")


class PackWeightsPass(Pass[PackWeightsOptions]):
    """Pack held weights of products."""

    argument = "inplace-pack-weights"
    summary = "read held weights of products in packed panels, which whoever calls lays out once"
    Options = PackWeightsOptions
    anchor = "func.func"
    statistics = (Statistic("packed", "products whose weights are packed"),)

    def run(self, op: ir.Operation) -> None:
        held = held_arguments(op)
        products = find_products(op.regions[0].blocks[0], held, read_machine(self.options.machine, op)) if held else []
        for product in products:
            one = product.structured.op
            self.count("packed")
            if self.options.print_packed:
                self.remark(
                    one.location,
                    f"the weights of '{one.name}' are packed in blocks of {product.block} columns"
                    + (f", and {product.rest} behind them" if product.rest else ""),
                )
        if products:
            mark_rearranged(op, dict(map(pack_weights, products)))
