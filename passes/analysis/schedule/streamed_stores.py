"""Vector writes to buffers that are larger than the caches and not read again, for nontemporal stores.

Such a stream is a buffer, an argument or an allocation, which nothing in the function reads. Nontemporal stores write
its vectors past the caches: cached stores would evict other data, and read each line from memory before it is written.
The address of such a store must be a multiple of the vector's size. The address of the buffer is checked when the
program runs; the offset in the buffer must be proved to be a multiple, through constants, steps of loops, sums,
products and subviews. A dynamic size is checked when the program runs: that the buffer is large, and, where rows lie
one after the other, that a row is a multiple of the vector's size.

Reads elsewhere affect speed only; alignment has to be proved.

Linear in the uses of buffers; nothing is changed.
"""

from __future__ import annotations

from dataclasses import field
from math import gcd, prod

from mlir import ir

from ....dialects.subsets import mixed_subset
from ....dialects.support.defining_ops import defining_op, parent_block
from ....dialects.support.frozen_classes import frozen
from ....dialects.support.memref_types import has_identity_layout
from ..ir.traversal import find_ops
from ..linalg.structured_op import type_bytes

__all__ = ["Stream", "find_streams"]

_DYNAMIC = ir.ShapedType.get_dynamic_stride_or_offset()
_VIEWS = frozenset(f"memref.{name}" for name in ("cast", "subview"))
_KEEPS = frozenset({"func.return", "linalg.fill", "memref.dealloc", "memref.dim", "memref.store", "vector.store"})
"""Ops that do not read the buffer they work on."""
_WRITE = "vector.transfer_write"
_SEQUENTIAL = frozenset({"scf.for", "scf.if", "scf.while"})
_VECTOR_BYTES = frozenset({16, 32, 64})
_LINE_BYTES = 64


@frozen
class StreamedBuffer:
    """What the program must check of a buffer before it writes past the caches.

    Attributes:
        vector_bytes: what its address is a multiple of: the size of the largest vector that is written.
        least: the elements that it has at least; 0 if its size is static, and large.
        lanes: what its innermost size is a multiple of; 1 if nothing depends on it.
    """

    vector_bytes: int
    least: int = 0
    lanes: int = 1


@frozen
class Stream:
    """Writes of vectors to large buffers by a loop.

    Attributes:
        loop: an `scf.for` without results, the outermost one in one thread.
        writes: writes of vectors at offsets that are multiples of their sizes.
        buffers: the buffers, with what the program must check of each.
    """

    loop: ir.Operation
    writes: list[ir.Operation] = field(default_factory=list[ir.Operation])
    buffers: dict[ir.Value, StreamedBuffer] = field(default_factory=dict[ir.Value, StreamedBuffer])


