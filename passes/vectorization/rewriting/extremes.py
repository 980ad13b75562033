"""Maximum and minimum reductions of the lanes of a vector of floats, compared as integers.

`arith.maximumf` is several instructions, as it propagates NaN and orders +0 above -0, and a reduction is a chain of
them, one for each halving of the lanes. The bits of nonnegative floats are ordered as integers; those of negative ones
in reverse, until all bits but the sign are flipped. This orders zeros too, and a NaN is beyond everything else once it
has the sign of the end that is wanted. Then each step of the chain is one instruction.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, vector

from .lanes import broadcast, vector_type

__all__ = ["is_ordered_by_bits", "reduce_by_bits"]

_KINDS = {"arith.maximumf": "maxsi", "arith.minimumf": "minsi"}
_QUIET_NAN = {32: 0x7FC00000, 64: 0x7FF8000000000000}


def is_ordered_by_bits(combiner: str, type_: ir.Type) -> bool:
    """Tell whether `reduce_by_bits` knows how to combine elements of `type_`: f32 and f64, by maximum or minimum."""
    return combiner in _KINDS and isinstance(type_, (ir.F32Type, ir.F64Type))


def reduce_by_bits(combiner: str, value: ir.Value) -> ir.Value:
    """Build what `vector.reduction` gives for `value`, but for the bits of a NaN. A constant number of ops."""
    type_ = ir.VectorType(value.type)
    lanes, width = type_.shape[0], 32 if isinstance(type_.element_type, ir.F32Type) else 64
    integer = ir.IntegerType.get_signless(width)
    nan = _QUIET_NAN[width] if combiner == "arith.maximumf" else -_QUIET_NAN[width] - 1
    keys = _flipped(arith.bitcast(vector_type(integer, lanes), value), integer)
    unordered = arith.cmpf(arith.CmpFPredicate.UNO, value, value)
    keys = arith.select(unordered, broadcast(arith.constant(integer, nan), lanes), keys)
    extreme = vector.reduction(integer, ir.Attribute.parse(f"#vector.kind<{_KINDS[combiner]}>"), keys)
    return arith.bitcast(type_.element_type, _flipped(extreme, integer))


def _flipped(bits: ir.Value, integer: ir.IntegerType) -> ir.Value:
    """Flip all bits but the sign in what is negative; twice gives the same again."""

    def like(number: int) -> ir.Value:
        constant = arith.constant(integer, number)
        return broadcast(constant, bits.type.shape[0]) if isinstance(bits.type, ir.VectorType) else constant

    sign = arith.shrsi(bits, like(integer.width - 1))
    return arith.xori(bits, arith.andi(sign, like(2 ** (integer.width - 1) - 1)))
