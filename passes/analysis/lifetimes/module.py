"""Ownership and lifetimes of memrefs in structured code: where each buffer is freed.

A *root* is a piece of memory as seen from one block: an allocation or a call's result (owned), an argument, a constant
or the stack (borrowed), an argument of a loop's body (borrowed, or left over from an earlier iteration), or a result of
a structured op that may have been allocated in its regions (joined). Each memref has the set of roots it may be; views
have the set of their source. Sets are found in one post-order walk, because a block sees the regions of an op only
through its results:

    %r = scf.if %c -> memref {          sets:   %a {a}, inside %b {b}
      yield %a                                  %r {a, r}: either the outer a, or something made inside
    } else { yield %b (allocated here) }        r owns its memory unless its address is that of a

That comparison is the only run-time cost of ownership: where the owner is not known statically, the plan compares
addresses. An owned or joined root is freed

- after the last op of its block that uses a memref whose set contains it, if none of them leaves the block;
- else at the end of the block, unless its address is that of a memref that leaves; not at all if it surely leaves.

A loop-carried buffer is freed at the end of the iteration that received it if an earlier iteration allocated it: if its
address is neither that of an init or another outer buffer, nor that of a yielded value. A function owns none of its
arguments, and its caller owns all its results, each buffer once: a result that may be borrowed, or that may be an
earlier result, is cloned. But an argument marked `inplace.returnable` may be returned: the caller of an entry point
recognizes its own arrays.

Comparing addresses is sound because the sets keep memory allocated while any value that may be it is in use, so two
buffers in use never share an address. Views keep the address of their buffer; the result of `memref.view`, which does
not, must stay in its block. Memrefs of memrefs, and unknown ops with memref results, are refused. For a function with
several blocks, `blocks.py` places the frees of these blocks by liveness; regions of structured ops are treated as here.
Linear in the ops for sets of constant size.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ...framework.errors import PassFailure
from .blocks import GraphLifetimes
from .loops import LOOPS
from .plan import LifetimePlan, ReturnedClone
from .regions import RegionLifetimes
from .roots import RootKind, RootTable, is_buffer, leaving_buffers

__all__ = ["analyze_lifetimes"]


def analyze_lifetimes(root: ir.Operation) -> LifetimePlan:
    """The plan for all functions under `root`. Changes nothing.

    Raises `PassFailure`, which names the op, for refused code (see above).
    """
    plans: list[LifetimePlan] = []
    functions: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.func":
            functions.append(op)
            return ir.WalkResult.SKIP
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    for function in functions:
        blocks = list(function.regions[0])
        if not blocks:
            continue
        try:
            plans.append(_plan_graph(blocks) if len(blocks) > 1 else _plan_block(blocks[0]))
        except RecursionError:
            raise PassFailure(
                "cannot plan the lifetimes of buffers in code that is nested so deeply", function
            ) from None
    return LifetimePlan(
        tuple(clone for plan in plans for clone in plan.clones),
        tuple(free for plan in plans for free in plan.frees),
        tuple(edge for plan in plans for edge in plan.edges),
    )


def _plan_block(body: ir.Block) -> LifetimePlan:
    """The plan for a function of one block."""
    lifetimes = RegionLifetimes(LOOPS)
    for argument in body.arguments:
        if is_buffer(argument.type):
            lifetimes.new_argument(argument)
    scan = lifetimes.scan_block(body, lifetimes.new_level())
    clones = _owned_returns(lifetimes, scan.terminator)
    lifetimes.free_own(scan, _given_away(scan.terminator, clones))
    return LifetimePlan(tuple(clones), tuple(lifetimes.frees))


def _plan_graph(blocks: Sequence[ir.Block]) -> LifetimePlan:
    """The plan for a function of several blocks."""
    lifetimes = GraphLifetimes(blocks)
    lifetimes.run()
    clones: list[ReturnedClone] = []
    given_away: list[list[ir.Value]] = []
    for terminator, edges in zip(lifetimes.graph.terminators, lifetimes.graph.out, strict=True):
        mine: list[ReturnedClone] = []
        if not edges:
            for value in leaving_buffers(terminator).values():
                lifetimes.sets[value] = lifetimes.all_roots(value)
            mine = _owned_returns(lifetimes, terminator)
        clones += mine
        given_away.append(_given_away(terminator, mine) if not edges else [])
    lifetimes.place_frees(given_away)
    return LifetimePlan(tuple(clones), tuple(lifetimes.frees), tuple(lifetimes.edge_frees))


def _given_away(terminator: ir.Operation, clones: Sequence[ReturnedClone]) -> list[ir.Value]:
    """The returned memrefs of a function, without those that are always cloned."""
    always = {clone.operand for clone in clones if clone.when is None}
    return [value for number, value in leaving_buffers(terminator).items() if number not in always]


def _owned_returns(table: RootTable, terminator: ir.Operation) -> list[ReturnedClone]:
    """The clones that make a function own each memref it returns; memrefs that it owns anyway are left out."""
    returned = leaving_buffers(terminator)
    clones = (_owned_return(table, terminator, number, returned) for number in returned)
    return [clone for clone in clones if clone is not None]


def _owned_return(
    table: RootTable, terminator: ir.Operation, number: int, returned: dict[int, ir.Value]
) -> ReturnedClone | None:
    value = returned[number]
    roots = table.sets[value]
    borrowed = [n for n in sorted(roots) if table.roots[n].kind is RootKind.BORROWED and not table.roots[n].returnable]
    earlier = [other for n, other in returned.items() if n < number and table.sets[other] & roots]
    certain = table.is_certain(roots) and any(table.sets[other] == roots for other in earlier)
    if certain or len(borrowed) == len(roots):
        return ReturnedClone(terminator, number, None)
    when = (*table.handles(borrowed), *earlier)
    if not when:
        return None
    for other in (value, *earlier):
        table.check_address(other, terminator)
    return ReturnedClone(terminator, number, when)
