"""Receive messages where they are wanted, not in memory that is copied there afterwards.

In: functions on memrefs. Out: the same functions, in which an allocation that only receives parts and is then copied
into other memory is gone: the parts are received there. So a gather that is inserted into a larger tensor lands in its
slice.

```mlir
func.func @f(%x: memref<4x8xf32>, %t: memref<20x8xf32>, %i: index) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  %s = memref.subview %t[%i, 0] [8, 8] [1, 1] : memref<20x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  return
}
```

becomes:

```mlir
func.func @f(%x: memref<4x8xf32>, %t: memref<20x8xf32>, %i: index) {
  %c = mpi.comm_world : !mpi.comm
  %s = memref.subview %t[%i, 0] [8, 8] [1, 1] : memref<20x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  mpi.allgather(%x, %s, %c) : memref<4x8xf32>, memref<8x8xf32, strided<[8, 1], offset: ?>>
  return
}
```

The allocation is of the block of the copy, and nothing else uses it: no load, no op behind the copy. From the first
message on until the copy nothing reads or writes the memory that is copied to, and where that is must be known in front
of the message. Memory is apart if `rewriting/separate_memory.py` says so; besides, arguments of a function that only
callers outside of the module call are apart from each other where one is written, as these callers are told.

Before deallocation, as allocations have no other end then. Linear in the ops between an allocation and its copy.

Upstream counterpart: none; `memref.copy` of an allocation is folded nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from ...dialects.support.cloning import rebuild
from ...dialects.support.defining_ops import defining_op
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.memref_types import has_identity_layout, subview_type
from ...dialects.support.mpi_names import COMMUNICATOR, SEND_RECEIVE, is_exchange
from ..analysis.ir.symbols import callee_name, is_public
from ..analysis.ir.traversal import find_ops
from ..analysis.lifetimes.roots import VIEWS, is_buffer
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.separate_memory import MemoryPlace, are_apart, place_of

_GATHER = "mpi.allgather"
_PARTS = ("static_offsets", "static_sizes", "static_strides")
_KNOWN = ("arith.", "index.", "linalg.", "math.", "scf.", "vector.")
_KNOWN_OPS = VIEWS | {
    *("affine.apply", "memref.alloc", "memref.copy", "memref.dim", "memref.load", "memref.store"),
    *("mpi.comm_rank", "mpi.comm_size", "mpi.comm_world", _GATHER),
}


@frozen
class ReceivedCopy:
    """A copy that goes, the ops that receive its source or take blocks of it, and the views to be made before these."""

    copy: ir.Operation
    users: tuple[ir.Operation, ...]
    first: ir.Operation
    views: tuple[ir.Operation, ...]


def analyze_receipts(root: ir.Operation) -> list[ReceivedCopy]:
    """The allocations under `root` that can be left out, by their copies. Changes nothing."""
    called = {callee_name(call) for call in find_ops(root, "func.call")}
    called |= {ir.FlatSymbolRefAttr(one.attributes["value"]).value for one in find_ops(root, "func.constant")}
    copies = (_receipt(copy, called) for copy in find_ops(root, "memref.copy"))
    found = [one for one in copies if one is not None]
    gone = {one.copy.operands[0] for one in found}
    # What is received in an allocation that goes, too, would be received before that was looked at.
    return [one for one in found if place_of(one.copy.operands[1]).root not in gone]


def _receipt(copy: ir.Operation, called: set[str]) -> ReceivedCopy | None:
    source, target = copy.operands
    allocation = defining_op(source, "memref.alloc")
    if allocation is None or allocation.block != copy.block or not _is_alike(source.type, target.type):
        return None
    users = [use.owner.operation for use in source.uses if use.owner.operation != copy]
    if not users or not all(_receives(user, source) for user in users):
        return None
    ops = [one.operation for one in copy.block.operations]
    places = {op: number for number, op in enumerate(ops)}
    begins = [places.get(_ancestor(user, copy.block), -1) for user in users]
    begin, end = min(begins), places[copy]
    if begin < 0 or max(begins) >= end or len({*users}) != len(users):
        return None
    views = _views_to_move(target, places, begin)
    if views is None:
        return None
    place, own = place_of(target), place_of(source).root
    if place.root == own:
        return None
    entry = _is_entry(copy, called)
    for op in ops[begin:end]:
        for inner in find_ops(op):
            if not _is_known(inner):
                return None
            for memory in _memory(inner):
                if memory.root != own and not _is_apart(memory, place, entry=entry) and op not in views:
                    return None
    return ReceivedCopy(copy, tuple(users), ops[begin], tuple(views))


def _is_alike(source: ir.Type, target: ir.Type) -> bool:
    """Whether both memrefs have one shape as far as types say, one memory space, and strides."""
    if not isinstance(source, ir.MemRefType) or not isinstance(target, ir.MemRefType):
        return False
    if not isinstance(target.layout, ir.StridedLayoutAttr) and not has_identity_layout(target):
        return False
    return list(source.shape) == list(target.shape) and source.memory_space == target.memory_space


def _receives(user: ir.Operation, memory: ir.Value) -> bool:
    """Whether an op fills `memory`, or takes a block of it that is only filled."""
    if user.name == _GATHER:
        return not len(user.results) and user.operands[0] != memory
    if user.name != "memref.subview" or _rank(user.results[0]) != _rank(memory):
        return False
    blocks = [user.results[0]]
    for block in blocks:
        for use in block.uses:
            op, number = use.owner.operation, use.operand_number
            if op.name == "memref.cast" and not _says_more(op):
                blocks.append(op.results[0])
            elif not (op.name == "memref.copy" and number == 1) and not (is_exchange(op) and number == 2):
                return False
            elif op.name != "memref.copy" and block == user.results[0]:
                return False  # The type of the block changes, and the call is of a function for this one.
    return True


def _rank(memory: ir.Value) -> int:
    return ir.MemRefType(memory.type).rank


def _says_more(cast: ir.Operation) -> bool:
    """Whether a cast fixes a stride or an offset, which that of other memory may not be."""
    type_ = cast.results[0].type
    if not isinstance(type_, ir.MemRefType):
        return True
    strides, offset = type_.get_strides_and_offset()
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    return any(number != dynamic for number in (offset, *strides))


def _ancestor(op: ir.Operation, block: ir.Block) -> ir.Operation:
    """The op of `block` that `op` is, or is in."""
    while op.parent is not None and op.block != block:
        op = op.parent.operation
    return op


def _views_to_move(target: ir.Value, places: dict[ir.Operation, int], begin: int) -> list[ir.Operation] | None:
    """The views that `target` is made by behind `begin`, the first one first; None if they need what comes there."""
    chain: list[ir.Operation] = []
    while (op := defining_op(target)) is not None and places.get(op, -1) >= begin:
        if op.name not in VIEWS:
            return None
        chain.append(op)
        target = op.operands[0]
    for op in chain:
        made = (defining_op(value) for value in list(op.operands)[1:])
        if any(one is not None and places.get(one, -1) >= begin for one in made):
            return None
    return chain[::-1]


def _is_known(op: ir.Operation) -> bool:
    """Whether an op touches no memory but that of its operands."""
    if op.name == "func.call":
        return callee_name(op).startswith((SEND_RECEIVE, COMMUNICATOR))
    return op.name in _KNOWN_OPS or op.name.startswith(_KNOWN)


def _memory(op: ir.Operation) -> Iterator[MemoryPlace]:
    """The memory that an op reads or writes: not that of what a view is made of."""
    if op.name not in VIEWS and op.name != "memref.dim":
        yield from (place_of(value) for value in op.operands if is_buffer(value.type))


def _is_entry(op: ir.Operation, called: set[str]) -> bool:
    """Whether the function around `op` is called from outside only."""
    while op.name != "func.func" and op.parent is not None:
        op = op.parent.operation
    return op.name == "func.func" and is_public(op) and ir.StringAttr(op.attributes["sym_name"]).value not in called


def _is_apart(memory: MemoryPlace, written: MemoryPlace, *, entry: bool) -> bool:
    """Whether `memory` has no element of what is written."""
    if are_apart(memory, written):
        return True
    roots = memory.root, written.root
    are_arguments = all(isinstance(root.owner, ir.Block) and _is_body(root.owner) for root in roots)
    return entry and are_arguments and memory.root != written.root


def _is_body(block: ir.Block) -> bool:
    function = block.owner.operation
    return function.name == "func.func" and function.regions[0].blocks[0] == block


class ReceiveInPlacePass(Pass[PassOptions]):
    """Receive messages where they are wanted."""

    argument = "inplace-receive-in-place"
    summary = "receive messages in the memory that they are copied to, as gathers in their slices"
    anchor = "builtin.module"
    statistics = (Statistic("receipts", "allocations that are left out, with the copies of them"),)
    concerns = (_GATHER, "func.call")

    def run(self, op: ir.Operation) -> None:
        for receipt in analyze_receipts(op):
            _receive(receipt)
            self.count("receipts")


def _receive(receipt: ReceivedCopy) -> None:
    """Let all that fills the allocation fill the memory that it is copied to."""
    source, target = receipt.copy.operands
    for view in receipt.views:
        view.move_before(receipt.first)
    for user in receipt.users:
        if user.name == _GATHER:
            user.operands[1] = target
        else:
            _retake(user, target)
    receipt.copy.erase()
    allocation = defining_op(source)
    assert allocation is not None
    allocation.erase()


def _retake(block: ir.Operation, target: ir.Value) -> None:
    """Take a block of `target` in place of one of the allocation."""
    offsets, sizes, strides = (list(ir.DenseI64ArrayAttr(block.attributes[part])) for part in _PARTS)
    old = block.results[0]
    with block.location:
        type_ = subview_type(ir.MemRefType(target.type), offsets, sizes, strides, ir.MemRefType(old.type).shape)
    new = rebuild(block, [target, *list(block.operands)[1:]], [type_])
    old.replace_all_uses_with(new.results[0])
    block.erase()
