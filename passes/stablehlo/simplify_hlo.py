"""Replace StableHLO ops that compute nothing by their operands, and concatenations that stay by `tensor.concat`.

In: `stablehlo.optimization_barrier`, reductions over no dimension or over no element, ops on tensors without elements
(of which recursive code such as `jax.lax.associative_scan` makes many). Out: operands, inits and empty tensors in their
place. The legalizer of upstream leaves some of these, and makes invalid IR of others.

A concatenation of static sizes, of 64 elements or more, becomes `tensor.concat` if it has several users, or one that is
not fused with it: then each part is one copy, or is computed where it belongs. Upstream makes an elementwise op that
asks for each element from which part it is, which can only be fused into its user.

```mlir
func.func @f(%x: tensor<4xf32>, %y: tensor<0xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %y, %y : tensor<0xf32>
  %1 = stablehlo.concatenate %x, %0, dim = 0 : (tensor<4xf32>, tensor<0xf32>) -> tensor<4xf32>
  %2 = stablehlo.optimization_barrier %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
```

becomes:

```mlir
func.func @f(%x: tensor<4xf32>, %y: tensor<0xf32>) -> tensor<4xf32> {
  %0 = tensor.empty() : tensor<0xf32>
  return %x : tensor<4xf32>
}
```

Linear in the operations. An init is what its reduction leaves unchanged, says the specification of StableHLO, so that a
reduction over no dimension returns its operands.

Upstream counterpart: `stablehlo-aggressive-simplification`, which rewrites much more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import tensor

from ...dialects.support.cloning import attributes_of
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.attributes import integers

_HAS_MORE_TO_DO = ("stablehlo.while", "stablehlo.custom_call", "stablehlo.return")
"""Ops that matter even if their results have no element."""
_HLO_READERS = (
    "concatenate convolution custom_call dot dot_general dynamic_slice dynamic_update_slice gather return scatter"
    " select_and_scatter sort while"
)
_READ_MEMORY = {"func.call", "func.return", "tensor.concat", *(f"stablehlo.{name}" for name in _HLO_READERS.split())}
"""Ops that no elementwise producer is fused into."""
_FEWEST_COPIED = 64
"""The fewest elements of which parts are copied; fewer, such as the indices of a scatter, are computed in place."""


def _is_empty(value: ir.Value) -> bool:
    type_ = value.type
    return isinstance(type_, ir.RankedTensorType) and 0 in type_.shape


def _broadcast(value: ir.Value, type_: ir.Type) -> ir.Value:
    dimensions = {"broadcast_dimensions": ir.DenseI64ArrayAttr.get([])}
    return ir.Operation.create("stablehlo.broadcast_in_dim", [type_], [value], dimensions).result


def _nothing(op: ir.Operation) -> Sequence[ir.Value] | None:
    """Return empty tensors for the results of an op that has no other."""
    types = [result.type for result in op.results]
    if not types or op.name in _HAS_MORE_TO_DO or not all(map(_is_empty, op.results)):
        return None
    if not all(ir.RankedTensorType(type_).has_static_shape for type_ in types):
        return None
    return [ir.Operation.create("tensor.empty", [type_]).result for type_ in types]


def _barrier(op: ir.Operation) -> Sequence[ir.Value]:
    return list(op.operands)


def _reduce(op: ir.Operation) -> Sequence[ir.Value] | None:
    count = len(op.results)
    inputs, inits = list(op.operands)[:count], list(op.operands)[count:]
    if not integers(op, "dimensions", []):
        return inputs
    if _is_empty(inputs[0]):
        return [_broadcast(init, result.type) for init, result in zip(inits, op.results, strict=True)]
    return None


def _concatenate(op: ir.Operation) -> Sequence[ir.Value] | None:
    parts = [operand for operand in op.operands if not _is_empty(operand)]
    (result,) = op.results
    if len(parts) == 1 and parts[0].type == result.type:
        return parts
    is_static = all(ir.RankedTensorType(value.type).has_static_shape for value in (*parts, result))
    if is_static and _is_large(result) and _is_materialized(result):
        return [tensor.concat(result.type, ir.IntegerAttr(op.attributes["dimension"]).value, parts)]
    if len(parts) == len(op.operands):
        return None
    return [ir.Operation.create(op.name, [result.type], parts, attributes_of(op)).result]


def _is_large(value: ir.Value) -> bool:
    return math.prod(ir.RankedTensorType(value.type).shape) >= _FEWEST_COPIED


def _is_materialized(value: ir.Value) -> bool:
    """Whether `value` will be in memory: it has several users, or one that reads memory."""
    users = {use.owner.operation for use in value.uses}
    return len(users) > 1 or any(user.name in _READ_MEMORY for user in users)


def _pad(op: ir.Operation) -> Sequence[ir.Value] | None:
    return [_broadcast(op.operands[1], op.results[0].type)] if _is_empty(op.operands[0]) else None


def _dynamic_update_slice(op: ir.Operation) -> Sequence[ir.Value] | None:
    return [op.operands[0]] if _is_empty(op.operands[1]) else None


_RULES: dict[str, Callable[[ir.Operation], Sequence[ir.Value] | None]] = {
    "stablehlo.concatenate": _concatenate,
    "stablehlo.dynamic_update_slice": _dynamic_update_slice,
    "stablehlo.optimization_barrier": _barrier,
    "stablehlo.pad": _pad,
    "stablehlo.reduce": _reduce,
}
"""For each op, what returns the values that replace its results; None where it has to stay."""


class SimplifyHloPass(Pass[PassOptions]):
    """Replace StableHLO ops that compute nothing by their operands."""

    argument = "inplace-simplify-hlo"
    summary = "replace StableHLO ops that compute nothing by their operands, and concatenations by tensor.concat"
    statistics = (Statistic("replaced-ops", "ops that were replaced"),)

    def run(self, op: ir.Operation) -> None:
        for found in reversed(find_ops(op, where=lambda each: each.name.startswith("stablehlo."))):  # inner ops first
            with ir.InsertionPoint(found), found.location:
                rule = _RULES.get(found.name)
                news = _nothing(found) or (rule(found) if rule else None)
            if news is not None:
                for result, new in zip(found.results, news, strict=True):
                    result.replace_all_uses_with(new)
                found.erase()
                self.count("replaced-ops")
