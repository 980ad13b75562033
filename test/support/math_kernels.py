"""Loops over vectors that compute one math function, and how far their results are off."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping

import numpy as np
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.vectorization.functions import BINARY, FUNCTIONS, op_name

__all__ = ["REFERENCES", "UNARY", "assert_within", "compiled", "compute", "exact", "kernel"]

UNARY = tuple(name for name in FUNCTIONS if name not in BINARY)


class _LongDouble(ctypes.c_longdouble):
    """Results of this type keep their digits, those of the base class become floats of Python."""


def _erf(x: np.ndarray) -> np.ndarray:
    """The error function, with the digits of `x`."""
    if x.dtype == np.float64:
        return np.array([math.erf(value) for value in x.tolist()])
    function = ctypes.CDLL("libm.so.6").erfl
    function.restype, function.argtypes = _LongDouble, [_LongDouble]
    return np.array([np.frombuffer(function(_LongDouble(value)), x.dtype)[0] for value in x])


_OTHER_NAMES = {
    **{f"a{name}": f"arc{name}" for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh", "tan2")},
    "powf": "power",
    "remf": "fmod",
}
REFERENCES: Mapping[str, Callable[..., np.ndarray]] = {
    **{name: getattr(np, _OTHER_NAMES.get(name, name)) for name in FUNCTIONS if name not in {"erf", "rsqrt"}},
    "erf": _erf,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
"""What the functions are in NumPy, for the precision of the arguments."""


def kernel(name: str, vector: str, element: str = "f32") -> str:
    """A function for the op of `name` of arrays, a vector at a time; libm has functions of the bare names."""
    lanes = math.prod(int(size) for size in vector.split("x"))
    array, type_ = f"memref<?x{element}>", f"vector<{vector}x{element}>"
    flat = f"vector<{lanes}x{element}>"
    numbers = range(2 if name in BINARY else 1)
    reads = "\n".join(
        f"""%x{n} = vector.transfer_read %a{n}[%i], %z {{in_bounds = [true]}} : {array}, {flat}
            %s{n} = vector.shape_cast %x{n} : {flat} to {type_}"""
        for n in numbers
    )
    return f"""
      func.func @vector_{name}({", ".join(f"%a{n}: {array}" for n in numbers)}, %o: {array}) {{
        %c0 = arith.constant 0 : index
        %step = arith.constant {lanes} : index
        %z = arith.constant 0.0 : {element}
        %n = memref.dim %o, %c0 : {array}
        scf.for %i = %c0 to %n step %step {{
          {reads}
          %y = {op_name(name)} {", ".join(f"%s{n}" for n in numbers)} : {type_}
          %f = vector.shape_cast %y : {type_} to {flat}
          vector.transfer_write %f, %o[%i] {{in_bounds = [true]}} : {flat}, {array}
        }}
        return
      }}"""


def compiled(text: str) -> mi.Program:
    """`text` after `inplace-vector-math`."""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(inplace-vector-math)")
        module.operation.verify()
        return mi.compile(module)


def compute(program: mi.Program, name: str, *x: np.ndarray) -> np.ndarray:
    """What `kernel` computes of the arrays `x`."""
    result = np.full_like(x[0], 7)
    getattr(program, f"vector_{name}")(*x, result)
    return result


def exact(name: str, *x: np.ndarray) -> np.ndarray:
    """The function in float64, of float64 in `longdouble`."""
    wide = np.longdouble if x[0].dtype == np.float64 else np.float64
    with np.errstate(all="ignore"):
        return REFERENCES[name](*(one.astype(wide) for one in x))


def assert_within(ulps: float, x: np.ndarray, found: np.ndarray, expected: np.ndarray) -> None:
    """Signs of zeros, infinities and NaN must be those of `expected`, rounded; all else may differ by `ulps`."""
    with np.errstate(all="ignore"):
        rounded = expected.astype(found.dtype)
        ulp = np.abs(np.spacing(rounded)).astype(expected.dtype)
        close = np.abs(found.astype(expected.dtype) - expected) <= ulps * ulp
    finite = np.isfinite(rounded) & np.isfinite(found)
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    signs = np.isnan(rounded) | (rounded != 0) | (np.signbit(found) == np.signbit(rounded))
    wrong = ~np.where(finite, (close | same) & signs, same)
    assert not wrong.any(), f"{x[..., wrong][..., :5]!r}: {found[wrong][:5]!r}, expected {expected[wrong][:5]!r}"
