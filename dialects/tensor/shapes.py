"""tensor: reshapes, which keep the elements and their order.

A reshape reads nothing and ties its result to its source. It needs elements that lie contiguously: a buffer in which
they do not, or are not known to, is copied first. An unranked buffer may have any layout; how one that was ranked
before lies is known, and looked up behind the cast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, memref

from ..bufferizable import AliasingValue, OpModel, Relation
from ..common_models import NoReadModel
from ..rewriter import Rewriter
from ..structured import build_generic, index_constant
from ..subsets import collapse_shape, mixed_subset, subset_type
from ..support.memref_types import collapsed_type, expanded_type, has_identity_layout, identity_type, reshaped_type
from .casts import cast_memref, cast_shape, is_unranked

__all__ = ["SHAPE_MODELS", "reassociation", "reassociation_of"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()

_MOST_SLICES = 4


class ReassociationModel(NoReadModel):
    """``tensor.expand_shape`` and ``tensor.collapse_shape``: groups of dimensions become one, or one a group."""

    op_names = ("tensor.expand_shape", "tensor.collapse_shape")

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the source's memory, or a copy where a collapse needs contiguous dimensions."""
        return (AliasingValue(0, Relation.RESHAPED),)

    def surely_copies(self, op: ir.Operation, operand: int) -> bool:
        """A collapse of a slice that leaves gaps."""
        if op.name == "tensor.expand_shape":
            return False
        shape, groups = ir.ShapedType(op.results[0].type).shape, reassociation_of(op)
        return _has_gaps(op, lambda type_: collapsed_type(type_, shape, groups))

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """That of the view; a collapse that may be one, or a copy, may have any strides."""
        groups = reassociation_of(op)
        shape = ir.ShapedType(op.results[0].type).shape
        reshaped = expanded_type if op.name == "tensor.expand_shape" else collapsed_type
        return reshaped(ir.MemRefType(operands[0]), shape, groups)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Reshape the memref; a strided one that cannot be collapsed is copied first."""
        buffer, result = rewriter.buffer(op, 0), op.results[0]
        groups = reassociation_of(op)
        shape = ir.ShapedType(result.type).shape
        if op.name == "tensor.expand_shape":
            new = _expand(buffer, shape, groups, list(op.operands)[1:])
        else:
            new = _before_expansion(buffer, shape, groups) or _collapse(buffer, shape, groups)
            if new is None:
                rewriter.detach(result)
                new = _collapse(_contiguous(buffer, rewriter), shape, groups)
        rewriter.replace(op, [new])


def _before_expansion(buffer: ir.Value, shape: Sequence[int], groups: list[list[int]]) -> ir.Value | None:
    """Return what ``buffer`` was expanded from if that is what is asked for: its strides are lost to a collapse."""
    if isinstance(buffer.owner, ir.Block) or buffer.owner.operation.name != "memref.expand_shape":
        return None
    expansion = buffer.owner.operation
    source = expansion.operands[0]
    return source if reassociation_of(expansion) == groups and ir.MemRefType(source.type).shape == list(shape) else None


class ReshapeModel(OpModel):
    """``tensor.reshape``: the elements in the same order under a shape that a tensor holds.

    The buffer is collapsed to one dimension and expanded again: unlike ``memref.reshape`` this keeps an offset, and
    reads no more of the shape than the sizes that the type leaves open.
    """

    op_names = ("tensor.reshape",)

    def refuse(self, op: ir.Operation) -> str | None:
        """Refuse an unranked source of unknown layout."""
        source = op.operands[0]
        if is_unranked(source.type) and _rank_source(source) is None:
            return (
                f"'tensor.reshape' of {source.type} needs elements that lie contiguously, but nothing is known about "
                "the layout of an unranked tensor; cast it to a ranked tensor first"
            )
        return None

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        """The shape is read where the type of the result does not tell it."""
        result = op.results[0].type
        return operand == 1 and (is_unranked(result) or not ir.ShapedType(result).has_static_shape)

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        """The result is the source's memory, or a copy where the source is not contiguous."""
        return (AliasingValue(0, Relation.RESHAPED),) if operand == 0 else ()

    def surely_copies(self, op: ir.Operation, operand: int) -> bool:
        """A slice that leaves gaps."""
        return operand == 0 and _has_gaps(op, _flat_type)

    def copies_unranked(self, op: ir.Operation, operand: int) -> bool:
        """The source was ranked before, else it is refused."""
        return operand == 0

    def buffer_type(self, op: ir.Operation, result: int, operands: Mapping[int, ir.Type]) -> ir.Type | None:
        """That of the view, if both are ranked; where a copy may be needed, any strides."""
        type_, wanted = operands[0], op.results[0].type
        if not isinstance(type_, ir.MemRefType) or is_unranked(wanted):
            return None
        flat, shape = _flat_type(type_), ir.ShapedType(wanted).shape
        if flat is None:
            return None
        flat = reshaped_type(flat, [_count(shape)])
        if len(shape) == 1:
            return flat
        return expanded_type(flat, shape, [list(range(len(shape)))]) if shape else collapsed_type(flat, [], [])

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Collapse to one dimension, copying a strided buffer first, and expand to the new shape."""
        buffer, shape, result = _ranked(rewriter.buffer(op, 0)), rewriter.buffer(op, 1), op.results[0]
        flat = _flatten(buffer)
        if flat is None:
            rewriter.detach(result)
            flat = _flatten(_contiguous(buffer, rewriter))
            assert flat is not None
        length = ir.MemRefType(shape.type).shape[0]
        if not is_unranked(result.type):
            new = _unflatten(flat, shape, list(ir.ShapedType(result.type).shape))
        elif length != _DYNAMIC:
            new = cast_memref(_unflatten(flat, shape, [_DYNAMIC] * length), result.type)
        else:
            source = _contiguous(flat, rewriter)
            if source != flat:
                rewriter.detach(result)
            operands = [source, _contiguous_shape(shape, rewriter)]
            type_ = identity_type(result.type, ir.MemRefType(flat.type).memory_space)
            new = ir.Operation.create("memref.reshape", results=[type_], operands=operands).result
        rewriter.replace(op, [new])


def reassociation(groups: Sequence[Sequence[int]]) -> ir.ArrayAttr:
    """Return the attribute that says which dimensions are one dimension of the other shape."""
    integer = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.ArrayAttr.get([ir.IntegerAttr.get(integer, one) for one in group]) for group in groups])


def reassociation_of(op: ir.Operation) -> list[list[int]]:
    """Return which dimensions of the larger rank expand_shape or collapse_shape groups, of tensors or memrefs."""
    return [[ir.IntegerAttr(i).value for i in group] for group in op.attributes["reassociation"]]


def _has_gaps(op: ir.Operation, reshape: Callable[[ir.MemRefType], ir.MemRefType | None]) -> bool:
    """Whether the source of ``op`` is a slice, used by nothing else, that ``reshape`` takes from no likely buffer.

    Likely is a contiguous one for any of the tensors that were sliced. The slice is in the block of the reshape: if the
    slice is copied after all, the reshape may have that copy for itself.
    """
    source = op.operands[0]
    slices = _slices(source)
    if not slices or slices[0].block != op.block or len(list(source.uses)) > 1:
        return False
    with op.location:
        return all(reshape(_view_type(slices[:count])) is None for count in range(1, len(slices) + 1))


def _view_type(slices: Sequence[ir.Operation]) -> ir.MemRefType:
    """Return the type of a view cut by ``slices``, innermost first, from a contiguous buffer."""
    type_ = ir.MemRefType(identity_type(slices[-1].operands[0].type))
    for slice_ in reversed(slices):
        type_ = subset_type(type_, mixed_subset(slice_, 1), ir.ShapedType(slice_.results[0].type).shape)
    return type_


def _slices(value: ir.Value) -> list[ir.Operation]:
    """Return the slices that ``value`` was cut by, innermost first, at most a few."""
    found: list[ir.Operation] = []
    while len(found) < _MOST_SLICES and not isinstance(value.owner, ir.Block):
        owner = value.owner.operation
        if owner.name != "tensor.extract_slice":
            break
        found.append(owner)
        value = owner.operands[0]
    return found


def _flat_type(type_: ir.MemRefType) -> ir.MemRefType | None:
    """Return what :func:`_flatten` makes of a buffer of ``type_``."""
    if type_.rank == 0:
        return expanded_type(type_, [1], [])
    return type_ if type_.rank == 1 else collapsed_type(type_, [_count(type_.shape)], [list(range(type_.rank))])


def _flatten(buffer: ir.Value) -> ir.Value | None:
    """Return ``buffer`` under rank 1, or None where that needs a copy."""
    type_ = ir.MemRefType(buffer.type)
    if type_.rank == 0:
        return _expand(buffer, [1], [], [])
    return buffer if type_.rank == 1 else _collapse(buffer, [_count(type_.shape)], [list(range(type_.rank))])


def _unflatten(flat: ir.Value, shape: ir.Value, sizes: Sequence[int]) -> ir.Value:
    """Return ``flat``, a memref of rank 1, under ``sizes``; memref ``shape`` holds those that are dynamic."""
    flat = cast_shape(flat, [_count(sizes)])
    if len(sizes) == 1:
        return flat
    if sizes:
        loaded = (memref.load(shape, [index_constant(d)]) for d, size in enumerate(sizes) if size == _DYNAMIC)
        return _expand(flat, sizes, [list(range(len(sizes)))], [_to_index(size) for size in loaded])
    scalar = _collapse(flat, [], [])
    assert scalar is not None
    return scalar


def _contiguous_shape(shape: ir.Value, rewriter: Rewriter) -> ir.Value:
    """Return ``shape`` as ``memref.reshape`` is lowered right: contiguous, its elements of type index."""
    if has_identity_layout(shape.type) and shape.type.element_type == ir.IndexType.get():
        return shape
    target = rewriter.allocate(ir.MemRefType.get(shape.type.shape, ir.IndexType.get()), rewriter.sizes(shape))
    build_generic([shape], target, lambda elements: _to_index(elements[0]))
    return target


def _to_index(value: ir.Value) -> ir.Value:
    index = ir.IndexType.get()
    return value if value.type == index else arith.index_cast(index, value)


def _count(shape: Sequence[int]) -> int:
    """Return the number of elements of a tensor of ``shape``, if that is static."""
    return _DYNAMIC if _DYNAMIC in shape else math.prod(shape)


def _rank_source(tensor: ir.Value) -> ir.Value | None:
    """Return the ranked tensor that unranked ``tensor`` was cast from, if there is one."""
    owner = tensor.owner
    if isinstance(owner, ir.Block) or owner.name != "tensor.cast":
        return None
    source = owner.operands[0]
    return source if isinstance(source.type, ir.RankedTensorType) else None


def _ranked(buffer: ir.Value) -> ir.Value:
    """Return the ranked memref that ``buffer`` was cast from if it is unranked, else ``buffer``."""
    if isinstance(buffer.type, ir.UnrankedMemRefType):
        return ir.OpResult(buffer).owner.operands[0]
    return buffer


def _contiguous(buffer: ir.Value, rewriter: Rewriter) -> ir.Value:
    """Return ``buffer`` or a copy of it in which elements lie contiguously from the start."""
    type_ = ir.MemRefType(buffer.type)
    return rewriter.cast(buffer, ir.MemRefType.get(type_.shape, type_.element_type, memory_space=type_.memory_space))


def _expand(
    buffer: ir.Value, shape: Sequence[int], groups: Sequence[Sequence[int]], sizes: Sequence[ir.Value]
) -> ir.Value:
    """Create ``memref.expand_shape`` to ``shape``, whose dynamic entries are ``sizes``."""
    type_ = expanded_type(ir.MemRefType(buffer.type), shape, groups)
    attributes: dict[str, ir.Attribute] = {
        "reassociation": reassociation(groups),
        "static_output_shape": ir.DenseI64ArrayAttr.get(list(shape)),
    }
    operands = [buffer, *sizes]
    return ir.Operation.create("memref.expand_shape", results=[type_], operands=operands, attributes=attributes).result


def _collapse(buffer: ir.Value, shape: Sequence[int], groups: Sequence[Sequence[int]]) -> ir.Value | None:
    """Create ``memref.collapse_shape`` to ``shape``, or return None where that needs a copy."""
    type_ = collapsed_type(ir.MemRefType(buffer.type), shape, groups)
    return None if type_ is None else collapse_shape(buffer, type_, groups)


SHAPE_MODELS: tuple[OpModel, ...] = (ReassociationModel(), ReshapeModel())
