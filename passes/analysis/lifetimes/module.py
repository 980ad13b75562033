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
address is neither that of an init or another outer buffer, nor that of a yielded value.

A function owns none of its arguments, and its caller owns all its results, each buffer once: a result that may be
borrowed, or that may be an earlier result, is cloned. But an argument marked `inplace.returnable` may be returned: the
caller of an entry point recognizes its own arrays. And a private function whose callers are all known clones nothing:
they know what its results may be (`returned_buffers.py`), and own what is new, as with a structured op.

Comparing addresses is sound because the sets keep memory allocated while any value that may be it is in use, so two
buffers in use never share an address. Views keep the address of their buffer; the result of `memref.view`, which does
not, must stay in its block. Memrefs of memrefs, and unknown ops with memref results, are refused. For a function with
several blocks, `blocks.py` places the frees of these blocks by liveness; regions of structured ops are treated as here.
Linear in the ops for sets of constant size; functions that call each other in a cycle are analysed a few times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mlir import ir

from ...framework.errors import PassFailure
from ..effects.summary import call_order
from .blocks import GraphLifetimes
from .loops import LOOPS
from .plan import LifetimePlan, ReturnedClone
from .regions import RegionLifetimes
from .returned_buffers import CallGraph, ReturnedBuffers, is_from_caller, joined, read_returned
from .roots import RootKind, RootTable, is_buffer, leaving_buffers

__all__ = ["analyze_lifetimes"]

_ROUNDS = 8
"""How often functions of a cycle are asked what they return; then they own it, by clones."""


def analyze_lifetimes(root: ir.Operation) -> LifetimePlan:
    """The plan for all functions under `root`. Changes nothing.

    Raises `PassFailure`, which names the op, for refused code (see above).
    """
    functions: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.func":
            functions.append(op)
            return ir.WalkResult.SKIP
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    plans = _Plans(CallGraph(root, functions), functions).plans
    return LifetimePlan(
        tuple(clone for plan in plans for clone in plan.clones),
        tuple(free for plan in plans for free in plan.frees),
        tuple(edge for plan in plans for edge in plan.edges),
    )


class _Plans:
    """The plans of all functions, callees first where callers have to know what they return."""

    def __init__(self, graph: CallGraph, functions: Iterable[ir.Operation]) -> None:
        self._graph = graph
        self._returned: dict[str, ReturnedBuffers] = {}
        if not graph.known:
            self.plans = [self._plan(function, knows=False)[0] for function in functions]
            return
        self.plans = []
        components, recursive = call_order(graph.functions, graph.calls)
        for component in components:
            if recursive.isdisjoint(component):
                self.plans += self._ask(component)
            else:
                self.plans += self._ask_again(component)

    def _ask(self, names: Sequence[str]) -> list[LifetimePlan]:
        """The plans of functions, by what is known of their callees; enters what they return."""
        plans: list[LifetimePlan] = []
        for name in names:
            plan, returned = self._plan(self._graph.functions[name], knows=name in self._graph.known)
            plans.append(plan)
            if returned is not None:
                before = self._returned.get(name)
                self._returned[name] = returned if before is None else joined(before, returned)
        return plans

    def _ask_again(self, cycle: Sequence[str]) -> list[LifetimePlan]:
        """The plans of functions that call each other: first, what they return is taken to be new."""
        for _ in range(_ROUNDS):
            before = {name: self._returned.get(name) for name in cycle}
            plans = self._ask(cycle)
            if all(self._returned.get(name) == one for name, one in before.items()):
                return plans
        self._graph.known.difference_update(cycle)
        for name in cycle:
            self._returned.pop(name, None)
        return self._ask(cycle)

    def _plan(self, function: ir.Operation, *, knows: bool) -> tuple[LifetimePlan, ReturnedBuffers | None]:
        blocks = list(function.regions[0])
        if not blocks:
            return LifetimePlan((), ()), None
        plan = _plan_graph if len(blocks) > 1 else _plan_block
        try:
            return plan(blocks, self._returned, knows)
        except RecursionError:
            raise PassFailure(
                "cannot plan the lifetimes of buffers in code that is nested so deeply", function
            ) from None


_Planned = tuple[LifetimePlan, ReturnedBuffers | None]


