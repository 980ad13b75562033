"""Mark linalg ops that are to be outlined and optimized as functions, once for all their occurrences.

## Problem

An op that is tiled and vectorized becomes dozens of ops. In a program with a thousand ops, bufferization then reads
tens of thousands, most of them repeated.

## Before and after

```mlir
func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %x = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %x : tensor<8x8xf32>
}
```

becomes, with `many=1 elements=1`:

```mlir
func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = linalg.fill {inplace.kernel = 1 : i64} ins(%cst : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul {inplace.kernel} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%0 : tensor<8x8xf32>)
      -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
```

## Contract

In: a module; linalg ops on tensors. Out: the same, with a mark on each op that the module has `repeats` times or more,
provided that at least `saved` ops equal earlier ones, and on each op of a function with `many` or more. Ops that are
optimized together with others are not marked (`schedule/kernel_candidates.py`), nor is what is in a loop, unless the
body has `crowd` ops or more. The passes that tile and vectorize leave marked ops alone; `mi.compile` outlines them when
they are on memrefs, and optimizes the functions (`rewriting/optimized_kernels.py`). A fill that several ops start from
is duplicated for each marked one. An elementwise op that alone reads the result of a marked reduction is marked with
it, and both get one init, if that pair is repeated (`schedule/kernel_epilogues.py`).

Values do not change. Linear in the ops. No upstream counterpart.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.repetition.bodies import EPILOGUE, KERNEL_MARK, BodyReader
from ..analysis.schedule.kernel_candidates import Candidate, find_candidates
from ..analysis.schedule.kernel_epilogues import with_epilogues
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option
from ..scheduling.rewriting.linalg_ops import find_linalg_ops, read_machine


@frozen
class MarkKernelsOptions(PassOptions):
    """Options of `inplace-mark-kernels`."""

    repeats: int = option(2, help="how often an op must occur to be marked")
    saved: int = option(7, help="how many ops must equal earlier ones for any to be marked because it is repeated")
    many: int = option(64, help="how many ops a function must have for all of them to be marked")
    elements: int = option(256, help="how many elements an operand of an op must have at least for it to be marked")
    crowd: int = option(32, help="how many ops the body of a loop must have for any of them to be marked")
    machine: str = option("", help="properties of the machine that differ from the detected ones: 'l2=1048576'")


class MarkKernelsPass(Pass[MarkKernelsOptions]):
    """Mark linalg ops that are to be outlined."""

    argument = "inplace-mark-kernels"
    summary = "mark repeated linalg ops, to be optimized once, as functions"
    Options = MarkKernelsOptions
    anchor = "builtin.module"
    statistics = (Statistic("marked", "linalg ops that are to become functions, without their fills"),)

    def run(self, op: ir.Operation) -> None:
        machine = read_machine(self.options.machine, op)
        for name in ("repeats", "saved", "many", "elements", "crowd"):
            if getattr(self.options, name) < 1:
                raise PassFailure(f"{name} must be at least 1, got {getattr(self.options, name)}", op.location)
        groups: dict[int, list[Candidate]] = {}
        reader = BodyReader()
        crowded: set[ir.Value] = set()
        for function in [inner.operation for inner in op.regions[0].blocks[0].operations]:
            if function.name != "func.func" or not len(function.regions[0].blocks):
                continue
            found = find_candidates(
                function, find_linalg_ops(function), machine, self.options.elements, self.options.crowd, reader
            )
            if sum(map(len, found.values())) >= self.options.many:
                crowded.update(one.op.results[0] for candidates in found.values() for one in candidates)
            for key, candidates in found.items():
                groups.setdefault(key, []).extend(candidates)
        groups = with_epilogues(groups, machine, self.options.repeats, reader)
        repeated = [candidates for candidates in groups.values() if len(candidates) >= self.options.repeats]
        pays = sum(_count(candidates[1:]) for candidates in repeated) >= self.options.saved
        for candidates in groups.values():
            for candidate in candidates:
                if (pays and len(candidates) >= self.options.repeats) or candidate.op.results[0] in crowded:
                    self._mark(candidate)

    def _mark(self, candidate: Candidate) -> None:
        """Mark an op, and its fill with a number, so that CSE does not merge the fills of two ops."""
        op, fill, epilogue = candidate.op, candidate.fill, candidate.epilogue
        self.count("marked", _count([candidate]))
        if epilogue is not None:
            op.move_before(epilogue)
            epilogue.attributes[KERNEL_MARK] = ir.StringAttr.get(EPILOGUE, op.context)
        op.attributes[KERNEL_MARK] = ir.UnitAttr.get(op.context)
        if fill is None:
            return
        uses = iter(fill.results[0].uses)
        next(uses)
        if next(uses, None) is None:
            fill.move_before(op)
        else:
            with ir.InsertionPoint(op):
                fill = fill.clone().operation
            op.operands[len(op.operands) - 1] = fill.results[0]
        if epilogue is not None:
            _compute_in_place(epilogue, fill)
        number = self.statistic_values["marked"]
        fill.attributes[KERNEL_MARK] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64, op.context), number)


def _count(candidates: Sequence[Candidate]) -> int:
    """Return how many ops there are, without fills."""
    return sum(1 if one.epilogue is None else 2 for one in candidates)


def _compute_in_place(epilogue: ir.Operation, fill: ir.Operation) -> None:
    """Let `epilogue`, and the op that starts from `fill`, which it reads, have one buffer: that of its init."""
    last = len(epilogue.operands) - 1
    init = epilogue.operands[last]
    result = next(iter(fill.results[0].uses)).owner.operation.results[0]
    if init != result:
        fill.operands[1] = init
        epilogue.operands[last] = result
