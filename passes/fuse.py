"""Compute elementwise linalg ops where their results are used, so that those never reach memory.

## Before and after

```mlir
%s = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
%r = linalg.exp ins(%s : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
```

becomes

```mlir
%r = linalg.generic {...} ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%d : tensor<?xf32>) {
^bb0(%x: f32, %y: f32, %z: f32):
  %s = arith.addf %x, %y : f32
  %t = math.exp %s : f32
  linalg.yield %t : f32
} -> tensor<?xf32>
```

## Contract

In: a function; linalg ops on tensors. Out: the same values. An op whose loops are all parallel is computed inside of
the only op that uses its result, if that reads each element once; fills go everywhere. Inits stay as they are.

Linear in the ops and their payloads, for a chain of any length. Upstream counterpart: `linalg-fuse-elementwise-ops`,
which gives ops new inits on the way.
"""

from __future__ import annotations

from mlir import ir

from .analysis.elementwise_fusion import find_fusion
from .base import Pass, Statistic
from .linalg_ops import find_linalg_ops
from .options import PassOptions
from .tiling.elementwise import fuse


class FusePass(Pass[PassOptions]):
    """Compute elementwise producers inside of their consumers."""

    argument = "inplace-fuse"
    summary = "compute elementwise linalg ops where their results are used"
    anchor = "func.func"
    statistics = (Statistic("fused", "linalg ops that are computed inside of others"),)

    def run(self, op: ir.Operation) -> None:
        # From the end: what an op is fused with has been looked at before, so that no op of the list is gone.
        for one in reversed(find_linalg_ops(op)):
            fusion = find_fusion(one)
            if fusion is not None:
                fuse(fusion)
                self.count("fused")
