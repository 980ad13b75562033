"""Arithmetic ops of the LLVM dialect on bf16, computed in f32, where bf16 values have type i16."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from ....dialects.support.cloning import attributes_of
from ....dialects.support.number_types import number_attribute, number_type, with_number_type

__all__ = ["compute_in_f32", "is_computed_in_f32"]

_NAMES_OF_EXACT = (
    "fneg intr.ceil intr.copysign intr.fabs intr.floor intr.maximum intr.maxnum intr.minimum intr.minnum "
    "intr.nearbyint intr.rint intr.round intr.roundeven intr.trunc"
)
_NAMES_OF_ROUNDED = "fadd fcmp fdiv fmul fptosi fptoui frem fsub intr.fma intr.fmuladd intr.sqrt sitofp uitofp"
_EXACT, _ROUNDED = (
    frozenset(f"llvm.{name}" for name in names.split()) for names in (_NAMES_OF_EXACT, _NAMES_OF_ROUNDED)
)
"""Ops whose results on bf16 operands are bf16, and others."""
_EXTENSION, _TRUNCATION = "llvm.fpext", "llvm.fptrunc"
_QUIET_NAN = 0x7FC0


def is_computed_in_f32(op: ir.Operation, operands: Sequence[ir.Type]) -> bool:
    """Whether `compute_in_f32` can replace the op, whose operands have these types."""
    if op.name == _TRUNCATION:
        return isinstance(number_type(operands[0]), ir.F32Type)
    return op.name == _EXTENSION or op.name in _EXACT or op.name in _ROUNDED


def compute_in_f32(op: ir.Operation, operands: Sequence[ir.Type], results: Sequence[ir.Type]) -> None:
    """Replace `op` by one on f32. Operands and results of type bf16 are, or are going to be, i16."""
    with ir.InsertionPoint(op), op.location:
        values = [
            _extended(value) if _is_bf16(type_) else value for value, type_ in zip(op.operands, operands, strict=True)
        ]
        value = _computed(op, values, results[0])
        if _is_bf16(results[0]):
            value = _high_half(value) if op.name in _EXACT else _rounded(value)
    op.results[0].replace_all_uses_with(value)
    op.erase()


def _is_bf16(type_: ir.Type) -> bool:
    return isinstance(number_type(type_), ir.BF16Type)


def _computed(op: ir.Operation, values: Sequence[ir.Value], result: ir.Type) -> ir.Value:
    wide = with_number_type(result, ir.F32Type.get()) if _is_bf16(result) else result
    if op.name in (_EXTENSION, _TRUNCATION) and values[0].type == wide:
        return values[0]
    return ir.Operation.create(op.name, [wide], values, attributes_of(op)).results[0]


def _build(name: str, type_: ir.Type, *operands: ir.Value) -> ir.Value:
    return ir.Operation.create(f"llvm.{name}", [type_], operands).results[0]


def _constant(type_: ir.Type, number: int) -> ir.Value:
    return ir.Operation.create("llvm.mlir.constant", [type_], [], {"value": number_attribute(type_, number)}).result


def _integers(type_: ir.Type, width: int) -> ir.Type:
    return with_number_type(type_, ir.IntegerType.get_signless(width))


def _extended(value: ir.Value) -> ir.Value:
    """Extend a bf16 to f32: its bits are the high bits."""
    words = _integers(value.type, 32)
    high = _build("shl", words, _build("zext", words, value), _constant(words, 16))
    return _build("bitcast", with_number_type(value.type, ir.F32Type.get()), high)


def _high_half(value: ir.Value) -> ir.Value:
    words = _integers(value.type, 32)
    word = _build("bitcast", words, value) if value.type != words else value
    return _build("trunc", _integers(value.type, 16), _build("lshr", words, word, _constant(words, 16)))


def _rounded(value: ir.Value) -> ir.Value:
    """Build the bits of an f32 rounded to bf16, to nearest, ties to even."""
    words = _integers(value.type, 32)
    word = _build("bitcast", words, value)
    is_odd = _build("and", words, _build("lshr", words, word, _constant(words, 16)), _constant(words, 1))
    below_half = _build("add", words, _constant(words, 0x7FFF), is_odd)
    narrow = _high_half(_build("add", words, word, below_half))
    predicate = ir.Attribute.parse("14 : i64")  # unordered: one of the two is NaN
    truth = _integers(value.type, 1)
    is_nan = ir.Operation.create("llvm.fcmp", [truth], [value, value], {"predicate": predicate}).results[0]
    return _build("select", narrow.type, is_nan, _constant(narrow.type, _QUIET_NAN), narrow)
