"""Give poison memrefs an address, so that deallocation can compare it.

In: `ub.poison` of memref type, which `lift-cf-to-scf` makes for values that a branch does not define. Out: a memref on
the stack of the function, one for each type, with room for a single element. Nothing reads or writes it, but
deallocation compares addresses, and this one differs from that of any buffer. Left alone: poison of other types, and of
memrefs whose layout is not strides and an offset.

```mlir
func.func @f() -> memref<4xf32> {
  %0 = ub.poison : memref<4xf32>
  return %0 : memref<4xf32>
}
```

becomes:

```mlir
func.func @f() -> memref<4xf32> {
  %alloca = memref.alloca() : memref<1xf32>
  %view = memref.reinterpret_cast %alloca to offset: [0], sizes: [4], strides: [1] : memref<1xf32> to memref<4xf32>
  return %view : memref<4xf32>
}
```

Linear in the operations.

Upstream counterpart: none. `buffer-deallocation-pipeline` frees such a memref depending on its undefined address.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import memref

from ...dialects.subsets import reinterpret_cast
from ...dialects.support.memref_types import has_strides
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.options import PassOptions


def analyze_poison(root: ir.Operation) -> list[ir.Operation]:
    """Return the poison under `root` that is to get an address. Changes nothing."""
    return find_ops(root, "ub.poison", where=lambda op: _is_strided_buffer(op.results[0].type))


def _is_strided_buffer(type_: ir.Type) -> bool:
    return isinstance(type_, ir.UnrankedMemRefType) or (isinstance(type_, ir.MemRefType) and has_strides(type_))


def _place(type_: ir.Type) -> ir.Value:
    """A memref of `type_` at a place on the stack that has room for one element of it."""
    if isinstance(type_, ir.UnrankedMemRefType):
        return memref.cast(type_, _alloca(type_.element_type, type_.memory_space))
    ranked = ir.MemRefType(type_)
    base = _alloca(ranked.element_type, ranked.memory_space)
    zeros = [0] * ranked.rank
    return reinterpret_cast(base, ranked, 0, zeros, zeros)


def _alloca(element: ir.Type, space: ir.Attribute | None) -> ir.Value:
    return memref.alloca(ir.MemRefType.get([1], element, memory_space=space), [], [])


class ExpandPoisonPass(Pass[PassOptions]):
    """Give poison memrefs an address."""

    argument = "inplace-expand-poison"
    summary = "give ub.poison of memref type an address that deallocation can compare"
    statistics = (Statistic("expanded-poison", "poison memrefs that got an address"),)
    concerns = ("ub.poison",)

    def run(self, op: ir.Operation) -> None:
        places: dict[tuple[ir.Block, ir.Type], ir.Value] = {}
        for poison in analyze_poison(op):
            function = poison.parent
            while function is not None and function.name != "func.func":
                function = function.parent
            if function is None:
                continue
            entry, type_ = function.regions[0].blocks[0], poison.results[0].type
            if (entry, type_) not in places:
                with ir.InsertionPoint.at_block_begin(entry), poison.location:
                    places[entry, type_] = _place(type_)
            poison.results[0].replace_all_uses_with(places[entry, type_])
            poison.erase()
            self.count("expanded-poison")
