"""Begin exchanges of messages where they stand, and wait for them where their memory is used.

In: calls of the functions by which bufferized programs send and receive at once (`dialects/support/mpi_names.py`). Out:
calls that begin to receive and to send, and waits before the first op that may use what is received or change what is
sent. Left alone: an exchange behind which nothing is done before its memory is used.

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
sent (or only read there) and from what is received (`rewriting/separate_memory.py`), and other exchanges, so that both
sides of a halo are under way at once. Nothing in between may end the call early, unless MPI itself fails, as requests
would be left with memory that is freed: no assertion, no allocation, no division by what may be 0, no call of other
functions. Waits stand in the block of the exchange. In a block the square of its ops at most, times their memrefs.

Upstream counterpart: none.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import cf, func

from ...dialects.support.constants import constant_integer
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.mpi_names import BEGIN_RECEIVE, BEGIN_SEND, COMMUNICATOR, SEND_RECEIVE
from ..analysis.ir.symbols import callee_name
from ..analysis.ir.traversal import find_ops
from ..analysis.lifetimes.buffer_access import READ, WRITE, access_of_use
from ..analysis.lifetimes.roots import VIEWS
from ..framework.base import Pass, Statistic
from ..framework.contract import WAIT_FOR
from ..framework.options import PassOptions
from .rewriting.separate_memory import MemoryPlace, are_apart, place_of

_KNOWN = ("arith.", "math.", "vector.", "linalg.", "scf.", "affine.", "index.")
_KNOWN_OPS = VIEWS | {
    *("memref.dim", "memref.rank", "memref.load", "memref.store", "memref.copy"),
    *("mpi.comm_world", "mpi.comm_rank", "mpi.comm_size"),
}
_DIVISIONS = ("divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi")


@frozen
class _Exchange:
    """One exchange, and the op before which its messages must have arrived."""

    call: ir.Operation
    until: ir.Operation


def analyze_exchanges(root: ir.Operation) -> list[_Exchange]:
    """The exchanges under `root` that something can be done behind, in program order. Changes nothing."""
    found: list[_Exchange] = []
    for call in find_ops(root, "func.call", where=lambda op: callee_name(op).startswith(SEND_RECEIVE)):
        until = _first_use(call)
        if until is not None:
            found.append(_Exchange(call, until))
    return found


def _first_use(call: ir.Operation) -> ir.Operation | None:
    """The first op behind an exchange that its memory must be settled for; None if that is at once."""
    sent, received = place_of(call.operands[0]), place_of(call.operands[2])
    ops = [one.operation for one in call.block.operations]
    worth = False
    for op in ops[ops.index(call) + 1 :]:
        if op == ops[-1] or not _may_pass(op, sent, received):
            return op if worth else None
        worth = worth or any(True for _ in _accesses(op))
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
        return callee_name(op).startswith((SEND_RECEIVE, COMMUNICATOR))
    if op.name.partition(".")[2] in _DIVISIONS:
        return constant_integer(op.operands[1]) not in (None, 0, -1)
    return op.name in _KNOWN_OPS or op.name.startswith(_KNOWN)


def _accesses(op: ir.Operation) -> Iterator[tuple[MemoryPlace, int]]:
    """The memory that an op, or an op in it, reads or writes."""
    for inner in find_ops(op):
        exchanges = inner.name == "func.call" and callee_name(inner).startswith(SEND_RECEIVE)
        for number, value in enumerate(inner.operands):
            if not isinstance(value.type, ir.MemRefType | ir.UnrankedMemRefType):
                continue
            if inner.name in VIEWS and number == 0:
                continue
            access = (READ if number == 0 else WRITE) if exchanges else access_of_use(inner, number)
            if access:
                yield place_of(value), access


class OverlapMessagesPass(Pass[PassOptions]):
    """Begin exchanges where they stand, and wait for them where their memory is used."""

    argument = "inplace-overlap-messages"
    summary = "begin exchanges of messages, and wait for them where their memory is used"
    anchor = "builtin.module"
    statistics = (Statistic("exchanges", "exchanges that something is done behind before they are waited for"),)
    concerns = ("func.call",)

    def run(self, op: ir.Operation) -> None:
        found = analyze_exchanges(op)
        for exchange in found:
            _overlap(op, exchange)
        for exchange in found:
            exchange.call.erase()
        self.count("exchanges", len(found))


def _overlap(module: ir.Operation, exchange: _Exchange) -> None:
    """Build what takes the place of an exchange, in front of it and of the op that it must end for."""
    call = exchange.call
    sent, to, received, origin, communicator = call.operands
    suffix = callee_name(call).removeprefix(SEND_RECEIVE)
    request = ir.Type.parse("!mpi.request")
    with ir.InsertionPoint(call), call.location:
        requests = [
            _called(module, f"{name}{suffix}", [memory, rank, communicator], request)
            for name, memory, rank in ((BEGIN_RECEIVE, received, origin), (BEGIN_SEND, sent, to))
        ]
    success = {"errclass": ir.Attribute.parse("#mpi.errclass<MPI_SUCCESS>")}
    with ir.InsertionPoint(exchange.until), call.location:
        for one in requests:
            code = _called(module, WAIT_FOR, [one], ir.Type.parse("!mpi.retval"))
            bit = ir.IntegerType.get_signless(1)
            checked = ir.Operation.create("mpi.retval_check", results=[bit], operands=[code], attributes=success)
            cf.AssertOp(checked.result, "mpi.wait failed")


def _called(module: ir.Operation, name: str, operands: list[ir.Value], result: ir.Type) -> ir.Value:
    if name not in ir.SymbolTable(module):
        with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]), ir.Location.unknown():
            func.FuncOp(name, ([operand.type for operand in operands], [result]), visibility="private")
    return func.CallOp([result], name, operands).results[0]
