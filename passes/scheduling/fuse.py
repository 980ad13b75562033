"""Fuse linalg ops into the ops that use their results: elementwise ops one by one, groups of ops tile by tile.

## Problem

An op that writes a large tensor for the next op to read goes through memory twice, which costs more than computing it.

## Before and after

```mlir
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>, %e: tensor<?xf32>, %d: tensor<?xf32>) -> tensor<?xf32> {
  %s = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.exp ins(%s : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
```

becomes:

```mlir
#map = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>, %e: tensor<?xf32>, %d: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%d : tensor<?xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %1 = arith.addf %in, %in_0 : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
```

## Contract

In: a function; linalg ops on tensors. Out: the same values. An op whose loops are all parallel is fused into the only
op that uses its result, if that reads each element once; fills are fused into any user. Then groups of ops whose rows
are computed from one row each, such as softmax, normalizations and attention, become a loop over tiles of rows, if
their intermediate results are larger than half of the second cache; groups whose columns are, over tiles of columns
that are some cache lines wide. Inits stay as they are; nothing else is
computed twice.

No payload becomes longer than 64 ops by that, as LLVM's time is more than linear in the body of a loop. Linear in the
ops and their payloads, for a chain of any length. Upstream counterpart: `linalg-fuse-elementwise-ops`, which replaces
inits.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.linalg.elementwise_fusion import find_fusion
from ..analysis.schedule.fusion_groups import FusionGroup, find_groups
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from .rewriting.elementwise import fuse
from .rewriting.linalg_ops import find_linalg_ops, read_machine, replace_op
from .rewriting.tiled_nest import tile
from .rewriting.uniform import inline_numbers, separate

_GENERIC = "linalg.generic"


@frozen
class FuseOptions(PassOptions):
    """Options of `inplace-fuse`."""

    elementwise: bool = option(True, help="fuse elementwise ops into the ops that use them")
    tiles: bool = option(True, help="compute groups of ops tile by tile")
    machine: str = option("", help="properties of the machine that differ from the detected ones: 'l2=1048576'")
    print_groups: bool = option(False, help="emit a remark for every group that is computed tile by tile")


class FusePass(Pass[FuseOptions]):
    """Fuse producers into the ops that use their results."""

    argument = "inplace-fuse"
    summary = "fuse linalg ops into the ops that use their results, element by element or tile by tile"
    Options = FuseOptions
    anchor = "func.func"
    statistics = (
        Statistic("separated", "fills and broadcasts of one number that were made for one user each"),
        Statistic("fused", "linalg ops that were fused into others"),
        Statistic("tiled", "linalg ops that are computed tile by tile with the ops that use them"),
    )

    def run(self, op: ir.Operation) -> None:
        machine = read_machine(self.options.machine, op)
        if self.options.elementwise:
            for one in find_linalg_ops(op):
                self.count("separated", separate(one))
            # In reverse: an op is fused into a later one, so no op that is still to come has been erased.
            for one in reversed(find_linalg_ops(op)):
                fusion = find_fusion(one)
                if fusion is not None:
                    fuse(fusion)
                    self.count("fused")
            for one in find_linalg_ops(op, (_GENERIC,)):
                inline_numbers(one)
        if self.options.tiles:
            for group in find_groups(find_linalg_ops(op), machine):
                if group.loops:  # Otherwise it has one row, or is only distributed over threads.
                    self._tile(group)

    def _tile(self, group: FusionGroup) -> None:
        root = group.root.op
        names = ", ".join(f"'{one.op.name}'" for one in group.producers)
        tiles = ", ".join(map(str, group.loops))
        if self.options.print_groups:
            self.remark(root.location, f"'{root.name}' is computed in tiles, {tiles}, together with {names}")
        with ir.InsertionPoint(root), root.location:
            tiled = tile(group.root, group.loops, group.producers)
        replace_op(root, tiled.results, [producer.op for producer in group.producers])
        self.count("tiled", len(group.producers))
