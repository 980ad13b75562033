"""Iteration numbers in the lanes, comparisons with them, and casts of them.

An index has 64 bits, so comparing one for each f32 lane of a vector, as a causal mask does, takes two vectors of
numbers, made by two additions. As the lanes count up from the first one, the distance from that to a number that all
lanes share decides the comparison as well, in 32 bits. Where numbers are cast to 32 bits or fewer, as those of a
largest element are, the first one is, and the lanes count up from that: what a sum loses is not in its last bits.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from mlir.dialects import arith, vector

from ....dialects.structured import index_constant
from ....dialects.support.defining_ops import defining_op

__all__ = ["compared", "iterations_from", "narrowed"]

_PREDICATES = frozenset(getattr(arith.CmpIPredicate, name).value for name in ("eq", "ne", "slt", "sle", "sgt", "sge"))
"""Not the unsigned ones, which take negative numbers for huge ones."""
_FEWEST, _NARROW = 16, 32
"""Widths of integers that count the lanes of any vector, and are narrower than an index."""


def iterations_from(first: ir.Value, lanes: int) -> ir.Value:
    """Build a vector of `first` and the numbers after it."""
    type_ = ir.VectorType.get([lanes], ir.IndexType.get())
    return arith.addi(vector.broadcast(type_, first), vector.step(type_))


def compared(op: ir.Operation, known: Mapping[ir.Value, ir.Value]) -> ir.Value | None:
    """Build `op` on `known` values if it compares iterations with a value that all lanes share; None otherwise."""
    if op.name != "arith.cmpi" or ir.IntegerAttr(op.attributes["predicate"]).value not in _PREDICATES:
        return None
    operands = [known.get(value, value) for value in op.operands]
    firsts = [_first_of(value) for value in operands]
    side = next((number for number, first in enumerate(firsts) if first is not None), None)
    if side is None or isinstance(operands[1 - side].type, ir.VectorType):
        return None
    first, lanes = firsts[side], ir.VectorType(operands[side].type).shape[0]
    assert first is not None
    bits = ir.VectorType.get([lanes], ir.IntegerType.get_signless(32))
    own, other = _numbers(bits), vector.broadcast(bits, _distance(first, operands[1 - side], lanes))
    left, right = (other, own) if side else (own, other)
    return arith.cmpi(op.attributes["predicate"], left, right)


def narrowed(op: ir.Operation, known: Mapping[ir.Value, ir.Value]) -> ir.Value | None:
    """Build `op` on `known` values if it casts iterations to integers of at most 32 bits; None otherwise."""
    if op.name != "arith.index_cast" or not isinstance(op.results[0].type, ir.IntegerType):
        return None
    element = ir.IntegerType(op.results[0].type)
    value = known.get(op.operands[0], op.operands[0])
    first = _first_of(value) if _FEWEST <= element.width <= _NARROW else None
    if first is None:
        return None
    type_ = ir.VectorType.get([ir.VectorType(value.type).shape[0]], element)
    return arith.addi(vector.broadcast(type_, arith.index_cast(element, first)), _numbers(type_))


def _numbers(type_: ir.VectorType) -> ir.Value:
    """Build the numbers of the lanes."""
    lanes = range(type_.shape[0])
    numbers = ir.DenseElementsAttr.get([ir.IntegerAttr.get(type_.element_type, lane) for lane in lanes], type_)
    return arith.constant(type_, numbers)


def _first_of(value: ir.Value) -> ir.Value | None:
    """Return the `first` that `iterations_from` built `value` from, None for other values."""
    op = defining_op(value, "arith.addi")
    if op is None or not isinstance(value.type, ir.VectorType):
        return None
    start, step = defining_op(op.operands[0], "vector.broadcast"), defining_op(op.operands[1], "vector.step")
    return None if start is None or step is None else start.operands[0]


def _distance(first: ir.Value, number: ir.Value, lanes: int) -> ir.Value:
    """Build `number` - `first` in 32 bits, clamped to -1 below the first lane and to `lanes` above the last one.

    Iterations are not negative, so -1 represents all negative numbers: the difference does not overflow.
    """
    below = index_constant(-1)
    distance = arith.subi(arith.maxsi(number, below), first)
    limited = arith.minsi(arith.maxsi(distance, below), index_constant(lanes))
    return arith.index_cast(ir.IntegerType.get_signless(32), limited)
