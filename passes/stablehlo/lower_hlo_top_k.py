"""Lower `ApproxTopK`, which JAX calls for `approx_max_k` and `approx_min_k`, to a sort.

In: `stablehlo.custom_call @ApproxTopK`, whose comparator is a function of the module. Out: a `stablehlo.sort` of the
operands by that comparator, and slices of the first elements: the exact answer, which an approximate one may be. The
comparators are erased.

```mlir
func.func @compare(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}
func.func @f(%x: tensor<9xf32>, %i: tensor<9xi32>, %a: tensor<f32>, %b: tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %a, %b) {called_computations = [@compare],
      mhlo.backend_config = {reduction_dim = 0 : i64, top_k = 3 : i64}}
      : (tensor<9xf32>, tensor<9xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
}
```

becomes:

```mlir
func.func @f(%x: tensor<9xf32>, %i: tensor<9xi32>, %a: tensor<f32>, %b: tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%c: tensor<f32>, %d: tensor<f32>, %j: tensor<i32>, %k: tensor<i32>):
    %3 = stablehlo.compare GT, %c, %d : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<9xf32>, tensor<9xi32>) -> (tensor<9xf32>, tensor<9xi32>)
  %1 = stablehlo.slice %0#0 [0:3] : (tensor<9xf32>) -> tensor<3xf32>
  %2 = stablehlo.slice %0#1 [0:3] : (tensor<9xi32>) -> tensor<3xi32>
  return %1, %2 : tensor<3xf32>, tensor<3xi32>
}
```

Linear in the operations.

Upstream counterpart: none; `lax.top_k` needs no call.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.support.cloning import clone_with
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.attributes import call_options

_TARGET = "ApproxTopK"


def analyze_top_k(module: ir.Operation) -> list[tuple[ir.Operation, ir.Operation]]:
    """Return the calls in `module` that this pass lowers, each with the function that compares. Changes nothing."""
    functions = {ir.StringAttr(op.attributes["sym_name"]).value: op for op in find_ops(module, "func.func")}
    found: list[tuple[ir.Operation, ir.Operation]] = []
    for call in find_ops(module, "stablehlo.custom_call"):
        if ir.StringAttr(call.attributes["call_target_name"]).value != _TARGET:
            continue
        names = [ir.FlatSymbolRefAttr(name).value for name in ir.ArrayAttr(call.attributes["called_computations"])]
        if len(names) == 1 and names[0] in functions and "reduction_dim" in call_options(call):
            found.append((call, functions[names[0]]))
    return found


def _sorted(call: ir.Operation, function: ir.Operation, dim: int) -> list[ir.Value]:
    """Build the sort of the operands of `call`, the first half of which are tensors, the rest of them inits."""
    operands = list(call.operands)[: len(call.results)]
    attributes = {
        "dimension": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dim),
        "is_stable": ir.BoolAttr.get(True),
    }
    types = [operand.type for operand in operands]
    sort = ir.Operation.create("stablehlo.sort", types, operands, attributes, regions=1)
    (comparator,) = function.regions[0].blocks
    arguments = [argument.type for argument in comparator.arguments]
    block = sort.regions[0].blocks.append(*arguments, arg_locs=[call.location] * len(arguments))
    known: dict[ir.Value, ir.Value] = dict(zip(comparator.arguments, block.arguments, strict=True))
    with ir.InsertionPoint(block):
        *ops, terminator = comparator.operations
        for op in ops:
            clone_with(op.operation, known)
        order = [known.get(value, value) for value in terminator.operands]
        ir.Operation.create("stablehlo.return", operands=order)  # JAX's artifacts have func.return here.
    return list(sort.results)


def _slice(value: ir.Value, type_: ir.Type) -> ir.Value:
    """Build the first elements of `value`, as many as `type_` has."""
    limits = list(ir.RankedTensorType(type_).shape)
    numbers = {"start_indices": [0] * len(limits), "limit_indices": limits, "strides": [1] * len(limits)}
    attributes = {name: ir.DenseI64ArrayAttr.get(entries) for name, entries in numbers.items()}
    return ir.Operation.create("stablehlo.slice", [type_], [value], attributes).result


class LowerHloTopKPass(Pass[PassOptions]):
    """Lower ApproxTopK to a sort."""

    argument = "inplace-lower-hlo-top-k"
    summary = "lower ApproxTopK, which JAX calls for approx_max_k, to a sort"
    anchor = "builtin.module"
    statistics = (Statistic("lowered-calls", "calls that became sorts"),)
    concerns = ("stablehlo.custom_call",)

    def run(self, op: ir.Operation) -> None:
        found = analyze_top_k(op)
        for call, function in found:
            with ir.InsertionPoint(call), call.location:
                ordered = _sorted(call, function, call_options(call)["reduction_dim"])
                for value, result in zip(ordered, call.results, strict=True):
                    result.replace_all_uses_with(_slice(value, result.type))
            call.erase()
        for function in dict.fromkeys(function for _, function in found):
            function.erase()
        self.count("lowered-calls", len(found))
