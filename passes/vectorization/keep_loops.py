"""Keep LLVM from unrolling loops that gain nothing from it: those of many vectors, and the loops around them.

## Problem

`inplace-vectorize` gives an iteration as many vectors as registers hold. LLVM unrolls such loops again, and those
around them where they have few iterations: machine code becomes larger by half and no faster, and a third of LLVM's
time is spent on it.

## Before and after

With `vectors=1`, where `^loop` is the head of a loop:

```text
  llvm.br ^loop(%next : i64)
```

becomes

```text
  llvm.br ^loop(%next : i64) {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
```

## Contract

In: a module in the LLVM dialect. Out: the same, with an annotation on the branches that end an iteration. A loop is
annotated if its body is one block that computes or stores at least `vectors` vectors, or if one that is annotated is in
it. If it carries vectors, such as the tile of a product, it has four times as many, and more than eight iterations:
sums of few vectors are faster unrolled, and so is what a window of three columns reads. Loops of scalars, which LLVM
vectorizes, and those of fewer vectors, where the counter would be a large part of the work, are left alone, as is what
is in regions of other ops. Blocks count in their order; where that says nothing about loops, an annotation still
changes no value.

Linear in the blocks, and in the ops of those that end an iteration. No upstream counterpart: upstream's lowering keeps
an annotation of an `scf.for` on the branch at its head, where LLVM does not look for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

from mlir import ir

from ...dialects.support.defining_ops import defining_op
from ...dialects.support.frozen_classes import frozen
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option

_ANNOTATION = "loop_annotation"
_NO_UNROLLING = "#llvm.loop_annotation<unroll = <disable = true>>"
_CARRIED = 4
"""With so many times the vectors a loop is kept that carries vectors: what one iteration waits for, fewer would not."""
_FEW_ITERATIONS = 8
"""A loop of up to so many that carries vectors is left to LLVM, which unrolls all of it."""
_FUNCTION, _BRANCH, _STORE = "llvm.func", "llvm.br", "llvm.store"


@frozen
class KeepLoopsOptions(PassOptions):
    """Options of `inplace-keep-loops`."""

    vectors: int = option(8, help="how many vectors an iteration of an innermost loop has for it to be kept")


class KeepLoopsPass(Pass[KeepLoopsOptions]):
    """Keep LLVM from unrolling loops."""

    argument = "inplace-keep-loops"
    summary = "keep LLVM from unrolling loops of many vectors, and the loops around them"
    Options = KeepLoopsOptions
    anchor = "builtin.module"
    statistics = (Statistic("kept", "loops that LLVM does not unroll"),)

    def run(self, op: ir.Operation) -> None:
        if self.options.vectors < 1:
            raise PassFailure(f"vectors must be at least 1, got {self.options.vectors}", op.location)
        kept = ir.Attribute.parse(_NO_UNROLLING, op.context)
        for view in op.regions[0].blocks[0].operations:
            function = view.operation
            if function.name == _FUNCTION and len(function.regions[0].blocks) > 1:
                for branch in _to_keep(list(function.regions[0].blocks), self.options.vectors):
                    branch.attributes[_ANNOTATION] = kept
                    self.count("kept")


def _to_keep(blocks: list[ir.Block], vectors: int) -> Iterator[ir.Operation]:
    """Yield the branches that end an iteration of a loop of at least `vectors` vectors, or of one around it."""
    numbers = {block: number for number, block in enumerate(blocks)}
    ended, kept = -1, -1  # the heads of the loop that ended last, and of the last one that is kept
    for number, block in enumerate(blocks):
        branch = _last(block)
        head = numbers[branch.successors[0]] if branch.name == _BRANCH else number + 1
        if head > number:
            continue
        is_innermost = ended < head and number <= head + 1
        ended = head
        if kept > head or (is_innermost and _is_wide(blocks[head], block, vectors)):
            kept = head
            if _ANNOTATION not in branch.attributes:
                yield branch


def _last(block: ir.Block) -> ir.Operation:
    operations = block.operations
    return operations[len(operations) - 1].operation


def _is_wide(head: ir.Block, body: ir.Block, vectors: int) -> bool:
    """Whether ops of `body` compute or store so many vectors that LLVM need not unroll it."""
    carries = any(isinstance(one.type, ir.VectorType) for one in head.arguments)
    if carries and _iterations(head, body) <= _FEW_ITERATIONS:
        return False
    fewest = vectors * _CARRIED if carries else vectors
    found = (True for view in body.operations if _is_vector(view.operation))
    return sum(islice(found, fewest)) == fewest


def _iterations(head: ir.Block, body: ir.Block) -> float:
    """How many iterations a loop has that counts from zero to a constant; infinite if it does something else."""
    decided = [*_last(head).operands][:1]
    compared = defining_op(decided[0], "llvm.icmp") if decided else None
    if compared is None:
        return math.inf
    limit = _constant(compared.operands[1])
    counters = [number for number, one in enumerate(head.arguments) if one == compared.operands[0]]
    added = defining_op(_last(body).operands[counters[0]], "llvm.add") if counters else None
    step = _constant(added.operands[1]) if added is not None else None
    return limit / step if limit is not None and step else math.inf


def _constant(value: ir.Value) -> int | None:
    op = defining_op(value, "llvm.mlir.constant")
    return ir.IntegerAttr(op.attributes["value"]).value if op is not None else None


def _is_vector(op: ir.Operation) -> bool:
    values = [op.operands[0]] if op.name == _STORE else op.results
    return any(isinstance(value.type, ir.VectorType) for value in values)
