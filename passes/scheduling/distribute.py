"""Distribute the iterations of linalg ops on tensors over threads: an `scf.forall` over parts of equal size.

## Before and after

```mlir
func.func @f(%a: tensor<4096x64xf32>, %b: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %r = linalg.exp ins(%a : tensor<4096x64xf32>) outs(%b : tensor<4096x64xf32>) -> tensor<4096x64xf32>
  return %r : tensor<4096x64xf32>
}
```

becomes, with `threads=2`:

```mlir
func.func @f(%a: tensor<4096x64xf32>, %b: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %0 = scf.forall (%arg2) in (2) shared_outs(%arg3 = %b) -> (tensor<4096x64xf32>) {
    %c2048 = arith.constant 2048 : index
    %1 = arith.muli %arg2, %c2048 : index
    %slice = tensor.extract_slice %a[%1, 0] [2048, 64] [1, 1] : tensor<4096x64xf32> to tensor<2048x64xf32>
    %slice_0 = tensor.extract_slice %arg3[%1, 0] [2048, 64] [1, 1] : tensor<4096x64xf32> to tensor<2048x64xf32>
    %2 = linalg.exp ins(%slice : tensor<2048x64xf32>) outs(%slice_0 : tensor<2048x64xf32>) -> tensor<2048x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %2 into %arg3[%1, 0] [2048, 64] [1, 1] : tensor<2048x64xf32>
          into tensor<4096x64xf32>
    }
  }
  return %0 : tensor<4096x64xf32>
}
```

## Contract

In: a function; linalg ops on tensors with only sequential loops (`scf.for`) around them, unless they write into a slice
that moves with a loop, and so are tiles already. Out: the same values, bit for bit and for any number of threads, since
no reduction is split: each part has elements of its own. A large op has up to four parts for each thread, since
`inplace-balance-threads` hands them out as threads get free. An op that reads elements of its init where it writes
them, or producers that read the same part, read the thread's own part, which can be written in place. Groups that
`inplace-fuse` computes tile by tile stay together in one `scf.forall`. Left alone: ops with too little work, and ops
without a parallel loop that is long enough.

The lowering of the `scf.forall` decides how many threads there really are.

Linear in the ops. Upstream counterpart: `transform.structured.tile_using_forall`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ...dialects.subsets import mixed_subset
from ...dialects.support.defining_ops import defining_op, is_inside
from ...dialects.support.frozen_classes import frozen
from ..analysis.ir.traversal import loops_around
from ..analysis.linalg.structured_op import Structured, as_structured
from ..analysis.schedule.distribution import Distribution, choose_distribution
from ..analysis.schedule.fusion_groups import find_groups
from ..analysis.schedule.own_producers import find_fills, find_transpositions
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option
from .rewriting.linalg_ops import find_linalg_ops, read_machine, replace_op
from .rewriting.tiled_nest import distribute

_FILL = "linalg.fill"


@frozen
class DistributeOptions(PassOptions):
    """Options of `inplace-distribute`."""

    threads: int = option(0, help="how many threads there are; 0 means the cores of the machine")
    machine: str = option("", help="properties of the machine that differ from the detected ones: 'cores=4'")


class DistributePass(Pass[DistributeOptions]):
    """Distribute linalg ops on tensors over threads."""

    argument = "inplace-distribute"
    summary = "distribute the iterations of linalg ops on tensors over threads"
    Options = DistributeOptions
    anchor = "func.func"
    statistics = (Statistic("distributed", "linalg ops that run on several threads"),)

    def run(self, op: ir.Operation) -> None:
        machine = read_machine(self.options.machine, op)
        if self.options.threads < 0:
            raise PassFailure(f"the number of threads must not be negative, got {self.options.threads}", op)
        threads = self.options.threads or machine.cores
        ops = [one for one in find_linalg_ops(op) if _runs_in_turn(one, op)]
        numbers = {one.results[0]: number for number, one in enumerate(ops)}
        # Fills stay, or are erased with the op that starts from them: then nothing may be read from them any more.
        taken = {number for number, one in enumerate(ops) if one.name == _FILL}
        groups = find_groups(ops, machine)
        for group in groups:
            how = choose_distribution(group.root, group.common, threads, machine)
            if how is not None:
                self._distribute(how, group.root, group.producers)
        grouped = {id(member.op) for group in groups for member in (group.root, *group.producers)}
        for number in reversed(range(len(ops))):
            one = ops[number]
            if number in taken or id(one) in grouped:
                continue
            root = as_structured(one)
            how = choose_distribution(root, root.parallel_loops, threads, machine) if root is not None else None
            if root is not None and how is not None:
                turned = find_transpositions(root, (how.loop,))
                taken.update(numbers[transposition.op.results[0]] for transposition in turned)
                self._distribute(how, root, [*find_fills(root), *turned])

    def _distribute(self, how: Distribution, root: Structured, producers: Sequence[Structured]) -> None:
        with ir.InsertionPoint(root.op), root.op.location:
            distributed = distribute(root, how, producers)
        replace_op(root.op, distributed.results, [producer.op for producer in producers])
        self.count("distributed", 1 + len(producers))


def _runs_in_turn(op: ir.Operation, function: ir.Operation) -> bool:
    """Whether only sequential loops are around `op`, and it is no tile of the innermost one."""
    loops = list(loops_around(op))
    return [op, *loops][-1].parent == function and not (loops and _is_tile(op, loops[0]))


def _is_tile(op: ir.Operation, loop: ir.Operation) -> bool:
    """Whether `op` writes into a slice that moves with `loop`."""
    inits = list(op.operands)[len(op.operands) - len(op.results) :]
    slices = [defining_op(init, "tensor.extract_slice") for init in inits]
    offsets = [offset for one in slices if one is not None for offset in mixed_subset(one, 1).offsets]
    return any(isinstance(offset, ir.Value) and is_inside(offset, loop) for offset in offsets)
