"""Loop nests over buffers: a ``linalg.generic`` with the op as payload, or an ``scf.for`` per dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, linalg, memref, scf

from .support.index_math import Number, as_value, index_constant

__all__ = [
    "add_sizes",
    "build_generic",
    "build_loops",
    "compute_elements",
    "extent",
    "fill",
    "index_constant",
    "linalg_index",
    "parallel_generic",
    "size_value",
]

Payload = Callable[[Sequence[ir.Value]], ir.Value]


def extent(buffer: ir.Value, dimension: int) -> Number:
    """Return the size of a dimension of memref ``buffer``; creates ``memref.dim`` when it is dynamic."""
    type_ = ir.MemRefType(buffer.type)
    if type_.is_dynamic_dim(dimension):
        return memref.dim(buffer, index_constant(dimension))
    return type_.get_dim_size(dimension)


def size_value(buffer: ir.Value, dimension: int) -> ir.Value:
    """Create what gives the size of a dimension of memref ``buffer``, a constant where it is static."""
    return as_value(extent(buffer, dimension))


def add_sizes(*terms: Number) -> Number:
    """Return the sum of ``terms``, an integer where all of them are."""
    static = sum(term for term in terms if isinstance(term, int))
    dynamic = [term for term in terms if not isinstance(term, int)]
    if not dynamic:
        return static
    total = dynamic[0] if static == 0 else arith.addi(index_constant(static), dynamic[0])
    for term in dynamic[1:]:
        total = arith.addi(total, term)
    return total


def linalg_index(dimension: int) -> ir.Value:
    """Create ``linalg.index``: where in a dimension the payload around it works."""
    attributes = {"dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dimension)}
    return ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes=attributes).result


def build_generic(sources: Sequence[ir.Value], target: ir.Value, payload: Payload) -> ir.Value:
    """Write each element of ``target`` with what ``payload`` builds for it; return what has these elements then.

    ``target`` is a memref, which is returned, or a tensor, whose place the result takes. ``payload`` is given the same
    element of each of ``sources``, of the shape of ``target``; the insertion point is then where it may build ops.
    """
    identity = ir.AffineMap.get_identity(ir.ShapedType(target.type).rank)
    maps = [identity] * (len(sources) + 1)
    return parallel_generic(sources, [target], maps, lambda elements: [payload(elements[:-1])])[0]


def _results(target: ir.Value) -> list[ir.Type]:
    return [target.type] if isinstance(target.type, ir.RankedTensorType) else []


def parallel_generic(
    inputs: Sequence[ir.Value],
    outputs: Sequence[ir.Value],
    maps: Sequence[ir.AffineMap],
    payload: Callable[[list[ir.Value]], Sequence[ir.Value]],
) -> list[ir.Value]:
    """Create a ``linalg.generic`` with parallel loops; return what holds the outputs then, as :func:`build_generic`.

    ``payload`` gets the elements of the operands and returns one new element for each output.
    """
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    generic = ir.Operation.create(
        "linalg.generic",
        results=[type_ for output in outputs for type_ in _results(output)],
        operands=[*inputs, *outputs],
        attributes={
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
            "iterator_types": ir.ArrayAttr.get([parallel] * maps[0].n_dims),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), len(outputs)]),
        },
        regions=1,
    )
    elements = [ir.ShapedType(value.type).element_type for value in (*inputs, *outputs)]
    block = ir.Block.create_at_start(generic.regions[0], elements)
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", operands=payload(list(block.arguments)))
    return list(generic.results) or list(outputs)


def compute_elements(block: ir.Block, target: ir.Value) -> ir.Value:
    """Write each element of ``target`` with what ``block``, a function of its indices, yields; ``block`` is emptied.

    Returns what :func:`build_generic` does.
    """

    def payload(_: Sequence[ir.Value]) -> ir.Value:
        for dimension, argument in enumerate(block.arguments):
            argument.replace_all_uses_with(linalg_index(dimension))
        *operations, terminator = list(block.operations)
        for operation in operations:
            ir.InsertionPoint.current.block.append(operation)
        value = terminator.operation.operands[0]
        terminator.operation.erase()
        return value

    return build_generic([], target, payload)


def fill(value: ir.Value, target: ir.Value) -> ir.Value:
    """Create ``linalg.fill`` of ``target`` with ``value``; a generic op where elements are no numbers.

    Returns what :func:`build_generic` does.
    """
    if isinstance(value.type, ir.ShapedType):
        return build_generic([], target, lambda _: value)
    segments = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1])}
    new = ir.Operation.create(
        "linalg.fill", results=_results(target), operands=[value, target], attributes=segments, regions=1
    )
    linalg.fill_builtin_region(new)
    for op in new.regions[0].blocks[0].operations:
        op.operation.location = new.location
    return new.results[0] if len(new.results) else target


def build_loops(sizes: Sequence[Number], body: Callable[[list[ir.Value]], None]) -> None:
    """Build one ``scf.for`` for each of ``sizes``, outermost first, around what ``body`` builds for their indices.

    A loop over one element is left out: its index is the constant 0.
    """
    if not sizes:
        body([])
        return
    first, *others = sizes
    zero = index_constant(0)
    if first == 1:
        build_loops(others, lambda indices: body([zero, *indices]))
        return
    loop = scf.ForOp(zero, as_value(first), index_constant(1))
    with ir.InsertionPoint(loop.body):
        build_loops(others, lambda indices: body([loop.induction_variable, *indices]))
        scf.yield_([])
