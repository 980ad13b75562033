"""Scalars of the element types of ONNX, with Python's operators: what the bodies of structured ops are written in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes  # pyright: ignore[reportMissingImports]
import numpy as np
from mlir import ir
from mlir.dialects import arith, math
from mlir.dialects import complex as complex_ops

__all__ = ["INDEX", "TypedScalar", "choose", "constant", "element_type", "is_float", "largest", "least", "lowest"]

DType = np.dtype[Any]

INDEX: DType = np.dtype([("index", np.int64)])
"""Stands for the index type, which NumPy has not."""

BF16: DType = np.dtype(ml_dtypes.bfloat16)
_FLOATS = {
    "float16": ir.F16Type,
    "float32": ir.F32Type,
    "float64": ir.F64Type,
    "bfloat16": ir.BF16Type,
    "float8_e4m3fn": ir.Float8E4M3FNType,
    "float8_e4m3fnuz": ir.Float8E4M3FNUZType,
    "float8_e5m2": ir.Float8E5M2Type,
    "float8_e5m2fnuz": ir.Float8E5M2FNUZType,
}
_NARROW = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2}
_COMPLEX = {"complex64": ir.F32Type, "complex128": ir.F64Type}


def is_float(dtype: DType) -> bool:
    """Whether it is a real floating-point type."""
    return dtype.name in _FLOATS


def kind(dtype: DType) -> str:
    """`f`, `i`, `u`, `b`, `c` as NumPy's, and `x` for index."""
    if dtype is INDEX:
        return "x"
    if is_float(dtype):
        return "f"
    return ("u" if dtype.name.startswith("u") else "i") if dtype.name in _NARROW else dtype.kind


def element_type(dtype: DType, *, signed: bool = False) -> ir.Type:
    """The MLIR type of elements, signless; with `signed` those of unsigned integers say so."""
    if dtype is INDEX:
        return ir.IndexType.get()
    if dtype.name in _FLOATS:
        return _FLOATS[dtype.name].get()
    if dtype.name in _COMPLEX:
        return ir.ComplexType.get(_COMPLEX[dtype.name].get())
    if dtype == np.bool_:
        return ir.IntegerType.get_signless(1)
    width = bits(dtype)
    if signed and kind(dtype) == "u":
        return ir.IntegerType.get_unsigned(width)
    return ir.IntegerType.get_signless(width)


def bits(dtype: DType) -> int:
    """The width of an element."""
    return 1 if dtype == np.bool_ else _NARROW.get(dtype.name, 8 * dtype.itemsize)


def is_narrow_float(dtype: DType) -> bool:
    """Whether it is a floating-point type of 8 bits, which only conversions compute with."""
    return is_float(dtype) and dtype.itemsize == 1


def limits(dtype: DType) -> tuple[Any, Any]:
    """The least and the largest number of an integer type, or the largest magnitude of a float with both signs."""
    info = ml_dtypes.finfo(dtype) if is_float(dtype) else ml_dtypes.iinfo(dtype)
    return (float if is_float(dtype) else int)(info.min), (float if is_float(dtype) else int)(info.max)


def native(dtype: DType) -> DType:
    """The type of the same bits that native code takes: signless integers, which NumPy calls signed."""
    return np.dtype(getattr(ml_dtypes, dtype.name[1:], dtype.name[1:])) if kind(dtype) == "u" else dtype


def lowest(dtype: DType) -> Any:
    """What a maximum starts with: minus infinity, or the least integer."""
    return -np.inf if is_float(dtype) else False if dtype == np.bool_ else limits(dtype)[0]


def largest(dtype: DType) -> Any:
    """What a minimum starts with."""
    return np.inf if is_float(dtype) else True if dtype == np.bool_ else limits(dtype)[1]


