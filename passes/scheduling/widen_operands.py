"""Widen operands of linalg ops that would widen each element many times.

## Before and after

A product of narrow numbers that is accumulated in wide ones,

```mlir
func.func @f(%a: tensor<512x512xbf16>, %b: tensor<512x512xf32>, %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<512x512xbf16>, tensor<512x512xf32>) outs(%c : tensor<512x512xf32>)
      -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}
```

becomes, with `machine="vector-bits=512 registers=32 l1=32768 l2=1048576"`:

```mlir
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @f(%a: tensor<512x512xbf16>, %b: tensor<512x512xf32>, %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = tensor.empty() : tensor<512x512xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<512x512xbf16>) outs(%0 : tensor<512x512xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %3 = arith.extf %in : bf16 to f32
    linalg.yield %3 : f32
  } -> tensor<512x512xf32>
  %2 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel",
      "reduction"]} ins(%1, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%c : tensor<512x512xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %3 = arith.mulf %in, %in_0 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}
```

## Contract

In: a function; linalg ops on tensors. Out: the same values, bit for bit: an extension is exact. An op with a reduction
loop reads a wide copy of an input if its payload only widens the elements, and a copy costs less than widening them at
each read. A copy takes as much memory as the wide numbers. It is made once for all iterations of `scf.for` loops that
do not define the operand. Left alone: elementwise ops, ops that cannot be vectorized, and all others for which it does
not pay. `print-widened` reports each op that changes.

Linear in the ops and their payloads. No upstream counterpart; the cost model is in
`passes/analysis/schedule/operand_widening.py`.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.schedule.operand_widening import find_widening
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.linalg_ops import find_linalg_ops, read_machine
from .rewriting.operand_copies import widen_operands


@frozen
class WidenOperandsOptions(PassOptions):
    """Options of `inplace-widen-operands`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'vector-bits=256'")
    print_widened: bool = option(False, help="emit a remark for every op that gets wide operands")


class WidenOperandsPass(Pass[WidenOperandsOptions]):
    """Widen operands of linalg ops once instead of at each read."""

    argument = "inplace-widen-operands"
    summary = "widen operands of linalg ops that would widen each element many times"
    Options = WidenOperandsOptions
    anchor = "func.func"
    statistics = (Statistic("widened", "operands that are widened before an op"),)

    def run(self, op: ir.Operation) -> None:
        machine = read_machine(self.options.machine, op)
        found = [find_widening(one, machine) for one in find_linalg_ops(op)]
        for widening in (one for one in found if one is not None):
            old = widening.structured.op
            if self.options.print_widened:
                operands = ", ".join(f"#{operand}" for operand in widening.operands)
                self.remark(old.location, f"'{old.name}' reads wide copies of its operands {operands}")
            widen_operands(widening)
            self.count("widened", len(widening.operands))
