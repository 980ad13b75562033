"""Ownership and lifetimes of memrefs in structured code: which buffer is freed where.

A *root* is a piece of memory as seen from one block: an allocation or a call's result (owned), an argument, a constant
or the stack (borrowed), an argument of a loop's body (borrowed, or left over from an earlier iteration), or what a
structured op may have made inside and passes out (joined). Each memref has the set of roots it may be; views have the
set of their source. Sets are found in one walk, inside out, because a block sees the inside of an op only as results:

    %r = scf.if %c -> memref {          sets:   %a {a}, inside %b {b}
      yield %a                                  %r {a, r}: either the outer a, or something made inside
    } else { yield %b (allocated here) }        r owns its memory unless its address is that of a

That address is the whole run-time cost of ownership: where it is not known who owns a buffer, the plan compares
pointers. An owned or joined root is freed

- after the last op of its block that uses a memref whose set contains it, if none of them leaves the block;
- else at the end of the block, unless its address is that of a memref that leaves; not at all if it surely leaves.

The buffer an iteration was given is freed at the end of the iteration if an earlier one made it: if its address is
neither that of an initial value or another outer buffer, nor that of a value passed on. A function owns nothing it was
given and gives away everything it returns, each buffer once: a result that may be borrowed, or an earlier result, is
cloned then.

Addresses may be compared because memory stays allocated while anything that may be it is in use (the sets say so), so
two buffers in use never share an address. Views keep the address of their buffer; the result of `memref.view`, which
does not, must stay in its block. Refused are memrefs in memrefs, and ops with memref results that are not known. Where
a function branches between blocks, `blocks.py` decides about its own blocks by their liveness; what lies
inside of structured ops is decided as here. Linear in the ops for sets of constant size.
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

    Raises `PassFailure`, which names the op, for code that is not covered (see above).
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
            lifetimes.new_root(RootKind.BORROWED, (argument,), None)
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
    """What a function returns that is not always a clone."""
    always = {clone.operand for clone in clones if clone.when is None}
    return [value for number, value in leaving_buffers(terminator).items() if number not in always]


def _owned_returns(table: RootTable, terminator: ir.Operation) -> list[ReturnedClone]:
    """How to own each memref that a function returns; those that it owns anyway are left out."""
    returned = leaving_buffers(terminator)
    clones = (_owned_return(table, terminator, number, returned) for number in returned)
    return [clone for clone in clones if clone is not None]


def _owned_return(
    table: RootTable, terminator: ir.Operation, number: int, returned: dict[int, ir.Value]
) -> ReturnedClone | None:
    value = returned[number]
    roots = table.sets[value]
    borrowed = [n for n in sorted(roots) if table.roots[n].kind is RootKind.BORROWED]
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
