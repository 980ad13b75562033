"""Lower `stablehlo.select_and_scatter`, the gradient of pooling, and cumulative sums to loops.

In: `stablehlo.select_and_scatter` anywhere. Out: `scf.for` loops over the windows, that is over the elements of the
source. Inner loops select an element of the window, those of the padding excepted; its place in the result is then
updated with the element of the source, in place.

A `stablehlo.reduce_window` whose windows reach from one end of a dimension to each element, by a sum, product, maximum
or minimum, is what JAX makes of `cumsum` and the like. It becomes loops in which each element is computed of the one
before: along rows in eight of them at a time, of which squares are transposed in registers, so that a vector has an
element of each; along another dimension by ops on rows. Sums are rounded in that order. Any other
`stablehlo.reduce_window` is left to upstream's legalizer.

```mlir
func.func @f(%x: tensor<9xf32>, %s: tensor<4xf32>, %init: tensor<f32>) -> tensor<9xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %init) <{
      window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9xf32>, tensor<4xf32>, tensor<f32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}
```

computes:

```text
result = init everywhere
for each element i of s:
  place = none
  for each index j of the window at 2 * i, in order:
    if place is none or not x[place] >= x[j]: place = j
  result[place] = s[i] + result[place]
```

The work is the number of elements of all windows.

Upstream counterpart: none in the bindings; `stablehlo-legalize-to-linalg` leaves the op as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, scf, tensor

from ...dialects.support.frozen_classes import frozen
from ...dialects.support.index_math import Number, add, as_value, index_constant, multiply, tensor_size
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.attributes import integers
from .rewriting.cumulative import find_cumulative, lower_cumulative
from .rewriting.loops import branch, loop_nest
from .rewriting.regions import compute_on_scalars

_BELOW = arith.CmpIPredicate.ult


@frozen
class Windows:
    """The windows of a `stablehlo.select_and_scatter`: for each dimension the size, the stride and the low padding."""

    operand: ir.Value
    sizes: Sequence[int]
    strides: Sequence[int]
    low: Sequence[int]


def analyze_windows(op: ir.Operation) -> Windows:
    """Read the windows of a `stablehlo.select_and_scatter`. Changes nothing."""
    operand = op.operands[0]
    rank = ir.RankedTensorType(operand.type).rank
    return Windows(
        operand,
        integers(op, "window_dimensions", [1] * rank),
        integers(op, "window_strides", [1] * rank),
        integers(op, "padding", [0] * (2 * rank))[::2],
    )


def _all(conditions: Sequence[ir.Value]) -> ir.Value:
    first, *others = conditions or [arith.constant(ir.IntegerType.get_signless(1), 1)]
    for condition in others:
        first = arith.andi(first, condition)
    return first


def _select(windows: Windows, select: ir.Block, starts: Sequence[Number]) -> Sequence[ir.Value]:
    """Build the loops over a window; return whether there is an element in it, the element and its indices."""
    shape = [tensor_size(windows.operand, dim) for dim in range(len(starts))]
    zero = index_constant(0)
    anything = tensor.extract(windows.operand, [zero] * len(starts))
    none = arith.constant(ir.IntegerType.get_signless(1), 0)

    def visit(offsets: list[ir.Value], carried: list[ir.Value]) -> Sequence[ir.Value]:
        place = [as_value(add(start, offset)) for start, offset in zip(starts, offsets, strict=True)]
        sizes = [as_value(size) for size in shape]
        inside = _all([arith.cmpi(_BELOW, *pair) for pair in zip(place, sizes, strict=True)])

        def compare() -> Sequence[ir.Value]:
            found, old, *_ = carried
            new = tensor.extract(windows.operand, place)
            chosen = scf.IfOp(found, [found.type], has_else=True)
            with ir.InsertionPoint(chosen.regions[0].blocks[0]):
                scf.YieldOp(compute_on_scalars(select, [old, new]))
            with ir.InsertionPoint(chosen.regions[1].blocks[0]):
                scf.YieldOp([none])
            keeps = chosen.results[0]
            yes = arith.constant(found.type, 1)
            news = [new, *place]
            return [yes, *(arith.select(keeps, old, new) for old, new in zip(carried[1:], news, strict=True))]

        return branch(inside, carried, compare)

    return loop_nest(windows.sizes, [none, anything, *[zero] * len(starts)], visit)


def _lower(op: ir.Operation) -> None:
    operand, source, init = op.operands
    select, scatter = (region.blocks[0] for region in op.regions)
    windows = analyze_windows(op)
    type_ = ir.RankedTensorType(op.results[0].type)
    sizes = [tensor_size(operand, dim) for dim in range(type_.rank)]
    empty = ir.Operation.create("tensor.empty", [type_], [size for size in sizes if isinstance(size, ir.Value)])
    number = tensor.extract(init, [])
    filled = loop_nest(sizes, [empty.result], lambda place, old: [tensor.insert(number, old[0], place)])

    def visit(indices: list[ir.Value], carried: list[ir.Value]) -> Sequence[ir.Value]:
        starts = [
            add(multiply(index, stride), -low)
            for index, stride, low in zip(indices, windows.strides, windows.low, strict=True)
        ]
        found, _, *place = _select(windows, select, starts)

        def update() -> Sequence[ir.Value]:
            numbers = [tensor.extract(source, indices), tensor.extract(carried[0], place)]
            (new,) = compute_on_scalars(scatter, numbers)
            return [tensor.insert(new, carried[0], place)]

        return branch(found, carried, update)

    (result,) = loop_nest([tensor_size(source, dim) for dim in range(type_.rank)], filled, visit)
    op.results[0].replace_all_uses_with(result)
    op.erase()


class LowerHloWindowsPass(Pass[PassOptions]):
    """Lower stablehlo.select_and_scatter and cumulative stablehlo.reduce_window to loops."""

    argument = "inplace-lower-hlo-windows"
    summary = "lower stablehlo.select_and_scatter, the gradient of pooling, and cumulative sums to loops"
    statistics = (Statistic("lowered-windows", "ops that became loops"),)
    concerns = ("stablehlo.select_and_scatter", "stablehlo.reduce_window")

    def run(self, op: ir.Operation) -> None:
        found = find_ops(op, "stablehlo.select_and_scatter")
        for select_and_scatter in found:
            with ir.InsertionPoint(select_and_scatter), select_and_scatter.location:
                _lower(select_and_scatter)
        self.count("lowered-windows", len(found))
        for one in filter(None, map(find_cumulative, find_ops(op, "stablehlo.reduce_window"))):
            with ir.InsertionPoint(one.op), one.op.location:
                lower_cumulative(one)
            self.count("lowered-windows")
