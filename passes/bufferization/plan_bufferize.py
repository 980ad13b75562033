"""Bufferize dispatch functions by a plan: which tensors share a buffer, which of them are the output, and why.

## Problem

A kernel loads tensors from interface bindings, computes, and stores tensors into bindings. Its results should be
computed in place in the output, through whatever casts, reshapes and slices lie between the op that computes and the
store; and a person should be able to read why a buffer or a copy is left.

## Before and after

```mlir
func.func @f() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<12xi32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<3x4xi32>>
  %t = dispatch.load %a : !dispatch.readonly<tensor<12xi32>> -> tensor<12xi32>
  %e = tensor.expand_shape %t [[0, 1]] output_shape [3, 4] : tensor<12xi32> into tensor<3x4xi32>
  %o = tensor.empty() : tensor<3x4xi32>
  %r = linalg.add ins(%e, %e : tensor<3x4xi32>, tensor<3x4xi32>) outs(%o : tensor<3x4xi32>) -> tensor<3x4xi32>
  dispatch.store %r, %b : tensor<3x4xi32> -> !dispatch.writeonly<tensor<3x4xi32>>
  func.return
}
```

becomes:

```mlir
func.func @f() {
  %0 = dispatch.binding set(0) binding(0) : memref<12xi32>
  %1 = dispatch.binding set(0) binding(1) : memref<3x4xi32>
  %expand_shape = memref.expand_shape %0 [[0, 1]] output_shape [3, 4] : memref<12xi32> into memref<3x4xi32>
  linalg.add ins(%expand_shape, %expand_shape : memref<3x4xi32>, memref<3x4xi32>) outs(%1 : memref<3x4xi32>)
  func.return
}
```

## Contract

In: a module of `func.func`s. Functions with dispatch ops are promoted (`inplace-promote-bindings`) and brought into
destination style (`inplace-convert-to-destination-style`) first. Other functions are bufferized like them; their
arguments and results stay tensors unless `bufferize-function-boundaries` is set. Out: the same functions on memrefs,
with one view for each piece of memory. A module that cannot be bufferized is refused and stays as it was: everything
is done on a copy.

The plan (`dispatch/bufferization_plan.py`) is the outcome of the one-shot analysis in one fixed order of decisions, in
another only where that would be refused. So no two tensors share a buffer where a value that is still read would be
destroyed. `print-plan` emits a remark for each class of tensors that share a buffer, with a note for each union and the
rule that proposed it, and a remark for each union that was refused, with the ops that refused it.

`allocation` is where new buffers are: `heap` (`memref.alloc`), `stack` (`memref.alloca` in front of all loops; buffers
that cannot be there stay on the heap, with a remark), `workgroup` (`memref.alloc` in `workgroup-memory-space`). In
Python, `PlanBufferizePass(allocate=function)` takes any function that makes a buffer.

Near-linear in the size of the module. Why it is sound: docs/THEORY.md.

## Differences from IREE's LinalgBufferize, on purpose

* Unions are checked against every read, not taken from counts of uses: more is in place, and nothing that is read
  later is overwritten. Where source and destination of an update fall together, the original reports an error; here a
  copy is made.
* A value that is stored to two bindings is computed in the first and copied to the second, whatever lies in between.
* A tensor that only gives a shape, as the window of a pooling op, needs no memory traffic.
* Stack allocations never lie in a loop.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..analysis.dispatch.bufferization_plan import plan_of
from ..analysis.dispatch.plan_data import FunctionPlan
from ..analysis.in_place.options import AnalysisOptions
from ..analysis.whole_module.module import analyze_module
from ..dispatch.rewriting.preparation import take_over
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option
from ..framework.scope_remarks import remark_nested_modules
from .rewriting.allocation import AllocationFunction, Allocator, allocate_in_space, allocate_on_heap
from .rewriting.bufferizer import Bufferizer, check_alignment, raise_refusals
from .rewriting.promoted_copy import promoted_copy
from .rewriting.trace import BufferTrace, EventKind

__all__ = ["AllocationMode", "PlanBufferizeOptions", "PlanBufferizePass"]


class AllocationMode(enum.Enum):
    """Values of the option ``allocation``."""

    HEAP = "heap"
    STACK = "stack"
    WORKGROUP = "workgroup"


@frozen
class PlanBufferizeOptions(PassOptions):
    """Options of `inplace-plan-bufferize`."""

    allocation: AllocationMode = option(AllocationMode.HEAP, help="where new buffers are allocated")
    workgroup_memory_space: str = option(
        "#gpu.address_space<workgroup>",
        help="memory space of new buffers with allocation=workgroup: an attribute, or a number",
    )
    buffer_alignment: int = option(64, help="alignment of allocations in bytes; 0 for none")
    bufferize_function_boundaries: bool = option(
        False, help="turn tensor arguments and results of functions into memrefs too", aliases=("function-boundaries",)
    )
    print_plan: bool = option(
        False, help="emit remarks that say which tensors share a buffer, which do not, and the rule behind each"
    )


class PlanBufferizePass(Pass[PlanBufferizeOptions]):
    """See the module's documentation.

    ``allocate`` makes the buffers, and the option ``allocation`` is ignored. It is called where a buffer is
    needed, with its type, its dynamic sizes and its alignment, and returns a memref of that type in any memory space.
    """

    argument = "inplace-plan-bufferize"
    summary = "bufferize dispatch functions by a printable plan, computing in place in the outputs"
    Options = PlanBufferizeOptions
    anchor = "builtin.module"
    statistics = (
        Statistic("num-classes", "classes of tensors that share a buffer"),
        Statistic("num-stored-classes", "classes that hold the contents of a written binding"),
        Statistic("num-allocations", "allocations emitted"),
        Statistic("num-copies", "copies emitted"),
    )

    def __init__(
        self, options: PlanBufferizeOptions | None = None, *, allocate: AllocationFunction | None = None
    ) -> None:
        super().__init__(options)
        self._allocate = allocate

    def run(self, op: ir.Operation) -> None:
        """Plan and convert a copy of ``op``, which takes its place when nothing was refused."""
        options = self.options
        check_alignment(options.buffer_alignment, op)
        bufferizer = Bufferizer(options.buffer_alignment, allocator=self._allocator(op), merges_views=True)
        wanted = AnalysisOptions(boundaries=options.bufferize_function_boundaries, single_order=True)
        remark_nested_modules(self, op)
        with op.context, op.location:
            copy = promoted_copy(op) or op.clone().operation
            analysis = analyze_module(copy, wanted)
            raise_refusals(analysis)
            plan = plan_of(analysis)
            if options.print_plan:
                self._print(plan)
            trace = BufferTrace()
            for kept in bufferizer.run(analysis, trace):
                message = f"the buffer stays on the heap: {kept.reason}"
                self.remark(kept.allocation.location, message, [(f"this is '{kept.op.name}'", kept.op.location)])
            take_over(op, copy)
        self.count("num-classes", sum(len(function.classes) for function in plan))
        self.count("num-stored-classes", sum(len(function.store_set) for function in plan))
        self.count("num-allocations", trace.count(EventKind.ALLOCATION))
        self.count("num-copies", trace.count(EventKind.COPY))

    def _allocator(self, op: ir.Operation) -> Allocator:
        """Return the allocator of the options; refuse values that no single option can check."""
        options = self.options
        if self._allocate is not None:
            return Allocator(self._allocate)
        if options.allocation is AllocationMode.WORKGROUP:
            return Allocator(allocate_in_space(_memory_space(op, options.workgroup_memory_space)))
        return Allocator(allocate_on_heap, on_stack=options.allocation is AllocationMode.STACK)

    def _print(self, plan: Sequence[FunctionPlan]) -> None:
        """Emit a remark for each class and each separation of the plan."""
        for function in plan:
            self.remark(function.location, function.summary)
            for found in function.classes:
                notes = [(str(union), union.location) for union in found.unions]
                self.remark(found.storages[0].value.location, str(found), notes)
            for separation in function.separations:
                self.remark(separation.location, str(separation), separation.notes)


def _memory_space(op: ir.Operation, text: str) -> ir.Attribute:
    """Return the memory space that the option names; refuse other text."""
    number = int(text) if text.isdecimal() else None
    with op.context, op.location:
        # An empty text makes the parser crash, and a larger number does not fit an attribute.
        if text and (number is None or number < 1 << 63):
            # The message below replaces the diagnostics of the parser.
            handler = op.context.attach_diagnostic_handler(lambda _: True)
            try:
                space = (
                    ir.Attribute.parse(text)
                    if number is None
                    else ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
                )
                ir.MemRefType.get([], ir.IntegerType.get_signless(8), memory_space=space)
            except ir.MLIRError:
                pass
            else:
                return space
            finally:
                handler.detach()
    message = (
        f"workgroup-memory-space is '{text}', which is no memory space that is known here; give an attribute like "
        "#gpu.address_space<workgroup>, or a number"
    )
    raise PassFailure(message, op.location)
