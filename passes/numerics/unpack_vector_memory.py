"""Read and write vectors of elements that are no whole bytes as memrefs hold them: one by one, not packed.

In: ops of the vector dialect that read or write a memref of numbers, when its elements have 1 or 4 bits, say, as
vectors of such elements. Out: the same on elements of 8, 16, 32, 64 or 128 bits, which are truncated after they are
read and extended before they are written. Left alone: elements of these widths, memrefs of vectors, gathers and
scatters, which touch each element by itself.

```mlir
func.func @f(%m: memref<16xi4>, %i: index) -> vector<8xi4> {
  %0 = vector.load %m[%i] : memref<16xi4>, vector<8xi4>
  return %0 : vector<8xi4>
}
```

becomes:

```mlir
func.func @f(%m: memref<16xi4>, %i: index) -> vector<8xi4> {
  %0 = builtin.unrealized_conversion_cast %m : memref<16xi4> to memref<16xi8>
  %1 = vector.load %0[%i] : memref<16xi8>, vector<8xi8>
  %2 = arith.trunci %1 : vector<8xi8> to vector<8xi4>
  return %2 : vector<8xi4>
}
```

The reason: to LLVM a memref is an array, whose elements lie at whole bytes, but a vector in memory is packed, so that
eight elements of 4 bits take four bytes. The descriptors of both memrefs are the same, and the casts between them go
where memrefs become descriptors.

Linear in the operations.

Upstream counterpart: none. `memref-emulate-narrow-type` packs the elements of memrefs as well.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from ...dialects.support.cloning import attributes_of
from ...dialects.support.element_sizes import element_bytes
from ...dialects.support.number_types import with_number_type
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

_ACCESSES = (
    "vector.compressstore",
    "vector.expandload",
    "vector.load",
    "vector.maskedload",
    "vector.maskedstore",
    "vector.store",
    "vector.transfer_read",
    "vector.transfer_write",
)


def analyze_packed_accesses(root: ir.Operation) -> list[ir.Operation]:
    """Return the ops under `root` that would read or write a memref as if its elements were packed. Changes nothing."""
    return find_ops(root, *_ACCESSES, where=lambda op: _memref_of(op) is not None)


def _memref_of(op: ir.Operation) -> ir.Value | None:
    """The memref that `op` accesses, if it has numbers of a width that vectors pack in another way."""
    for value in op.operands:
        type_ = value.type
        if isinstance(type_, ir.MemRefType):
            return value if _is_packed(type_.element_type) else None
    return None


def _is_packed(number: ir.Type) -> bool:
    return isinstance(number, ir.IntegerType | ir.FloatType) and number.width != 8 * element_bytes(number)


def _unrealized(value: ir.Value, type_: ir.Type) -> ir.Value:
    """`value` as another type that is the same to LLVM."""
    return ir.Operation.create("builtin.unrealized_conversion_cast", results=[type_], operands=[value]).result


class _Unpacking:
    """The types of one access: numbers as they are, as integers of their width, and as memory holds them."""

    def __init__(self, number: ir.IntegerType | ir.FloatType) -> None:
        self.number = number
        self.bits = ir.IntegerType.get_signless(number.width)
        self.whole = ir.IntegerType.get_signless(8 * element_bytes(number))

    def is_number(self, type_: ir.Type) -> bool:
        """Whether `type_` is the number, or a vector of it."""
        return type_ == self.number or (isinstance(type_, ir.VectorType) and type_.element_type == self.number)

    def memref(self, memref: ir.Value) -> ir.Value:
        """The same memory with whole elements."""
        type_ = ir.MemRefType(memref.type)
        whole = ir.MemRefType.get(type_.shape, self.whole, type_.layout, type_.memory_space)
        return _unrealized(memref, whole)

    def extended(self, value: ir.Value) -> ir.Value:
        """A number or vector with whole elements; what is beside their bits is 0, as where LLVM stores one."""
        bits = self._recast(value, self.bits)
        return arith.extui(with_number_type(bits.type, self.whole), bits)

    def truncated(self, value: ir.Value) -> ir.Value:
        """The numbers of whole elements."""
        return self._recast(arith.trunci(with_number_type(value.type, self.bits), value), self.number)

    def _recast(self, value: ir.Value, number: ir.Type) -> ir.Value:
        """The same bits as numbers of another type."""
        type_ = with_number_type(value.type, number)
        if type_ == value.type:
            return value
        if isinstance(self.number, ir.FloatType):
            return arith.bitcast(type_, value)
        return _unrealized(value, type_)  # Only arith tells signed integers apart.


def _unpack(op: ir.Operation, memref: ir.Value) -> None:
    """Replace `op`, which accesses `memref`, by one on whole elements."""
    number = ir.MemRefType(memref.type).element_type
    assert isinstance(number, ir.IntegerType | ir.FloatType), "it was found to be packed"
    unpacking = _Unpacking(number)
    mask = _mask_of(op)
    operands: list[ir.Value] = []
    for place, value in enumerate(op.operands):
        if value == memref:
            operands.append(unpacking.memref(value))
        elif place != mask and unpacking.is_number(value.type):
            operands.append(unpacking.extended(value))
        else:
            operands.append(value)
    types = [with_number_type(type_, unpacking.whole) for type_ in op.results.types]
    new = ir.Operation.create(op.name, results=types, operands=operands, attributes=attributes_of(op))
    for old, result in zip(op.results, new.results, strict=True):
        old.replace_all_uses_with(unpacking.truncated(result))
    op.erase()


def _mask_of(op: ir.Operation) -> int | None:
    """The number of the mask operand, a vector of i1 whatever the elements are."""
    if op.name.startswith("vector.transfer_"):
        sizes = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
        return len(op.operands) - 1 if sizes[len(sizes) - 1] else None
    if op.name in ("vector.load", "vector.store"):
        return None
    return len(op.operands) - 2  # In front of what is stored, or taken where the mask is off.


class UnpackVectorMemoryPass(Pass[PassOptions]):
    """Access elements that are no whole bytes as memrefs hold them."""

    argument = "inplace-unpack-vector-memory"
    summary = "access vectors of i1, i4 and other narrow integers in memory with one byte for each element"
    statistics = (Statistic("unpacked", "accesses that have whole elements now"),)

    def run(self, op: ir.Operation) -> None:
        with ir.Location.unknown(op.context):
            for access in analyze_packed_accesses(op):
                memref = _memref_of(access)
                assert memref is not None, "it was found by it"
                with ir.InsertionPoint(access), access.location:
                    _unpack(access, memref)
                self.count("unpacked")
