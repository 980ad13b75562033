"""Refuse modules with ops of StableHLO that no pass has lowered, with the reason.

In: a module after `stablehlo-legalize-to-linalg` and the passes that lower what it leaves. Out: the same module, or one
error, which names the op and where it is, what it would need and what to do. Nothing is changed.

```mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
```

Linear in the operations.

Upstream counterpart: none; its legalizer leaves what it cannot lower, without a word.
"""

from __future__ import annotations

from mlir import ir

from ..analysis.ir.traversal import first_op
from ..framework.base import Pass
from ..framework.errors import PassFailure
from ..framework.options import PassOptions

_DEVICES = (
    "it is for programs on several devices, and compiled programs run on one; write the function without sharding"
)
_HOST = "it exchanges data with the host while the program runs; return the data instead"
_SIZES = "a size is known only when the program runs; write or export the program for known sizes"
_REASONS = {
    **dict.fromkeys(
        (
            "stablehlo.dynamic_broadcast_in_dim", "stablehlo.dynamic_conv", "stablehlo.dynamic_gather",
            "stablehlo.dynamic_iota", "stablehlo.dynamic_pad", "stablehlo.dynamic_reshape",
            "stablehlo.get_dimension_size", "stablehlo.real_dynamic_slice", "stablehlo.set_dimension_size",
        ),
        _SIZES,
    ),
    **dict.fromkeys(
        (
            "stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all", "stablehlo.collective_broadcast",
            "stablehlo.collective_permute", "stablehlo.partition_id", "stablehlo.reduce_scatter",
            "stablehlo.replica_id",
        ),
        _DEVICES,
    ),
    **dict.fromkeys(
        ("stablehlo.infeed", "stablehlo.outfeed", "stablehlo.recv", "stablehlo.send"), _HOST
    ),
    "stablehlo.cholesky": "only real matrices of known sizes are lowered; convert the operand, or fix its sizes",
    "stablehlo.triangular_solve": "only real matrices of known sizes are lowered; convert the operands, or fix sizes",
    "stablehlo.fft": "its operand must have known sizes; fix them",
}  # fmt: skip
"""For ops that are never lowered, or not always, why, and what to do."""


def _description(op: ir.Operation) -> tuple[str, str]:
    """Return what an op that was left is called, and why it was left."""
    if op.name == "stablehlo.custom_call":
        target = ir.StringAttr(op.attributes["call_target_name"]).value
        reason = "it calls a function of the framework, which compiled programs lack; compute that outside the program"
        return f"{op.name} @{target}", reason
    if op.name.startswith("chlo."):
        return op.name, "run func.func(chlo-legalize-to-stablehlo) in the framework's own bindings first"
    return op.name, _REASONS.get(op.name, "neither stablehlo-legalize-to-linalg nor a pass of this package lowers it")


class RefuseHloPass(Pass[PassOptions]):
    """Refuse modules with ops of StableHLO left."""

    argument = "inplace-refuse-hlo"
    summary = "refuse modules with ops of StableHLO that no pass has lowered, with the reason"

    def run(self, op: ir.Operation) -> None:
        left = first_op(op, lambda each: each.name.startswith(("stablehlo.", "chlo.")) and not _is_return(each))
        if left is not None:
            name, reason = _description(left)
            raise PassFailure(f"cannot lower {name}: {reason}", left)


def _is_return(op: ir.OpView | ir.Operation) -> bool:
    """Whether `op` ends a region of another op of StableHLO, which is the one to name."""
    return op.name == "stablehlo.return"
