"""Operands that memref ops read and write, and the boxes that vector transfers access: the checker's own tables."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import linalg

from .places import LinearSum, Place, StridedBox
from .reading import narrowed, shape_of

__all__ = ["MEMORY_READS", "MEMORY_WRITES", "VIEWS", "init_count", "maps_of", "transfer_box", "writes_all"]

VIEWS = frozenset(
    {
        "memref.cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.memory_space_cast",
        "memref.reinterpret_cast",
        "memref.reshape",
        "memref.subview",
        "memref.transpose",
        "memref.view",
    }
)
MEMORY_READS = {
    "memref.load": 0,
    "vector.expandload": 0,
    "vector.gather": 0,
    "vector.load": 0,
    "vector.maskedload": 0,
    "vector.transfer_read": 0,
}
MEMORY_WRITES = {
    "memref.store": 1,
    "vector.compressstore": 0,
    "vector.maskedstore": 0,
    "vector.scatter": 0,
    "vector.store": 1,
    "vector.transfer_write": 1,
}
_ONE_INIT = frozenset({"linalg.map", "linalg.transpose", "linalg.broadcast"})


def init_count(op: ir.Operation) -> int:
    """Return how many outputs a structured op has, which are its last operands."""
    attributes = op.attributes
    if "operandSegmentSizes" in attributes:
        return ir.DenseI32ArrayAttr(attributes["operandSegmentSizes"])[1]
    return 1 if op.name in _ONE_INIT else len(op.operands) // 2


def maps_of(op: ir.Operation) -> list[ir.AffineMap]:
    """Return the indexing maps of a structured op."""
    array = op.attributes["indexing_maps"] if "indexing_maps" in op.attributes else linalg.get_indexing_maps(op)
    assert array is not None, op.name
    return [ir.AffineMapAttr(map_).value for map_ in ir.ArrayAttr(array)]


def writes_all(op: ir.Operation, operand: int) -> bool:
    """Whether a structured op must write every element of ``operand``: its map is a permutation."""
    return maps_of(op)[operand].is_permutation


def transfer_box(op: ir.Operation, base: int, vector: ir.Type, indices: list[LinearSum]) -> Place:
    """Return the place of the box that a transfer may access in operand ``base``; all of it if unknown."""
    shape, type_ = shape_of(op.operands[base].type), ir.VectorType(vector)
    if shape is None or any(type_.scalable_dims) or "permutation_map" not in op.attributes:
        return ()
    sizes = [1] * len(shape)
    results = ir.AffineMapAttr(op.attributes["permutation_map"]).value.results
    for expression, size in zip(results, type_.shape, strict=False):
        if isinstance(expression, ir.AffineDimExpr):
            sizes[expression.position] = size
    return narrowed(shape, StridedBox(tuple(indices), tuple(map(LinearSum, sizes)), (LinearSum(1),) * len(shape)), None)
