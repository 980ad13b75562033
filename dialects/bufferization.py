"""bufferization: ops on both tensors and memrefs, by which a program controls its own buffers."""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir

from .bufferizable import OpModel, is_tensor
from .common_models import CopyModel, NoReadModel
from .rewriter import Rewriter
from .support.memref_types import has_strides, identity_type
from .support.wrapped_memrefs import MATERIALIZE, is_in_wrapper, wrappers

__all__ = ["MEMREF_LOADS", "MODELS"]

MEMREF_LOADS = frozenset({"memref.dim", "memref.load", "vector.load", "vector.transfer_read"})
"""Ops that read memrefs and neither write nor return them."""


class AllocTensorModel(OpModel):
    """``bufferization.alloc_tensor``: a new buffer, with the content of the ``copy`` operand if there is one."""

    op_names = ("bufferization.alloc_tensor",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse unranked tensors."""
        if isinstance(op.results[0].type, ir.UnrankedTensorType):
            return f"'{op.name}' of an unranked tensor is not supported; give the tensor a rank"
        return None

    def _copied(self, op: ir.Operation) -> int | None:
        sizes = list(op.attributes["operandSegmentSizes"])
        return sizes[0] if sizes[1] else None

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """The content is copied, if anyone wants it."""
        return next(iter(op.results[0].uses), None) is not None

    def result_is_undefined(self, op: ir.Operation, result: int) -> bool:
        """Without a copy there is no content to lose."""
        return self._copied(op) is None

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """Contiguous, in the memory space that the op names."""
        return _allocated_type(op)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate, and copy."""
        result = op.results[0]
        type_ = ir.MemRefType(_allocated_type(op))
        copied = self._copied(op)
        if copied is None:
            sizes = list(op.operands)[: op.attributes["operandSegmentSizes"][0]]
            needed = rewriter.needs_buffer(result)
            rewriter.replace(op, [rewriter.allocate(type_, sizes) if needed else None])
            return
        if next(iter(result.uses), None) is None:
            rewriter.replace(op, [None])
            return
        source = rewriter.buffer(op, copied)
        buffer = rewriter.allocate(type_, rewriter.sizes(source))
        rewriter.copy(source, buffer)
        rewriter.replace(op, [buffer])


def _allocated_type(op: ir.Operation) -> ir.Type:
    return identity_type(op.results[0].type, op.attributes.get("memory_space", None))


class DeallocTensorModel(NoReadModel):
    """``bufferization.dealloc_tensor``: marks the end of a tensor's lifetime; nothing is emitted for it.

    Unlike upstream's it frees nothing: other tensors may live in that buffer, or it may be an argument. Deallocation
    frees every buffer after its last use, which is here or earlier where the op is right.
    """

    op_names = ("bufferization.dealloc_tensor",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Emit nothing."""
        rewriter.replace(op, [])


class MaterializeModel(CopyModel):
    """``bufferization.materialize_in_destination``: the source, in the destination's memory."""

    op_names = (MATERIALIZE,)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse unranked tensors, and a memref destination that others may alias or that must not be written."""
        if isinstance(op.operands[0].type, ir.UnrankedTensorType):
            return f"'{op.name}' of an unranked tensor is not supported; give the tensor a rank"
        if is_tensor(op.operands[1].type):
            return None
        if "writable" not in op.attributes:
            return f"'{op.name}' into a memref needs the attribute writable; add it if the memref may be written"
        if "restrict" not in op.attributes and not is_in_wrapper(op):
            return (
                f"'{op.name}' into a memref needs the attribute restrict, or one bufferization.to_tensor of the memref "
                "in front of it; add it if the memref is written through this op only"
            )
        return None

    def must_bufferize_in_place(self, op: ir.Operation, operand: int) -> bool:
        """What a memref is to hold must be in its own memory, not in that of a copy of the tensor that wraps it."""
        uses = op.results[0].uses if op.results else ()
        return operand == self.destination and any(is_in_wrapper(use.owner.operation) for use in uses)

    def escapes(self, op: ir.Operation, operand: int) -> bool:
        """What shares the memory with a tensor may be read from the memref at any later time."""
        return operand == 0 and not op.results and "restrict" not in op.attributes

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Copy the source to the destination."""
        target = op.operands[1]
        if not is_tensor(target.type):
            source = rewriter.buffer(op, 0)
            if source != target:
                rewriter.copy(source, target)
            rewriter.replace(op, [])
            return
        target = rewriter.buffer(op, 1)
        if not rewriter.is_redundant_write(op, 1):
            rewriter.copy(rewriter.buffer(op, 0), target)
        rewriter.replace(op, [target])


class ToTensorModel(OpModel):
    """``bufferization.to_tensor``: a buffer from outside."""

    op_names = ("bufferization.to_tensor",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse a buffer that other memrefs may alias, and one whose layout has no strides."""
        type_ = op.operands[0].type
        if isinstance(type_, ir.MemRefType) and not has_strides(type_):
            return f"'{op.name}' of {type_}, whose layout has no strides, is not supported; copy it to a strided memref"
        if "writable" in op.attributes and _is_wrapped_twice(op):
            return (
                f"'{op.name}' is marked 'writable', but there is another to_tensor of the same memref; "
                "make one tensor and use it twice"
            )
        if "restrict" not in op.attributes:
            return (
                f"'{op.name}' without restrict may alias any other memref, which the analysis cannot follow; "
                "add restrict if the tensor is the only way to this memory"
            )
        return None

    def is_writable(self, op: ir.Operation, result: int) -> bool:
        """Only if the op says so."""
        return "writable" in op.attributes

    def bufferizes_to_allocation(self, op: ir.Operation, result: int) -> bool:
        """The memory is the memref's."""
        return False

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """That of the memref."""
        return op.operands[0].type

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Use the buffer."""
        rewriter.replace(op, [op.operands[0]])


def _is_wrapped_twice(op: ir.Operation) -> bool:
    return len(wrappers(op.operands[0])) > 1


class ToBufferModel(OpModel):
    """``bufferization.to_buffer``: the buffer of a tensor escapes to code on memrefs."""

    op_names = ("bufferization.to_buffer",)

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        """Unless it is read-only, or all its uses are loads, the memref may be written."""
        uses = list(op.results[0].uses)
        only_loaded = bool(uses) and all(use.owner.name in MEMREF_LOADS for use in uses)
        return "read_only" not in op.attributes and not only_loaded

    def escapes(self, op: ir.Operation, operand: int) -> bool:
        """The memref may be used at any later time."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Use the buffer, brought to the type that is asked for."""
        rewriter.replace(op, [rewriter.cast(rewriter.buffer(op, 0), op.results[0].type)])


MODELS: tuple[OpModel, ...] = (
    AllocTensorModel(),
    DeallocTensorModel(),
    MaterializeModel(),
    ToTensorModel(),
    ToBufferModel(),
)
