"""Tensor ops that make a new tensor: each allocates, and fills what it allocated."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, linalg, memref

from .bufferizable import OpModel, Rewriter, Subset
from .memref_types import identity_type
from .subsets import subview

__all__ = ["CREATION_MODELS", "fill"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def _index(value: int) -> ir.Value:
    return arith.constant(ir.IndexType.get(), value)


def _allocate(op: ir.Operation, rewriter: Rewriter, dynamic_sizes: Sequence[ir.Value]) -> ir.Value:
    result = op.results[0]
    return rewriter.allocate(ir.MemRefType(identity_type(result.type)), dynamic_sizes)


def fill(value: ir.Value, buffer: ir.Value) -> None:
    """Create ``linalg.fill`` of memref ``buffer`` with ``value``."""
    segments = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1])}
    new = ir.Operation.create("linalg.fill", operands=[value, buffer], attributes=segments, regions=1)
    linalg.fill_builtin_region(new)


class EmptyModel(OpModel):
    """``tensor.empty``: a buffer without content."""

    op_names = ("tensor.empty",)

    def result_is_undefined(self, op: ir.Operation, result: int) -> bool:
        """There is no content to lose."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate, if anything works in this buffer."""
        result = op.results[0]
        rewriter.replace(op, [_allocate(op, rewriter, list(op.operands)) if rewriter.needs_buffer(result) else None])


class FromElementsModel(OpModel):
    """``tensor.from_elements``: one store per element, row-major."""

    op_names = ("tensor.from_elements",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate and store."""
        buffer = _allocate(op, rewriter, ())
        shape = ir.MemRefType(buffer.type).shape
        indices = [_index(i) for i in range(max(shape, default=0))]
        position = [0] * len(shape)
        for value in op.operands:
            memref.store(value, buffer, [indices[i] for i in position])
            for dimension in reversed(range(len(shape))):
                position[dimension] += 1
                if position[dimension] < shape[dimension]:
                    break
                position[dimension] = 0
        rewriter.replace(op, [buffer])


class SplatModel(OpModel):
    """``tensor.splat``: a fill."""

    op_names = ("tensor.splat",)

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate and fill."""
        operands = list(op.operands)
        buffer = _allocate(op, rewriter, operands[1:])
        fill(operands[0], buffer)
        rewriter.replace(op, [buffer])


class GenerateModel(OpModel):
    """``tensor.generate``: the body becomes the payload of a ``linalg.generic`` over the new buffer."""

    op_names = ("tensor.generate",)

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """The body runs once per element."""
        return True

    def is_parallel_region(self, op: ir.Operation, region: int) -> bool:
        """Elements may be computed in any order."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate and compute every element."""
        buffer = _allocate(op, rewriter, list(op.operands))
        rewriter.sweep(op)
        _compute_elements(op.regions[0].blocks[0], buffer)
        rewriter.replace(op, [buffer])


class PadModel(OpModel):
    """``tensor.pad``: a buffer of the padded size, the padding computed everywhere, the source copied to its middle."""

    op_names = ("tensor.pad",)

    def is_repetitive_region(self, op: ir.Operation, region: int) -> bool:
        """The body runs once per padding element."""
        return True

    def is_parallel_region(self, op: ir.Operation, region: int) -> bool:
        """Elements may be computed in any order."""
        return True

    def bufferize(self, op: ir.Operation, rewriter: Rewriter) -> None:
        """Allocate, fill with the padding, copy the source."""
        source = rewriter.buffer(op, 0)
        type_ = ir.MemRefType(identity_type(op.results[0].type))
        low, high = _padding(op, "static_low", 1), _padding(op, "static_high", 2)
        extents = [_extent(source, dimension) for dimension in range(type_.rank)]
        dynamic = [_sum(low[d], extents[d], high[d]) for d in range(type_.rank) if type_.is_dynamic_dim(d)]
        buffer = rewriter.allocate(type_, dynamic)
        rewriter.sweep(op)
        constant = _constant_yield(op.regions[0].blocks[0])
        if constant is None:
            _compute_elements(op.regions[0].blocks[0], buffer)
        else:
            fill(constant, buffer)
        ones = (1,) * type_.rank
        middle = subview(buffer, Subset(tuple(low), tuple(extents), ones), ir.MemRefType(source.type).shape)
        rewriter.copy(source, middle)
        rewriter.replace(op, [buffer])


def _padding(op: ir.Operation, attribute: str, segment: int) -> list[int | ir.Value]:
    sizes = list(op.attributes["operandSegmentSizes"])
    dynamic = iter(list(op.operands)[sum(sizes[:segment]) : sum(sizes[: segment + 1])])
    return [next(dynamic) if entry == _DYNAMIC else entry for entry in op.attributes[attribute]]


def _extent(buffer: ir.Value, dimension: int) -> int | ir.Value:
    type_ = ir.MemRefType(buffer.type)
    if type_.is_dynamic_dim(dimension):
        return memref.dim(buffer, _index(dimension))
    return type_.get_dim_size(dimension)


def _sum(*terms: int | ir.Value) -> ir.Value:
    static = sum(term for term in terms if isinstance(term, int))
    total: ir.Value | None = _index(static) if static else None
    for term in terms:
        if not isinstance(term, int):
            total = term if total is None else arith.addi(total, term)
    return _index(0) if total is None else total


def _constant_yield(block: ir.Block) -> ir.Value | None:
    """Return what ``block`` yields if that is the same for every element, and available in front of it."""
    terminator = list(block.operations)[-1].operation
    value = terminator.operands[0]
    owner = value.owner
    if isinstance(owner, ir.Block):
        return value if owner != block else None
    operation = owner.operation
    if operation.block != block:
        return value
    if operation.name != "arith.constant":
        return None
    clone = operation.clone()
    return clone.results[0]


def _compute_elements(block: ir.Block, buffer: ir.Value) -> None:
    """Write each element of ``buffer`` with what ``block``, a function of its indices, yields for it."""
    type_ = ir.MemRefType(buffer.type)
    identity = ir.AffineMap.get_identity(type_.rank)
    attributes = {
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(identity)]),
        "iterator_types": ir.ArrayAttr.get([ir.Attribute.parse("#linalg.iterator_type<parallel>")] * type_.rank),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 1]),
    }
    generic = ir.Operation.create("linalg.generic", operands=[buffer], attributes=attributes, regions=1)
    payload = ir.Block.create_at_start(generic.regions[0], [type_.element_type])
    with ir.InsertionPoint(payload):
        for dimension, argument in enumerate(block.arguments):
            attributes = {"dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dimension)}
            index = ir.Operation.create("linalg.index", results=[argument.type], attributes=attributes)
            argument.replace_all_uses_with(index.result)
        operations = list(block.operations)
        for operation in operations[:-1]:
            payload.append(operation)
        terminator = operations[-1].operation
        ir.Operation.create("linalg.yield", operands=list(terminator.operands))
        terminator.erase()


CREATION_MODELS: tuple[OpModel, ...] = (
    EmptyModel(),
    FromElementsModel(),
    SplatModel(),
    GenerateModel(),
    PadModel(),
)
