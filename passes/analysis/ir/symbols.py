"""Symbols that an op refers to in its attributes: a function whose type changes must have no unknown users."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from mlir import ir

__all__ = ["callee_name", "is_public", "may_name_functions", "named_symbols"]

_NO_SYMBOLS = frozenset(
    {
        "affine",
        "arith",
        "bufferization",
        "builtin",
        "cf",
        "complex",
        "index",
        "linalg",
        "math",
        "memref",
        "scf",
        "shape",
        "tensor",
        "ub",
        "vector",
    }
)
"""Dialects without ops that name functions."""

_NO_SYMBOL = frozenset(
    {
        *("llvm.extractvalue", "llvm.insertvalue", "llvm.inttoptr", "llvm.load", "llvm.mlir.poison", "llvm.ptrtoint"),
        *("llvm.store", "func.return"),
    }
)
"""Ops of other dialects that name none, which kernels have many of."""


def is_public(function: ir.Operation | ir.OpView) -> bool:
    """Whether a function is visible outside its module (no `sym_visibility` means public)."""
    attributes = function.attributes
    return "sym_visibility" not in attributes or ir.StringAttr(attributes["sym_visibility"]).value == "public"


def callee_name(call: ir.Operation) -> str:
    """Return the symbol that a ``func.call`` names."""
    return ir.FlatSymbolRefAttr(call.attributes["callee"]).value


def may_name_functions(name: str) -> bool:
    """Whether an op called ``name`` may refer to a function. Its attributes cost a binding call each to read."""
    return name.partition(".")[0] not in _NO_SYMBOLS and name not in _NO_SYMBOL


def _attributes(op: ir.Operation) -> Iterator[ir.Attribute]:
    """Yield the attributes of ``op`` but dense complex elements, for which the bindings have no class: they raise."""
    for name in op.attributes:
        with contextlib.suppress(TypeError):
            yield op.attributes[name]


def named_symbols(op: ir.Operation) -> Iterator[str]:
    """Yield the root symbols that attributes of ``op`` name, nested ones included."""
    work = list(_attributes(op))
    while work:
        found = work.pop()
        if isinstance(found, ir.FlatSymbolRefAttr):
            yield found.value
        elif isinstance(found, ir.SymbolRefAttr):
            yield found.value[0]
        elif isinstance(found, ir.ArrayAttr):
            work.extend(found)
        elif isinstance(found, ir.DictAttr):
            work.extend(entry.attr for entry in found)
