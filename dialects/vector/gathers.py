"""vector.gather from and vector.scatter to tensors: accesses along the innermost dimension of a buffer.

LLVM's gathers and scatters know unit strides only, and upstream folds some into loads that demand them. A buffer whose
innermost stride is not known to be one is therefore addressed through a line of elements that starts where the access
does, with the indices multiplied by the stride. No element is copied.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, memref, vector

from ..structured import index_constant
from ..subsets import reinterpret_cast, strided_metadata

__all__ = ["with_unit_stride"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def with_unit_stride(operands: list[ir.Value]) -> list[ir.Value]:
    """Return the operands of a gather or scatter whose innermost stride is one, for any such operands on a memref.

    They are: the memref, an index for each dimension, the vector of indices, and what stays as it is.
    """
    type_ = ir.MemRefType(operands[0].type)
    strides, _ = type_.get_strides_and_offset()
    if not strides or strides[-1] == 1:
        return operands
    rank = type_.rank
    start, stride = _start(operands[0], operands[1 : 1 + rank])
    layout = ir.StridedLayoutAttr.get(ir.ShapedType.get_dynamic_stride_or_offset(), [1])
    line = ir.MemRefType.get([_DYNAMIC], type_.element_type, layout, type_.memory_space)
    # The size of the line does not matter: the indices say which elements are accessed.
    length = memref.dim(operands[0], index_constant(rank - 1))
    elements = reinterpret_cast(operands[0], line, start, [length], [1])
    indices = _scaled(operands[1 + rank], stride)
    return [elements, index_constant(0), indices, *operands[2 + rank :]]


def _start(buffer: ir.Value, indices: list[ir.Value]) -> tuple[ir.Value, ir.Value]:
    """Return the offset of the element at ``indices`` from the start of the allocation, and the innermost stride."""
    start, strides = strided_metadata(buffer)
    for position, stride in zip(indices, strides, strict=True):
        start = arith.addi(start, arith.muli(position, stride))
    return start, strides[-1]


def _scaled(indices: ir.Value, stride: ir.Value) -> ir.Value:
    """Return the vector ``indices`` times ``stride``, as indices: a narrow type might overflow."""
    given = ir.VectorType(indices.type)
    wide = ir.VectorType.get(given.shape, ir.IndexType.get(), scalable=given.scalable_dims)
    if given.element_type != ir.IndexType.get():
        indices = arith.index_cast(wide, indices)
    return arith.muli(indices, vector.broadcast(wide, stride))
