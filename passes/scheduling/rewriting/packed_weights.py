"""Products on weights in blocks of columns, each block with its rows one after the other."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import linalg, tensor

from ....dialects.support.defining_ops import defining_op
from ....dialects.support.index_math import as_value, tensor_size
from ....dialects.tensor.shapes import reassociation
from ...analysis.linalg.structured_op import OperandIndex
from ...analysis.schedule.held_products import HeldProduct
from .generic import affine_map, create_generic, move_payload, renumbered
from .held_arguments import Rearrangement, rearrange
from .linalg_ops import replace_op

__all__ = ["pack_weights"]

_DYNAMIC = ir.ShapedType.get_dynamic_size()


def pack_weights(product: HeldProduct) -> tuple[int, Rearrangement]:
    """Rewrite a product; return the number of the argument that it reads packed, and how that is laid out.

    The loop over blocks is outermost, so that each block is read once. Linear in the loops.
    """
    old, column = product.structured, product.column
    argument = old.op.operands[product.weights]
    number = ir.BlockArgument(argument).arg_number
    rows = [loop for loop in old.parallel_loops if loop != column]
    # Behind the old loops there is the one in a block; the old one over columns is over blocks.
    inside = len(old.loops)
    order = [column, *rows, inside, product.depth]
    place = {loop: at for at, loop in enumerate(order)}
    indices = [renumbered(one, place) for one in old.indices]
    indices[product.weights] = [OperandIndex({place[loop]: 1}) for loop in (column, product.depth, inside)]
    indices[2].append(OperandIndex({place[inside]: 1}))
    with ir.InsertionPoint(old.op), old.op.location:
        layout = rearrange(argument, *_layout(product))
        init = _blocked_init(old.op.operands[2], product.block)
        operands = [*old.op.operands[:2], init]
        mapped = [(value, affine_map(len(order), one)) for value, one in zip(operands, indices, strict=True)]
        new = create_generic(old.op, mapped[:2], mapped[2:], [loop != product.depth for loop in order])
        move_payload(old, new, list(new.regions[0].blocks[0].arguments))
        type_ = ir.RankedTensorType(old.op.results[0].type)
        found = tensor.collapse_shape(type_, new.results[0], reassociation(_groups(type_.rank)))
    replace_op(old.op, [found])
    return number, layout


def _layout(product: HeldProduct) -> Rearrangement:
    """Return how weights are laid out: blocks of columns outermost, the columns of a block innermost."""
    op, block = product.structured, product.block
    blocks, depth = op.size(product.column) // block, op.size(product.depth)
    return ((blocks, block, depth), (0, 2, 1)) if product.is_transposed else ((depth, blocks, block), (1, 0, 2))


def _groups(rank: int) -> list[list[int]]:
    """Return the dimensions of a result in blocks that each dimension of the result is."""
    return [*([dimension] for dimension in range(rank - 1)), [rank - 1, rank]]


def _blocked_init(init: ir.Value, block: int) -> ir.Value:
    """Return an init with its columns in blocks; a fill is filled anew, so that it is known for one.

    It is the old init that is expanded: what is collapsed afterwards is that again, and no view that is returned.
    """
    fill = defining_op(init, "linalg.fill")
    if fill is None:
        return _expanded(init, block)
    expanded = _expanded(fill.operands[1], block)
    filled = linalg.FillOp([expanded.type], [fill.operands[0]], [expanded]).operation
    linalg.fill_builtin_region(filled)
    return filled.results[0]


def _expanded(value: ir.Value, block: int) -> ir.Value:
    type_ = ir.RankedTensorType(value.type)
    *rows, columns = type_.shape
    shape = [*rows, columns // block, block]
    sizes = [as_value(tensor_size(value, at)) for at, size in enumerate(type_.shape) if size == _DYNAMIC]
    expanded = ir.RankedTensorType.get(shape, type_.element_type)
    return tensor.expand_shape(expanded, value, reassociation(_groups(type_.rank)), sizes, shape)
