"""Sort of one line by merges from the bottom up, with any comparator, without a branch that depends on elements."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, math, scf, tensor

from ....dialects.support.frozen_classes import frozen
from ....dialects.support.index_math import Number, as_value, index_constant, subtract
from .loops import loop
from .regions import compute_on_scalars

__all__ = ["MergeSort"]


def _minimum(left: ir.Value, right: Number) -> ir.Value:
    return arith.minui(left, as_value(right))


def _iterations(size: Number) -> Number:
    """Return how often the width is quadrupled, from 1, until it is `size`."""
    if isinstance(size, int):
        return (max(size - 1, 0).bit_length() + 1) // 2
    word = ir.IntegerType.get_signless(64)
    zeros = math.ctlz(arith.index_cast(word, arith.subi(size, index_constant(1))))
    bits = arith.index_cast(ir.IndexType.get(), arith.subi(arith.constant(word, 65), zeros))
    return arith.divui(bits, index_constant(2))


@frozen
class MergeSort:
    """A sort of lines of `size` elements by the block `comparator`."""

    comparator: ir.Block
    size: Number

    def scratch(self, elements: Sequence[ir.Type]) -> list[ir.Value]:
        """Build what `sort` needs besides lines of `elements`, for all of them."""
        return [tensor.empty([self.size], element) for element in elements]

    def sort(self, lines: Sequence[ir.Value], scratch: Sequence[ir.Value]) -> list[ir.Value]:
        """Build the sort of `lines`, tensors of rank 1."""
        count, last = len(lines), as_value(subtract(self.size, 1))

        def merge_twice(level: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            shift = arith.addi(level, level)
            width = arith.shli(index_constant(1), shift)
            others = self._merge_all(width, last, carried[:count], carried[count:])
            return [*self._merge_all(arith.addi(width, width), last, others, carried[:count]), *others]

        return list(loop(0, _iterations(self.size), [*lines, *scratch], merge_twice)[:count])

    def _merge_all(
        self, width: ir.Value, last: ir.Value, sources: Sequence[ir.Value], targets: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """Build the merges of all pairs of sorted runs of `width` elements of `sources` into `targets`."""
        pair = arith.addi(width, width)
        runs = scf.ForOp(index_constant(0), as_value(self.size), pair, list(targets))
        with ir.InsertionPoint(runs.body):
            start = runs.induction_variable
            middle = _minimum(arith.addi(start, width), self.size)
            end = _minimum(arith.addi(start, pair), self.size)
            merged = loop(
                start,
                end,
                [start, middle, *runs.inner_iter_args],
                lambda place, carried: self._merge_step((middle, end, last), place, sources, carried),
            )
            scf.YieldOp(list(merged[2:]))
        return list(runs.results)

    def _merge_step(
        self,
        ends: tuple[ir.Value, ir.Value, ir.Value],
        place: ir.Value,
        sources: Sequence[ir.Value],
        carried: list[ir.Value],
    ) -> list[ir.Value]:
        """Build the choice of the element at `place`: of the left run or, where it is less, of the right one."""
        left, right, *targets = carried
        end_of_left, end_of_right, last = ends
        # A run that is used up ends where the other begins or where the line ends: any element will do then.
        at_left, at_right = _minimum(left, last), _minimum(right, last)
        pairs = [(tensor.extract(source, [at_right]), tensor.extract(source, [at_left])) for source in sources]
        (is_less,) = compute_on_scalars(self.comparator, [number for pair in pairs for number in pair])
        below = arith.CmpIPredicate.ult
        left_is_used_up = arith.cmpi(arith.CmpIPredicate.uge, left, end_of_left)
        takes_right = arith.andi(arith.cmpi(below, right, end_of_right), arith.ori(left_is_used_up, is_less))
        news = [
            tensor.insert(arith.select(takes_right, *pair), target, [place])
            for pair, target in zip(pairs, targets, strict=True)
        ]
        step = arith.index_castui(ir.IndexType.get(), takes_right)
        one = index_constant(1)
        return [arith.addi(left, arith.subi(one, step)), arith.addi(right, step), *news]
