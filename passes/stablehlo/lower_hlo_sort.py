"""Lower `stablehlo.sort` to a merge sort in loops.

In: `stablehlo.sort` anywhere, of any number of operands, along any dimension, with any comparator. Out: for each line
along the dimension a merge sort from the bottom up, in `scf.for` loops, which sorts the operands in place. It is
stable, takes O(n log n) comparisons for a line of n elements, and needs one more line for each operand, which all lines
share.

```mlir
func.func @f(%x: tensor<5x100xf32>) -> tensor<5x100xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<5x100xf32>) -> tensor<5x100xf32>
  return %0 : tensor<5x100xf32>
}
```

computes:

```text
scratch = tensor.empty() : tensor<100xf32>
for each row of x:
  for width = 1, 4, 16, 64:
    scratch = pairs of sorted runs of `width` elements of the row, merged
    row = pairs of sorted runs of `2 * width` elements of scratch, merged
```

Two merges make an iteration, so that the sorted line is always where it has been. A merge takes the element of the left
run unless that of the right one is less, and reads both without a branch.

Upstream counterpart: none in the bindings; `stablehlo-legalize-to-linalg` leaves sorts as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, math, scf, tensor

from ...dialects.bufferizable import Subset
from ...dialects.subsets import extract_slice, insert_slice
from ...dialects.support.index_math import Number, as_value, index_constant, subtract, tensor_size
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.loops import loop, loop_nest
from .rewriting.regions import compute_on_scalars


@dataclass(frozen=True)
class _Line:
    """What merges of one line need: the comparator, the number of elements, and their last index."""

    comparator: ir.Block
    size: Number
    last: ir.Value


def _minimum(left: ir.Value, right: Number) -> ir.Value:
    return arith.minui(left, as_value(right))


def _merge_all(
    line: _Line, width: ir.Value, sources: Sequence[ir.Value], targets: Sequence[ir.Value]
) -> list[ir.Value]:
    """Build the merges of all pairs of sorted runs of `width` elements of `sources` into `targets`."""
    pair = arith.addi(width, width)
    runs = scf.ForOp(index_constant(0), as_value(line.size), pair, list(targets))
    with ir.InsertionPoint(runs.body):
        start = runs.induction_variable
        middle = _minimum(arith.addi(start, width), line.size)
        end = _minimum(arith.addi(start, pair), line.size)
        merged = loop(
            start,
            end,
            [start, middle, *runs.inner_iter_args],
            lambda place, carried: _merge_step(line, (middle, end), place, sources, carried),
        )
        scf.YieldOp(list(merged[2:]))
    return list(runs.results)


def _merge_step(
    line: _Line, ends: tuple[ir.Value, ir.Value], place: ir.Value, sources: Sequence[ir.Value], carried: list[ir.Value]
) -> list[ir.Value]:
    """Build the choice of the element at `place`: of the left run or, where it is less, of the right one."""
    left, right, *targets = carried
    end_of_left, end_of_right = ends
    # A run that is used up ends where the other begins or where the line ends: any element will do then.
    at_left, at_right = _minimum(left, line.last), _minimum(right, line.last)
    pairs = [(tensor.extract(source, [at_right]), tensor.extract(source, [at_left])) for source in sources]
    (is_less,) = compute_on_scalars(line.comparator, [number for pair in pairs for number in pair])
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


def _iterations(size: Number) -> Number:
    """Return how often the width is quadrupled, from 1, until it is `size`."""
    if isinstance(size, int):
        return (max(size - 1, 0).bit_length() + 1) // 2
    word = ir.IntegerType.get_signless(64)
    zeros = math.ctlz(arith.index_cast(word, arith.subi(size, index_constant(1))))
    bits = arith.index_cast(ir.IndexType.get(), arith.subi(arith.constant(word, 65), zeros))
    return arith.divui(bits, index_constant(2))


def _sort_line(line: _Line, operands: Sequence[ir.Value], scratch: Sequence[ir.Value]) -> list[ir.Value]:
    """Build the sort of tensors of rank 1."""

    def merge_twice(level: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
        count = len(operands)
        shift = arith.addi(level, level)
        width = arith.shli(index_constant(1), shift)
        others = _merge_all(line, width, carried[:count], carried[count:])
        return [*_merge_all(line, arith.addi(width, width), others, carried[:count]), *others]

    return list(loop(0, _iterations(line.size), [*operands, *scratch], merge_twice)[: len(operands)])


def _lower(op: ir.Operation) -> None:
    operands = list(op.operands)
    type_ = ir.RankedTensorType(operands[0].type)
    dim = ir.IntegerAttr(op.attributes["dimension"]).value if "dimension" in op.attributes else -1
    dim %= max(type_.rank, 1)
    sizes = [tensor_size(operands[0], number) for number in range(type_.rank)]
    (comparator,) = op.regions[0].blocks
    line = _Line(comparator, sizes[dim], as_value(subtract(sizes[dim], 1)))
    types = [
        ir.RankedTensorType.get([type_.shape[dim]], ir.RankedTensorType(operand.type).element_type)
        for operand in operands
    ]
    dynamic = [size for size in (sizes[dim],) if isinstance(size, ir.Value)]
    scratch = [ir.Operation.create("tensor.empty", [each], dynamic).result for each in types]

    def sort(indices: list[ir.Value], carried: list[ir.Value]) -> list[ir.Value]:
        if type_.rank == 1:
            return _sort_line(line, carried, scratch)
        offsets = [*indices[:dim], 0, *indices[dim:]]
        lengths = [sizes[dim] if number == dim else 1 for number in range(type_.rank)]
        subset = Subset(tuple(offsets), tuple(lengths), (1,) * type_.rank)
        lines = [extract_slice(value, subset, each) for value, each in zip(carried, types, strict=True)]
        ordered = _sort_line(line, lines, scratch)
        return [insert_slice(new, value, subset) for new, value in zip(ordered, carried, strict=True)]

    results = operands if 0 in type_.shape else loop_nest([*sizes[:dim], *sizes[dim + 1 :]], operands, sort)
    for result, new in zip(op.results, results, strict=True):
        result.replace_all_uses_with(new)
    op.erase()


class LowerHloSortPass(Pass[PassOptions]):
    """Lower stablehlo.sort to a merge sort."""

    argument = "inplace-lower-hlo-sort"
    summary = "lower stablehlo.sort to a stable merge sort in loops, in place"
    statistics = (Statistic("lowered-sorts", "sorts that became loops"),)

    def run(self, op: ir.Operation) -> None:
        found = find_ops(op, "stablehlo.sort")
        for sort in found:
            with ir.InsertionPoint(sort), sort.location:
                _lower(sort)
        self.count("lowered-sorts", len(found))