def find_streams(function: ir.Operation, least: int, least_of_lines: int) -> list[Stream]:
    """Return the loops with streams into buffers of at least `least` bytes.

    `least_of_lines`: the same for vectors that are whole lines of the caches; no more than `least`.
    """
    found: dict[ir.Value, Stream] = {}
    multiples = _Multiples()
    for buffer in _buffers(function):
        type_ = ir.MemRefType(buffer.type)
        bytes_ = type_bytes(type_) if type_.has_static_shape else None
        if not has_identity_layout(type_) or (bytes_ is not None and bytes_ < least_of_lines):
            continue
        element = type_bytes(type_.element_type)
        row = _row(type_)
        for write in _writes(buffer):
            loop, size = _outermost_loop(write, buffer), _aligned_size(write, row, multiples)
            wanted = least if size < _LINE_BYTES else least_of_lines
            if loop is not None and size and (bytes_ is None or bytes_ >= wanted):
                stream = found.setdefault(loop.regions[0].blocks[0].arguments[0], Stream(loop))
                stream.writes.append(write)
                known = stream.buffers.get(buffer, StreamedBuffer(0))
                size = max(size, known.vector_bytes)
                elements = max(-(-wanted // element), known.least) if bytes_ is None else 0
                lanes = size // element if row is None and type_.rank > 1 else 1
                stream.buffers[buffer] = StreamedBuffer(size, elements, lanes)
    return list(found.values())


def _buffers(function: ir.Operation) -> list[ir.Value]:
    """Return the memrefs that are arguments or allocations."""
    arguments = function.regions[0].blocks[0].arguments
    return [
        *(value for value in arguments if isinstance(value.type, ir.MemRefType)),
        *(op.results[0] for op in find_ops(function, "memref.alloc")),
    ]


def _outermost_loop(op: ir.Operation, buffer: ir.Value) -> ir.Operation | None:
    """Return the outermost single-thread loop around `op` below the definition of `buffer`, if it has no results."""
    beginning = parent_block(buffer)
    found: ir.Operation | None = None
    while op.block != beginning and op.parent is not None and op.parent.operation.name in _SEQUENTIAL:
        op = op.parent.operation
        found = op if op.name == "scf.for" else found
    return found if found is not None and not len(found.results) else None


def _writes(root: ir.Value) -> list[ir.Operation]:
    """Return the vector writes to `root` and its views; none if an op may read them or let them escape."""
    writes: list[ir.Operation] = []
    views = [root]
    while views:
        view = views.pop()
        for use in view.uses:
            op = use.owner.operation
            if op.name in _VIEWS:
                views.append(op.results[0])
            elif op.name == _WRITE:
                writes.append(op)
            elif op.name not in _KEEPS:
                return []
    return writes


def _row(type_: ir.MemRefType) -> int | None:
    """Return the innermost size, which all strides of dimensions around it are multiples of; None if it is dynamic."""
    if not type_.rank or type_.is_dynamic_dim(type_.rank - 1):
        return None
    return type_.get_dim_size(type_.rank - 1)


def _aligned_size(op: ir.Operation, row: int | None, multiples: _Multiples) -> int:
    """Return how many contiguous bytes `op` writes, if its offset is known to be a multiple of them; else 0.

    The offset may depend on a dynamic `row` (None): the program compares that with a multiple of the vector.
    """
    type_ = ir.VectorType(op.operands[0].type)
    base = op.operands[1]
    memref = ir.MemRefType(base.type)
    element = type_bytes(type_.element_type)
    size = prod(type_.shape) * element
    rank = memref.rank
    if type_.rank != 1 or size not in _VECTOR_BYTES or not rank or len(op.operands) != 2 + rank:
        return 0
    last = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(rank - 1)])
    whole = all(ir.BoolAttr(one).value for one in ir.ArrayAttr(op.attributes["in_bounds"]))
    if not whole or ir.AffineMapAttr(op.attributes["permutation_map"]).value != last:
        return 0
    if memref.get_strides_and_offset()[0][-1] != 1:
        return 0
    lanes = size // element
    row = lanes if row is None else row
    places = zip(list(op.operands)[2:], _strides(memref, row), strict=True)
    offset = gcd(*(multiples.of(index) * stride for index, stride in places), multiples.of_view(base, row))
    return size if offset % lanes == 0 else 0


def _strides(type_: ir.MemRefType, row: int) -> list[int]:
    """Return the strides, with `row` for dynamic ones, which are products of a row and of the steps of subviews."""
    return [row if stride == _DYNAMIC else stride for stride in type_.get_strides_and_offset()[0]]


class _Multiples:
    """Known divisors of index values; 0 is a multiple of everything."""

    def __init__(self) -> None:
        self._known: dict[ir.Value, int] = {}

    def of(self, value: ir.Value) -> int:
        """Return a number that `value` is a multiple of."""
        if value not in self._known:
            self._known[value] = 1  # For a value that depends on itself.
            self._known[value] = self._computed(value)
        return self._known[value]

    def _computed(self, value: ir.Value) -> int:
        op = defining_op(value)
        if op is None:
            loop = parent_block(value).owner
            if loop.name != "scf.for" or ir.BlockArgument(value).arg_number != 0:
                return 1
            lower, _, step = list(loop.operands)[:3]
            return gcd(self.of(lower), self.of(step))
        if op.name == "arith.constant":
            return abs(ir.IntegerAttr(op.attributes["value"]).value)
        if op.name in {"arith.addi", "arith.subi"}:
            return gcd(self.of(op.operands[0]), self.of(op.operands[1]))
        if op.name == "arith.muli":
            return self.of(op.operands[0]) * self.of(op.operands[1])
        return 1

    def of_view(self, view: ir.Value, row: int) -> int:
        """Return what the offset of a view in its buffer is a multiple of, in elements. Dynamic strides: of `row`."""
        total = 0
        while (op := defining_op(view, *_VIEWS)) is not None:
            view = op.operands[0]
            if op.name == "memref.subview":
                strides = _strides(ir.MemRefType(view.type), row)
                for offset, stride in zip(mixed_subset(op, 1).offsets, strides, strict=True):
                    total = gcd(total, (offset if isinstance(offset, int) else self.of(offset)) * stride)
        return total
