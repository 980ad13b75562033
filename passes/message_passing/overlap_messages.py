"""Begin exchanges and collectives where they stand, and wait for them where their memory is used.

In: calls of the functions by which bufferized programs send and receive at once, and all-reduces, all-gathers and
scattered reductions of the `mpi` dialect. Out: calls that begin them (`dialects/support/mpi_names.py`), and waits
before the first op that may use what is received or change what is sent. Left alone: exchanges behind which nothing is
done before their memory is used, and collectives of a kind of which that is so for all, or one of which returns its
code. MPI lets no collective that is begun meet one that waits, so all of a kind are begun, or none.

```mlir
func.func private @inplace_mpi_sendrecv_1d_f32(memref<?xf32>, i32, memref<?xf32>, i32, !mpi.comm)
func.func @f(%sent: memref<?xf32>, %to: i32, %from: i32, %n: index, %other: memref<8xf32>, %x: f32) -> memref<?xf32> {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc(%n) : memref<?xf32>
  call @inplace_mpi_sendrecv_1d_f32(%sent, %to, %a, %from, %c)
    : (memref<?xf32>, i32, memref<?xf32>, i32, !mpi.comm) -> ()
  %0 = memref.alloca() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%0 : memref<8xf32>)
  memref.copy %0, %other : memref<8xf32> to memref<8xf32>
  return %a : memref<?xf32>
}
```

Here the fill runs while messages are on their way; the copy changes an argument, which may be what is sent.

What stands in between must be known: arithmetic, loops, structured ops and vectors on memory that is apart from what is
sent (or only read there) and from what is received (`rewriting/separate_memory.py`), freeing such memory, and other
exchanges, so that both sides of a halo are under way at once; all-reduces of known sizes, too. Nothing in between may
end the call early, unless MPI itself fails, as requests would be left with memory that is freed: no assertion, no
allocation, no division by what may be 0, no call of other functions. Waits stand in the block of what is begun. In a
block the square of its ops at most, times their memrefs.

Upstream counterpart: none.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from mlir import ir
from mlir.dialects import cf, func

from ...dialects.support.constants import constant_integer
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.mpi_names import (
    BEGIN_COLLECTIVES,
    BEGIN_RECEIVE,
    BEGIN_SEND,
    COMMUNICATOR,
    EXCHANGE_PARTS,
    SEND_RECEIVE,
    begin_collective_name,
    is_exchange,
    parts_exchange_of,
)
from ..analysis.ir.symbols import callee_name
from ..analysis.ir.traversal import find_ops
from ..analysis.lifetimes.buffer_access import READ, WRITE, access_of_use
from ..analysis.lifetimes.roots import VIEWS
from ..framework.base import Pass, Statistic
from ..framework.contract import MOST_SENT, WAIT_FOR
from ..framework.options import PassOptions
from .rewriting.separate_memory import MemoryPlace, are_apart, place_of

_KNOWN = ("arith.", "math.", "vector.", "linalg.", "scf.", "affine.", "index.")
_KNOWN_OPS = VIEWS | {
    *("memref.dim", "memref.rank", "memref.load", "memref.store", "memref.copy", "memref.dealloc"),
    *("mpi.comm_world", "mpi.comm_rank", "mpi.comm_size"),
}
_DIVISIONS = tuple(name + suffix for name in ("div", "rem", "ceildiv", "floordiv") for suffix in ("si", "ui", "s", "u"))


@frozen
class Begun:
    """An exchange or a collective that is begun, and the op before which its messages must have arrived."""

    op: ir.Operation
    until: ir.Operation


def analyze_exchanges(root: ir.Operation) -> list[Begun]:
    """What is to be begun under `root`, in program order. Changes nothing."""
    found = find_ops(root, where=lambda op: is_exchange(op) or op.name in BEGIN_COLLECTIVES)
    uses = [_first_use(op) for op in found]
    kinds = {op.name for op, until in zip(found, uses, strict=True) if until is not None} & {*BEGIN_COLLECTIVES}
    kinds -= {op.name for op in found if len(op.results)}  # Codes are known at the end only.
    return [
        Begun(op, until or _behind(op))
        for op, until in zip(found, uses, strict=True)
        if op.name in kinds or (until is not None and is_exchange(op))
    ]


def _memory(op: ir.Operation) -> tuple[ir.Value, ir.Value]:
    """What an exchange or a collective sends, and what it fills."""
    return op.operands[0], op.operands[2 if is_exchange(op) else 1]


def _behind(op: ir.Operation) -> ir.Operation:
    ops = [one.operation for one in op.block.operations]
    return ops[ops.index(op) + 1]


def _first_use(op: ir.Operation) -> ir.Operation | None:
    """The first op behind that the memory of `op` must be settled for; None if that is at once."""
    sent, received = map(place_of, _memory(op))
    ops = [one.operation for one in op.block.operations]
    worth = False
    for one in ops[ops.index(op) + 1 :]:
        if one == ops[-1] or not _may_pass(one, sent, received):
            return one if worth else None
        worth = worth or any(True for _ in _accesses(one))
    return None


def _may_pass(op: ir.Operation, sent: MemoryPlace, received: MemoryPlace) -> bool:
    """Whether an op may run while messages are on their way."""
    if not all(_is_known(inner) for inner in find_ops(op)):
        return False
    return all(
        are_apart(place, received, sent) and (not access & WRITE or are_apart(place, sent, received))
        for place, access in _accesses(op)
    )


def _is_known(op: ir.Operation) -> bool:
    """Whether the op does nothing but what its operands show, and ends."""
    if op.name == "func.call":
        return callee_name(op).startswith((SEND_RECEIVE, EXCHANGE_PARTS, COMMUNICATOR))
    if op.name in BEGIN_COLLECTIVES:
        return _has_equal_sizes(op)
    if op.name.partition(".")[2] in _DIVISIONS:
        return constant_integer(op.operands[1]) not in (None, 0, -1)
    return op.name in _KNOWN_OPS or op.name.startswith(_KNOWN)


def _has_equal_sizes(op: ir.Operation) -> bool:
    """Whether a collective takes as many elements as it gives; sizes that are not known are compared as it runs."""
    source, target = (ir.MemRefType(memory.type) for memory in _memory(op))
    equal = source.has_static_shape and target.has_static_shape and prod(source.shape) == prod(target.shape)
    return op.name == "mpi.allreduce" and equal and prod(source.shape) < MOST_SENT


def _accesses(op: ir.Operation) -> Iterator[tuple[MemoryPlace, int]]:
    """The memory that an op, or an op in it, reads or writes."""
    for inner in find_ops(op):
        exchanges = is_exchange(inner) or inner.name in BEGIN_COLLECTIVES or parts_exchange_of(inner) is not None
        for number, value in enumerate(inner.operands):
            if not isinstance(value.type, ir.MemRefType | ir.UnrankedMemRefType):
                continue
            if inner.name in VIEWS and number == 0:
                continue
            access = (READ if number == 0 else WRITE) if exchanges else access_of_use(inner, number)
            if access:
                yield place_of(value), access


class OverlapMessagesPass(Pass[PassOptions]):
    """Begin exchanges and collectives where they stand, and wait for them where their memory is used."""

    argument = "inplace-overlap-messages"
    summary = "begin exchanges of messages and collectives, and wait for them where their memory is used"
    anchor = "builtin.module"
    statistics = (
        Statistic("exchanges", "exchanges that something is done behind before they are waited for"),
        Statistic("collectives", "collectives that are begun, of kinds of which that is so for one"),
    )
    concerns = ("func.call", *BEGIN_COLLECTIVES)

    def run(self, op: ir.Operation) -> None:
        found = analyze_exchanges(op)
        exchanges = sum(is_exchange(begun.op) for begun in found)
        for begun in found:
            _overlap(op, begun)
        for begun in found:
            begun.op.erase()
        self.count("exchanges", exchanges)
        self.count("collectives", len(found) - exchanges)


def _overlap(module: ir.Operation, begun: Begun) -> None:
    """Build what takes the place of an op, in front of it and of the op that it must end for."""
    with ir.InsertionPoint(begun.op), begun.op.location:
        requests = [_called(module, name, memory, ir.Type.parse("!mpi.request")) for name, memory in _calls(begun.op)]
    success = {"errclass": ir.Attribute.parse("#mpi.errclass<MPI_SUCCESS>")}
    with ir.InsertionPoint(begun.until), begun.op.location:
        for one in requests:
            code = _called(module, WAIT_FOR, [one], ir.Type.parse("!mpi.retval"))
            bit = ir.IntegerType.get_signless(1)
            checked = ir.Operation.create("mpi.retval_check", results=[bit], operands=[code], attributes=success)
            cf.AssertOp(checked.result, "mpi.wait failed")


def _calls(op: ir.Operation) -> list[tuple[str, list[ir.Value]]]:
    """The functions that begin what `op` does, with their arguments."""
    if not is_exchange(op):
        return [(begin_collective_name(op), list(op.operands))]
    sent, to, received, origin, communicator = op.operands
    suffix = callee_name(op).removeprefix(SEND_RECEIVE)
    return [
        (f"{BEGIN_RECEIVE}{suffix}", [received, origin, communicator]),
        (f"{BEGIN_SEND}{suffix}", [sent, to, communicator]),
    ]


def _called(module: ir.Operation, name: str, operands: list[ir.Value], result: ir.Type) -> ir.Value:
    if name not in ir.SymbolTable(module):
        with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]), ir.Location.unknown():
            func.FuncOp(name, ([operand.type for operand in operands], [result]), visibility="private")
    return func.CallOp([result], name, operands).results[0]
