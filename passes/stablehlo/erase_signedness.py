"""Make unsigned integers signless, once no op tells them apart by their type.

In: types with `ui8`, `si32` and so on, of function arguments and results, block arguments and values. Out: the same
with `i8`, `i32`; `unrealized_conversion_cast` between the two is gone. `arith`, `linalg` and what follows take signless
integers only, and tell signed from unsigned by the op.

```mlir
func.func @f(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = builtin.unrealized_conversion_cast %x : tensor<4xui8> to tensor<4xi8>
  %1 = arith.divui %0, %0 : tensor<4xi8>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<4xi8> to tensor<4xui8>
  return %2 : tensor<4xui8>
}
```

becomes:

```mlir
func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = arith.divui %x, %x : tensor<4xi8>
  return %0 : tensor<4xi8>
}
```

Run it after `stablehlo-legalize-to-linalg`: the ops of StableHLO would compute something else on signless integers.
It refuses modules that still hold such ops. Linear in the operations.

Upstream counterpart: `stablehlo-convert-to-signless`, which does the same for functions and StableHLO only.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ..analysis.ir.traversal import defined_values, find_ops
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions
from .rewriting.scalars import signless

_CAST = "builtin.unrealized_conversion_cast"


def _without_sign(type_: ir.Type) -> ir.Type:
    """Return `type_` with signless integers, an element type too; functions and tensors are all that has such."""
    if isinstance(type_, ir.RankedTensorType):
        element = signless(type_.element_type)
        return type_ if element == type_.element_type else ir.RankedTensorType.get(type_.shape, element, type_.encoding)
    if isinstance(type_, ir.FunctionType):
        inputs, results = ([_without_sign(each) for each in part] for part in (type_.inputs, type_.results))
        return ir.FunctionType.get(inputs, results)
    return signless(type_)


def analyze_signedness(root: ir.Operation) -> list[tuple[ir.Value, ir.Type]]:
    """Return the values under `root` that lose a sign, and their types then. Changes nothing.

    Raises `PassFailure` where ops of StableHLO are left.
    """
    return _changes(find_ops(root))


def _changes(ops: Sequence[ir.Operation]) -> list[tuple[ir.Value, ir.Type]]:
    left = next((op for op in ops if op.name.startswith(("stablehlo.", "chlo."))), None)
    if left is not None:
        raise PassFailure(
            f"{left.name} may compute something else on signless integers; lower it first, as with "
            "stablehlo-legalize-to-linalg",
            left,
        )
    known: dict[ir.Type, ir.Type | None] = {}
    """By type the one without signs, None for the same one: few types have many values."""
    changes: list[tuple[ir.Value, ir.Type]] = []
    for op in ops:
        for value in defined_values(op):
            type_ = value.type
            if type_ not in known:
                changed = _without_sign(type_)
                known[type_] = changed if changed != type_ else None
            if (other := known[type_]) is not None:
                changes.append((value, other))
    return changes


class EraseSignednessPass(Pass[PassOptions]):
    """Make unsigned integers signless."""

    argument = "inplace-erase-signedness"
    summary = "make unsigned integers signless, and drop the casts between them"
    statistics = (Statistic("changed-values", "values that have another type now"),)

    def run(self, op: ir.Operation) -> None:
        ops = find_ops(op)
        with op.location:
            changes = _changes(ops)
        for value, type_ in changes:
            value.set_type(type_)
        for function in (each for each in ops if each.name == "func.func"):
            type_ = ir.TypeAttr(function.attributes["function_type"]).value
            with function.location:
                function.attributes["function_type"] = ir.TypeAttr.get(_without_sign(type_))
        for cast in (each for each in ops if each.name == _CAST):
            if [value.type for value in cast.operands] == [value.type for value in cast.results]:
                for result, value in zip(cast.results, cast.operands, strict=True):
                    result.replace_all_uses_with(value)
                cast.erase()
        self.count("changed-values", len(changes))
