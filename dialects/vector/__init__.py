"""vector transfers between tensors and vectors: loads and stores of buffers, masked or not.

A transfer touches a box of the tensor: from its indices on, as many elements along each dimension as the vector has
for it. Transfers of boxes that are known to be disjoint do not disturb each other. Upstream takes each as an access to
the whole tensor.
"""

from __future__ import annotations

from mlir import ir

from ..bufferizable import OpModel, Subset, is_tensor
from ..common_models import DestinationModel, NoReadModel
from ..region_branches import RegionBranchModel
from ..rewriter import Rewriter
from ..support.cloning import recreate
from ..support.constants import constant_integer
from .gathers import with_unit_stride

__all__ = ["MODELS", "MaskModel", "TransferReadModel", "TransferWriteModel", "VectorGatherModel", "VectorScatterModel"]

_MASK = "vector.mask"
_INDIRECT = frozenset({"vector.gather", "vector.scatter"})


def _mask_around(op: ir.Operation) -> ir.Operation | None:
    """Return the ``vector.mask`` that masks ``op``."""
    around = op.parent
    return around.operation if around is not None and around.operation.name == _MASK else None


def _in_front(op: ir.Operation) -> ir.InsertionPoint:
    """Return where to build operands of ``op``: in front of its mask, which holds one op only."""
    return ir.InsertionPoint(_mask_around(op) or op)


def _on_buffer(op: ir.Operation, operand: int, buffer: ir.Value, results: list[ir.Type]) -> ir.Operation:
    """Create ``op`` with ``buffer`` as its ``operand``."""
    operands = list(op.operands)
    operands[operand] = buffer
    if op.name in _INDIRECT:
        with _in_front(op):
            operands = with_unit_stride(operands)
    return recreate(op, operands, results)


class _LoadModel(OpModel):
    """Ops that load a vector from their operand 0."""

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Read from the buffer."""
        with _in_front(op):
            buffer = rewriter.buffer(op, 0)
        new = _on_buffer(op, 0, buffer, [op.results[0].type])
        rewriter.replace(op, [new.result])


class TransferReadModel(_LoadModel):
    """``vector.transfer_read`` from a tensor."""

    op_names = ("vector.transfer_read",)

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """At most the box of the vector is read; masks and the end of the tensor make it smaller."""
        return _box(op, 0, ir.VectorType(op.results[0].type))


class VectorGatherModel(_LoadModel):
    """``vector.gather`` from a tensor: may read any element."""

    op_names = ("vector.gather",)


class _StoreModel(DestinationModel):
    """Ops that store a vector to their destination. Elements that they do not hit keep their values: that is a read."""

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Write to the buffer."""
        with _in_front(op):
            buffer = rewriter.buffer(op, self.destination)
        _on_buffer(op, self.destination, buffer, [])
        rewriter.replace(op, [buffer])


class TransferWriteModel(_StoreModel):
    """``vector.transfer_write`` to a tensor: writes a box of the destination, or some of it."""

    op_names = ("vector.transfer_write",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """The destination keeps what the vector does not cover."""
        return not _covers_destination(op)

    def subset(self, op: ir.Operation, operand: int) -> Subset | None:
        """The box of the vector, unless a mask leaves a part of it as it was."""
        if _has_mask(op):
            return None
        return _box(op, 1, ir.VectorType(op.operands[0].type))


class VectorScatterModel(_StoreModel):
    """``vector.scatter`` to a tensor: may write any element."""

    op_names = ("vector.scatter",)
    destination = 0


class MaskModel(RegionBranchModel):
    """``vector.mask``: runs the one op in its region under a mask, and returns what that returns."""

    op_names = (_MASK,)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse a tensor for the elements that the mask leaves out."""
        if any(is_tensor(value.type) for value in op.operands):
            return f"'{op.name}' with a tensor as passthru is not supported; mask a vector, or write to the passthru"
        return None

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Mask the op on memrefs, which returns nothing any more."""
        if not any(is_tensor(result.type) for result in op.results):
            return
        terminator, block = rewriter.terminator(op, 0), op.regions[0].blocks[0]
        written = len(list(block.operations)) > 1
        new = ir.Operation.create(_MASK, operands=list(op.operands), regions=1) if written else None
        buffer = rewriter.yielded_buffer(terminator, 0, None)
        ir.Operation.create("vector.yield", ip=ir.InsertionPoint(terminator))
        terminator.erase()
        rewriter.sweep(op)
        if new is not None:
            block.append_to(new.regions[0])
        rewriter.replace(op, [buffer])


def _has_mask(op: ir.Operation) -> bool:
    """Whether transfer ``op`` may leave out elements of its vector."""
    return list(op.attributes["operandSegmentSizes"])[-1] != 0 or _mask_around(op) is not None


def _map(op: ir.Operation) -> ir.AffineMap:
    return ir.AffineMapAttr(op.attributes["permutation_map"]).value


def _box(op: ir.Operation, tensor: int, vector: ir.VectorType) -> Subset | None:
    """Return the elements of operand ``tensor`` that a transfer of ``vector`` reaches; None if their number varies.

    A dimension that the permutation map does not name has one element, a broadcast one too.
    """
    if any(vector.scalable_dims):
        return None
    rank = ir.ShapedType(op.operands[tensor].type).rank
    sizes = [1] * rank
    # An element that is a vector itself takes the vector's last dimensions, for which the map has no results.
    for expression, size in zip(_map(op).results, vector.shape, strict=False):
        if isinstance(expression, ir.AffineDimExpr):
            sizes[expression.position] = size
    indices = list(op.operands)[tensor + 1 : tensor + 1 + rank]
    return Subset(tuple(indices), tuple(sizes), (1,) * rank)


def _covers_destination(op: ir.Operation) -> bool:
    """Whether a transfer_write certainly writes every element of its destination; the vector may reach beyond it."""
    operands = list(op.operands)
    vector, tensor = ir.VectorType(operands[0].type), ir.RankedTensorType(operands[1].type)
    return (
        not _has_mask(op)
        and tensor.has_static_shape
        and not any(vector.scalable_dims)
        and _map(op) == ir.AffineMap.get_identity(tensor.rank)
        # An element that is a vector itself takes the vector's last dimensions.
        and all(written >= size for written, size in zip(vector.shape, tensor.shape, strict=False))
        and all(_is_zero(index) for index in operands[2 : 2 + tensor.rank])
    )


def _is_zero(index: ir.Value) -> bool:
    return constant_integer(index) == 0


MODELS: tuple[OpModel, ...] = (
    TransferReadModel(),
    TransferWriteModel(),
    VectorGatherModel(),
    VectorScatterModel(),
    MaskModel(),
    NoReadModel("vector.yield"),
)
