"""tensor.cast and tensor.bitcast: the same elements, or the same bits, under another type.

A cast reads nothing and ties its result to its source. Unranked buffers may have any layout, so one becomes ranked
under fully dynamic strides; only there is its rank known, to make a copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, memref

from ..bufferizable import AliasingValue, OpModel
from ..common_models import NoReadModel
from ..rewriter import Rewriter
from ..structured import build_generic
from ..support.memref_types import dynamic_layout_type, reshaped_type

__all__ = ["CAST_MODELS", "cast_memref", "cast_shape", "is_unranked"]


class CastModel(NoReadModel):
    """``tensor.cast``: the same buffer under a type that says more or less about its shape, or not even the rank."""

    op_names = ("tensor.cast",)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the operand's buffer."""
        return (AliasingValue(0),)

    def copies_unranked(self, op: ir.Operation, operand: int) -> bool:
        """An unranked operand is cast first, and copied where its rank is known."""
        return isinstance(op.results[0].type, ir.RankedTensorType)

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """The operand's layout, if both are ranked."""
        return _cast_type(operands[0], op.results[0].type)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Cast the memref, keeping its layout."""
        type_ = op.results[0].type
        if isinstance(op.operands[0].type, ir.UnrankedTensorType):
            view = cast_memref(rewriter.source_buffer(op, 0), type_)
            rewriter.replace(op, [rewriter.settle_view(op, 0, view)])
        else:
            rewriter.replace(op, [cast_memref(rewriter.buffer(op, 0), type_)])


class BitcastModel(OpModel):
    """``tensor.bitcast``: a cast if the element type stays, else a new buffer: memrefs cannot change their elements."""

    op_names = ("tensor.bitcast",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse a bitcast of unknown rank."""
        source, result = op.operands[0].type, op.results[0].type
        if is_unranked(source) and is_unranked(result) and not self._is_cast(op):
            return (
                f"'tensor.bitcast' makes {result} of {source}, but the elements of a buffer are converted one by one, "
                "for which its rank must be known; cast one of them to a ranked tensor"
            )
        return None

    def _is_cast(self, op: ir.Operation) -> bool:
        return ir.ShapedType(op.operands[0].type).element_type == ir.ShapedType(op.results[0].type).element_type

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """Elements are read if they are converted."""
        return not self._is_cast(op)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the operand's buffer if its elements are what they were."""
        return (AliasingValue(0),) if self._is_cast(op) else ()

    def copies_unranked(self, op: ir.Operation, operand: int) -> bool:
        """As for a cast."""
        return CAST.copies_unranked(op, operand)

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """As for a cast, or contiguous."""
        return (CAST if self._is_cast(op) else super()).buffer_type(op, result, operands)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Cast, or convert every element into a new buffer."""
        if self._is_cast(op):
            CAST.bufferize(op, rewriter)
            return
        source, result = rewriter.buffer(op, 0), op.results[0].type
        element = ir.ShapedType(result).element_type
        if isinstance(source.type, ir.UnrankedMemRefType):
            shape = ir.RankedTensorType(result).shape
            source = cast_memref(source, ir.RankedTensorType.get(shape, source.type.element_type))
        elif not is_unranked(result):
            source = cast_memref(source, ir.RankedTensorType.get(ir.ShapedType(result).shape, source.type.element_type))
        shape = ir.MemRefType(source.type).shape
        target = rewriter.allocate(ir.MemRefType.get(shape, element), rewriter.sizes(source))
        build_generic([source], target, lambda elements: _convert_bits(elements[0], element))
        rewriter.replace(op, [cast_memref(target, result)])


def is_unranked(type_: ir.Type) -> bool:
    """Whether ``type_`` is that of an unranked tensor."""
    return isinstance(type_, ir.UnrankedTensorType)


def cast_shape(buffer: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Return ``buffer`` with another, compatible ``shape`` and the layout it has."""
    type_ = reshaped_type(ir.MemRefType(buffer.type), shape)
    return buffer if buffer.type == type_ else memref.cast(type_, buffer)


def cast_memref(buffer: ir.Value, tensor: ir.Type) -> ir.Value:
    """Return ``buffer`` with the shape of ``tensor``, ranked or not, and the layout it has."""
    type_ = _cast_type(buffer.type, tensor)
    return buffer if buffer.type == type_ else memref.cast(type_, buffer)


def _cast_type(source: ir.Type, tensor: ir.Type) -> ir.Type:
    if isinstance(source, ir.MemRefType) and isinstance(tensor, ir.RankedTensorType):
        return reshaped_type(source, tensor.shape)
    assert isinstance(source, ir.MemRefType | ir.UnrankedMemRefType)
    return dynamic_layout_type(tensor, source.memory_space)


def _convert_bits(value: ir.Value, type_: ir.Type) -> ir.Value:
    """Return ``value`` with its bits read as ``type_``; integers with a sign are signless ones by another name."""
    value = _rename(value, _signless(value.type))
    signless = _signless(type_)
    if value.type != signless:
        value = arith.bitcast(signless, value)
    return _rename(value, type_)


def _signless(type_: ir.Type) -> ir.Type:
    return ir.IntegerType.get_signless(type_.width) if isinstance(type_, ir.IntegerType) else type_


def _rename(value: ir.Value, type_: ir.Type) -> ir.Value:
    if value.type == type_:
        return value
    return ir.Operation.create("builtin.unrealized_conversion_cast", results=[type_], operands=[value]).result


CAST = CastModel()

CAST_MODELS: tuple[OpModel, ...] = (CAST, BitcastModel())
