"""Outline code that is repeated on different buffers, so that it is compiled once.

In: functions on memrefs. Out: the same functions, in which each linalg op and each loop nest that occurs at least
`repeats` times is a call of a private function that is never inlined. Linalg ops that differ only in outermost sizes
(the number of rows) and have no `repeats` equals become one function with the sizes as arguments. From a function with
`crowd` linalg ops and loop nests all of them are outlined, even those that occur once: LLVM's time is more than linear
in the size of a function. Of a loop with a crowd inside, what is inside is outlined. The arguments are the addresses of
buffers with static layouts, and all other values from outside; constants are cloned. An address is marked as
`llvm.noalias` where all callers pass an allocation of which they pass no other part, so that LLVM knows as much as
before. Left alone: ops with results, nested loops, bodies with calls, and bodies that free memory or let it escape.
Small ops are left alone too, as a call takes some nanoseconds, unless a function has 64 of them or more.

```text
linalg.matmul ins(%a, %b) outs(%c)              %pa, %pb, %pc = the addresses of %a, %b, %c
linalg.matmul ins(%c, %b) outs(%d)       ->     call @inplace_kernel(%pa, %pb, %pc)
                                                call @inplace_kernel(%pc, %pb, %pd)

func.func private @inplace_kernel(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr {llvm.noalias}) {
  linalg.matmul ins(%ma, %mb) outs(%mc)         // memrefs made of the addresses
}
```

A function that is then only a long sequence of calls is marked as `llvm.optimize_none`: nothing in it takes time, but
optimizing it would take a third of the compilation. `inplace-tabulate-calls` may put the calls into a table.

Bodies are equal if all ops, attributes, types and uses are (`repetition/bodies.py`); a function has the location of the
first body, and each call its own. Linear in the ops. Reads and writes keep their order; why `noalias` is sound:
docs/theory/after-bufferization.md.

No upstream counterpart: `convert-linalg-to-std` calls functions of a library.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.repetition.bodies import Body, BodyReader, find_repeated_bodies, group_bodies
from ..analysis.repetition.shared_sizes import SizeReader
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option
from .rewriting.outlining import NO_INLINE, Outlining, is_mere_sequence, leave_as_it_is


@frozen
class OutlineKernelsOptions(PassOptions):
    """Options of `inplace-outline-kernels`."""

    repeats: int = option(8, help="how often a body must occur to become a function")
    crowd: int = option(16, help="how many bodies a function must have for all of them to become functions")


def _is_inside(op: ir.Operation, others: Collection[ir.Operation]) -> bool:
    """Whether one of the other ops is around `op`."""
    parent = op.parent
    while parent is not None and parent.operation not in others:
        parent = parent.operation.parent
    return parent is not None


def _crowded_loops(
    bodies: Mapping[int, Sequence[Body]], crowded: Set[int], options: OutlineKernelsOptions
) -> list[int]:
    """The keys of loops that would become functions for the crowd around them alone, and have a crowd inside."""
    seldom = {
        body.op: key
        for key, same in bodies.items()
        if key in crowded and len(same) < options.repeats
        for body in same
        if not body.op.name.startswith("linalg.")
    }
    inside: Counter[int] = Counter()
    for body in (body for same in bodies.values() for body in same):
        parent = body.op.parent
        while parent is not None and seldom:
            if parent.operation in seldom:
                inside[seldom[parent.operation]] += 1
            parent = parent.operation.parent
    return [key for key, count in inside.items() if count >= options.crowd * len(bodies[key])]


class OutlineKernelsPass(Pass[OutlineKernelsOptions]):
    """Outline repeated bodies."""

    argument = "inplace-outline-kernels"
    summary = "outline code that is repeated on different buffers, so that it is compiled once"
    Options = OutlineKernelsOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("kernels", "functions that were outlined"),
        Statistic("calls", "bodies that became calls"),
    )

    def run(self, op: ir.Operation) -> None:
        if self.options.repeats < 2:
            raise PassFailure(f"repeats must be at least 2, got {self.options.repeats}", op.location)
        if self.options.crowd < 1:
            raise PassFailure(f"crowd must be at least 1, got {self.options.crowd}", op.location)
        bodies: dict[int, list[Body]] = {}
        crowded: set[int] = set()
        reader = BodyReader(SizeReader(), sunk_globals=True)
        functions = [inner.operation for inner in op.regions[0].blocks[0].operations]
        for function in functions:
            if function.name == "func.func" and NO_INLINE not in function.attributes:
                found = find_repeated_bodies(function, reader)
                for key, same in found.items():
                    bodies.setdefault(key, []).extend(same)
                if sum(map(len, found.values())) >= self.options.crowd:
                    crowded.update(found)
        repeats = self.options.repeats
        for loop in _crowded_loops(bodies, crowded, self.options):
            del bodies[loop]

        def grouped() -> list[list[Body]]:
            return [
                group
                for key, same in bodies.items()
                for group in group_bodies(same, repeats, 1 if key in crowded else repeats)
            ]

        # What is inside of an outlined loop is in its function already; it goes with the loops that become calls.
        outlined = {body.op for group in grouped() for body in group}
        bodies = {key: [body for body in same if not _is_inside(body.op, outlined)] for key, same in bodies.items()}
        groups = grouped()
        if not groups:
            return
        with op.context:
            outlining = Outlining(op)
            for group in groups:
                outlining.outline(group)
            for function in functions:
                if is_mere_sequence(function):
                    leave_as_it_is(function)
        self.count("kernels", len(groups))
        self.count("calls", sum(map(len, groups)))
