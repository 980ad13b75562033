"""Transpose operands of linalg ops whose vectors would have to be gathered, or reduced lane by lane.

## Before and after

A product with a matrix whose rows are the columns of the other factor,

```mlir
func.func @f(%a: tensor<512x64xf32>, %b: tensor<256x64xf32>, %c: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
                                      affine_map<(i, j, k) -> (i, j)>]
      ins(%a, %b : tensor<512x64xf32>, tensor<256x64xf32>) outs(%c : tensor<512x256xf32>) -> tensor<512x256xf32>
  return %r : tensor<512x256xf32>
}
```

becomes, with `machine="vector-bits=512 registers=32 l1=32768 l2=1048576"`:

```mlir
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @f(%a: tensor<512x64xf32>, %b: tensor<256x64xf32>, %c: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %0 = tensor.empty() : tensor<64x256xf32>
  %transposed = linalg.transpose ins(%b : tensor<256x64xf32>) outs(%0 : tensor<64x256xf32>) permutation = [1, 0]
  %1 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel",
      "reduction"]} ins(%a, %transposed : tensor<512x64xf32>, tensor<64x256xf32>) outs(%c : tensor<512x256xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %2 = arith.mulf %in, %in_0 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<512x256xf32>
  return %1 : tensor<512x256xf32>
}
```

## Contract

In: a function; linalg ops on tensors. Out: the same values; an op with a reduction loop reads a transposed copy of an
input if that costs less, which it does where the input is read often enough. Floating-point sums are then computed in
the order of the op. A copy takes as much memory as the operand. It is made once for all iterations of `scf.for` loops
that do not define the operand. Left alone: elementwise ops, which `inplace-vectorize` transposes in registers, ops
whose indices are no loops, and all others for which it does not pay. `print-transposed` reports each op that changes.

Linear in the ops and their payloads. No upstream counterpart; the cost model is in
`passes/analysis/schedule/operand_transposition.py`.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.schedule.operand_transposition import TranspositionFinder
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.linalg_ops import find_linalg_ops, read_machine
from .rewriting.operand_copies import transpose_operands


@frozen
class TransposeOperandsOptions(PassOptions):
    """Options of `inplace-transpose-operands`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'vector-bits=256'")
    print_transposed: bool = option(False, help="emit a remark for every op that gets transposed operands")


class TransposeOperandsPass(Pass[TransposeOperandsOptions]):
    """Transpose operands of linalg ops so that they are read as vectors."""

    argument = "inplace-transpose-operands"
    summary = "transpose operands of linalg ops whose vectors would have to be gathered or reduced"
    Options = TransposeOperandsOptions
    anchor = "func.func"
    statistics = (Statistic("transposed", "operands that are transposed before an op"),)

    def run(self, op: ir.Operation) -> None:
        finder = TranspositionFinder(read_machine(self.options.machine, op))
        found = [finder.find(one) for one in find_linalg_ops(op)]
        for transposition in (one for one in found if one is not None):
            old = transposition.structured.op
            if self.options.print_transposed:
                operands = ", ".join(f"#{operand}" for operand in transposition.operands)
                self.remark(old.location, f"'{old.name}' reads transposed copies of its operands {operands}")
            transpose_operands(transposition)
            self.count("transposed", len(transposition.operands))
