"""Receive what is gathered where it is wanted, not in memory that is copied there at once.

In: functions on memrefs. Out: the same functions, in which an allocation that is only filled by an all-gather, and then
copied into other memory, is gone: the gather stands where the copy stood, and receives there. So a gather that is
inserted into a larger tensor lands in its slice.

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

Nothing else uses the allocation, and between the gather and the copy, in one block, there are only arithmetic on
numbers and views. What is sent must be apart from where it lands, by `rewriting/separate_memory.py`; besides, arguments
of a function that only callers outside of the module call are apart from each other where one is written, as these
callers are told. Left alone: slices with gaps, and exchanges in turn, of parts that lie in columns or differ in size.

Before deallocation, as allocations have no other end then. Linear in the ops between gathers and copies.

Upstream counterpart: none; `memref.copy` of an allocation is folded nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from mlir import ir

from ...dialects.support.defining_ops import defining_op
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.memref_types import has_identity_layout, have_same_memory_space
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from ..functions.rewriting.results import collect_functions
from .rewriting.message_buffers import is_row_major
from .rewriting.separate_memory import MemoryPlace, are_apart, is_argument, place_of

_GATHER = "mpi.allgather"
_PURE = ("arith.", "index.")
_PURE_OPS = frozenset({"affine.apply", "memref.cast", "memref.dim", "memref.subview"})
"""Ops that neither read nor write memory: those of `_PURE` have no regions and no memrefs."""


@frozen
class ReceivedCopy:
    """An all-gather into an allocation, and the copy of that."""

    gather: ir.Operation
    copy: ir.Operation


def analyze_receipts(root: ir.Operation) -> list[ReceivedCopy]:
    """The allocations under `root` that can be left out, by what fills and copies them. Changes nothing."""
    entries = {name for name, uses in collect_functions(root).items() if uses.is_entry}
    following: dict[ir.Operation, ir.Operation] = {}
    found: list[tuple[ir.Operation, ir.Operation | None]] = []
    for gather in find_ops(root, _GATHER):
        if gather not in following:
            ops = [one.operation for one in gather.block.operations]
            following.update(pairwise(ops))
        found.append((gather, _copy_of(gather, following)))
    return [ReceivedCopy(gather, copy) for gather, copy in found if copy is not None and _is_fit(gather, copy, entries)]


def _copy_of(gather: ir.Operation, following: Mapping[ir.Operation, ir.Operation]) -> ir.Operation | None:
    """The copy of the allocation that `gather` fills, if these are its only uses, and nothing but numbers is between.

    `following` has the op behind each op of the block.
    """
    memory = gather.operands[1]
    users = [use.owner.operation for use in memory.uses if use.owner.operation != gather]
    if defining_op(memory, "memref.alloc") is None or len(gather.results) or gather.operands[0] == memory:
        return None
    if len(users) != 1 or users[0].name != "memref.copy" or users[0].operands[0] != memory:
        return None
    op = following.get(gather)
    while op is not None and op != users[0]:
        if not (op.name in _PURE_OPS or op.name.startswith(_PURE)) or len(op.regions):
            return None
        op = following.get(op)
    return op


def _is_fit(gather: ir.Operation, copy: ir.Operation, entries: set[str]) -> bool:
    """Whether `gather` may receive where `copy` puts what it gives."""
    source, target = copy.operands
    if source == target or not _is_alike(source.type, target.type):
        return False
    return _is_apart(place_of(gather.operands[0]), place_of(target), entry=_function_of(copy) in entries)


def _is_alike(source: ir.Type, target: ir.Type) -> bool:
    """Whether both memrefs have one shape as far as types say, one memory space, and elements one after the other."""
    if not isinstance(source, ir.MemRefType) or not isinstance(target, ir.MemRefType):
        return False
    is_strided = isinstance(target.layout, ir.StridedLayoutAttr) or has_identity_layout(target)
    if not is_strided or not is_row_major(target):
        return False
    return list(source.shape) == list(target.shape) and have_same_memory_space(source, target)


def _function_of(op: ir.Operation) -> str:
    """The name of the function around `op`."""
    while op.name != "func.func" and op.parent is not None:
        op = op.parent.operation
    return ir.StringAttr(op.attributes["sym_name"]).value if op.name == "func.func" else ""


def _is_apart(memory: MemoryPlace, written: MemoryPlace, *, entry: bool) -> bool:
    """Whether `memory` has no element of what is written."""
    if are_apart(memory, written):
        return True
    are_arguments = is_argument(memory.root) and is_argument(written.root)
    return entry and are_arguments and memory.root != written.root


class ReceiveInPlacePass(Pass[PassOptions]):
    """Receive what is gathered where it is wanted."""

    argument = "inplace-receive-in-place"
    summary = "receive what is gathered in the memory that it is copied to"
    anchor = "builtin.module"
    statistics = (Statistic("receipts", "allocations that are left out, with the copies of them"),)
    concerns = (_GATHER,)

    def run(self, op: ir.Operation) -> None:
        for receipt in analyze_receipts(op):
            source, target = receipt.copy.operands
            receipt.gather.move_before(receipt.copy)
            receipt.gather.operands[1] = target
            receipt.copy.erase()
            allocation = defining_op(source)
            assert allocation is not None
            allocation.erase()
            self.count("receipts")
