"""The buffers of a function that can lie in its arena, when they are live, and how large they are.

A buffer is live from its `memref.alloc` to its `memref.dealloc`, which lie in one block: an access outside of that is
an error of the program, by whatever alias. Ops are numbered in pre-order. Regions are run one after the other
(`_SEQUENTIAL`), so if two such ranges of numbers do not meet, the buffers are never live at the same time: in loops
each iteration begins and ends its own. Left out is a buffer that a rule of `_RULES` holds for.

Nothing is changed here. One walk; linear in ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from itertools import islice

from mlir import ir

from ....dialects.support.element_sizes import element_bytes, least_bytes
from ....dialects.support.frozen_classes import frozen, record
from ....dialects.support.memref_types import has_identity_layout
from ..lifetimes.hoisting import is_movable

__all__ = ["ArenaBuffer", "FunctionBuffers", "KeptBuffer", "read_buffers"]

_SEQUENTIAL = frozenset(
    {"affine.for", "affine.if", "memref.alloca_scope", "scf.execute_region", "scf.for", "scf.if"}
    | {"scf.index_switch", "scf.while"}
)

_LOOPS = frozenset({"affine.for", "scf.for", "scf.while"})

_PARALLEL = "it lies in an op whose regions may run in parallel"
_BRANCHES = "it lies in a region with several blocks"


@frozen
class ArenaBuffer:
    """A buffer of `size` bytes times the product of `dynamic`, live from op number `begin` to op number `end`.

    `in_loop`: a loop of the function may allocate it more than once.
    """

    allocation: ir.Operation
    deallocation: ir.Operation
    begin: int
    end: int
    size: int
    dynamic: tuple[ir.Value, ...]
    alignment: int
    in_loop: bool


@frozen
class KeptBuffer:
    """An allocation that stays as it is, and why."""

    allocation: ir.Operation
    reason: str


@frozen
class FunctionBuffers:
    """The buffers of a function.

    Attributes:
        place: the op of the function's block in front of which the arena is allocated.
        last: the op of that block behind which nothing needs the arena.
        moves: ops behind `place` that compute sizes, in an order in which they can move in front of it.
    """

    buffers: tuple[ArenaBuffer, ...]
    kept: tuple[KeptBuffer, ...]
    place: ir.Operation | None = None
    last: ir.Operation | None = None
    moves: tuple[ir.Operation, ...] = ()


@record
class _Walk:
    """What one walk over a function finds."""

    allocations: list[tuple[int, ir.Operation]] = field(default_factory=list[tuple[int, ir.Operation]])
    frees: dict[ir.Value, list[tuple[int, ir.Operation]]] = field(
        default_factory=dict[ir.Value, list[tuple[int, ir.Operation]]]
    )
    reallocates: bool = False
    obstacles: dict[ir.Operation, str] = field(default_factory=dict[ir.Operation, str])
    """By an op with regions, why no buffer in these can lie in the arena; empty if one can."""

    def obstacle(self, op: ir.Operation, function: ir.Operation) -> str:
        """The obstacle of the regions of `op`, which lies in `function` or is it. Each op is looked at once."""
        if op not in self.obstacles:
            around = "" if op == function or op.parent is None else self.obstacle(op.parent.operation, function)
            own = _PARALLEL if op != function and op.name not in _SEQUENTIAL else ""
            branches = any(next(islice(region.blocks, 1, None), None) is not None for region in op.regions)
            found = {own, around} - {""} | ({_BRANCHES} if branches else set[str]())
            self.obstacles[op] = _PARALLEL if _PARALLEL in found else next(iter(found), "")
        return self.obstacles[op]

    def freed(self, allocation: ir.Operation) -> tuple[int, ir.Operation] | None:
        """The number and op that frees the buffer, if there is one only."""
        found = self.frees.get(allocation.results[0], [])
        return found[0] if len(found) == 1 else None


def read_buffers(function: ir.Operation, largest: int = 0) -> FunctionBuffers:
    """Return the buffers of `function`, a `func.func` with a body: with `largest`, only those up to so many bytes."""
    walk = _read(function)
    kept: list[KeptBuffer] = []
    fitting: list[tuple[int, ir.Operation]] = []
    for number, allocation in walk.allocations:
        reason = next((reason for reason, holds in _RULES if holds(allocation, walk, function)), None)
        if reason is None and largest and (len(allocation.operands) or _bytes_of(allocation) > largest):
            reason = f"it may have more than {largest} bytes"
        if reason is None:
            fitting.append((number, allocation))
        else:
            kept.append(KeptBuffer(allocation, reason))
    if not fitting:
        return FunctionBuffers((), tuple(kept))
    place = _outermost(fitting[0][1], function)
    sizes = _Sizes(function, place)
    buffers: list[ArenaBuffer] = []
    for number, allocation in fitting:
        if sizes.become_known(allocation.operands):
            buffers.append(_buffer(number, allocation, walk))
        else:
            kept.append(KeptBuffer(allocation, "its size is not known where the arena is allocated"))
    last = max(buffers, key=lambda buffer: buffer.end).deallocation
    return FunctionBuffers(tuple(buffers), tuple(kept), place, _outermost(last, function), tuple(sizes.moves))


def _read(function: ir.Operation) -> _Walk:
    walk, number = _Walk(), 0

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal number
        number += 1
        name = op.name
        if name == "memref.alloc":
            walk.allocations.append((number, op.operation))
        elif name == "memref.dealloc":
            walk.frees.setdefault(op.operands[0], []).append((number, op.operation))
        elif name == "memref.realloc":
            walk.reallocates = True
        return ir.WalkResult.ADVANCE

    function.walk(visit, ir.WalkOrder.PRE_ORDER)
    return walk


def _buffer(number: int, allocation: ir.Operation, walk: _Walk) -> ArenaBuffer:
    freed = walk.freed(allocation)
    assert freed is not None
    attributes = allocation.attributes
    alignment = ir.IntegerAttr(attributes["alignment"]).value if "alignment" in attributes else 1
    size = _bytes_of(allocation)
    in_loop = _is_in_loop(allocation)
    return ArenaBuffer(allocation, freed[1], number, freed[0], size, tuple(allocation.operands), alignment, in_loop)


def _is_in_loop(op: ir.Operation) -> bool:
    while op.parent is not None and op.name != "func.func":
        op = op.parent.operation
        if op.name in _LOOPS:
            return True
    return False


def _bytes_of(allocation: ir.Operation) -> int:
    return least_bytes(ir.MemRefType(allocation.results[0].type))


def _outermost(op: ir.Operation, function: ir.Operation) -> ir.Operation:
    """The op in a block of `function` that `op` lies in."""
    while op.parent is not None and op.parent.operation != function:
        op = op.parent.operation
    return op


# --- why a buffer is left out ----------------------------------------------------------------------------------------


def _is_not_freed_in_its_block(allocation: ir.Operation, walk: _Walk, _: ir.Operation) -> bool:
    freed = walk.freed(allocation)
    return freed is None or freed[1].block != allocation.block


def _is_of_unknown_size(allocation: ir.Operation, _: _Walk, __: ir.Operation) -> bool:
    try:
        element_bytes(ir.MemRefType(allocation.results[0].type).element_type)
    except ValueError:
        return True
    return False


def _has_a_layout(allocation: ir.Operation, _: _Walk, __: ir.Operation) -> bool:
    type_ = ir.MemRefType(allocation.results[0].type)
    return type_.memory_space is not None or not has_identity_layout(type_)


def _may_reallocate(_: ir.Operation, walk: _Walk, __: ir.Operation) -> bool:
    return walk.reallocates


def _obstacle(allocation: ir.Operation, walk: _Walk, function: ir.Operation) -> str:
    return "" if allocation.parent is None else walk.obstacle(allocation.parent.operation, function)


def _may_not_run(allocation: ir.Operation, _: _Walk, function: ir.Operation) -> bool:
    return len(allocation.operands) > 0 and allocation.parent is not None and allocation.parent.operation != function


_RULES: Sequence[tuple[str, Callable[[ir.Operation, _Walk, ir.Operation], bool]]] = (
    ("it is not freed exactly once, at the end of its block", _is_not_freed_in_its_block),
    ("its type has a layout or a memory space", _has_a_layout),
    ("the size of its elements is not known", _is_of_unknown_size),
    ("the function reallocates", _may_reallocate),
    (_PARALLEL, lambda allocation, walk, function: _obstacle(allocation, walk, function) == _PARALLEL),
    (_BRANCHES, lambda allocation, walk, function: _obstacle(allocation, walk, function) == _BRANCHES),
    ("its size is dynamic, and it may not be needed in each run of the function", _may_not_run),
)
"""Why a buffer cannot lie in the arena, the first that holds: asked of the allocation, the walk, and the function."""


class _Sizes:
    """Which values are known in front of the op that allocates the arena."""

    def __init__(self, function: ir.Operation, place: ir.Operation) -> None:
        block = function.regions[0].blocks[0]
        self.moves: list[ir.Operation] = []
        self._known: set[ir.Value] = set(block.arguments)
        for op in block.operations:
            if op.operation == place:
                break
            self._known.update(op.operation.results)

    def become_known(self, values: Sequence[ir.Value]) -> bool:
        """Whether `values` are known, or become so by moving ops without effects; notes those to move."""
        moves: list[ir.Operation] = []
        work = [(value, False) for value in reversed(list(values))]
        known = set[ir.Value]()
        while work:
            value, ready = work.pop()
            if value in self._known or value in known:
                continue
            owner = value.owner
            if isinstance(owner, ir.Block) or not is_movable(op := owner.operation):
                return False
            if ready:
                moves.append(op)
                known.update(op.results)
            else:
                work.append((value, True))
                work.extend((operand, False) for operand in op.operands)
        self.moves += moves
        self._known |= known
        return True
