"""Renaming of symbols that collide with functions of the C library.

The lowering, and LLVM's code generator, call libm, `malloc` or `memcpy` by name. A function of that name in the program
would be called instead, or the types of calls would not fit. So such functions of the program are renamed before the
lowering; callers still use the names of the source.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache

from mlir import ir

from ...passes.framework.diagnostics import located
from ...passes.framework.errors import PassError

__all__ = ["avoid_library_names", "native_name"]

_OPERANDS = {
    1: "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 fabs floor log log10 log1p "
    "log2 nearbyint rint round roundeven sin sinh sqrt tan tanh trunc",
    2: "atan2 copysign fdim fmax fmin fmod pow remainder",
    3: "fma",
}
_SUFFIXES = {"": "f64", "f": "f32"}

_SIGNATURES = {
    name + suffix: (count, type_)
    for count, names in _OPERANDS.items()
    for name in names.split()
    for suffix, type_ in _SUFFIXES.items()
}
"""The number and type of the operands of libm functions on floats alone."""

_WITHOUT_SIGNATURE = (
    "abort aligned_alloc bzero calloc free ldexp ldexpf llrint llrintf llround llroundf lrint lrintf "
    "lround lroundf malloc memcmp memcpy memmove memrefCopy memset modf modff posix_memalign realloc sincos sincosf"
)
_OTHERS = frozenset(_WITHOUT_SIGNATURE.split())


def native_name(name: str) -> str:
    """The name in native code of a symbol that a program defines as `name`."""
    return f"inplace.{name}" if name in _SIGNATURES or name in _OTHERS or _is_in_library(name) else name


@cache
def _is_in_library(name: str) -> bool:
    """Whether the C library of this process has a function of that name.

    LLVM's optimizer recognizes some by name: it replaces calls of `abs` or `isdigit`, for example, even if the program
    defines them.
    """
    if name == "main" or not name.isidentifier() or not name.isascii():
        return False
    return any(hasattr(library, name) for library in _c_library())


@cache
def _c_library() -> tuple[ctypes.CDLL, ...]:
    """The libraries of the process, and libm, which may be loaded with local symbols only."""
    loaded = [ctypes.CDLL(None)]
    for name in ("libm.so.6", "libc.so.6"):
        with suppress(OSError):
            loaded.append(ctypes.CDLL(name))
    return tuple(loaded)


def avoid_library_names(module: ir.Operation) -> None:
    """Rename the symbols that `module` defines under a name of the C library. Declarations mean the library's.

    Linear in the operations for each such name. Raises `PassError` with the place of a libm function that is declared
    with another type.
    """
    for op in [op.operation for op in module.regions[0].blocks[0].operations]:
        if "sym_name" not in op.attributes:
            continue
        name = ir.StringAttr(op.attributes["sym_name"]).value
        if native_name(name) == name:
            continue
        if _is_declaration(op):
            _require_type_of_libm(op, name)
        else:
            ir.SymbolTable.replace_all_symbol_uses(name, native_name(name), module)
            ir.SymbolTable.set_symbol_name(op, native_name(name))


def _is_declaration(op: ir.Operation) -> bool:
    if op.name == "memref.global":
        return "initial_value" not in op.attributes
    return bool(len(op.regions)) and not len(op.regions[0].blocks)


def _require_type_of_libm(op: ir.Operation, name: str) -> None:
    if op.name != "func.func" or name not in _SIGNATURES:
        return
    found = str(op.attributes["function_type"].value)
    count, type_ = _SIGNATURES[name]
    wanted = f"({', '.join([type_] * count)}) -> {type_}"
    if found != wanted:
        advice = f"but it is libm's, with type {wanted}; declare it so, or take another name"
        raise PassError(located(op.location, f"'{name}' is declared with type {found}, {advice}"))
