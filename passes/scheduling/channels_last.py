"""Compute images with channels last, where that puts the filters of convolutions into the lanes of vectors.

## Before and after

The weights of a model are the same in each call, so whoever calls it may lay them out once.

```mlir
func.func @f(%x: tensor<1x32x9x9xf32>, %w: tensor<32x32x3x3xf32> {inplace.held}) -> tensor<1x32x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x7x7xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x32x9x9xf32>, tensor<32x32x3x3xf32>)
      outs(%0 : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  return %r : tensor<1x32x7x7xf32>
}
```

becomes, with `machine="vector-bits=512 registers=32 l1=32768 l2=1048576"`:

```mlir
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d5, d3 + d6, d2 + d7)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d5, d6, d7, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d3, d2, d0, d4)>
func.func @f(%x: tensor<1x32x9x9xf32>, %w: tensor<1x32x3x3x32xf32> {inplace.held,
    inplace.rearranged = {order = array<i64: 0, 2, 3, 4, 1>, shape = array<i64: 1, 32, 32, 3, 3>}})
    -> tensor<1x32x7x7xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %e = tensor.empty() : tensor<1x32x7x7xf32>
  %0 = tensor.empty() : tensor<1x7x7x1x32xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x7x7x1x32xf32>) -> tensor<1x7x7x1x32xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel",
      "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x32x9x9xf32>, tensor<1x32x3x3x32xf32>) outs(%1 : tensor<1x7x7x1x32xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %5 = arith.mulf %in, %in_0 : f32
    %6 = arith.addf %out, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<1x7x7x1x32xf32>
  %3 = tensor.collapse_shape %2 [[0], [1], [2], [3, 4]] : tensor<1x7x7x1x32xf32> into tensor<1x7x7x32xf32>
  %4 = tensor.empty() : tensor<1x32x7x7xf32>
  %r = linalg.transpose ins(%3 : tensor<1x7x7x32xf32>) outs(%4 : tensor<1x32x7x7xf32>) permutation = [0, 3, 1, 2]
  return %r : tensor<1x32x7x7xf32>
}
```

## Contract

In: a function with arguments that are `inplace.held`; linalg ops and `tensor.pad` on tensors of static sizes in its
first block. Out: the same values but for the order of sums; each convolution whose weights are held, and are used
nowhere else, has channels last, and so have paddings, poolings, elementwise ops and means of pixels behind it. Where
something else reads a result, it is transposed back. **The types of held arguments change**: `inplace.rearranged` says
to which shape an array is to be expanded, and then in which order its dimensions are to be laid out, before it is
passed. Left alone: convolutions with other weights, with groups, or with filters that fill no vectors, and functions
that are called in the module. `print-moved` reports each op that changes.

Linear in the ops and their payloads. Upstream counterpart: `transform.structured.pack`, with the propagation of packs
through elementwise ops; the choice is in `passes/analysis/schedule/channels_last.py`.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.schedule.channels_last import HeldConvolution, MovedPadding, find_steps
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.channels_last import move_channels
from .rewriting.held_arguments import held_arguments, mark_rearranged
from .rewriting.linalg_ops import read_machine


@frozen
class ChannelsLastOptions(PassOptions):
    """Options of `inplace-channels-last`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'vector-bits=256'")
    print_moved: bool = option(False, help="emit a remark for every op that computes with channels last")


class ChannelsLastPass(Pass[ChannelsLastOptions]):
    """Compute convolutions with held weights, and what is around them, with channels last."""

    argument = "inplace-channels-last"
    summary = "compute convolutions with held weights, and what is around them, with channels last"
    Options = ChannelsLastOptions
    anchor = "func.func"
    statistics = (
        Statistic("convolutions", "convolutions whose weights are laid out anew"),
        Statistic("others", "other ops that have their channels last"),
    )

    def run(self, op: ir.Operation) -> None:
        held = held_arguments(op)
        steps = find_steps(op.regions[0].blocks[0], held, read_machine(self.options.machine, op)) if held else []
        for step in steps:
            one = step.op if isinstance(step, MovedPadding) else step.structured.op
            is_convolution = isinstance(step, HeldConvolution)
            self.count("convolutions" if is_convolution else "others")
            if self.options.print_moved:
                weights = ", and its weights are laid out anew" if is_convolution else ""
                self.remark(one.location, f"'{one.name}' has its channels last{weights}")
        if steps:
            mark_rearranged(op, move_channels(steps))