_BINARY: dict[str, dict[str, Callable[[ir.Value, ir.Value], ir.Value]]] = {
    "add": {"f": arith.addf, "i": arith.addi, "u": arith.addi, "x": arith.addi, "b": arith.ori, "c": complex_ops.add},
    "sub": {"f": arith.subf, "i": arith.subi, "u": arith.subi, "x": arith.subi, "c": complex_ops.sub},
    "mul": {"f": arith.mulf, "i": arith.muli, "u": arith.muli, "x": arith.muli, "b": arith.andi, "c": complex_ops.mul},
    "div": {"f": arith.divf, "i": arith.divsi, "u": arith.divui, "x": arith.divsi, "c": complex_ops.div},
    "rem": {"f": arith.remf, "i": arith.remsi, "u": arith.remui, "x": arith.remsi},
    "floordiv": {"i": arith.floordivsi, "u": arith.divui, "x": arith.floordivsi},
    "min": {"f": arith.minimumf, "i": arith.minsi, "u": arith.minui, "x": arith.minsi, "b": arith.andi},
    "max": {"f": arith.maximumf, "i": arith.maxsi, "u": arith.maxui, "x": arith.maxsi, "b": arith.ori},
    "and": dict.fromkeys("iubx", arith.andi),
    "or": dict.fromkeys("iubx", arith.ori),
    "xor": dict.fromkeys("iubx", arith.xori),
    "shl": dict.fromkeys("iu", arith.shli),
    "shr": {"i": arith.shrsi, "u": arith.shrui},
}
"""The op of each operator, by the kind of its operands."""

_FLOAT_PREDICATES = {"lt": "OLT", "le": "OLE", "gt": "OGT", "ge": "OGE", "eq": "OEQ", "ne": "UNE"}


class TypedScalar:
    """One element in the body of an op."""

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, value: ir.Value, dtype: DType) -> None:
        self.value = value
        self.dtype = dtype

    @property
    def kind(self) -> str:
        """The kind of its type: a key of the tables above."""
        return kind(self.dtype)

    def _like(self, other: Any) -> TypedScalar:
        return other if isinstance(other, TypedScalar) else constant(other, self.dtype)

    def apply(self, name: str, other: Any) -> TypedScalar:
        """The operator of the table, with a scalar of the same type or a Python number."""
        return TypedScalar(_BINARY[name][self.kind](self.value, self._like(other).value), self.dtype)

    def __add__(self, other: Any) -> TypedScalar:
        return self.apply("add", other)

    def __sub__(self, other: Any) -> TypedScalar:
        return self.apply("sub", other)

    def __mul__(self, other: Any) -> TypedScalar:
        return self.apply("mul", other)

    def __truediv__(self, other: Any) -> TypedScalar:
        """The quotient; of integers rounded toward zero."""
        return self.apply("div", other)

    def __floordiv__(self, other: Any) -> TypedScalar:
        return self.apply("floordiv", other)

    def __and__(self, other: Any) -> TypedScalar:
        return self.apply("and", other)

    def __or__(self, other: Any) -> TypedScalar:
        return self.apply("or", other)

    def __xor__(self, other: Any) -> TypedScalar:
        return self.apply("xor", other)

    def __radd__(self, other: Any) -> TypedScalar:
        return self._like(other) + self

    def __rsub__(self, other: Any) -> TypedScalar:
        return self._like(other) - self

    def __rmul__(self, other: Any) -> TypedScalar:
        return self._like(other) * self

    def __rtruediv__(self, other: Any) -> TypedScalar:
        return self._like(other) / self

    def __invert__(self) -> TypedScalar:
        return self ^ (True if self.dtype == np.bool_ else -1)

    def __neg__(self) -> TypedScalar:
        return TypedScalar(arith.negf(self.value), self.dtype) if self.kind == "f" else 0 - self

    def compare(self, predicate: str, other: Any) -> TypedScalar:
        """A bool: `lt`, `le`, `gt`, `ge`, `eq` or `ne`; NaN is unequal to everything."""
        right = self._like(other).value
        if self.kind == "f":
            code = getattr(arith.CmpFPredicate, _FLOAT_PREDICATES[predicate])
            return TypedScalar(arith.cmpf(code, self.value, right), np.dtype(bool))
        sign = "" if predicate in ("eq", "ne") else "u" if self.kind in "ub" else "s"
        code = getattr(arith.CmpIPredicate, predicate if not sign else f"{sign}{predicate}")
        return TypedScalar(arith.cmpi(code, self.value, right), np.dtype(bool))

    def __lt__(self, other: Any) -> TypedScalar:
        return self.compare("lt", other)

    def __le__(self, other: Any) -> TypedScalar:
        return self.compare("le", other)

    def __gt__(self, other: Any) -> TypedScalar:
        return self.compare("gt", other)

    def __ge__(self, other: Any) -> TypedScalar:
        return self.compare("ge", other)

    def equals(self, other: Any) -> TypedScalar:
        """Whether it is equal."""
        return self.compare("eq", other)

    def math(self, name: str) -> TypedScalar:
        """A function of the math dialect; narrow floats are computed in f32."""
        wide = self.to(np.dtype(np.float32)) if bits(self.dtype) < 32 else self
        return TypedScalar(getattr(math, name)(wide.value), wide.dtype).to(self.dtype)

    def power(self, exponent: TypedScalar) -> TypedScalar:
        """The power with an exponent of the same floating-point type."""
        wide = np.dtype(np.float32) if bits(self.dtype) < 32 else self.dtype
        return TypedScalar(math.powf(self.to(wide).value, exponent.to(wide).value), wide).to(self.dtype)

    def absolute(self) -> TypedScalar:
        """The magnitude."""
        if self.kind == "f":
            return TypedScalar(math.absf(self.value), self.dtype)
        return TypedScalar(math.absi(self.value), self.dtype) if self.kind == "i" else self

    def is_nan(self) -> TypedScalar:
        """Whether it is no number."""
        return self.compare("ne", self)

    def to(self, dtype: DType) -> TypedScalar:
        """Converted as a C cast does; to a bool: whether it is not 0."""
        if dtype == self.dtype:
            return self
        if dtype == np.bool_:
            return self.compare("ne", 0)
        source, target = self.kind, kind(dtype)
        if "x" in (source, target):
            return self._to_or_from_index(dtype)
        type_ = element_type(dtype)
        if source == "f" and target == "f":
            return self._to_float(dtype)
        if source == "f":
            convert = arith.fptoui if target == "u" else arith.fptosi
            return TypedScalar(convert(type_, self.value), dtype)
        if target == "f":
            convert = arith.uitofp if source in "ub" else arith.sitofp
            return TypedScalar(convert(type_, self.value), dtype)
        wider, narrower = bits(dtype) > bits(self.dtype), bits(dtype) < bits(self.dtype)
        if not (wider or narrower):
            return TypedScalar(self.value, dtype)
        convert = arith.trunci if narrower else arith.extui if source in "ub" else arith.extsi
        return TypedScalar(convert(type_, self.value), dtype)

    def _to_or_from_index(self, dtype: DType) -> TypedScalar:
        if dtype is not INDEX and kind(dtype) == "f":
            return self.to(np.dtype(np.int64)).to(dtype)
        if dtype is INDEX and self.kind == "f":
            return self.to(np.dtype(np.int64)).to(INDEX)
        unsigned = "u" in (self.kind, kind(dtype)) or self.kind == "b"
        return TypedScalar(
            (arith.index_castui if unsigned else arith.index_cast)(element_type(dtype), self.value), dtype
        )

    def _to_float(self, dtype: DType) -> TypedScalar:
        type_ = element_type(dtype)
        if bits(dtype) == bits(self.dtype):  # f16 and bf16
            return self.to(np.dtype(np.float32)).to(dtype)
        return TypedScalar((arith.extf if bits(dtype) > bits(self.dtype) else arith.truncf)(type_, self.value), dtype)


