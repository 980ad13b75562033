"""Tile linalg ops on tensors: loops around a smaller op that works on slices, so that its operands fit into a cache.

## Before and after

```mlir
func.func @f(%a: tensor<64x?xf32>, %b: tensor<?x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x?xf32>, tensor<?x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
```

becomes, with `tile-sizes=0,16,0`:

```mlir
func.func @f(%a: tensor<64x?xf32>, %b: tensor<?x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c1 = arith.constant 1 : index
  %dim = tensor.dim %a, %c1 : tensor<64x?xf32>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c16 = arith.constant 16 : index
  %0 = scf.for %arg3 = %c0 to %c64 step %c16 iter_args(%arg4 = %c) -> (tensor<64x64xf32>) {
    %c0_0 = arith.constant 0 : index
    %dim_1 = tensor.dim %b, %c0_0 : tensor<?x64xf32>
    %slice = tensor.extract_slice %b[0, %arg3] [%dim_1, 16] [1, 1] : tensor<?x64xf32> to tensor<?x16xf32>
    %slice_2 = tensor.extract_slice %arg4[0, %arg3] [64, 16] [1, 1] : tensor<64x64xf32> to tensor<64x16xf32>
    %1 = linalg.matmul ins(%a, %slice : tensor<64x?xf32>, tensor<?x16xf32>) outs(%slice_2 : tensor<64x16xf32>)
        -> tensor<64x16xf32>
    %inserted = tensor.insert_slice %1 into %arg4[0, %arg3] [64, 16] [1, 1] : tensor<64x16xf32>
        into tensor<64x64xf32>
    scf.yield %inserted : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}
```

## Contract

In: a function. Each linalg op on tensors (or those that `ops` names) with at least as many loops as there are sizes is
tiled, also along reduction loops; a size of 0 leaves a loop alone. `interchange` gives the order of the loops, the
outermost first; `peel` names loops whose last, smaller tile becomes an op of its own, so that the others have static
sizes. Out: the same values; the result is in destination-passing style and bufferizes in place. Floating-point sums are
reassociated if a tiled loop reduces, and so does another loop inside or around it.

Left alone, with a reason (`print-kept`): ops whose indices are no sums of multiples of loops, or decrease along a tiled
loop, as in a reversal; and ops whose reduction would be reassociated and is no sum, product, maximum or the like.

Linear in the ops. Upstream counterpart: `transform.structured.tile_using_for`.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.linalg.reduction_order import admits_tiles
from ..analysis.linalg.structured_op import NotStructured, Structured, read_structured
from ..analysis.schedule.cache_tiling import TileLoop
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.option_limits import MAX_INDEX, require_operations
from ..framework.options import PassOptions, option
from .rewriting.linalg_ops import find_linalg_ops, replace_op
from .rewriting.tiled_nest import tile


@frozen
class TileOptions(PassOptions):
    """Options of `inplace-tile`."""

    tile_sizes: tuple[int, ...] = option((), help="the size of a tile in each loop; 0 leaves the loop alone")
    interchange: tuple[int, ...] = option((), help="the numbers of all tiled loops, outermost first")
    peel: tuple[int, ...] = option((), help="the numbers of tiled loops whose smaller last tile is an op of its own")
    ops: tuple[str, ...] = option((), help="the names of the ops to tile; all linalg ops if none is given")
    print_kept: bool = option(False, help="emit a remark for every linalg op that stays, with the reason")


class TilePass(Pass[TileOptions]):
    """Tile linalg ops on tensors."""

    argument = "inplace-tile"
    summary = "tile linalg ops on tensors into loops around smaller ones"
    Options = TileOptions
    anchor = "func.func"
    statistics = (
        Statistic("tiled", "linalg ops that became loops around smaller ones"),
        Statistic("kept", "linalg ops that stay"),
    )

    def run(self, op: ir.Operation) -> None:
        loops = self._loops(op)
        require_operations("ops", self.options.ops, op)
        chosen: list[Structured] = []
        for one in find_linalg_ops(op, self.options.ops):
            try:
                structured = read_structured(one)
                if loops and max(loop.loop for loop in loops) >= len(structured.loops):
                    raise NotStructured(f"it has only {len(structured.loops)} loops")
                falling = [loop.loop for loop in loops if loop.loop in structured.falling]
                if falling:
                    raise NotStructured(f"an index with its loop d{falling[0]} decreases along a loop")
                if not admits_tiles(structured, [(loop.loop, loop.size) for loop in loops]):
                    raise NotStructured("the tiles would reduce in another order, which its payload does not admit")
            except NotStructured as reason:
                self.count("kept")
                if self.options.print_kept:
                    self.remark(one.location, f"'{one.name}' is not tiled, because {reason}")
            else:
                chosen.append(structured)
        for structured in chosen if loops else ():
            with ir.InsertionPoint(structured.op), structured.op.location:
                tiled = tile(structured, loops)
            replace_op(structured.op, tiled.results)
            self.count("tiled")

    def _loops(self, op: ir.Operation) -> list[TileLoop]:
        """Return the loops to tile, outermost first; raises where the options do not fit together."""
        sizes = self.options.tile_sizes
        if any(size < 0 for size in sizes):
            raise PassFailure(f"tile sizes must not be negative, got {min(sizes)}", op)
        if any(size > MAX_INDEX for size in sizes):
            raise PassFailure(f"tile sizes must be at most {MAX_INDEX}, got {max(sizes)}", op)
        tiled = [loop for loop, size in enumerate(sizes) if size]
        order = list(self.options.interchange) or tiled
        if sorted(order) != tiled:
            raise PassFailure(f"'interchange' must name each tiled loop once: {_names(tiled)}; got {_names(order)}", op)
        wrong = sorted(set(self.options.peel) - set(tiled))
        if wrong:
            raise PassFailure(f"'peel' names {_names(wrong)}, but the tiled loops are {_names(tiled)}", op)
        return [TileLoop(loop, sizes[loop], loop in self.options.peel) for loop in order]


def _names(loops: list[int]) -> str:
    return ", ".join(map(str, loops)) or "none"
