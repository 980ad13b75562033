"""Parts of a payload that are the same in all lanes, computed once before the lane loop.

They are scalars: the mean of a row, the reciprocal of its deviation. Computed for each vector they would cost more than
the vector, since LLVM cannot hoist a read over the writes of the loop.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from mlir import ir
from mlir.dialects import arith

from ....dialects.support.defining_ops import parent_block
from .frame import NestFrame, Place, Point
from .lanes import Shared, build_op
from .reads import Reader

__all__ = ["build_shared"]

_DIVISION = "arith.divf"
_INDEX = "linalg.index"
_EXTRACT = "tensor.extract"
_EXPONENTS = {"f32": (126, 30), "f64": (1022, 60)}
"""The largest exponent, up or down, of numbers whose reciprocal is normal, and the shift that scales others to such."""


def build_shared(frame: NestFrame, point: Point, place: Place, inner: Collection[int]) -> Shared:
    """Build what the payload computes at `place` independently of the loops `inner`, which are built after it.

    Linear in the payload.
    """
    shared = Shared()
    reader = Reader(frame, point)
    loaded: set[ir.Value] = set()
    for operand in range(frame.op.inputs):
        if _is_shared(frame, operand, inner):
            element = reader.element(operand, place)
            if element is not None:
                argument = frame.op.payload.arguments[operand]
                shared.values[argument] = element
                loaded.add(argument)
    for one in list(frame.op.payload.operations)[:-1]:
        op = one.operation
        if op.name == _INDEX:
            loop = ir.IntegerAttr(op.attributes["dim"]).value
            if loop not in inner:
                shared.values[op.results[0]] = frame.iteration(loop, point, place)
        elif op.name == _EXTRACT and any(frame.op.sizes[loop] is None for loop in inner):
            continue  # Without an iteration there may be no such element.
        elif all(_is_known(value, op, shared.values) for value in op.operands):
            value = build_op(op, shared.values, frame.plan.lanes)
            if value is not None:
                shared.values[op.results[0]] = value
                loaded |= {op.results[0]} if any(operand in loaded for operand in op.operands) else set()
        elif op.name == _DIVISION and op.operands[1] in loaded:
            _divide(op, shared)
    return shared


def _is_shared(frame: NestFrame, operand: int, inner: Collection[int]) -> bool:
    """Whether all iterations of `inner` read the same element, which exists even if there are none."""
    indices = frame.op.indices[operand]
    return all(index.coefficients for index in indices) and not any(frame.op.depends(operand, loop) for loop in inner)


def _is_known(value: ir.Value, op: ir.Operation, known: Mapping[ir.Value, ir.Value]) -> bool:
    """Whether `value` is known, or defined outside of the payload that `op` is in."""
    return value in known or parent_block(value) != op.block


def _divide(op: ir.Operation, shared: Shared) -> None:
    """Replace division `op` by a multiplication by the reciprocal of its divisor, which is shared.

    A quotient is off by at most 1.5 units in the last place. The reciprocal of a tiny divisor would be infinite, that
    of a huge one denormal: such divisors are scaled by a power of two, and so are the dividends. If a scaled dividend
    overflows or underflows, so does the quotient, by far.
    """
    divisor = shared.values[op.operands[1]]
    if divisor in shared.quotients or str(divisor.type) not in _EXPONENTS:
        return
    type_ = divisor.type
    exponent, shift = _EXPONENTS[str(type_)]

    def constant(value: float) -> ir.Value:
        return arith.constant(type_, value)

    size = ir.Operation.create("math.absf", results=[type_], operands=[divisor]).result
    tiny = arith.cmpf(arith.CmpFPredicate.OLT, size, constant(2.0**-exponent))
    huge = arith.cmpf(arith.CmpFPredicate.OGT, size, constant(2.0**exponent))
    scale = arith.select(tiny, constant(2.0**shift), arith.select(huge, constant(2.0**-shift), constant(1.0)))
    reciprocal = arith.divf(constant(1.0), arith.mulf(divisor, scale))
    shared.quotients[divisor] = scale, reciprocal
