"""Allocations that can be hoisted out of loops.

The content of an allocation is undefined, so iterations may share one buffer if no iteration sees the buffer of
another. So no alias of the buffer may escape the iteration: by a yield, a return, a store of the memref itself, a call
that might return it, or an unknown op. Only iterations of a sequential loop can share a buffer; an op that may run its
regions concurrently, or is unknown, is a barrier. See docs/theory/after-bufferization.md.

Nothing is changed here. Linear in ops and uses, times the loop nesting.
"""

from __future__ import annotations

from mlir import ir

from ....dialects.scf import surely_runs
from ....dialects.support.constants import constant_integer
from ....dialects.support.defining_ops import is_inside
from ....dialects.support.frozen_classes import frozen
from ..ir.traversal import find_ops
from .roots import VIEWS, is_buffer

__all__ = ["HoistableAllocation", "HoistingPlan", "KeptAllocation", "find_escape", "is_movable", "plan_hoisting"]

_LOOPS = frozenset({"affine.for", "scf.for", "scf.while"})
_FOLLOWED = VIEWS | {"arith.select"}
_KEEPS_NO_ADDRESS = frozenset({"affine", "linalg", "memref", "vector"})
_GIVES_AWAY = frozenset({"memref.extract_aligned_pointer_as_index", "memref.realloc"})
_SYNCHRONOUS = frozenset({"affine", "linalg", "memref", "scf", "vector"})
_ARITHMETIC = frozenset({"affine", "arith", "index"})


@frozen
class HoistableAllocation:
    """`allocation` can move in front of `loop`, after `moves`; `deallocation`, if there is one, goes behind it.

    `clamped` are the size operands that might be negative when the loop runs no iteration.
    """

    allocation: ir.Operation
    loop: ir.Operation
    moves: tuple[ir.Operation, ...]
    clamped: tuple[int, ...]
    deallocation: ir.Operation | None


@frozen
class KeptAllocation:
    """An allocation that stays in the loop around it, and why; `op` prevents hoisting."""

    allocation: ir.Operation
    reason: str
    op: ir.Operation


@frozen
class HoistingPlan:
    """The allocations that lie directly in the body of a loop, in program order."""

    hoistable: tuple[HoistableAllocation, ...]
    kept: tuple[KeptAllocation, ...]


class _Obstacle(Exception):
    def __init__(self, reason: str, op: ir.Operation) -> None:
        super().__init__(reason)
        self.reason = reason
        self.op = op


def plan_hoisting(root: ir.Operation) -> HoistingPlan:
    """Plan for every `memref.alloc` under `root`."""
    hoistable: list[HoistableAllocation] = []
    kept: list[KeptAllocation] = []
    for allocation in find_ops(root, "memref.alloc", where=lambda op: _loop_around(op) is not None):
        try:
            hoistable.append(_plan(allocation))
        except _Obstacle as obstacle:
            kept.append(KeptAllocation(allocation, obstacle.reason, obstacle.op))
    return HoistingPlan(tuple(hoistable), tuple(kept))


def _loop_around(op: ir.Operation) -> ir.Operation | None:
    """The loop with `op` directly in the only block of its body, and not as the terminator."""
    parent = op.parent
    if parent is None:
        return None
    around = parent.operation
    single = all(len(list(region.blocks)) == 1 for region in around.regions)
    return around if around.name in _LOOPS and single else None


def _plan(allocation: ir.Operation) -> HoistableAllocation:
    deallocation = _check_stays_inside(allocation)
    if allocation.attributes["operandSegmentSizes"][1]:
        raise _Obstacle("its layout depends on symbols", allocation)
    place, found = allocation, None
    obstacle: _Obstacle | None = None
    may_not_run = False
    while (loop := _loop_around(place)) is not None:
        try:
            moves = _needed(allocation, loop)
        except _Obstacle as reason:
            obstacle = reason
            break
        may_not_run = may_not_run or not _runs(loop, place)
        clamped = [n for n, size in enumerate(allocation.operands) if may_not_run and not _is_size(size)]
        found = HoistableAllocation(allocation, loop, tuple(moves), tuple(clamped), deallocation)
        place = loop
    if found is None:
        assert obstacle is not None
        raise obstacle
    return found


