"""Lower `stablehlo.scatter` to loops that update the operand in place.

In: `stablehlo.scatter` anywhere, with any dimension numbers and any number of operands. Out: `scf.for` loops over the
index vectors, which carry the operands and update them element by element, or by a `tensor.insert_slice` where the
update just replaces a window. A window that does not lie in the operand is skipped, as XLA does. Updates are applied in
the order of the updates, so that sums of floating-point numbers are the same in each run.

```mlir
func.func @f(%x: tensor<8xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
```

is, lowered to linalg and canonicalized too:

```mlir
func.func @f(%x: tensor<8xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %0 = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
    %1 = tensor.extract %i[%k, %c0] : tensor<4x1xi32>
    %2 = arith.index_cast %1 : i32 to index
    %3 = arith.cmpi ult, %2, %c8 : index
    %4 = scf.if %3 -> (tensor<8xf32>) {
      %5 = tensor.extract %a[%2] : tensor<8xf32>
      %6 = tensor.extract %u[%k] : tensor<4xf32>
      %7 = arith.addf %5, %6 : f32
      %8 = tensor.insert %7 into %a[%2] : tensor<8xf32>
      scf.yield %8 : tensor<8xf32>
    } else {
      scf.yield %a : tensor<8xf32>
    }
    scf.yield %4 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
```

The work is that of the updates; a copy of the operand is left only if somebody reads it afterwards.

Upstream counterpart: none in the bindings; `stablehlo-legalize-to-linalg` leaves scatters as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from ...dialects.bufferizable import Subset
from ...dialects.subsets import extract_slice, insert_slice
from ...dialects.support.frozen_classes import frozen
from ...dialects.support.index_math import Number, add, as_value, index_constant, subtract, tensor_size
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.attributes import dimension_numbers
from .rewriting.loops import branch, loop_nest
from .rewriting.regions import compute_on_scalars
from .rewriting.scalars import index_of


@frozen
class Scatter:
    """The operands and the dimension numbers of a `stablehlo.scatter`.

    Attributes:
        inputs: the operands that are updated.
        indices: the tensor of index vectors.
        updates: an update for each operand.
        window_dims: dimensions of the updates that run over a window.
        loop_dims: the others, which run over the index vectors.
        window_positions: for each dimension of the operands the dimension of the updates that runs over it in a window;
            None where the window has size 1.
        indexed: for each entry of an index vector, the dimension of the operands that it is a start in.
        batched: (dimension of the operands, dimension of the updates that has the same index) of batching dimensions.
        vector_dim: the dimension of `indices` that runs over an index vector.
    """

    inputs: Sequence[ir.Value]
    indices: ir.Value
    updates: Sequence[ir.Value]
    window_dims: Sequence[int]
    loop_dims: Sequence[int]
    window_positions: Sequence[int | None]
    indexed: Sequence[int]
    batched: Sequence[tuple[int, int]]
    vector_dim: int


def analyze_scatter(op: ir.Operation) -> Scatter:
    """Read a `stablehlo.scatter`. Changes nothing."""
    operands = list(op.operands)
    count = len(operands) // 2
    inputs, indices, updates = operands[:count], operands[count], operands[count + 1 :]
    numbers = dimension_numbers(op, "scatter_dimension_numbers", "ScatterDimensionNumbers")
    window_dims = list(numbers.update_window_dims)
    loop_dims = [dim for dim in range(ir.RankedTensorType(updates[0].type).rank) if dim not in window_dims]
    batching = list(numbers.input_batching_dims)
    without_window = {*numbers.inserted_window_dims, *batching}
    rest = iter(window_dims)
    rank = ir.RankedTensorType(inputs[0].type).rank
    positions = [None if dim in without_window else next(rest) for dim in range(rank)]
    vector_dim = numbers.index_vector_dim
    loops_of_batching = (loop_dims[dim - (dim > vector_dim)] for dim in numbers.scatter_indices_batching_dims)
    return Scatter(
        inputs=inputs,
        indices=indices,
        updates=updates,
        window_dims=window_dims,
        loop_dims=loop_dims,
        window_positions=positions,
        indexed=list(numbers.scattered_dims_to_operand_dims),
        batched=list(zip(batching, loops_of_batching, strict=True)),
        vector_dim=vector_dim,
    )


def _starts(scatter: Scatter, indices: Sequence[ir.Value]) -> list[Number]:
    """Return where the window of the index vector at `indices` starts in each dimension of the operands."""
    starts: list[Number] = [0] * len(scatter.window_positions)
    has_vector_dim = scatter.vector_dim < ir.RankedTensorType(scatter.indices.type).rank
    for position, dim in enumerate(scatter.indexed):
        place = list(indices)
        if has_vector_dim:
            place.insert(scatter.vector_dim, index_constant(position))
        starts[dim] = index_of(tensor.extract(scatter.indices, place))
    index_at = dict(zip(scatter.loop_dims, indices, strict=True))
    for dim, loop_dim in scatter.batched:
        starts[dim] = index_at[loop_dim]
    return starts


def _is_inside(scatter: Scatter, starts: Sequence[Number]) -> ir.Value | None:
    """Return whether the window lies in the operands; None if there is no index to check."""
    decision: ir.Value | None = None
    for dim in scatter.indexed:
        position = scatter.window_positions[dim]
        window = 1 if position is None else tensor_size(scatter.updates[0], position)
        places = add(subtract(tensor_size(scatter.inputs[0], dim), window), 1)
        limit = places if isinstance(places, int) else arith.maxsi(places, index_constant(0))
        inside = arith.cmpi(arith.CmpIPredicate.ult, as_value(starts[dim]), as_value(limit))  # negative ones are huge
        decision = inside if decision is None else arith.andi(decision, inside)
    return decision


def _replaces(op: ir.Operation) -> bool:
    """Whether the region of a scatter of one operand returns the update."""
    (block,) = op.regions[0].blocks
    ops = list(block.operations)
    return len(op.results) == 1 and len(ops) == 1 and ops[0].operands[0] == block.arguments[1]


def _update_slice(scatter: Scatter, starts: Sequence[Number], indices: Sequence[ir.Value], old: ir.Value) -> ir.Value:
    """Build the insertion of a window of the updates into `old`."""
    update = scatter.updates[0]
    type_ = ir.RankedTensorType(update.type)
    offsets: list[Number] = [0] * type_.rank
    sizes: list[Number] = [1] * type_.rank
    for dim, index in zip(scatter.loop_dims, indices, strict=True):
        offsets[dim] = index
    for dim in scatter.window_dims:
        sizes[dim] = tensor_size(update, dim)
    window_type = ir.RankedTensorType.get([type_.shape[dim] for dim in scatter.window_dims], type_.element_type)
    window = extract_slice(update, _unit_strides(offsets, sizes), window_type)
    lengths = [1 if position is None else sizes[position] for position in scatter.window_positions]
    return insert_slice(window, old, _unit_strides(starts, lengths))


def _unit_strides(offsets: Sequence[Number], sizes: Sequence[Number]) -> Subset:
    return Subset(tuple(offsets), tuple(sizes), (1,) * len(sizes))


def _update_elements(
    op: ir.Operation, scatter: Scatter, starts: Sequence[Number], indices: Sequence[ir.Value], olds: Sequence[ir.Value]
) -> Sequence[ir.Value]:
    """Build the loops that update the elements of a window."""

    def update(offsets: list[ir.Value], carried: list[ir.Value]) -> list[ir.Value]:
        place = dict(zip([*scatter.loop_dims, *scatter.window_dims], [*indices, *offsets], strict=True))
        source = [place[dim] for dim in sorted(place)]
        target = [
            as_value(start if position is None else add(start, place[position]))
            for start, position in zip(starts, scatter.window_positions, strict=True)
        ]
        numbers = [tensor.extract(value, target) for value in carried]
        numbers += [tensor.extract(value, source) for value in scatter.updates]
        (block,) = op.regions[0].blocks
        new = compute_on_scalars(block, numbers)
        return [tensor.insert(number, value, target) for number, value in zip(new, carried, strict=True)]

    return loop_nest([tensor_size(scatter.updates[0], dim) for dim in scatter.window_dims], olds, update)


def _lower(op: ir.Operation, scatter: Scatter) -> None:
    slices = _replaces(op) and bool(scatter.window_dims)

    def update(indices: list[ir.Value], carried: list[ir.Value]) -> Sequence[ir.Value]:
        starts = _starts(scatter, indices)

        def inside() -> Sequence[ir.Value]:
            if slices:
                return [_update_slice(scatter, starts, indices, carried[0])]
            return _update_elements(op, scatter, starts, indices, carried)

        decision = _is_inside(scatter, starts)
        return inside() if decision is None else branch(decision, carried, inside)

    sizes = [tensor_size(scatter.updates[0], dim) for dim in scatter.loop_dims]
    results = loop_nest(sizes, scatter.inputs, update)
    for result, new in zip(op.results, results, strict=True):
        result.replace_all_uses_with(new)
    op.erase()


class LowerHloScatterPass(Pass[PassOptions]):
    """Lower stablehlo.scatter to loops."""

    argument = "inplace-lower-hlo-scatter"
    summary = "lower stablehlo.scatter to loops that update the operand in place"
    statistics = (Statistic("lowered-scatters", "scatters that became loops"),)
    concerns = ("stablehlo.scatter",)

    def run(self, op: ir.Operation) -> None:
        found = find_ops(op, "stablehlo.scatter")
        for scatter in found:
            with ir.InsertionPoint(scatter), scatter.location:
                _lower(scatter, analyze_scatter(scatter))
        self.count("lowered-scatters", len(found))
