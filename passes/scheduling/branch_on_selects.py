"""Lower `arith.select` of dynamically shaped tensors to `scf.if`.

An `arith.select` of whole tensors by an `i1` returns one of them, and its sizes; upstream's canonicalization makes it
of an `scf.if`. Lowered element by element, as `convert-elementwise-to-linalg` does, it has the sizes of the
first whatever the condition is, and reads memory past the end of the second. In: a function before that pass. Out: an
`scf.if` for each such select whose type leaves a size open. Left alone: selects of static shapes, which may be fused
into other ops, selects by a tensor of conditions, whose operands have one shape, and those of scalars, vectors and
memrefs.

```mlir
func.func @f(%c: i1, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.select %c, %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}
```

becomes:

```mlir
func.func @f(%c: i1, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = scf.if %c -> (tensor<?xf32>) {
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %b : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
```

Linear in the operations. Upstream counterpart: none.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import scf

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions


def analyze_selects(root: ir.Operation) -> list[ir.Operation]:
    """Return the selects under `root` whose operands may differ in their sizes. Changes nothing."""
    return find_ops(root, "arith.select", where=_may_differ_in_size)


def _may_differ_in_size(select: ir.Operation) -> bool:
    type_ = select.results[0].type
    if not isinstance(type_, ir.RankedTensorType) or type_.has_static_shape:
        return False
    return not isinstance(select.operands[0].type, ir.ShapedType)


def _branch(select: ir.Operation) -> ir.Value:
    """The choice of `select` as an `scf.if` that yields its operands."""
    condition, *choices = select.operands
    choice = scf.IfOp(condition, [select.results[0].type], has_else=True)
    for region, value in zip(choice.operation.regions, choices, strict=True):
        with ir.InsertionPoint(region.blocks[0]):
            scf.YieldOp([value])
    return choice.results[0]


class BranchOnSelectsPass(Pass[PassOptions]):
    """Choose between tensors of unknown sizes by branches."""

    argument = "inplace-branch-on-selects"
    summary = "turn selects of whole tensors whose sizes may differ into scf.if, before they are lowered by elements"
    anchor = "func.func"
    statistics = (Statistic("branches", "selects that became branches"),)

    def run(self, op: ir.Operation) -> None:
        for select in analyze_selects(op):
            with ir.InsertionPoint(select), select.location:
                select.results[0].replace_all_uses_with(_branch(select))
            select.erase()
            self.count("branches")
