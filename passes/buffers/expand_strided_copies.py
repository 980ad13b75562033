"""Turn copies of strided memory into loops, so that no runtime library is needed.

Lowered to LLVM, a `memref.copy` between contiguous buffers is one memcpy; any other becomes a call to `memrefCopy`, a
function of MLIR's C runner library, which a JITed program cannot count on.

In: `memref.copy` anywhere. Out: each one whose source or target is not known to be contiguous is a `linalg.copy`, which
the lowering of linalg turns into loops. Left alone: contiguous copies (unless `all=true`), and copies of unranked
memrefs, which are refused with an error.

```mlir
func.func @f(%a: memref<4xf32, strided<[?], offset: ?>>, %b: memref<4xf32>) {
  memref.copy %a, %b : memref<4xf32, strided<[?], offset: ?>> to memref<4xf32>
  func.return
}
```

becomes:

```mlir
func.func @f(%a: memref<4xf32, strided<[?], offset: ?>>, %b: memref<4xf32>) {
  linalg.copy ins(%a : memref<4xf32, strided<[?], offset: ?>>) outs(%b : memref<4xf32>)
  func.return
}
```

Source and target of a `memref.copy` may not overlap, so the order of the elements is free. Linear in the operations.

Upstream counterpart: none; `finalize-memref-to-llvm` always calls the library.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import linalg

from ...dialects.support.frozen_classes import frozen
from ...dialects.support.memref_types import has_identity_layout
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.errors import PassFailure
from ..framework.options import PassOptions, option


@frozen
class ExpandStridedCopiesOptions(PassOptions):
    """Options of `inplace-expand-strided-copies`."""

    all: bool = option(False, help="expand contiguous copies too, so that not even memcpy is called")


def is_contiguous(type_: ir.Type) -> bool:
    """Whether the lowering to LLVM turns a copy of this type into memcpy.

    True for the identity layout, and for static shapes whose inner strides are row-major and whose other, outer sizes
    are all 1.
    """
    if not isinstance(type_, ir.MemRefType):
        return False
    if has_identity_layout(type_):
        return True
    if not type_.has_static_shape or 0 in type_.shape:
        return False
    strides, _ = type_.get_strides_and_offset()
    inner, expected = type_.rank, 1
    while inner > 0 and strides[inner - 1] == expected:
        inner -= 1
        expected *= type_.shape[inner]
    return all(size == 1 for size in type_.shape[:inner])


def analyze_strided_copies(root: ir.Operation, include_contiguous: bool = False) -> tuple[ir.Operation, ...]:
    """The copies under `root` that must be expanded. Changes nothing; raises `PassFailure` for one that has no rank."""
    strided: list[ir.Operation] = []
    for op in find_ops(root, "memref.copy"):
        types = [operand.type for operand in op.operands]
        if not all(isinstance(type_, ir.MemRefType) for type_ in types):
            raise PassFailure(
                f"cannot expand a copy from {types[0]} to {types[1]}: both need a rank; cast to ranked memrefs first",
                op,
            )
        if include_contiguous or not all(map(is_contiguous, types)):
            strided.append(op)
    return tuple(strided)


class ExpandStridedCopiesPass(Pass[ExpandStridedCopiesOptions]):
    """Turn strided copies into `linalg.copy`."""

    argument = "inplace-expand-strided-copies"
    summary = "turn memref.copy of strided memory into linalg.copy, so that no runtime library is needed"
    Options = ExpandStridedCopiesOptions
    statistics = (Statistic("expanded-copies", "copies that became linalg.copy"),)
    concerns = ("memref.copy",)

    def run(self, op: ir.Operation) -> None:
        copies = analyze_strided_copies(op, include_contiguous=self.options.all)
        for copy in copies:
            source, target = copy.operands
            with ir.InsertionPoint(copy), copy.location:
                linalg.fill_builtin_region(linalg.CopyOp([], [source], [target]).operation)
            copy.erase()
        self.count("expanded-copies", len(copies))
