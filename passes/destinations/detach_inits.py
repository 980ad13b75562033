"""Give an op that cannot write its init, and does not read it, an empty one.

Bufferization gives such an op a new buffer and copies nothing, as it sees that the op overwrites all of it. Once the op
is tiles and vectors in loops that is no longer seen, and the old content is copied. So this comes before.

```mlir
func.func @f(%x: tensor<8xf32>, %z: tensor<8xf32> {bufferization.writable = false}) -> tensor<8xf32> {
  %m = linalg.exp ins(%x : tensor<8xf32>) outs(%z : tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}
```

becomes:

```mlir
func.func @f(%x: tensor<8xf32>, %z: tensor<8xf32> {bufferization.writable = false}) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  %m = linalg.exp ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}
```

In: functions on tensors. Out: the same, in which each init of a `linalg` op that would be out-of-place without a copy
is a `tensor.empty` of the same sizes, and so is each slice of static sizes whose content nothing reads. Left alone:
inits that are read, or in place, and empty ones. A second run changes nothing. Cost: one analysis, if there is a
`linalg` op; the next pass gets it if nothing changed.

Why it is legal: docs/theory/destinations.md. Upstream has no counterpart; `inplace-remove-outs-dependency` looks for
another init, and `mode=empty` replaces those that are in place as well.
"""

from __future__ import annotations

from mlir import ir

from ...dialects.linalg import MODELS
from ...dialects.support.index_math import as_value, tensor_size
from ..analysis.conflicts.decisions import Strategy
from ..analysis.destinations.costs import LIVE_OPTIONS
from ..analysis.ir.traversal import first_op
from ..analysis.whole_module.module import ModuleAnalysis, analyze_module
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

_SLICE = "tensor.extract_slice"


def analyze_inits(analysis: ModuleAnalysis) -> list[int]:
    """Return the operands that are inits, or are sliced to be inits, and are out-of-place without a copy.

    They have a content, of which nothing is read. Changes nothing.
    """
    return [
        operand
        for function in analysis.functions
        for operand, decision in function.decisions.items()
        if decision.strategy is Strategy.OUT_OF_PLACE and not decision.copies and _is_detachable(analysis, operand)
    ]


def _is_detachable(analysis: ModuleAnalysis, operand: int) -> bool:
    s, effects = analysis.snapshot, analysis.effects
    op, value = s.operand_op[operand], s.operand_value[operand]
    if effects.undefined[value] or not isinstance(s.values[value].type, ir.RankedTensorType):
        return False
    if s.op_name[op] == _SLICE:
        return ir.RankedTensorType(s.ops[op].results[0].type).has_static_shape
    return bool(effects.writes[operand]) and effects.model(op) in MODELS


def _detach(user: ir.Operation, number: int) -> None:
    with ir.InsertionPoint(user), user.location:
        if user.name == _SLICE:
            user.results[0].replace_all_uses_with(_empty_like(user.results[0]))
            user.erase()
        else:
            user.operands[number] = _empty_like(user.operands[number])


def _empty_like(tensor: ir.Value) -> ir.Value:
    type_ = ir.RankedTensorType(tensor.type)
    sizes = [as_value(tensor_size(tensor, d)) for d in range(type_.rank) if type_.is_dynamic_dim(d)]
    return ir.Operation.create("tensor.empty", results=[type_], operands=sizes).result


class DetachInitsPass(Pass[PassOptions]):
    """Give ops that cannot write their init, and do not read it, an empty one."""

    argument = "inplace-detach-inits"
    summary = "replace inits that are neither read nor written in place by empty ones"
    anchor = "builtin.module"
    statistics = (Statistic("detached", "inits that became empty"),)

    def run(self, op: ir.Operation) -> None:
        known = self.inherited
        if known is None or not known.answers(op, LIVE_OPTIONS):
            if first_op(op, lambda inner: inner.name.startswith("linalg.")) is None:
                return
            known = analyze_module(op, LIVE_OPTIONS)
        s, found = known.snapshot, [] if known.refusals else analyze_inits(known)
        with op.context:
            for operand in found:
                _detach(s.ops[s.operand_op[operand]], s.operand_index(operand))
        self.preserved = None if found else known
        self.count("detached", len(found))
