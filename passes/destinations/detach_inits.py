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
inits that are read, or in place, empty ones, and those of a function that would copy or allocate more, as the search
for its decisions is bounded. A second run changes nothing. Cost: one analysis, if there is a `linalg` op, and one of a
copy of the module if a function with such inits copies; the next pass gets the first if nothing changed.

Why it is legal: docs/theory/destinations.md. Upstream has no counterpart; `inplace-remove-outs-dependency` looks for
another init, and `mode=empty` replaces those that are in place as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir

from ...dialects.linalg import MODELS
from ...dialects.support.index_math import as_value, tensor_size
from ..analysis.conflicts.decisions import Strategy
from ..analysis.destinations.costs import LIVE_OPTIONS, cost
from ..analysis.in_place.function_decisions import FunctionAnalysis
from ..analysis.ir.traversal import first_op
from ..analysis.whole_module.module import ModuleAnalysis, analyze_module
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions
from .rewriting.insertions import all_ops

_SLICE = "tensor.extract_slice"


def analyze_inits(analysis: ModuleAnalysis) -> list[list[int]]:
    """Return by function the operands that are inits, or are sliced to be inits, and are out-of-place without a copy.

    The functions are in the order of the module. The inits have a content, of which nothing is read. Changes nothing.
    """
    return [
        [
            operand
            for operand, decision in function.decisions.items()
            if decision.strategy is Strategy.OUT_OF_PLACE and not decision.copies and _is_detachable(analysis, operand)
        ]
        for function in _functions(analysis)
    ]


def drop_dearer(analysis: ModuleAnalysis, found: list[list[int]]) -> list[list[int]]:
    """Return `found` without the inits of functions that would cost more, as a trial on a copy shows.

    None is made if no function with such inits copies anything.
    """
    functions = zip(_functions(analysis), found, strict=True)
    before = [cost(analysis, function) if inits else None for function, inits in functions]
    if not any(old.price.copied for old in before if old is not None):
        return found
    copy = analysis.snapshot.root.clone()
    _detach_all(analysis, all_ops(copy.operation), found)
    after = analyze_module(copy.operation, LIVE_OPTIONS)
    return [
        [] if old is None or cost(after, function).exceeds(old) else inits
        for inits, old, function in zip(found, before, _functions(after), strict=True)
    ]


def _functions(analysis: ModuleAnalysis) -> list[FunctionAnalysis]:
    """Return the functions in the order of the module."""
    return sorted(analysis.functions, key=lambda function: function.function)


def _is_detachable(analysis: ModuleAnalysis, operand: int) -> bool:
    s, effects = analysis.snapshot, analysis.effects
    op, value = s.operand_op[operand], s.operand_value[operand]
    if effects.undefined[value] or not isinstance(s.values[value].type, ir.RankedTensorType):
        return False
    if s.op_name[op] == _SLICE:
        return ir.RankedTensorType(s.ops[op].results[0].type).has_static_shape
    return bool(effects.writes[operand]) and effects.model(op) in MODELS


def _detach_all(analysis: ModuleAnalysis, ops: Sequence[ir.Operation], found: Iterable[Sequence[int]]) -> None:
    """Detach the inits of `found` in `ops`: those of the module, or of a copy."""
    s = analysis.snapshot
    with ops[0].context:
        for operands in found:
            for operand in operands:
                _detach(ops[s.operand_op[operand]], s.operand_index(operand))


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
        if known is not None and not known.decides(op, LIVE_OPTIONS):
            known = None
        if known is None and first_op(op, lambda inner: inner.name.startswith("linalg.")) is None:
            return
        if known is None or (known.erased and any(analyze_inits(known))):
            known = analyze_module(op, LIVE_OPTIONS)
        found = [] if known.refusals else drop_dearer(known, analyze_inits(known))
        _detach_all(known, known.snapshot.ops, found)
        self.preserved = None if any(found) else known
        self.count("detached", sum(map(len, found)))
