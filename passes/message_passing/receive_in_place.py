"""Receive messages where they are wanted, not in memory that is copied there at once.

In: functions on memrefs. Out: the same functions, in which an allocation that is only filled by a message, and then
copied into other memory, is gone: the message stands where the copy stood, and is received there. So what is gathered,
exchanged or shifted, and inserted into a larger tensor, lands in its slice.

```mlir
func.func @f(%x: memref<4x8xf32>, %t: memref<20x8xf32> {inplace.returnable}, %i: index) {
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
func.func @f(%x: memref<4x8xf32>, %t: memref<20x8xf32> {inplace.returnable}, %i: index) {
  %c = mpi.comm_world : !mpi.comm
  %s = memref.subview %t[%i, 0] [8, 8] [1, 1] : memref<20x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  mpi.allgather(%x, %s, %c) : memref<4x8xf32>, memref<8x8xf32, strided<[8, 1], offset: ?>>
  return
}
```

Messages are collectives, receives, exchanges with one rank, and exchanges of parts with all ranks, as of columns.
Nothing else uses the allocation, and between the message and the copy, in one block, there are only arithmetic on
numbers and views. What is sent must be apart from where it lands, by `rewriting/separate_memory.py`; besides, an
argument of a function that only callers outside of the module call is apart from the others if it is the memory of a
result or of a tensor that is written: such callers are refused otherwise. An all-gather of rows into memory with gaps
becomes an exchange of parts, if that takes no more messages; so do all that it may meet, or none. All other messages
are copied to memory with gaps, but for exchanges of parts: MPI would walk it, which takes longer than the copy.

Before deallocation, as allocations have no other end then. Linear in the ops between messages and copies.

Upstream counterpart: none; `memref.copy` of an allocation is folded nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from mlir import ir
from mlir.dialects import func, memref

from ...dialects.support.defining_ops import defining_op
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.memref_types import has_strides, have_same_memory_space, is_castable, is_row_major
from ...dialects.support.mpi_names import PartsExchange, is_exchange, parts_exchange_of
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.contract import OUT_RESULT, RETURNABLE
from ..framework.options import PassOptions
from ..functions.rewriting.results import argument_marked, collect_functions
from .rewriting.row_exchanges import GATHER, build_exchange, part_of, rows_exchange
from .rewriting.separate_memory import MemoryPlace, are_apart, is_argument, place_of

_MESSAGES = {GATHER: 1, "mpi.allreduce": 1, "mpi.reduce_scatter_block": 1, "mpi.recv": 0}
"""Which operand of an op is filled."""
_PURE = ("arith.", "index.")
_PURE_OPS = frozenset({"affine.apply", "memref.cast", "memref.dim", "memref.subview"})
"""Ops that neither read nor write memory: those of `_PURE` have no regions and no memrefs."""


@frozen
class DirectReceipt:
    """A message that fills an allocation, and the copy of that.

    Attributes:
        message: the op.
        filled: the number of the operand that it fills.
        copy: the op.
        exchange: what stands for an all-gather into memory with gaps.
    """

    message: ir.Operation
    filled: int
    copy: ir.Operation
    exchange: PartsExchange | None = None


def analyze_receipts(root: ir.Operation) -> list[DirectReceipt]:
    """The allocations under `root` that can be left out, by what fills and copies them. Changes nothing."""
    entries = {name for name, uses in collect_functions(root).items() if uses.is_entry}
    following: dict[ir.Operation, ir.Operation] = {}
    found: list[DirectReceipt] = []
    for message in find_ops(root, where=lambda op: _filled(op) is not None):
        if message not in following:
            ops = [one.operation for one in message.block.operations]
            following.update(pairwise(ops))
        receipt = _receipt_of(message, following)
        if receipt is not None and _is_apart_from_sent(receipt, entries):
            found.append(receipt)
    return _that_meet(found, find_ops(root, GATHER))


def _filled(op: ir.Operation | ir.OpView) -> int | None:
    """Which operand of a message is filled."""
    if parts_exchange_of(op) is not None:
        return 1
    return 2 if is_exchange(op) else _MESSAGES.get(op.name)


def _receipt_of(message: ir.Operation, following: Mapping[ir.Operation, ir.Operation]) -> DirectReceipt | None:
    """The copy of the allocation that `message` fills, if these are its only uses, and nothing but numbers is between.

    `following` has the op behind each op of the block.
    """
    filled = _filled(message)
    assert filled is not None, "it was found by that"
    memory, user = message.operands[filled], message
    while (cast := defining_op(memory, "memref.cast")) is not None and len(list(memory.uses)) == 1:
        memory, user = cast.operands[0], cast
    users = [use.owner.operation for use in memory.uses]
    if defining_op(memory, "memref.alloc") is None or len(message.results) or len(users) != 2:
        return None
    copy = users[users[0] == user]
    if copy.name != "memref.copy" or copy.operands[0] != memory or copy == user:
        return None
    op = following.get(message)
    while op is not None and op != copy:
        if not (op.name in _PURE_OPS or op.name.startswith(_PURE)) or len(op.regions):
            return None
        op = following.get(op)
    return None if op is None else _as_receipt(message, filled, copy)


def _as_receipt(message: ir.Operation, filled: int, copy: ir.Operation) -> DirectReceipt | None:
    """The receipt, if the message, or an exchange for it, may fill memory of the type that the copy fills."""
    source, target = (operand.type for operand in copy.operands)
    if not isinstance(source, ir.MemRefType) or not isinstance(target, ir.MemRefType):
        return None
    if list(source.shape) != list(target.shape) or not have_same_memory_space(source, target):
        return None
    if not has_strides(target) or (
        message.name == "func.call" and not is_castable(target, message.operands[filled].type)
    ):
        return None
    if parts_exchange_of(message) is not None or is_row_major(target):
        return DirectReceipt(message, filled, copy)
    exchange = rows_exchange(message.operands[0].type, target) if message.name == GATHER else None
    return None if exchange is None else DirectReceipt(message, filled, copy, exchange)


def _is_apart_from_sent(receipt: DirectReceipt, entries: Set[str]) -> bool:
    """Whether what the message sends, or reads besides, is no memory that the copy fills."""
    place = place_of(receipt.copy.operands[1])
    others = [value for number, value in enumerate(receipt.message.operands) if number != receipt.filled]
    memory = [value for value in others if isinstance(value.type, ir.MemRefType | ir.UnrankedMemRefType)]
    return all(_is_apart(place_of(value), place, entries) for value in memory)


def _that_meet(found: Sequence[DirectReceipt], gathers: Sequence[ir.Operation]) -> list[DirectReceipt]:
    """What is left of `found` if no all-gather becomes an exchange that may meet one that does not become one.

    In branches by rank two of them may meet, if their parts are of one size.
    """
    exchanged = {receipt.message for receipt in found if receipt.exchange is not None}
    others = {part_of(op) for op in gathers if op not in exchanged}

    def meets_another(receipt: DirectReceipt) -> bool:
        element, count = part_of(receipt.message)
        return not others.isdisjoint({(element, count), (element, None)})

    return [receipt for receipt in found if receipt.exchange is None or not meets_another(receipt)]


def _is_apart(memory: MemoryPlace, written: MemoryPlace, entries: Set[str]) -> bool:
    """Whether `memory` has no element of what is written."""
    if are_apart(memory, written):
        return True
    are_arguments = is_argument(memory.root) and is_argument(written.root)
    return are_arguments and memory.root != written.root and _is_exclusive(written.root, entries)


def _is_exclusive(argument: ir.Value, entries: Set[str]) -> bool:
    """Whether all callers are outside of the module, and pass an array that shares memory with no other argument."""
    assert isinstance(argument, ir.BlockArgument)
    function = argument.owner.owner
    assert isinstance(function, func.FuncOp)
    is_entry = function.name.value in entries
    return is_entry and any(argument_marked(function, argument.arg_number, mark) for mark in (OUT_RESULT, RETURNABLE))


class ReceiveInPlacePass(Pass[PassOptions]):
    """Receive messages where they are wanted."""

    argument = "inplace-receive-in-place"
    summary = "receive messages in the memory that they are copied to"
    anchor = "builtin.module"
    statistics = (Statistic("receipts", "allocations that are left out, with the copies of them"),)
    concerns = (*_MESSAGES, "func.call")

    def run(self, op: ir.Operation) -> None:
        for receipt in analyze_receipts(op):
            _receive(receipt)
            self.count("receipts")


def _receive(receipt: DirectReceipt) -> None:
    """Put the message where the copy is, and receive there."""
    message, copy = receipt.message, receipt.copy
    source, target = copy.operands
    old = message.operands[receipt.filled]
    message.move_before(copy)
    with ir.InsertionPoint(message), message.location:
        if message.name == "func.call" and target.type != old.type:
            target = memref.cast(old.type, target)
        if receipt.exchange is not None:
            build_exchange(message, receipt.exchange, target)
            message.erase()
        else:
            message.operands[receipt.filled] = target
    copy.erase()
    while old != source:
        cast = defining_op(old)
        assert cast is not None, "casts lead from the allocation to the message"
        old = cast.operands[0]
        cast.erase()
    allocation = defining_op(source)
    assert allocation is not None
    allocation.erase()