def _plan_block(blocks: Sequence[ir.Block], callees: Mapping[str, ReturnedBuffers], knows: bool) -> _Planned:
    """The plan for a function of one block, and what it returns if its callers know that."""
    lifetimes = RegionLifetimes(LOOPS, callees)
    for argument in blocks[0].arguments:
        if is_buffer(argument.type):
            lifetimes.new_argument(argument)
    scan = lifetimes.scan_block(blocks[0], lifetimes.new_level())
    knows = knows and _keeps_addresses(lifetimes, scan.terminator)
    clones = _owned_returns(lifetimes, scan.terminator, knows)
    lifetimes.free_own(scan, _given_away(scan.terminator, clones))
    returned = read_returned(lifetimes, (scan.terminator,)) if knows else None
    return LifetimePlan(tuple(clones), tuple(lifetimes.frees)), returned


def _plan_graph(blocks: Sequence[ir.Block], callees: Mapping[str, ReturnedBuffers], knows: bool) -> _Planned:
    """The plan for a function of several blocks, and what it returns if its callers know that."""
    lifetimes = GraphLifetimes(blocks, callees)
    lifetimes.run()
    leaving = [t for t, edges in zip(lifetimes.graph.terminators, lifetimes.graph.out, strict=True) if not edges]
    for terminator in leaving:
        for value in leaving_buffers(terminator).values():
            lifetimes.sets[value] = lifetimes.all_roots(value)
    knows = knows and all(_keeps_addresses(lifetimes, terminator) for terminator in leaving)
    clones: list[ReturnedClone] = []
    given_away: list[list[ir.Value]] = []
    for terminator, edges in zip(lifetimes.graph.terminators, lifetimes.graph.out, strict=True):
        mine = [] if edges else _owned_returns(lifetimes, terminator, knows)
        clones += mine
        given_away.append([] if edges else _given_away(terminator, mine))
    lifetimes.place_frees(given_away)
    returned = read_returned(lifetimes, leaving) if knows else None
    return LifetimePlan(tuple(clones), tuple(lifetimes.frees), tuple(lifetimes.edge_frees)), returned


def _given_away(terminator: ir.Operation, clones: Sequence[ReturnedClone]) -> list[ir.Value]:
    """The returned memrefs of a function, without those that are always cloned."""
    always = {clone.operand for clone in clones if clone.when is None}
    return [value for number, value in leaving_buffers(terminator).items() if number not in always]


def _keeps_addresses(table: RootTable, terminator: ir.Operation) -> bool:
    """Whether callers can compare the addresses of what is returned, and none of it is on the stack."""
    values = leaving_buffers(terminator).values()
    roots = (number for value in values for number in table.sets[value])
    is_on_stack = any(table.roots[n].kind is RootKind.BORROWED and not is_from_caller(table, n) for n in roots)
    return not is_on_stack and table.shifted.isdisjoint(values)


def _owned_returns(table: RootTable, terminator: ir.Operation, knows: bool) -> list[ReturnedClone]:
    """The clones that make a function own each memref it returns; memrefs that it owns anyway are left out.

    None if its callers know what it returns.
    """
    returned = {} if knows else leaving_buffers(terminator)
    holders: dict[int, list[ir.Value]] = {}
    clones: list[ReturnedClone] = []
    for number, value in returned.items():
        roots = table.sets[value]
        borrowed = [n for n in sorted(roots) if _is_borrowed(table, n)]
        # What both of two results may borrow, each is compared with anyway.
        owned = [n for n in sorted(roots) if n not in borrowed]
        earlier = list(dict.fromkeys(other for root in owned for other in holders.get(root, ())))
        clone = _owned_return(table, terminator, number, borrowed, earlier)
        clones += [] if clone is None else [clone]
        for root in owned:
            holders.setdefault(root, []).append(value)
    return clones


def _is_borrowed(table: RootTable, number: int) -> bool:
    root = table.roots[number]
    return root.kind is RootKind.BORROWED and not root.returnable


def _owned_return(
    table: RootTable, terminator: ir.Operation, number: int, borrowed: Sequence[int], earlier: Sequence[ir.Value]
) -> ReturnedClone | None:
    """The clone of a result that may be `borrowed` roots, or one of the `earlier` results."""
    value = terminator.operands[number]
    roots = table.sets[value]
    certain = table.is_certain(roots) and any(table.sets[other] == roots for other in earlier)
    if certain or len(borrowed) == len(roots):
        return ReturnedClone(terminator, number, None)
    when = (*table.handles(borrowed), *earlier)
    if not when:
        return None
    for other in (value, *earlier):
        table.check_address(other, terminator)
    return ReturnedClone(terminator, number, when)
