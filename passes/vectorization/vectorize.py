"""Turn linalg ops on tensors into loops around vectors, with accumulators in registers.

## Problem

A linalg op lowered to scalar loops runs at a hundredth of the machine's speed: one element at a time, and each partial
result of a reduction goes through memory.

## Before and after

```text
%r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
```

becomes, for vectors of 16 elements and a register tile of 4 rows by 4 vectors (one of each shown):

```text
%r = scf.for %j = %c0 to %n step %c64 iter_args(%c1 = %c) -> (tensor<?x?xf32>) {
  %s = scf.for %i = %c0 to %m step %c4 iter_args(%c2 = %c1) -> (tensor<?x?xf32>) {
    %read = vector.transfer_read %c2[%i, %j], %zero : tensor<?x?xf32>, vector<16xf32>
    %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%acc = %read) -> (vector<16xf32>) {
      %x = tensor.extract %a[%i, %k] : tensor<?x?xf32>
      %xs = vector.broadcast %x : f32 to vector<16xf32>
      %y = vector.transfer_read %b[%k, %j], %zero : tensor<?x?xf32>, vector<16xf32>
      %next = vector.fma %xs, %y, %acc : vector<16xf32>
      scf.yield %next : vector<16xf32>
    }
    %write = vector.transfer_write %sum, %c2[%i, %j] : vector<16xf32>, tensor<?x?xf32>
    scf.yield %write : tensor<?x?xf32>
  }
  scf.yield %s : tensor<?x?xf32>
}
```

## Contract

In: a function; linalg ops on tensors, named or generic, with indices that are sums of multiples of loops and payloads
that work lane by lane; any sizes. Out: loops on tensors with the same values, in destination-passing style, which
bufferize without further buffers. Left alone, with a reason (`print-kept`): everything else; and fills.

The loop along which operands are contiguous is in the lanes. Inputs of elementwise ops that are contiguous along
another loop are loaded as squares and transposed in registers. Elements a few steps apart are shuffled out of vectors
of their neighbours. What a payload extracts of other tensors is loaded as well, where it is side by side.

If the lane loop reduces, the lanes are partial results, so floating-point sums are reassociated; products that are
added become fma, which rounds once. An incomplete vector at the end of a row is masked. A fill of an init is not read:
the accumulators start from its value.

A reduction that chooses elements by comparisons, as an argmax does with its two results, has a choice in each lane, if
its payload may choose in any order.

An elementwise op whose result a reduction and other ops use is computed in the loop of the reduction. One that alone
reads the results of a reduction, with results in the lanes, is computed before they are stored.

Values that all lanes share, like the mean of a row, are computed before the lane loop. Divisions by them become
multiplications by their reciprocals; then a quotient is off by up to 1.5 units in the last place.

Linear in the ops; the code is as large as the register tile. Upstream counterpart: `transform.structured.vectorize`
with tiling, contraction lowering and hoisting around it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.schedule.epilogues import Epilogue, find_epilogue
from ..analysis.schedule.joined_reductions import Join, find_join
from ..analysis.schedule.machine import Machine
from ..analysis.schedule.vector_plan import NotVectorizable, VectorPlan, plan_vectors
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions, option
from ..scheduling.rewriting.linalg_ops import erase_op, find_linalg_ops, read_machine, replace_op
from .rewriting.nest import build_nest

_FILL = "linalg.fill"


@frozen
class VectorizeOptions(PassOptions):
    """Options of `inplace-vectorize`."""

    machine: str = option("", help="properties of the machine that differ from the detected ones: 'vector-bits=256'")
    print_kept: bool = option(False, help="emit a remark for every linalg op that stays, with the reason")


class VectorizePass(Pass[VectorizeOptions]):
    """Vectorize linalg ops on tensors."""

    argument = "inplace-vectorize"
    summary = "turn linalg ops on tensors into loops around vectors"
    Options = VectorizeOptions
    anchor = "func.func"
    statistics = (
        Statistic("vectorized", "linalg ops that became loops around vectors"),
        Statistic("kept", "linalg ops that stay"),
        Statistic("joined", "elementwise ops that are computed in the loop of a reduction"),
        Statistic("epilogues", "elementwise ops that are computed before a reduction stores its results"),
    )

    def run(self, op: ir.Operation) -> None:
        machine = read_machine(self.options.machine, op)
        plans: list[VectorPlan] = []
        for one in find_linalg_ops(op):
            if one.name == _FILL:
                continue
            try:
                plans.append(plan_vectors(one, machine))
            except NotVectorizable as reason:
                self.count("kept")
                if self.options.print_kept:
                    self.remark(one.location, f"'{one.name}' is not vectorized, because {reason}")
        self._build(plans, machine)

    def _build(self, plans: Sequence[VectorPlan], machine: Machine) -> None:
        """Build the loops; joined ops are built with their reduction."""
        by_result: dict[ir.Value, VectorPlan] = {plan.structured.op.results[0]: plan for plan in plans}
        joins: dict[ir.Value, Join] = {}
        joined: set[ir.Value] = set()
        for result, plan in by_result.items():
            # A joined op is stored by its reduction, and is no reduction itself.
            join = find_join(plan, by_result, joined)
            if join is not None:
                joins[result] = join
                joined.add(join.producer.op.results[0])
        epilogues = _epilogues(by_result, joined, machine)
        joined |= {epilogue.consumer.op.results[0] for epilogue in epilogues.values()}
        for result, plan in by_result.items():
            if result in joined:
                continue
            if result in epilogues:
                _build_with(plan, epilogues[result])
                continue
            join = joins.get(result)
            with ir.InsertionPoint(plan.structured.op), plan.structured.op.location:
                built = build_nest(plan, join)
            replace_op(plan.structured.op, built[: len(plan.structured.outputs)])
            if join is not None:
                replace_op(join.producer.op, built[-1:])
        self.count("vectorized", len(plans))
        self.count("joined", len(joins))
        self.count("epilogues", len(epilogues))


def _epilogues(
    plans: Mapping[ir.Value, VectorPlan], joined: Collection[ir.Value], machine: Machine
) -> dict[ir.Value, Epilogue]:
    """Return the epilogues of reductions, by the results of these."""
    found: dict[ir.Value, Epilogue] = {}
    taken = set(joined)
    for result, plan in plans.items():
        epilogue = find_epilogue(plan, plans, taken, machine)
        if epilogue is not None:
            found[result] = epilogue
            taken.add(epilogue.consumer.op.results[0])
    return found


def _build_with(plan: VectorPlan, epilogue: Epilogue) -> None:
    """Build a reduction with its epilogue, where that is."""
    consumer = epilogue.consumer.op
    with ir.InsertionPoint(consumer), plan.structured.op.location:
        built = build_nest(plan, epilogue=epilogue)
    replace_op(consumer, built)
    if epilogue.collapse is not None:
        epilogue.collapse.erase()
    erase_op(plan.structured.op)
