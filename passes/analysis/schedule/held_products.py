"""Products of matrices whose weights never change, and the blocks that these are packed in for them.

A product reads its weights in panels, as wide as the register tile, once for every few rows. The panels of a matrix are
scattered, so they are packed in each call (`cache_tiling.py`), which costs more the fewer rows there are. Weights that
are *held* (arguments that are the same in each call) are packed once, by whoever calls.

* A product is found by its maps: weights at `(k, n)`, or transposed at `(n, k)`; a result whose last index is `n`, and
  another input without `n`, at any indices. There may be any number of other loops, over rows, whose sizes are not
  known even.
* A block of columns fills the register tile: four vectors, or two, where there are few registers or columns, or more
  than six rows, whose number is known: a tile of two vectors has up to 14 rows, so weights are read less often, and
  what is read of a block at a time is half as large. If no number of blocks is all columns, those behind the blocks
  are a product of their own.
* Weights stay where packing does not pay: columns that fill no block, those that fit into the first cache, and those of
  one row if all held arguments are far larger than the last cache (`_CACHES`): memory is as slow for both, and files
  stay mapped. Others are read faster in blocks even by one row: these are one stream of memory, which hardware
  prefetches.

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

_FEW_ROWS = 6
"""A register tile of four vectors has room for so many rows."""

_MATRIX = 2
"""The rank of weights that are packed."""

_CACHES = 4
"""How many last caches weights of one row may fill: 32 MB in blocks took half the time, 1 GB nearly the same."""


@frozen
class HeldProduct:
    """A product with held weights.

    Attributes:
        structured: the op.
        weights: the operand that is packed.
        column: the loop over its columns.
        depth: the loop over its rows, which reduces.
        block: how many columns are side by side.
        rest: how many columns there are behind the last block.
    """

    structured: Structured
    weights: int
    column: int
    depth: int
    block: int
    rest: int

    @property
    def is_transposed(self) -> bool:
        """Whether the weights have a column in each row of memory."""
        return self.structured.indices[self.weights][0].loop == self.column


def find_products(block: ir.Block, held: Collection[ir.Value], machine: Machine) -> list[HeldProduct]:
    """Return the products of `block` whose weights are to be packed; `held` are arguments of it."""
    alone = {value for value in held if len(list(value.uses)) == 1}
    are_near = sum(type_bytes(value.type) for value in held) <= _CACHES * machine.l3
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
    product = HeldProduct(structured, weights, column, depth, *_block(structured, weights, column, machine))
    return product if _gains(product, machine, are_near) else None


def _block(op: Structured, weights: int, column: int, machine: Machine) -> tuple[int, int]:
    """Return how many columns are side by side, as many as fill a register tile (0: none), and how many are behind."""
    lanes = machine.lanes(8 * type_bytes(ir.ShapedType(op.op.operands[weights].type).element_type))
    widths = (4 * lanes, 2 * lanes) if machine.registers >= _MANY_REGISTERS else (2 * lanes,)
    columns = op.sizes[column] or 0
    block = next((width for width in widths if columns % width == 0), widths[0])
    if lanes == 1 or block > columns:
        return 0, 0
    # What is behind the blocks does not depend on rows: sums of few columns may be in another order.
    return min(block, 2 * lanes) if _has_many_rows(op, column) else block, columns % block


def _has_many_rows(op: Structured, column: int) -> bool:
    """Whether there is a loop of a known number of rows, more than a register tile of four vectors has."""
    return any((op.sizes[loop] or 0) > _FEW_ROWS for loop in op.parallel_loops if loop != column)


def _gains(product: HeldProduct, machine: Machine, are_near: bool) -> bool:
    """Whether the weights are read in other places than they are, and so much faster that a copy pays."""
    op = product.structured
    rows = prod(op.size(loop) for loop in op.parallel_loops if loop != product.column)
    if not product.block or not op.sizes[product.depth] or (rows <= 1 and not are_near):
        return False
    if product.is_transposed:
        return True
    return product.block < op.size(product.column) and type_bytes(op.op.operands[product.weights].type) > machine.l1
