"""Turn parallel loops that reduce into loops that run in order.

## Before and after

```mlir
func.func @f(%a: memref<8xf32>, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%z) -> f32 {
    %x = memref.load %a[%i] : memref<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      scf.reduce.return %s : f32
    }
  }
  func.return %r : f32
}
```

becomes

```mlir
func.func @f(%a: memref<8xf32>, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %z) -> (f32) {
    %x = memref.load %a[%i] : memref<8xf32>
    %s = arith.addf %p, %x : f32
    scf.yield %s : f32
  }
  func.return %r : f32
}
```

A runtime of threads adds what each thread has reduced, in the order in which they end. So the sum of floats depends on
the number of threads, and on chance. In order it does not.

## Contract

In: any module. Out: no `scf.parallel` has results; its body runs in the order of its iterations, the last dimension
fastest, which is one of the orders that the op allows, and the one of `convert-scf-to-cf`. Loops inside stay parallel.

Linear in the ops. No upstream counterpart: `scf-parallel-for-to-nested-fors` refuses loops that reduce.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from mlir import ir
from mlir.dialects import scf

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

__all__ = ["SerializeReductionsPass"]

_LOOP = "scf.parallel"


class SerializeReductionsPass(Pass[PassOptions]):
    """Turn `scf.parallel` ops with results into nests of `scf.for` ops."""

    argument = "inplace-serialize-reductions"
    summary = "turn parallel loops that reduce into loops that run in order"
    concerns = (_LOOP,)
    statistics = (Statistic("serialized", "parallel loops that reduce, and run in order now"),)

    def run(self, op: ir.Operation) -> None:
        for loop in find_ops(op, _LOOP, where=lambda one: bool(one.results)):
            _serialize(loop)
            self.count("serialized")


def _serialize(loop: ir.Operation) -> None:
    """Replace `loop` by a nest of loops that carry what it reduces."""
    operands, count = list(loop.operands), len(loop.results)
    (body,) = loop.regions[0].blocks
    depth = len(body.arguments)
    lower, upper, step = (operands[depth * part : depth * (part + 1)] for part in range(3))
    nest: list[scf.ForOp] = []
    carried: Sequence[ir.Value] = operands[len(operands) - count :]
    place = ir.InsertionPoint(loop)
    for bounds in zip(lower, upper, step, strict=True):
        with place, loop.location:
            nest.append(scf.ForOp(*bounds, carried))
        carried, place = list(nest[-1].inner_iter_args), ir.InsertionPoint(nest[-1].body)
    for old, one in zip(body.arguments, nest, strict=True):
        old.replace_all_uses_with(one.induction_variable)
    _move_body(body, nest[-1].body, carried)
    for outer, inner in pairwise(nest):
        with ir.InsertionPoint(outer.body), loop.location:
            scf.YieldOp(inner.results)
    for old, new in zip(loop.results, nest[0].results, strict=True):
        old.replace_all_uses_with(new)
    loop.erase()


def _move_body(body: ir.Block, target: ir.Block, carried: Sequence[ir.Value]) -> None:
    """Move the ops of `body` into `target`, which ends with the results of its reductions of `carried`."""
    *ops, reduce = list(body.operations)
    for op in ops:
        target.append(op)
    reduced: list[ir.Value] = []
    for region, so_far, value in zip(reduce.regions, carried, reduce.operands, strict=True):
        (block,) = region.blocks
        for old, new in zip(block.arguments, (so_far, value), strict=True):
            old.replace_all_uses_with(new)
        *steps, end = list(block.operations)
        for op in steps:
            target.append(op)
        reduced.append(end.operands[0])
    with ir.InsertionPoint(target), reduce.location:
        scf.YieldOp(reduced)
