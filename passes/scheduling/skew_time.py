"""Run several sweeps of a stencil at a time over the rows of its tensor, so that memory is read once for all of them.

## Problem

A sweep over a tensor that is larger than the caches computes a few numbers for each element that comes from memory, and
waits for the next. When the next sweep begins, the first rows have been evicted.

## Contract

In: a function after `inplace-ping-pong`. Out: the same values. A loop (`scf.for`) that carries two tensors that take
turns, and computes one from slices of the other by one elementwise op, becomes loops over groups of sweeps, blocks of
rows, and the sweeps of a group: each sweep lags behind the one before by as many rows as it reads ahead or back. A
last, single sweep stays in the original loop.

```text
for sweeps 0, 10, ...                           for each group of ten sweeps
  for rows 0, 11, ... of the first dimension      for each block of rows
    for pair in 0 to 5                              for two sweeps each
      even to odd: rows - 2 * pair * shift ...        a few rows, as far as there are such
      odd to even: those `shift` rows before ...
```

Left alone, with a reason (`print-kept`): loops with other ops, slices without static bounds, tensors that fit into the
second cache, and tensors with rows so large that it holds too few of them, even of their stripes.

Of tensors with three or more dimensions the second one is cut into stripes in the same way, if the cache holds too few
rows (planes): all rows of one stripe are computed before those of the next.

With several `threads` the rows are cut into bands, one for each. In a group of sweeps, each thread runs those of its
band (`scf.forall`), each sweep with `shift` rows less than the one before on each side with another band: then it needs
nothing of that band. The remaining rows around each border, more of them for each sweep, are computed afterwards. Bands
have a least width; if there are more than twice as many threads as bands, the loop is left alone, and each sweep is
distributed over threads (`inplace-distribute`): two threads wait for memory, and for each other after each sweep,
longer than one that finds its rows in the cache.

Both versions are updated in place. Why it is right: docs/theory/sweeps.md. Linear in the ops. No upstream counterpart.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.ir.traversal import find_ops
from ..analysis.schedule.time_skew import NotSkewable, TimeSkew, plan_skew
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option
from .rewriting.linalg_ops import read_machine
from .rewriting.skew import skew


@frozen
class SkewTimeOptions(PassOptions):
    """Options of `inplace-skew-time`."""

    threads: int = option(1, help="the number of threads, each with a band of rows")
    machine: str = option("", help="properties of the machine that differ from the detected ones: 'l2=1048576'")
    print_kept: bool = option(False, help="emit a remark for every loop with tensors that stays, with the reason")


class SkewTimePass(Pass[SkewTimeOptions]):
    """Run several sweeps at a time."""

    argument = "inplace-skew-time"
    summary = "run several sweeps of a stencil at a time over the rows of its tensor"
    Options = SkewTimeOptions
    anchor = "func.func"
    statistics = (
        Statistic("skewed", "loops whose sweeps run several at a time"),
        Statistic("kept", "loops that carry tensors and stay"),
    )

    def run(self, op: ir.Operation) -> None:
        machine = read_machine(self.options.machine, op)
        if self.options.threads < 1:
            raise PassFailure(f"the number of threads must be positive, got {self.options.threads}", op)
        plans: list[TimeSkew] = []
        for loop in find_ops(op, "scf.for", where=_carries_tensors, reachable=True):
            try:
                plans.append(plan_skew(loop, machine, self.options.threads))
            except NotSkewable as reason:
                self.count("kept")
                if self.options.print_kept:
                    self.remark(loop.location, f"the sweeps of this loop are not skewed, because {reason}")
        for plan in plans:
            skew(plan)
        self.count("skewed", len(plans))


def _carries_tensors(loop: ir.Operation) -> bool:
    return any(isinstance(result.type, ir.RankedTensorType) for result in loop.results)
