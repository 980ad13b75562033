"""Building of ``linalg.generic`` on memrefs: parallel loops over all elements with a payload."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, memref

__all__ = ["constant_index", "extent", "loop_index", "parallel_generic"]

Payload = Callable[[list[ir.Value]], Sequence[ir.Value]]


def constant_index(value: int) -> ir.Value:
    """Create ``arith.constant`` of type index."""
    return arith.constant(ir.IndexType.get(), value)


def extent(buffer: ir.Value, dimension: int) -> ir.Value:
    """Create what gives the size of a dimension of memref ``buffer``."""
    type_ = ir.MemRefType(buffer.type)
    if type_.is_dynamic_dim(dimension):
        return memref.dim(buffer, constant_index(dimension))
    return constant_index(type_.get_dim_size(dimension))


def loop_index(loop: int) -> ir.Value:
    """Create ``linalg.index`` of a loop of the op whose payload is being built."""
    attributes = {"dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), loop)}
    return ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes=attributes).result


def parallel_generic(
    inputs: Sequence[ir.Value], outputs: Sequence[ir.Value], maps: Sequence[ir.AffineMap], payload: Payload
) -> None:
    """Create a ``linalg.generic`` with parallel loops.

    ``payload`` gets the elements of the operands and returns one new element for each output.
    """
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    generic = ir.Operation.create(
        "linalg.generic",
        operands=[*inputs, *outputs],
        attributes={
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
            "iterator_types": ir.ArrayAttr.get([parallel] * maps[0].n_dims),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), len(outputs)]),
        },
        regions=1,
    )
    elements = [ir.MemRefType(buffer.type).element_type for buffer in (*inputs, *outputs)]
    block = ir.Block.create_at_start(generic.regions[0], elements)
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", operands=payload(list(block.arguments)))