def constant(number: Any, dtype: DType) -> TypedScalar:
    """A number as a scalar."""
    type_ = element_type(dtype)
    if kind(dtype) == "c":
        part = ir.ComplexType(type_).element_type
        parts = ir.ArrayAttr.get([ir.FloatAttr.get(part, x) for x in (complex(number).real, complex(number).imag)])
        return TypedScalar(complex_ops.ConstantOp(type_, parts).result, dtype)
    if kind(dtype) == "f":
        return TypedScalar(arith.constant(type_, float(number)), dtype)
    whole = int(number)
    if dtype is not INDEX:  # As a signed number of that width, which is how MLIR takes it.
        half = 1 << (bits(dtype) - 1)
        whole = (whole + half) % (2 * half) - half if bits(dtype) > 1 else -(whole & 1)
    return TypedScalar(arith.constant(type_, whole), dtype)


def choose(condition: TypedScalar, left: TypedScalar, right: Any) -> TypedScalar:
    """`left` where the condition holds, else `right`."""
    other = right if isinstance(right, TypedScalar) else constant(right, left.dtype)
    return TypedScalar(arith.select(condition.value, left.value, other.value), left.dtype)


def least(left: TypedScalar, right: Any) -> TypedScalar:
    """The smaller one; NaN if one is."""
    return left.apply("min", right)


def greatest(left: TypedScalar, right: Any) -> TypedScalar:
    """The larger one; NaN if one is."""
    return left.apply("max", right)
