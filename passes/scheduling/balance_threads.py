"""Hand out the iterations of OpenMP's loops as threads get free.

## Before and after

```mlir
func.func @f(%a: memref<64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
        memref.store %x, %a[%i] : memref<64xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  func.return
}
```

becomes, with `threads=2`:

```mlir
func.func @f(%a: memref<64xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  omp.parallel {
    %c2 = arith.constant 2 : index
    omp.wsloop nowait schedule(dynamic = %c2 : index, nonmonotonic) {
      omp.loop_nest (%i) : index = (%c0) to (%c64) step (%c1) {
        memref.store %x, %a[%i] : memref<64xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  func.return
}
```

A loop without a schedule gives each thread its share at once. If another process takes one core, all wait for the
thread that runs there. With this schedule a thread begins with its own share, so that it meets the memory that it had
in its caches before, and takes iterations from others when it is done.

## Contract

In: loops of OpenMP whose iterations may run in any order, on any thread. Out: the same loops with a schedule, so the
same values, bit for bit: iterations are handed out, not sums. They go in chunks, at most `chunks` for each of
`threads`, so that a long loop of small iterations asks seldom. No thread waits at the end of the loop: the region
around it ends there, and is waited for. Left alone: loops that have a schedule or are ordered, and those with other
code behind them in their region.

Linear in the ops. No upstream counterpart: `convert-scf-to-openmp` makes loops without a schedule.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from ...dialects.support.cloning import attributes_of, recreate
from ...dialects.support.constants import constant_integer
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.index_math import Number, as_value, ceil_div, index_constant, multiply, subtract
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option

_REGION, _LOOP = "omp.parallel", "omp.wsloop"
_ORDERED = ("schedule_kind", "ordered", "order")
"""Attributes by which a loop says which thread runs an iteration, or when."""
_SEGMENTS = "operandSegmentSizes"


@frozen
class BalanceThreadsOptions(PassOptions):
    """Options of `inplace-balance-threads`."""

    threads: int = option(2, help="how many threads run the loops")
    chunks: int = option(16, help="how many chunks of iterations a thread takes, if all are as fast")


class BalanceThreadsPass(Pass[BalanceThreadsOptions]):
    """Give OpenMP's loops a schedule by which threads take iterations when they are free."""

    argument = "inplace-balance-threads"
    summary = "hand out the iterations of OpenMP's loops as threads get free"
    Options = BalanceThreadsOptions
    concerns = (_LOOP,)
    statistics = (Statistic("balanced", "loops whose iterations are handed out as threads get free"),)

    def run(self, op: ir.Operation) -> None:
        options = self.options
        if options.threads < 1 or options.chunks < 1:
            wrong = "threads" if options.threads < 1 else "chunks"
            raise PassFailure(f"the option '{wrong}' must be positive, got {getattr(options, wrong)}", op)
        for loop in find_ops(op, _LOOP, where=_is_free):
            with ir.InsertionPoint(loop), loop.location:
                trips = _trips(next(iter(loop.regions[0].blocks[0].operations)).operation)
                _schedule(loop, _chunk(trips, options.threads * options.chunks))
            self.count("balanced")


def _is_free(loop: ir.Operation) -> bool:
    """Whether nothing is said about the order of iterations, and nothing in the region depends on the loop's end."""
    parent = loop.parent
    if parent is None or parent.name != _REGION or any(name in loop.attributes for name in _ORDERED):
        return False
    region = [op.operation for op in loop.block.operations]
    return len(parent.regions[0].blocks) == 1 and region.index(loop) == len(region) - 2


def _trips(nest: ir.Operation) -> Number:
    """Return how many iterations an `omp.loop_nest` has."""
    bounds = [constant_integer(value) for value in nest.operands]
    numbers: list[Number] = [
        value if bound is None else bound for value, bound in zip(nest.operands, bounds, strict=True)
    ]
    loops = len(numbers) // 3
    trips: Number = 1
    for lower, upper, step in zip(numbers[:loops], numbers[loops : 2 * loops], numbers[2 * loops :], strict=True):
        trips = multiply(trips, _steps(subtract(upper, lower), step))
    return trips


def _steps(distance: Number, step: Number) -> Number:
    """Return how often a loop of this `distance` runs. A dynamic one that does not run has any number."""
    if isinstance(distance, int) and isinstance(step, int):
        return max(0, -(-distance // step))
    return ceil_div(distance, step)


def _chunk(trips: Number, chunks: int) -> Number:
    """Return the iterations of a chunk: all chunks are equal but the last one, and none is empty."""
    if isinstance(trips, int):
        return max(1, trips // chunks)
    return arith.maxui(arith.divui(trips, index_constant(chunks)), index_constant(1))


def _schedule(loop: ir.Operation, chunk: Number) -> None:
    """Replace `loop` by one in which free threads take chunks of `chunk` iterations."""
    segments = list(ir.DenseI32ArrayAttr(loop.attributes[_SEGMENTS]))
    schedule = {
        _SEGMENTS: ir.DenseI32ArrayAttr.get([*segments[:-1], 1]),
        "schedule_kind": ir.Attribute.parse("#omp<schedulekind dynamic>"),
        "nowait": ir.UnitAttr.get(),
        "schedule_mod": ir.Attribute.parse("#omp<sched_mod nonmonotonic>"),
    }
    recreate(loop, [*loop.operands, as_value(chunk)], attributes={**attributes_of(loop), **schedule})
    loop.erase()
