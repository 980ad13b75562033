"""Lower `stablehlo.if` to `scf.if`, and `stablehlo.case` to `scf.if` or `scf.index_switch`.

In: `stablehlo.if` and `stablehlo.case` anywhere. Out: `scf.if` for two branches, `scf.index_switch` for more, and the
ops of the branch itself where a case has only one. An index that no branch has, a negative one too, takes the last
branch. Tensors of rank 0 become scalar results.

```mlir
func.func @f(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.sine %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
```

becomes:

```mlir
func.func @f(%i: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %extracted = tensor.extract %i[] : tensor<i32>
  %c0_i32 = arith.constant 0 : i32
  %0 = arith.cmpi eq, %extracted, %c0_i32 : i32
  %1 = scf.if %0 -> (tensor<4xf32>) {
    %2 = stablehlo.sine %x : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
```

Linear in the operations.

Upstream counterpart: none in the bindings; `stablehlo-legalize-to-linalg` leaves branches as they are.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, scf

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.regions import inline_body, move_body, replace_results, yield_scalars
from .rewriting.scalars import index_of, scalar_of


def _result_types(op: ir.Operation) -> list[ir.Type]:
    """Return the types of the results, of tensors of rank 0 that of their element."""
    types = [ir.RankedTensorType(result.type) for result in op.results]
    return [type_.element_type if type_.rank == 0 else type_ for type_ in types]


def _fill(branch: ir.Region, target: ir.Block) -> None:
    (block,) = branch.blocks
    yield_scalars(target, move_body(block, target, []))


def _lower_to_if(op: ir.Operation, condition: ir.Value, branches: list[ir.Region]) -> None:
    new = scf.IfOp(condition, _result_types(op), has_else=True)
    for branch, region in zip(branches, new.regions, strict=True):
        _fill(branch, region.blocks[0])
    replace_results(op, list(new.results))


def _lower_case(op: ir.Operation) -> None:
    branches = list(op.regions)
    index = scalar_of(op.operands[0])
    if len(branches) == 2:
        first = arith.cmpi(arith.CmpIPredicate.eq, index, arith.constant(index.type, 0))
        _lower_to_if(op, first, branches)
        return
    cases = ir.DenseI64ArrayAttr.get(range(len(branches) - 1))
    new = ir.Operation.create(
        "scf.index_switch", _result_types(op), [index_of(index)], {"cases": cases}, regions=len(branches)
    )
    default, *others = new.regions
    for branch, region in zip(branches, [*others, default], strict=True):
        _fill(branch, region.blocks.append())
    replace_results(op, list(new.results))


class LowerHloBranchesPass(Pass[PassOptions]):
    """Lower stablehlo.if and stablehlo.case to scf."""

    argument = "inplace-lower-hlo-branches"
    summary = "lower stablehlo.if and stablehlo.case to scf.if and scf.index_switch"
    statistics = (Statistic("lowered-branches", "ops that became branches of scf"),)
    concerns = ("stablehlo.if", "stablehlo.case")

    def run(self, op: ir.Operation) -> None:
        found = find_ops(op, "stablehlo.if", "stablehlo.case")
        for branching in reversed(found):  # inner ones first
            with ir.InsertionPoint(branching), branching.location:
                if len(branching.regions) == 1:
                    inline_body(branching)
                elif branching.name == "stablehlo.if":
                    _lower_to_if(branching, scalar_of(branching.operands[0]), list(branching.regions))
                else:
                    _lower_case(branching)
        self.count("lowered-branches", len(found))
