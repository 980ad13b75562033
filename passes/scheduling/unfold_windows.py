"""Give linalg ops with short or strided rows long ones: copy windows, and merge loops.

## Before and after

A convolution of an image with four results in each row, which would leave most lanes of a vector empty,

```mlir
func.func @f(%x: tensor<1x64x6x6xf32>, %w: tensor<64x64x3x3xf32>, %y: tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32> {
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x6x6xf32>, tensor<64x64x3x3xf32>)
      outs(%y : tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32>
  return %r : tensor<1x64x4x4xf32>
}
```

becomes, with `machine="vector-bits=512 registers=32 l1=32768 l2=1048576"`:

```mlir
#map = affine_map<(d0, d1, d2, d3, d4) -> (0, d0, d1 + d3, d2 + d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map2 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @f(%x: tensor<1x64x6x6xf32>, %w: tensor<64x64x3x3xf32>, %y: tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32> {
  %0 = tensor.empty() : tensor<64x3x3x4x4xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel",
      "parallel", "parallel"]} ins(%x : tensor<1x64x6x6xf32>) outs(%0 : tensor<64x3x3x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<64x3x3x4x4xf32>
  %collapsed = tensor.collapse_shape %1 [[0, 1, 2], [3, 4]] : tensor<64x3x3x4x4xf32> into tensor<576x16xf32>
  %collapsed_0 = tensor.collapse_shape %w [[0], [1, 2, 3]] : tensor<64x64x3x3xf32> into tensor<64x576xf32>
  %collapsed_1 = tensor.collapse_shape %y [[0, 1], [2, 3]] : tensor<1x64x4x4xf32> into tensor<64x16xf32>
  %2 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%collapsed, %collapsed_0 : tensor<576x16xf32>, tensor<64x576xf32>) outs(%collapsed_1 : tensor<64x16xf32>) {
  ^bb0(%in: f32, %in_2: f32, %out: f32):
    %3 = arith.mulf %in, %in_2 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<64x16xf32>
  %expanded = tensor.expand_shape %2 [[0, 1], [2, 3]] output_shape [1, 64, 4, 4]
      : tensor<64x16xf32> into tensor<1x64x4x4xf32>
  return %expanded : tensor<1x64x4x4xf32>
}
```

## Contract

In: a function; linalg ops on tensors. Out: the same values, in the order of the op's sums. An op with a reduction loop
and static sizes whose vectors would be partly empty, or gathered, reads copies of its windows (inputs at sums of loops)
with a dimension for each loop, and its loops are merged where all operands have them side by side; so are those of
elementwise ops behind it. A copy has each element of a window for each of the results that read it; large ones are made
tile by tile. Left alone: other elementwise ops, ops whose payload asks for iterations, and all others for which it does
not pay. `print-unfolded` reports each op that changes.

Linear in the ops and their payloads. Upstream counterpart: `transform.structured.convert_conv2d_to_img2col`; the cost
model is in `passes/analysis/schedule/window_unfolding.py`.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.schedule.machine import Machine
from ..analysis.schedule.own_producers import find_fills
from ..analysis.schedule.window_unfolding import Unfolding, find_merging, find_unfolding
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.linalg_ops import find_linalg_ops, read_machine, replace_op
from .rewriting.tiled_nest import tile
from .rewriting.unfolded import unfold


@frozen
class UnfoldWindowsOptions(PassOptions):
    """Options of `inplace-unfold-windows`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'vector-bits=256'")
    print_unfolded: bool = option(False, help="emit a remark for every op whose windows are copied or loops merged")


class UnfoldWindowsPass(Pass[UnfoldWindowsOptions]):
    """Copy windows of linalg ops and merge loops, so that vectors are full."""

    argument = "inplace-unfold-windows"
    summary = "copy windows of linalg ops, and merge loops, where vectors would be short or gathered"
    Options = UnfoldWindowsOptions
    anchor = "func.func"
    statistics = (
        Statistic("unfolded", "linalg ops whose loops are merged"),
        Statistic("copied", "windows that are copied before an op"),
    )

    def run(self, op: ir.Operation) -> None:
        machine = read_machine(self.options.machine, op)
        found = [find_unfolding(one, machine) for one in find_linalg_ops(op)]
        chosen = [unfolding for unfolding in found if unfolding is not None]
        for unfolding in chosen:
            self._report(unfolding)
            self._unfold(unfolding, machine)
            self.count("copied", len(unfolding.copies))
        self.count("unfolded", len(chosen))
        # Those behind an op that was changed, in program order, as each may be behind the one before.
        for one in find_linalg_ops(op) if chosen else ():
            merging = find_merging(one, machine)
            if merging is not None:
                self._report(merging)
                unfold(merging)
                self.count("unfolded")

    def _report(self, unfolding: Unfolding) -> None:
        if not self.options.print_unfolded:
            return
        op = unfolding.structured.op
        merged = ", ".join("".join(f"d{loop}" for loop in group) for group in unfolding.groups)
        copied = ", ".join(f"#{operand}" for operand in unfolding.copies)
        tiles = ", ".join(map(str, unfolding.tiles))
        text = f"'{op.name}' has merged loops {merged}"
        text += f", and reads copies of its windows {copied}" if copied else ""
        self.remark(op.location, f"{text}, in tiles, {tiles}" if tiles else text)

    def _unfold(self, unfolding: Unfolding, machine: Machine) -> None:
        if not unfolding.tiles:
            unfold(unfolding)
            return
        structured = unfolding.structured
        fills = find_fills(structured)
        with ir.InsertionPoint(structured.op), structured.op.location:
            tiled = tile(structured, unfolding.tiles, fills)
        replace_op(structured.op, tiled.results, [fill.op for fill in fills])
        for one in tiled.ops:
            inner = find_unfolding(one, machine, tile=True)
            if inner is not None:
                unfold(inner)
