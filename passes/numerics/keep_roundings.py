"""Keep the rounding of numbers that are truncated and extended again.

In: `arith.truncf` and `arith.extf` with the flag `contract`, which upstream's passes set where they compute narrow
floats in wide ones. Out: the same without that flag. With it, truncating and extending may be folded away: the next op
would use a sum before rounding, but only where both ops are next to each other, so that results would depend on fusion.
All other flags stay.

```mlir
func.func @f(%x: f32) -> f32 {
  %1 = arith.truncf %x fastmath<contract> : f32 to bf16
  %2 = arith.extf %1 fastmath<contract> : bf16 to f32
  return %2 : f32
}
```

becomes:

```mlir
func.func @f(%x: f32) -> f32 {
  %0 = arith.truncf %x : f32 to bf16
  %1 = arith.extf %0 : bf16 to f32
  return %1 : f32
}
```

The flag is a permission, so dropping it is always right: docs/theory/optimizing.md.

Linear in the operations.

Upstream counterpart: none.
"""

from __future__ import annotations

from mlir import ir

from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

_FLAGS = "fastmath"
_FAST = "reassoc,nnan,ninf,nsz,arcp,contract,afn"
"""What `fast` means."""


def analyze_contractions(root: ir.Operation) -> list[ir.Operation]:
    """Return the casts between floats under `root` that may be contracted. Changes nothing."""
    return find_ops(root, "arith.extf", "arith.truncf", where=lambda op: "contract" in _flags(op))


def _flags(op: ir.Operation) -> list[str]:
    text = str(op.attributes[_FLAGS]) if _FLAGS in op.attributes else "<>"
    return text[text.index("<") + 1 : -1].replace("fast", _FAST).split(",")


class KeepRoundingsPass(Pass[PassOptions]):
    """Let no cast between floats be contracted."""

    argument = "inplace-keep-roundings"
    summary = "keep the rounding of numbers that are truncated and extended again"
    statistics = (Statistic("kept-roundings", "casts that may not be contracted any more"),)
    concerns = ("arith.extf", "arith.truncf")

    def run(self, op: ir.Operation) -> None:
        found = analyze_contractions(op)
        for cast in found:
            kept = ",".join(flag for flag in _flags(cast) if flag != "contract")
            if kept:
                cast.attributes[_FLAGS] = ir.Attribute.parse(f"#arith.fastmath<{kept}>", cast.context)
            else:
                del cast.attributes[_FLAGS]
        self.count("kept-roundings", len(found))
