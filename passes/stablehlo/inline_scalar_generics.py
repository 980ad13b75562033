"""Compute on scalars what `linalg` computes on tensors of rank 0.

In: `linalg.generic` and `linalg.map` without loops, whose operands are scalars and tensors of rank 0, and with loops
over one element, an integer. Out: the ops of their bodies, on the elements of the tensors. What the legalizer of
StableHLO makes of a counter or an offset no longer takes a buffer then. Left alone: other ops, and such on memrefs.

```mlir
func.func @f(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %0 = tensor.empty() : tensor<i32>
  %1 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>],
                       iterator_types = []} ins(%x, %y : tensor<i32>, tensor<i32>) outs(%0 : tensor<i32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %2 = arith.addi %a, %b : i32
    linalg.yield %2 : i32
  } -> tensor<i32>
  return %1 : tensor<i32>
}
```

becomes:

```mlir
func.func @f(%x: tensor<i32>, %y: tensor<i32>) -> tensor<i32> {
  %0 = tensor.empty() : tensor<i32>
  %extracted = tensor.extract %x[] : tensor<i32>
  %extracted_0 = tensor.extract %y[] : tensor<i32>
  %1 = arith.addi %extracted, %extracted_0 : i32
  %from_elements = tensor.from_elements %1 : tensor<i32>
  return %from_elements : tensor<i32>
}
```

Linear in the operations.

Upstream counterpart: `linalg-detensorize`, which also carries scalars through the CFG, and is not in the bindings.
"""

from __future__ import annotations

from mlir import ir

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.regions import inline_body
from .rewriting.scalars import element_of


def _is_scalar(value: ir.Value) -> bool:
    type_ = value.type
    return type_.rank == 0 if isinstance(type_, ir.RankedTensorType) else not isinstance(type_, ir.ShapedType)


def _is_single_integer(value: ir.Value) -> bool:
    """Whether `value` is an integer or a tensor of one; other numbers may be updated where they are."""
    type_ = value.type
    if isinstance(type_, ir.RankedTensorType):
        return all(size == 1 for size in type_.shape) and isinstance(type_.element_type, ir.IntegerType)
    return isinstance(type_, ir.IntegerType)


def _computes_scalars(op: ir.Operation) -> bool:
    if all(map(_is_scalar, op.operands)):
        return True
    return all(map(_is_single_integer, op.operands)) and not find_ops(op, "linalg.index")


def analyze_scalar_generics(root: ir.Operation) -> list[ir.Operation]:
    """Return the generics and maps under `root` that compute scalars. Changes nothing."""
    return find_ops(root, "linalg.generic", "linalg.map", where=_computes_scalars)


def _inline(generic: ir.Operation) -> None:
    """Move the body of `generic` in front of it, onto scalars, and erase it."""
    (block,) = generic.regions[0].blocks
    for argument, value in zip(block.arguments, generic.operands, strict=True):
        if any(True for _ in argument.uses):
            argument.replace_all_uses_with(element_of(value))
    inline_body(generic)


class InlineScalarGenericsPass(Pass[PassOptions]):
    """Compute on scalars what linalg computes on tensors of rank 0."""

    argument = "inplace-inline-scalar-generics"
    summary = "compute on scalars what linalg.generic computes on tensors of rank 0"
    statistics = (Statistic("inlined-generics", "ops whose bodies were inlined"),)

    def run(self, op: ir.Operation) -> None:
        found = analyze_scalar_generics(op)
        for generic in found:
            with ir.InsertionPoint(generic), generic.location:
                _inline(generic)
        self.count("inlined-generics", len(found))
