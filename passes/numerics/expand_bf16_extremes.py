"""Compare numbers of type bf16 as integers where the larger or the smaller one is wanted.

In f32 two extensions, a comparison that knows NaN, and a truncation would compute what is one of the operands. In:
`arith.maximumf`, `minimumf`, `maxnumf` and `minnumf` on bf16, or vectors of it. Out: the same on their bits, as
integers of the same width, of which a register holds twice as many.

The bits of nonnegative floats are ordered as integers; those of negative ones in reverse, until all bits but the sign
are flipped. This orders zeros too. A NaN becomes the number beyond all others at the end that wins, or that loses in
`maxnumf` and `minnumf`, which ignore it; that is the key of a NaN again.

```mlir
func.func @f(%x: bf16, %y: bf16) -> bf16 {
  %0 = arith.maximumf %x, %y : bf16
  return %0 : bf16
}
```

becomes, with `%x` and `%y` in the same way:

```text
%bits = arith.bitcast %x : bf16 to i16
%flipped = arith.xori %bits, (arith.andi (arith.shrsi %bits, 15), 0x7FFF)
%key = arith.select (arith.cmpf uno, %x, %x), 0x7FFF, %flipped
%most = arith.maxsi %key, %other
%0 = arith.bitcast (%most with all bits but the sign flipped, if that is set) : i16 to bf16
```

Why it is right: docs/theory/optimizing.md. Linear in the operations. Upstream counterpart: none;
`arith-emulate-unsupported-floats` computes in f32.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from ...dialects.support.number_types import number_constant, number_type, with_number_type
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions

_WIDTH = 16
_MOST, _LEAST = (1 << (_WIDTH - 1)) - 1, -(1 << (_WIDTH - 1))
"""The keys of NaN of both signs: no key of a number is beyond them."""
_INFINITY = 0x7F80
_KEYS_OF_NAN = {
    "arith.maximumf": ("maxsi", _MOST),
    "arith.maxnumf": ("maxsi", _LEAST),
    "arith.minimumf": ("minsi", _LEAST),
    "arith.minnumf": ("minsi", _MOST),
}
"""How keys are compared, and the key of a NaN."""


def analyze_bf16_extremes(root: ir.Operation) -> list[ir.Operation]:
    """Return the maxima and minima of bf16 under `root`. Changes nothing."""
    return find_ops(root, *_KEYS_OF_NAN, where=lambda op: isinstance(number_type(op.results[0].type), ir.BF16Type))


def _flipped(bits: ir.Value) -> ir.Value:
    """Flip all bits but the sign in what is negative; twice gives the same again."""
    sign = arith.shrsi(bits, number_constant(bits.type, _WIDTH - 1))
    return arith.xori(bits, arith.andi(sign, number_constant(bits.type, _MOST)))


def _key(value: ir.Value, nan: int) -> ir.Value:
    bits = arith.bitcast(with_number_type(value.type, ir.IntegerType.get_signless(_WIDTH)), value)
    size = arith.andi(bits, number_constant(bits.type, _MOST))
    is_nan = arith.cmpi(arith.CmpIPredicate.sgt, size, number_constant(bits.type, _INFINITY))
    return arith.select(is_nan, number_constant(bits.type, nan), _flipped(bits))


def _expanded(op: ir.Operation) -> ir.Value:
    name, nan = _KEYS_OF_NAN[op.name]
    left, right = (_key(value, nan) for value in op.operands)
    extreme = arith.maxsi(left, right) if name == "maxsi" else arith.minsi(left, right)
    return arith.bitcast(op.results[0].type, _flipped(extreme))


class ExpandBf16ExtremesPass(Pass[PassOptions]):
    """Compute maxima and minima of bf16 on their bits."""

    argument = "inplace-expand-bf16-extremes"
    summary = "expand maxima and minima of bf16 into comparisons of their bits, in place of f32"
    statistics = (Statistic("expanded-extremes", "maxima and minima that are compared as integers"),)
    concerns = tuple(_KEYS_OF_NAN)

    def run(self, op: ir.Operation) -> None:
        found = analyze_bf16_extremes(op)
        for extreme in found:
            with ir.InsertionPoint(extreme), extreme.location:
                extreme.results[0].replace_all_uses_with(_expanded(extreme))
            extreme.erase()
        self.count("expanded-extremes", len(found))
