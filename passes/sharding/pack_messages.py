"""Pack what is sent or received so that its elements lie side by side, as MPI takes them.

In: ops of `mpi` and calls of `inplace_mpi_sendrecv`, on memrefs of any strided layout. Out: the same on memrefs of one
dimension; exchanges of parts with all ranks become loops over such calls. Memory that is contiguous is seen as one
line; other memory is copied to a new buffer before it is sent, and from one after it was received. Positions in a
`shard.grid` become arithmetic on the number of the rank. Left alone: everything else, and what is one line already.
Refused, with an error that names the op: memrefs without rank or strides.

```mlir
func.func @f(%a: memref<2x3xf32>, %b: memref<4xf32, strided<[8]>>, %tag: i32, %rank: i32) {
  %comm = mpi.comm_world : !mpi.comm
  mpi.send(%a, %tag, %rank, %comm) : memref<2x3xf32>, i32, i32
  mpi.send(%b, %tag, %rank, %comm) : memref<4xf32, strided<[8]>>, i32, i32
  return
}
```

becomes:

```mlir
func.func @f(%a: memref<2x3xf32>, %b: memref<4xf32, strided<[8]>>, %tag: i32, %rank: i32) {
  %comm = mpi.comm_world : !mpi.comm
  %line = memref.collapse_shape %a [[0, 1]] : memref<2x3xf32> into memref<6xf32>
  mpi.send(%line, %tag, %rank, %comm) : memref<6xf32>, i32, i32
  %packed = memref.alloc() : memref<4xf32>
  memref.copy %b, %packed : memref<4xf32, strided<[8]>> to memref<4xf32>
  mpi.send(%packed, %tag, %rank, %comm) : memref<4xf32>, i32, i32
  return
}
```

With `reductions`, only what MPI reduces and may have gaps is packed, as `inplace-lower-mpi` sends everything else
from memory with any strides.

Run it when layouts are final, before `inplace-deallocate`, which frees the new buffers. Linear in the operations.

Upstream counterpart: none. The lowering of `mpi` there counts elements, and ignores strides.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref

from ...dialects.shard.exchanged_parts import exchange_in_turn
from ...dialects.shard.grids import call_declared, module_of
from ...dialects.shard.messages import allocate_line, cast_source
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.memref_types import collapsed_type, expanded_type, has_strides, is_row_major
from ...dialects.support.mpi_names import OVERWRITES, is_exchange, parts_exchange_of, send_receive_name
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option
from .rewriting.positions import POSITIONS, lower_position

_SENT: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "mpi.allreduce": ((0,), (1,)),
    "mpi.allgather": ((0,), (1,)),
    "mpi.reduce_scatter_block": ((0,), (1,)),
    "mpi.send": ((0,), ()),
    "mpi.recv": ((), (0,)),
}
"""For each op the operands that it sends, and those that it fills."""

_REDUCTIONS = ("mpi.allreduce", "mpi.reduce_scatter_block")
_DYNAMIC = ir.ShapedType.get_dynamic_size()


@frozen
class PackMessagesOptions(PassOptions):
    """What is packed."""

    reductions: bool = option(False, help="pack only what is reduced, and may not be contiguous")


def analyze_messages(root: ir.Operation) -> tuple[ir.Operation, ...]:
    """The ops under `root` that communicate. Changes nothing; raises `PassFailure` for memory that is not strided."""
    found = find_ops(root, *_SENT, "func.call", where=lambda op: op.name in _SENT or is_exchange(op))
    for op in found:
        for value in op.operands:
            type_ = value.type
            if isinstance(type_, ir.UnrankedMemRefType) or (
                isinstance(type_, ir.MemRefType) and not has_strides(type_)
            ):
                raise PassFailure(f"'{op.name}' communicates a {type_}: it needs a rank and strides; copy it first", op)
    return tuple(found)


def _with_gaps(messages: Sequence[ir.Operation]) -> list[ir.Operation]:
    """The reductions among them of memrefs that may not be contiguous."""
    return [op for op in messages if op.name in _REDUCTIONS and not all(map(_is_contiguous, list(op.operands)[:2]))]


def _is_contiguous(memory: ir.Value) -> bool:
    return is_row_major(ir.MemRefType(memory.type))


def _as_line(buffer: ir.Value) -> ir.Value | None:
    """Build the view of a contiguous buffer as one line; None if it may not be contiguous."""
    type_ = ir.MemRefType(buffer.type)
    if type_.rank == 0:
        return memref.expand_shape(expanded_type(type_, [1], []), buffer, [], [], [1])
    count = 1
    for size in type_.shape:
        count = _DYNAMIC if _DYNAMIC in (count, size) else count * size
    group = list(range(type_.rank))
    line = collapsed_type(type_, [count], [group])
    if line is None or line.get_strides_and_offset()[0] != [1]:
        return None
    return buffer if type_.rank == 1 else memref.collapse_shape(line, buffer, [group])


class _Packer:
    """Packs the operands of one op. New buffers are filled before it, and emptied behind."""

    def __init__(self, op: ir.Operation) -> None:
        self.op = op
        self.copies = 0

    def line(self, value: ir.Value, *, sent: bool, received: bool) -> ir.Value:
        """The line for a memref that is sent, received, or both; `sent` also where its old content may stay."""
        buffer = cast_source(value)
        line = _as_line(buffer)
        if line is not None:
            return line
        made = allocate_line(buffer)
        if sent:
            memref.copy(buffer, made)
            self.copies += 1
        line = _as_line(made)
        assert line is not None, "what was just allocated is contiguous"
        if received:
            with ir.InsertionPoint.after(self.op):
                memref.copy(made, buffer)
            self.copies += 1
        return line


def _pack(op: ir.Operation) -> int:
    """Put lines in the place of the memrefs of an op of `mpi`; the number of copies."""
    packer = _Packer(op)
    sends, receives = _SENT[op.name]
    operands = list(op.operands)
    if op.name == "mpi.allreduce" and cast_source(operands[0]) == cast_source(operands[1]):
        op.operands[0] = op.operands[1] = packer.line(operands[0], sent=True, received=True)
        return packer.copies
    for number in (*sends, *receives):
        # A message may be shorter than the memory for it.
        keeps = number in sends or op.name == "mpi.recv"
        op.operands[number] = packer.line(operands[number], sent=keeps, received=number in receives)
    return packer.copies


def _pack_exchange(op: ir.Operation) -> int:
    """Call the function for lines; the number of copies."""
    packer = _Packer(op)
    operands = list(op.operands)
    overwrites = OVERWRITES in op.attributes
    lines = [
        packer.line(operands[0], sent=True, received=False),
        packer.line(operands[2], sent=not overwrites, received=True),
    ]
    element = ir.MemRefType(lines[0].type).element_type
    layout = ir.StridedLayoutAttr.get(ir.ShapedType.get_dynamic_stride_or_offset(), [1])
    wanted = ir.MemRefType.get([_DYNAMIC], element, layout)
    given = [line if line.type == wanted else memref.cast(wanted, line) for line in lines]
    name = send_receive_name(wanted) + "_line"
    call_declared(module_of(op), name, [given[0], operands[1], given[1], operands[3], operands[4]])
    op.erase()
    return packer.copies


class PackMessagesPass(Pass[PackMessagesOptions]):
    """Pack what is sent or received."""

    argument = "inplace-pack-messages"
    summary = "copy what MPI sends and receives to contiguous memory, where it is not there yet"
    statistics = (Statistic("packed-messages", "copies before sending and after receiving"),)
    Options = PackMessagesOptions
    concerns = (*_SENT, "func.call", *POSITIONS, "shard.grid")

    def run(self, op: ir.Operation) -> None:
        if self.options.reductions:
            self._pack_all(_with_gaps(analyze_messages(op)))
            return
        for call in find_ops(op, "func.call", where=lambda one: parts_exchange_of(one) is not None):
            exchange_in_turn(call)
        self._pack_all(analyze_messages(op))
        for position in find_ops(op, *POSITIONS):
            with ir.InsertionPoint(position), position.location:
                lower_position(position)
        if op.name == "builtin.module" and not find_ops(op, where=lambda one: "grid" in one.attributes):
            for grid in find_ops(op, "shard.grid"):
                grid.erase()

    def _pack_all(self, messages: Sequence[ir.Operation]) -> None:
        for message in messages:
            with ir.InsertionPoint(message), message.location:
                copies = _pack_exchange(message) if is_exchange(message) else _pack(message)
            self.count("packed-messages", copies)
