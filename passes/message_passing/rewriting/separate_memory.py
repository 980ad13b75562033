"""Whether two memrefs certainly share no element: by where their memory comes from, or by the blocks that they are of.

A memref is a view of a *root*, perhaps of a block of it. Memory that the function has allocated is apart from other
allocations, from globals and from arguments. Blocks of one root are apart if one ends before the other begins in some
dimension, which is compared as sums of values and a number; that offsets of subviews are not negative is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects.support.constants import constant_integer
from ....dialects.support.defining_ops import defining_op
from ....dialects.support.frozen_classes import frozen
from ...analysis.index_sets.sums import Index, Symbol, add, difference
from ...analysis.lifetimes.roots import VIEWS

__all__ = ["MemoryPlace", "are_apart", "is_argument", "place_of"]

_ALLOCATIONS = ("memref.alloc", "memref.alloca")
_WITHIN = ("memref.collapse_shape", "memref.expand_shape", "memref.memory_space_cast", "memref.transpose")
"""Views, besides subviews and casts, that are within what they are made of: others may reach all of the root."""
_DEEPEST = 64
"""How many sums an offset is followed through."""
_DYNAMIC = ir.ShapedType.get_dynamic_size()
_PARTS = ("offsets", "sizes", "strides")


@frozen
class MemoryPlace:
    """The root of a memref, and the subview of it that the memref is in, if there is one that is known."""

    root: ir.Value
    block: ir.Operation | None


def place_of(memref: ir.Value) -> MemoryPlace:
    """Follow the views that a memref is made by."""
    block: ir.Operation | None = None
    leaves = False
    while (view := defining_op(memref)) is not None and view.name in VIEWS:
        if view.name == "memref.subview":
            block = view
        elif view.name != "memref.cast":
            block = None  # It is in other coordinates.
            leaves = leaves or view.name not in _WITHIN
        memref = view.operands[0]
    return MemoryPlace(memref, None if leaves else block)


def are_apart(one: MemoryPlace, other: MemoryPlace, *known: MemoryPlace) -> bool:
    """Whether no element is in both. Of the places `known`, too, the subviews were certainly made before."""
    if one.root != other.root:
        roots = one.root, other.root
        return any(map(_is_allocation, roots)) and all(_is_allocation(r) or _is_from_outside(r) for r in roots)
    if one.block is None or other.block is None:
        return False
    return _blocks_are_apart(one.block, other.block, [place.block for place in known if place.block is not None])


def _is_allocation(root: ir.Value) -> bool:
    return defining_op(root, *_ALLOCATIONS) is not None


def _is_from_outside(root: ir.Value) -> bool:
    """Whether the memory was there before the function was called."""
    return is_argument(root) or defining_op(root, "memref.get_global") is not None


def is_argument(root: ir.Value) -> bool:
    """Whether `root` is an argument of a function."""
    if not isinstance(root.owner, ir.Block):
        return False
    function = root.owner.owner.operation
    return function.name == "func.func" and root.owner == function.regions[0].blocks[0]


def _blocks_are_apart(one: ir.Operation, other: ir.Operation, made: Sequence[ir.Operation]) -> bool:
    numbers = _Sums()
    parts, others = numbers.parts(one), numbers.parts(other)
    if parts is None or others is None or len(parts) != len(others):
        return False
    least: list[Index] = [0, *(offset for block in (one, other, *made) for offset, _ in numbers.parts(block) or ())]
    for first, second in zip(parts, others, strict=True):
        for (low, size), (high, _) in ((first, second), (second, first)):
            end = add(low, size)
            distance = None if end is None else add(high, end, -1)
            if distance is not None and any(_is_not_below(distance, bound) for bound in least):
                return True
    return False


def _is_not_below(index: Index, bound: Index) -> bool:
    more = difference(index, bound)
    return more is not None and more >= 0


class _Sums:
    """Indices as sums of values and of sizes of memrefs, numbered as they are met."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[ir.Value, int], int] = {}
        self._known: dict[ir.Value, Index] = {}

    def parts(self, subview: ir.Operation) -> list[tuple[Index, Index]] | None:
        """The offset and the size of each dimension; None if there are steps between elements."""
        dynamic = iter(list(subview.operands)[1:])
        offsets, sizes, strides = (
            [self._of(next(dynamic)) if number == _DYNAMIC else number for number in static]
            for static in (list(ir.DenseI64ArrayAttr(subview.attributes[f"static_{name}"])) for name in _PARTS)
        )
        if any(stride != 1 for stride in strides):
            return None
        return list(zip(offsets, sizes, strict=True))

    def _of(self, value: ir.Value, depth: int = 0) -> Index:
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._read(value, depth)
        return found

    def _read(self, value: ir.Value, depth: int) -> Index:
        number = constant_integer(value)
        if number is not None:
            return number
        op = defining_op(value, "arith.addi", "arith.subi", "memref.dim")
        if op is None or depth > _DEEPEST:
            return self._symbol(value)
        if op.name == "memref.dim":
            dimension = constant_integer(op.operands[1])
            return self._symbol(value) if dimension is None else self._symbol(op.operands[0], dimension)
        left, right = (self._of(operand, depth + 1) for operand in op.operands)
        sum_ = add(left, right, -1 if op.name == "arith.subi" else 1)
        return self._symbol(value) if sum_ is None else sum_

    def _symbol(self, value: ir.Value, dimension: int = -1) -> Index:
        return Symbol(self._numbers.setdefault((value, dimension), len(self._numbers)))
