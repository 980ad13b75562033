"""Products on weights in blocks of columns, each block with its rows one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import linalg, tensor

from ....dialects.subsets import Subset, insert_slice
from ....dialects.support.cloning import clone_with
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.index_math import as_value, tensor_size
from ....dialects.tensor.shapes import reassociation
from ...analysis.linalg.structured_op import OperandIndex
from ...analysis.schedule.held_products import HeldProduct
from .generic import affine_map, create_generic, renumbered
from .held_arguments import Cut, Rearrangement, rearrange
from .linalg_ops import replace_op
from .smaller import take_slice

__all__ = ["pack_weights"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def pack_weights(product: HeldProduct) -> tuple[int, Rearrangement]:
    """Rewrite a product; return the number of the argument that it reads packed, and how that is laid out.

    The loop over blocks is outermost, so that each block is read once. Columns behind the blocks are a product of their
    own. Linear in the loops.
    """
    op = product.structured.op
    argument, init = op.operands[product.weights], op.operands[2]
    layout = _layout(product)
    with ir.InsertionPoint(op), op.location:
        rearrange(argument, layout)
        fill = defining_op(init, "linalg.fill")
        whole = init if fill is None else fill.operands[1]
        if not product.rest:
            found = _blocks_product(product, argument, whole, fill)
        else:
            count = product.structured.size(product.column) - product.rest
            first, last = _columns(whole, 0, count), _columns(whole, count, product.rest)
            blocks, rest = _parts(product, argument)
            found = insert_slice(_blocks_product(product, blocks, take_slice(whole, first), fill), whole, first)
            found = insert_slice(_rest_product(product, rest, take_slice(found, last), fill), found, last)
    replace_op(op, [found])
    return ir.BlockArgument(argument).arg_number, layout


def _layout(product: HeldProduct) -> Rearrangement:
    """Return how weights are laid out: blocks of columns outermost, the columns of a block innermost."""
    op, block = product.structured, product.block
    blocks, depth = (op.size(product.column) - product.rest) // block, op.size(product.depth)
    turned = product.is_transposed
    cut = Cut(0 if turned else 1, blocks * block, (1, 0) if turned else (0, 1)) if product.rest else None
    return (
        Rearrangement((blocks, block, depth), (0, 2, 1), cut)
        if turned
        else Rearrangement((depth, blocks, block), (1, 0, 2), cut)
    )


def _parts(product: HeldProduct, packed: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Return the weights in blocks, and those of the columns behind, which lie one after the other."""
    depth = product.structured.size(product.depth)
    columns = product.structured.size(product.column) - product.rest
    shapes = [(columns // product.block, depth, product.block), (depth, product.rest)]
    element, parts, first = ir.RankedTensorType(packed.type).element_type, list[ir.Value](), 0
    for shape, count in zip(shapes, (columns * depth, product.rest * depth), strict=True):
        flat = take_slice(packed, Subset((first,), (count,), (1,)))
        groups = reassociation([list(range(len(shape)))])
        parts.append(tensor.expand_shape(ir.RankedTensorType.get(shape, element), flat, groups, [], shape))
        first += count
    return parts[0], parts[1]


def _columns(value: ir.Value, first: int, count: int) -> Subset:
    """Return `count` columns of a result, those from number `first` on."""
    rank = ir.RankedTensorType(value.type).rank
    rows = [tensor_size(value, dimension) for dimension in range(rank - 1)]
    return Subset((*[0] * len(rows), first), (*rows, count), (1,) * rank)


def _started(init: ir.Value, fill: ir.Operation | None) -> ir.Value:
    """Return what sums begin with: `init`, or that filled as the old init was."""
    return init if fill is None else _filled(fill, init)


def _filled(fill: ir.Operation, init: ir.Value) -> ir.Value:
    filled = linalg.FillOp([init.type], [fill.operands[0]], [init]).operation
    linalg.fill_builtin_region(filled)
    return filled.results[0]


def _blocks_product(product: HeldProduct, weights: ir.Value, init: ir.Value, fill: ir.Operation | None) -> ir.Value:
    """Compute columns in blocks; return them as they were.

    It is `init` that is expanded, before it is filled, so that the sums are known to begin with a fill. What is
    collapsed afterwards is that again, and no view that is returned.
    """
    old, column = product.structured, product.column
    rows = [loop for loop in old.parallel_loops if loop != column]
    # Behind the old loops there is the one in a block; the old one over columns is over blocks.
    inside = len(old.loops)
    order = [column, *rows, inside, product.depth]
    place = {loop: at for at, loop in enumerate(order)}
    indices = [renumbered(one, place) for one in old.indices]
    indices[product.weights] = [OperandIndex({place[loop]: 1}) for loop in (column, product.depth, inside)]
    indices[2].append(OperandIndex({place[inside]: 1}))
    blocked = _started(_expanded(init, product.block), fill)
    found = _product(product, weights, blocked, indices, [loop != product.depth for loop in order])
    type_ = ir.RankedTensorType(init.type)
    return tensor.collapse_shape(type_, found, reassociation(_groups(type_.rank)))


def _rest_product(product: HeldProduct, weights: ir.Value, init: ir.Value, fill: ir.Operation | None) -> ir.Value:
    """Compute the columns behind the blocks."""
    old = product.structured
    indices: list[Sequence[OperandIndex]] = list(old.indices)
    indices[product.weights] = [OperandIndex({loop: 1}) for loop in (product.depth, product.column)]
    return _product(product, weights, _started(init, fill), indices, list(old.parallel))


def _product(
    product: HeldProduct,
    weights: ir.Value,
    init: ir.Value,
    indices: Sequence[Sequence[OperandIndex]],
    parallel: Sequence[bool],
) -> ir.Value:
    """Create the product of other weights, with a copy of the old one's payload."""
    old = product.structured
    inputs = list(old.op.operands)[:2]
    inputs[product.weights] = weights
    mapped = [(value, affine_map(len(parallel), one)) for value, one in zip([*inputs, init], indices, strict=True)]
    new = create_generic(old.op, mapped[:2], mapped[2:], parallel)
    block = new.regions[0].blocks[0]
    known: dict[ir.Value, ir.Value] = dict(zip(old.payload.arguments, block.arguments, strict=True))
    with ir.InsertionPoint(block):
        for op in old.payload.operations:
            clone_with(op.operation, known)
    return new.results[0]


def _groups(rank: int) -> list[list[int]]:
    """Return the dimensions of a result in blocks that each dimension of the result is."""
    return [*([dimension] for dimension in range(rank - 1)), [rank - 1, rank]]


def _expanded(value: ir.Value, block: int) -> ir.Value:
    type_ = ir.RankedTensorType(value.type)
    *rows, columns = type_.shape
    shape = [*rows, columns // block, block]
    sizes = [as_value(tensor_size(value, at)) for at, size in enumerate(type_.shape) if size == _DYNAMIC]
    expanded = ir.RankedTensorType.get(shape, type_.element_type)
    return tensor.expand_shape(expanded, value, reassociation(_groups(type_.rank)), sizes, shape)
