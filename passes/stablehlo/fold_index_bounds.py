"""Drop clamps, comparisons and conversions of indices that the bounds of loops decide.

In: `arith.maxsi`, `arith.minsi`, `arith.cmpi` and conversions between integers and indices, of values computed from
constants and counters of `scf.for`. Out: the operand, `true` or `false` where the intervals of the operands decide.
StableHLO clamps each index of a slice, JAX adds the size to negative ones, and a scatter skips windows that are
outside: for the counter of a loop over the rows none of that is needed, and slices are seen to be disjoint.

```mlir
func.func @f(%x: tensor<8xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %c0) -> (index) {
    %0 = arith.index_cast %i : index to i32
    %1 = arith.index_cast %0 : i32 to index
    %2 = arith.minsi %1, %c7 : index
    %3 = arith.xori %a, %2 : index
    scf.yield %3 : index
  }
  return %r : index
}
```

becomes:

```mlir
func.func @f(%x: tensor<8xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %c0) -> (index) {
    %0 = arith.index_cast %i : index to i32
    %1 = arith.xori %a, %i : index
    scf.yield %1 : index
  }
  return %r : index
}
```

Linear in the operations. In a loop that does not run the counter has no value, and nothing is computed.

Upstream counterpart: `int-range-optimizations`, which folds comparisons only.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from mlir.dialects import arith

from ...dialects.support.constants import constant_integer
from ...dialects.support.defining_ops import defining_op
from ..analysis.index_sets.integer_ranges import IntegerRanges, Interval
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

_SIGNED_CAST = "arith.index_cast"
_CASTS = ("arith.index_cast", "arith.index_castui")
_EXTREMA = ("arith.maxsi", "arith.minsi")
_COMPARE = "arith.cmpi"
_INDEX_OPS = {"arith.addi": arith.addi, "arith.subi": arith.subi, "arith.muli": arith.muli}
_DEEPEST = 16
"""How deep a sum of integers may be nested to be computed on indices."""

IndexSum = tuple[str, "IndexSum", "IndexSum"] | ir.Value | int
"""What computes an index: an op of `_INDEX_OPS` on two others, a value, or a constant."""


def _extremum(op: ir.Operation, left: Interval, right: Interval) -> ir.Value | None:
    first, second = op.operands
    if op.name == "arith.minsi":
        left, right = right, left
    if left[0] >= right[1]:
        return first
    return second if right[0] >= left[1] else None


def _as_index(value: ir.Value, ranges: IntegerRanges, depth: int = 0) -> IndexSum | None:
    """Return what computes an integer on indices, where no sum wraps around; None if it is not made of indices."""
    constant = constant_integer(value)
    if constant is not None:
        return constant
    op = defining_op(value)
    if op is None or depth > _DEEPEST:
        return None
    if op.name in _CASTS and isinstance(op.operands[0].type, ir.IndexType):
        same = ranges.of(op.operands[0]) == ranges.of(value)
        return op.operands[0] if same and (op.name == _SIGNED_CAST or ranges.of(value)[0] >= 0) else None
    if op.name == "arith.select":
        compare = defining_op(op.operands[0], _COMPARE)
        truth = ranges.comparison(compare) if compare is not None else None
        return None if truth is None else _as_index(op.operands[1 if truth else 2], ranges, depth + 1)
    if op.name not in _INDEX_OPS or not ranges.is_exact(op):
        return None
    left, right = (_as_index(operand, ranges, depth + 1) for operand in op.operands)
    return None if left is None or right is None else (op.name, left, right)


def _cast(op: ir.Operation, ranges: IntegerRanges) -> IndexSum | None:
    """Return what computes the index that an integer is converted to."""
    (value,) = op.operands
    is_kept = op.name == _SIGNED_CAST or ranges.of(value)[0] >= 0
    return _as_index(value, ranges) if is_kept and isinstance(op.results[0].type, ir.IndexType) else None


def analyze_index_bounds(root: ir.Operation) -> list[tuple[ir.Operation, IndexSum]]:
    """Return the ops under `root` whose results are known, and these; for a comparison 0 or 1. Changes nothing."""
    ranges = IntegerRanges()
    found: list[tuple[ir.Operation, IndexSum]] = []
    for op in find_ops(root, *_CASTS, *_EXTREMA, _COMPARE):
        if not isinstance(op.operands[0].type, (ir.IntegerType, ir.IndexType)):
            continue
        result: IndexSum | None
        if op.name in _CASTS:
            result = _cast(op, ranges)
        elif op.name == _COMPARE:
            result = ranges.comparison(op)
        else:
            result = _extremum(op, *(ranges.of(operand) for operand in op.operands))
        if result is not None:
            found.append((op, result))
    return found


def _built(result: IndexSum, type_: ir.Type, known: Mapping[ir.Value, ir.Value]) -> ir.Value:
    """Build what `result` says, of `type_`; of folded ops, `known` has what replaces them."""
    if isinstance(result, ir.Value):
        return known.get(result, result)
    if isinstance(result, int):
        return arith.constant(type_, int(result))
    name, *operands = result
    return _INDEX_OPS[name](*(_built(operand, type_, known) for operand in operands))


class FoldIndexBoundsPass(Pass[PassOptions]):
    """Drop clamps, comparisons and conversions of indices that the bounds of loops decide."""

    argument = "inplace-fold-index-bounds"
    summary = "drop clamps, comparisons and conversions of indices that the bounds of loops decide"
    statistics = (Statistic("folded-ops", "ops whose results were known"),)

    def run(self, op: ir.Operation) -> None:
        found = analyze_index_bounds(op)
        known: dict[ir.Value, ir.Value] = {}
        for folded, result in found:
            old = folded.results[0]
            with ir.InsertionPoint(folded), folded.location:
                known[old] = _built(result, old.type, known)
            old.replace_all_uses_with(known[old])
        for folded, _ in found:
            folded.erase()
        self.count("folded-ops", len(found))