def _check_stays_inside(allocation: ir.Operation) -> ir.Operation | None:
    """Return the deallocation of the buffer, if there is one; raise if the buffer may be seen by another iteration."""
    deallocation: ir.Operation | None = None
    work: list[ir.Value] = [allocation.results[0]]
    seen: set[ir.Value] = set(work)
    while work:
        for use in work.pop().uses:
            op = use.owner.operation
            name = op.name
            if name == "memref.dealloc":
                if deallocation is not None or op.block != allocation.block:
                    raise _Obstacle("it is not freed exactly once at the end of each iteration", op)
                deallocation = op
            elif name in _FOLLOWED:
                fresh = [result for result in op.results if is_buffer(result.type) and result not in seen]
                seen.update(fresh)
                work.extend(fresh)
            elif not _only_accesses(op, use.operand_number) or not _runs_at_once(op, allocation.block):
                raise _Obstacle(f"'{name}' may keep it for longer than the iteration", op)
    if deallocation is not None and deallocation.operands[0] != allocation.results[0]:
        raise _Obstacle("it is freed through a view", deallocation)
    return deallocation


def find_escape(allocation: ir.Operation) -> KeptAllocation | None:
    """Return why the buffer may be used after the run of its block; None if it is not."""
    try:
        _check_stays_inside(allocation)
    except _Obstacle as obstacle:
        reason = f"'{obstacle.op.name}' may keep it for longer than its block runs"
        return KeptAllocation(allocation, reason, obstacle.op)
    return None


def _only_accesses(op: ir.Operation, operand: int) -> bool:
    """Whether `op` only accesses elements of its memref operands, and captures none of them."""
    name = op.name
    if name in _GIVES_AWAY or (name == "memref.store" and operand == 0):
        return False
    if name == "func.call":
        return not any(is_buffer(result.type) for result in op.results)
    return name.partition(".")[0] in _KEEPS_NO_ADDRESS and not any(is_buffer(result.type) for result in op.results)


def _runs_at_once(op: ir.Operation, block: ir.Block) -> bool:
    """Whether `op`, nested in an op of `block`, is executed before that op completes."""
    while op.block != block:
        op = op.block.owner.operation
        if op.name.partition(".")[0] not in _SYNCHRONOUS:
            return False
    return True


def _needed(allocation: ir.Operation, loop: ir.Operation) -> list[ir.Operation]:
    """The ops inside of `loop` that compute the sizes, in an order in which they can move in front of it."""
    needed: dict[ir.Operation, None] = {}
    work = [(value, False) for value in reversed(list(allocation.operands))]
    while work:
        value, ready = work.pop()
        if not is_inside(value, loop):
            continue
        owner = value.owner
        if isinstance(owner, ir.Block):
            raise _Obstacle("its size changes from iteration to iteration", allocation)
        op = owner.operation
        if ready:
            needed[op] = None
        elif op not in needed:
            if not is_movable(op):
                raise _Obstacle(f"its size is computed in the loop by '{op.name}', which cannot move", op)
            work.append((value, True))
            work.extend((operand, False) for operand in op.operands)
    return list(needed)


def is_movable(op: ir.Operation) -> bool:
    """Whether `op` has no effect and no region, and cannot fail: it may run where its operands are defined."""
    dialect, _, mnemonic = op.name.partition(".")
    if len(op.regions):
        return False
    if op.name == "memref.dim":
        return True
    if dialect == "affine":
        return mnemonic in ("apply", "max", "min")
    return dialect in _ARITHMETIC and "div" not in mnemonic and "rem" not in mnemonic


def _runs(loop: ir.Operation, place: ir.Operation) -> bool:
    """Whether the block of `place` in `loop` certainly runs whenever the loop op is executed."""
    if loop.name == "scf.while":
        return place.block == loop.regions[0].blocks[0]
    return loop.name == "scf.for" and surely_runs(loop)


def _is_size(value: ir.Value) -> bool:
    """Whether `value` is certainly not negative."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return False
    constant = constant_integer(value)
    return owner.operation.name in ("memref.dim", "tensor.dim") or (constant is not None and constant >= 0)
