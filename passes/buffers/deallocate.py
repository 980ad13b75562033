"""Free every buffer once, after its last use.

In: functions on memrefs with allocations that are not freed. Out: the same code with a `memref.dealloc` after the last
use of each buffer, and functions that own everything they return: a returned buffer that may be an argument, a
constant, or an earlier result is cloned. Where ownership is known at run time only, addresses are compared. Left alone:
buffers that the program frees itself. Refused, with an error that names the op: programs that `lifetimes/module.py`
does not cover.

```mlir
func.func @f(%c: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%c : f32) outs(%a : memref<4xf32>)
  %x = memref.load %a[%i] : memref<4xf32>
  %y = math.exp %x : f32
  return %y : f32
}
```

becomes:

```mlir
func.func @f(%c: f32, %i: index) -> f32 {
  %alloc = memref.alloc() : memref<4xf32>
  linalg.fill ins(%c : f32) outs(%alloc : memref<4xf32>)
  %0 = memref.load %alloc[%i] : memref<4xf32>
  memref.dealloc %alloc : memref<4xf32>
  %1 = math.exp %0 : f32
  return %1 : f32
}
```

Between blocks that branch to one another, ownership is forwarded along the edges. A buffer is freed where it dies:
behind its last use, at the start of a block, or in a new block on an edge. Linear in the ops. Run
`inplace-expand-clones` afterwards.

Upstream counterpart: `buffer-deallocation-pipeline`. It frees at the end of blocks, so a chain of n ops keeps n
buffers; carries an ownership flag with each memref and decides with arrays on the heap; and clones what leaves a loop
that did not make it. It refuses loops of blocks. It does cover memrefs that depend on the way taken through blocks of
which only some hold them, where ours would need a flag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from mlir import ir
from mlir.dialects import arith, bufferization, memref, scf

from ..analysis.lifetimes.module import analyze_lifetimes
from ..analysis.lifetimes.plan import EdgeFrees, Free, GlobalBuffer, Handle, LifetimePlan, ReturnedClone
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions


def _address(handle: Handle) -> ir.Value:
    value = memref.get_global(handle.type, handle.symbol) if isinstance(handle, GlobalBuffer) else handle
    return memref.extract_aligned_pointer_as_index(value)


def _is_one_of(value: ir.Value, others: Sequence[Handle]) -> ir.Value:
    """Build whether `value` has the address of one of `others`."""
    address, equal = _address(value), arith.CmpIPredicate.eq
    return reduce(arith.ori, (arith.cmpi(equal, address, _address(other)) for other in others))


def _insert_free(free: Free) -> None:
    with ir.InsertionPoint(free.before), free.before.location:
        if not free.unless:
            memref.dealloc(free.value)
            return
        kept = _is_one_of(free.value, free.unless)
        owned = arith.xori(kept, arith.constant(ir.IntegerType.get_signless(1), True))
        branch = scf.IfOp(owned)
        with ir.InsertionPoint(branch.regions[0].blocks[0]):
            memref.dealloc(free.value)
            scf.yield_([])


def _insert_clone(clone: ReturnedClone) -> None:
    terminator, number = clone.terminator, clone.operand
    value = terminator.operands[number]
    with ir.InsertionPoint(terminator), terminator.location:
        if clone.when is None:
            terminator.operands[number] = bufferization.clone(value.type, value)
            return
        branch = scf.IfOp(_is_one_of(value, clone.when), [value.type], has_else=True)
        with ir.InsertionPoint(branch.regions[0].blocks[0]):
            scf.yield_([bufferization.clone(value.type, value)])
        with ir.InsertionPoint(branch.regions[1].blocks[0]):
            scf.yield_([value])
        terminator.operands[number] = branch.results[0]


def _insert_edge_frees(edge: EdgeFrees) -> None:
    """Split the edge from a terminator to a successor by a block with the frees."""
    terminator, location = edge.terminator, edge.terminator.location
    target = terminator.successors[edge.index]
    types = [argument.type for argument in target.arguments]
    between = terminator.block.create_after(*types, arg_locs=[location] * len(types))
    with ir.InsertionPoint(between), location:
        branch = ir.Operation.create("cf.br", operands=list(between.arguments), successors=[target])
    for free in edge.frees:
        _insert_free(replace(free, before=branch))
    terminator.successors[edge.index] = between


def carry_out(plan: LifetimePlan) -> None:
    """Insert the deallocations and clones of `plan`."""
    for clone in plan.clones:
        _insert_clone(clone)
    for free in plan.frees:
        _insert_free(free)
    for edge in plan.edges:
        _insert_edge_frees(edge)


def frees_only(plan: LifetimePlan) -> bool:
    """Whether `plan` consists of unconditional deallocations only."""
    return not plan.clones and not plan.edges and not any(free.unless for free in plan.frees)


class DeallocatePass(Pass[PassOptions]):
    """Free every buffer after its last use."""

    argument = "inplace-deallocate"
    summary = "free every buffer after its last use; clone buffers that are returned and not owned"
    anchor = "builtin.module"
    statistics = (
        Statistic("deallocations", "deallocations that always run"),
        Statistic("conditional-deallocations", "deallocations that depend on an address"),
        Statistic("clones", "results that are cloned, always or if need be"),
    )

    def run(self, op: ir.Operation) -> None:
        plan = analyze_lifetimes(op)
        carry_out(plan)
        for free in (*plan.frees, *(free for edge in plan.edges for free in edge.frees)):
            self.count("conditional-deallocations" if free.unless else "deallocations")
        self.count("clones", len(plan.clones))
