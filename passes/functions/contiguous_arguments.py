"""Give marked arguments of entry functions the identity layout, so that addresses need no run-time strides.

Bufferization of a function boundary must allow any layout: `memref<4x4xf32, strided<[?, ?], offset: ?>>`. Where the
caller can promise row-major memory, the constant strides let loops vectorize and copies become one memcpy.

In: `func.func` on memrefs. Out: each argument marked `inplace.contiguous`, of an entry function (public, not called and
not referred to inside the module), with a fully dynamic or otherwise non-identity strided layout has the identity
layout; its old users see a `memref.cast` back to the old type, which canonicalization folds into them. Left alone:
unmarked arguments, other functions, identity layouts.

```mlir
func.func @f(%a: memref<4xf32, strided<[?], offset: ?>> {inplace.contiguous}, %i: index) -> f32 {
  %x = memref.load %a[%i] : memref<4xf32, strided<[?], offset: ?>>
  return %x : f32
}
```

becomes:

```mlir
func.func @f(%a: memref<4xf32> {inplace.contiguous}, %i: index) -> f32 {
  %cast = memref.cast %a : memref<4xf32> to memref<4xf32, strided<[?], offset: ?>>
  %0 = memref.load %cast[%i] : memref<4xf32, strided<[?], offset: ?>>
  return %0 : f32
}
```

Linear in the operations. No upstream counterpart: upstream's `identity-layout-map` decides this for all functions
during bufferization.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func, memref

from ...dialects.support.memref_types import identity_type, is_castable
from ..framework.base import Pass, Statistic
from ..framework.contract import CONTIGUOUS
from ..framework.options import PassOptions
from .rewriting.results import FunctionUses, argument_marked, collect_functions, update_function_type


def analyze_contiguous_arguments(uses: FunctionUses) -> dict[int, ir.MemRefType]:
    """Which arguments can get the identity layout, by number, and the type that has it. Changes nothing."""
    if not uses.is_entry:
        return {}
    found: dict[int, ir.MemRefType] = {}
    for number, argument in enumerate(uses.function.arguments):
        if isinstance(argument.type, ir.MemRefType) and argument_marked(uses.function, number, CONTIGUOUS):
            identity = identity_type(argument.type, argument.type.memory_space)
            if identity != argument.type and is_castable(identity, argument.type):
                found[number] = ir.MemRefType(identity)
    return found


class ContiguousArgumentsPass(Pass[PassOptions]):
    """Give marked arguments the identity layout."""

    argument = "inplace-contiguous-arguments"
    summary = "give arguments that are promised to be contiguous the identity layout"
    anchor = "builtin.module"
    statistics = (Statistic("contiguous-arguments", "arguments that got the identity layout"),)

    def run(self, op: ir.Operation) -> None:
        with ir.Location.unknown(op.context):
            for uses in collect_functions(op).values():
                found = analyze_contiguous_arguments(uses)
                for number, identity in found.items():
                    _retype(uses.function, number, identity)
                if found:
                    update_function_type(uses.function)
                self.count("contiguous-arguments", len(found))


def _retype(function: func.FuncOp, number: int, identity: ir.MemRefType) -> None:
    """Give an argument the type `identity`, and its users a cast back to the old type."""
    argument = function.arguments[number]
    old = argument.type
    argument.set_type(identity)
    with ir.InsertionPoint.at_block_begin(function.entry_block), argument.location:
        cast = memref.CastOp(old, argument)
    argument.replace_all_uses_except(cast.result, cast.operation)
