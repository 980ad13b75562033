"""Products of matrices whose weights never change, and the blocks that these are packed in for them.

A product reads its weights in panels, as wide as the register tile, once for every few rows. The panels of a matrix are
scattered, so they are packed in each call (`cache_tiling.py`), which costs more the fewer rows there are. Weights that
are *held* (arguments that are the same in each call) are packed once, by whoever calls.

* A product is found by its maps: weights at `(k, n)`, or transposed at `(n, k)`; a result whose last index is `n`, and
  another input without `n`, at any indices. There may be any number of other loops, over rows, whose sizes are not
  known even.
* A block of columns fills the register tile: four vectors, or two, where there are few registers or columns.
* Weights stay where packing does not pay: columns that fill no blocks, weights of one row, and those that fit into the
  first cache. So do those of which blocks are read once, as there are no more rows (`_FEW_ROWS`) than a register tile
  has, unless all held arguments take at most half of the last cache. From memory, rows of several places are read
  faster than one block after the other; from that cache, slower.

Ops of the first block of a function. Linear in them and their uses; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

from mlir import ir

from ....dialects.support.frozen_classes import frozen
from ..linalg.products import is_sum_of_products
from ..linalg.structured_op import Structured, as_structured, type_bytes
from .machine import Machine

__all__ = ["HeldProduct", "find_products"]

_MANY_REGISTERS = 32
"""With so many vector registers the register tile is four vectors wide."""

_MATRIX = 2
"""The rank of weights that are packed."""

_FEW_ROWS = 4
"""A register tile has as many rows: these read weights once."""


@frozen
class HeldProduct:
    """A product with held weights.

    Attributes:
        structured: the op.
        weights: the operand that is packed.
        column: the loop over its columns.
        depth: the loop over its rows, which reduces.
        block: how many columns are side by side.
    """

    structured: Structured
    weights: int
    column: int
    depth: int
    block: int

    @property
    def is_transposed(self) -> bool:
        """Whether the weights have a column in each row of memory."""
        return self.structured.indices[self.weights][0].loop == self.column


def find_products(block: ir.Block, held: Collection[ir.Value], machine: Machine) -> list[HeldProduct]:
    """Return the products of `block` whose weights are to be packed; `held` are arguments of it."""
    alone = {value for value in held if len(list(value.uses)) == 1}
    are_near = sum(type_bytes(value.type) for value in held) <= machine.l3 // 2
    found = (_product(op.operation, alone, machine, are_near) for op in block.operations)
    return [product for product in found if product is not None]


def _product(op: ir.Operation, held: Collection[ir.Value], machine: Machine, are_near: bool) -> HeldProduct | None:
    """Return the product that an op is, None if it is none, or does not gain."""
    if not op.name.startswith("linalg.") or not len(op.results) or not any(value in held for value in op.operands):
        return None
    structured = as_structured(op)
    if structured is None or not is_sum_of_products(structured):
        return None
    weights = next((operand for operand in (1, 0) if op.operands[operand] in held), None)
    if weights is None:
        return None
    loops, written = structured.loops_of(weights) or [], structured.loops_of(2) or []
    if len(loops) != _MATRIX or not written or written[-1] not in loops:
        return None
    column = written[-1]
    depth = next(loop for loop in loops if loop != column)
    if structured.reduction_loops != [depth] or structured.depends(1 - weights, column):
        return None
    product = HeldProduct(structured, weights, column, depth, _block(structured, weights, column, machine))
    return product if _gains(product, machine, are_near) else None


def _block(op: Structured, weights: int, column: int, machine: Machine) -> int:
    """Return how many columns are side by side, as many as fill a register tile; 0 if no number of blocks is all."""
    lanes = machine.lanes(8 * type_bytes(ir.ShapedType(op.op.operands[weights].type).element_type))
    widths = (4 * lanes, 2 * lanes) if machine.registers >= _MANY_REGISTERS else (2 * lanes,)
    columns = op.sizes[column]
    return next((width for width in widths if lanes > 1 and columns and columns % width == 0), 0)


def _gains(product: HeldProduct, machine: Machine, are_near: bool) -> bool:
    """Whether the weights are read in other places than they are, and often enough, or from the last cache."""
    op = product.structured
    rows = prod(op.size(loop) for loop in op.parallel_loops if loop != product.column)
    if not product.block or not op.sizes[product.depth] or rows <= (1 if are_near else _FEW_ROWS):
        return False
    if product.is_transposed:
        return True
    return product.block < op.size(product.column) and type_bytes(op.op.operands[product.weights].type) > machine.l1
