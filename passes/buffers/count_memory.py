"""Count the copies and allocations of a program at run time.

In: memrefs, before they are lowered to LLVM. Out: the same program, with a call to `@inplace_count_copy(bytes)` before
every `memref.copy` and every `linalg.copy` of memrefs, and with one alignment for all `memref.alloc` (the largest asked
for, at least `alignment`), which the module records as `inplace.count_alignment`: an allocator pads each request by
exactly the alignment, so that the runtime can take the padding off again. Left alone: everything else; stack memory is
not counted. The declaration of `@inplace_count_copy` is added when it is needed; `runtime/memory/counting_code.py`
provides the body, and the allocator, in which allocations are counted.

```mlir
func.func @f(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  func.return
}
```

becomes:

```mlir
module attributes {inplace.count_alignment = 64 : i64} {
  func.func private @inplace_count_copy(index)
  func.func @f(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
    %c16 = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %a, %c0 : memref<?x4xf32>
    %0 = arith.muli %c16, %dim : index
    call @inplace_count_copy(%0) : (index) -> ()
    memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
    func.return
  }
}
```

Linear in the operations. No upstream counterpart.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, func, memref

from ...dialects.structured import index_constant
from ...dialects.support.element_sizes import least_bytes
from ...dialects.support.frozen_classes import frozen
from ..analysis.ir.traversal import find_ops
from ..framework.base import Pass, Statistic
from ..framework.contract import COUNT_ALIGNMENT, COUNT_COPY
from ..framework.errors import PassFailure
from ..framework.option_limits import MAX_ALIGNMENT
from ..framework.options import PassOptions, option

_COPIES = ("memref.copy", "linalg.copy")
_LARGEST = (1 << 63) - 1


@frozen
class CountMemoryOptions(PassOptions):
    """Options of `inplace-count-memory`."""

    alignment: int = option(64, help="the least alignment of allocations, in bytes; a power of two")


def analyze_copies(root: ir.Operation) -> list[ir.Operation]:
    """Return the copies between memrefs under `root`, in program order. Changes nothing.

    Raises `PassFailure` for a copy whose bytes cannot be counted.
    """
    copies = find_ops(root, *_COPIES, where=lambda op: isinstance(op.operands[0].type, ir.MemRefType))
    for op in copies:
        try:
            count = least_bytes(ir.MemRefType(op.operands[0].type))
        except ValueError as error:
            raise PassFailure(f"cannot count what this copies: {error}", op) from None
        if count > _LARGEST:
            raise PassFailure(f"cannot count what this copies: {count} bytes do not fit into 64 bits", op)
    return copies


def _copied_bytes(source: ir.Value) -> ir.Value:
    """Build the number of bytes `source` holds, at the current insertion point."""
    type_ = ir.MemRefType(source.type)
    total = index_constant(least_bytes(type_))
    for number in range(type_.rank):
        if type_.is_dynamic_dim(number):
            total = arith.muli(total, memref.dim(source, index_constant(number)))
    return total


class CountMemoryPass(Pass[CountMemoryOptions]):
    """Insert calls that count copied bytes, and align allocations alike."""

    argument = "inplace-count-memory"
    summary = "instrument copies and allocations to count them at run time"
    anchor = "builtin.module"
    Options = CountMemoryOptions
    statistics = (
        Statistic("counted-copies", "copies that are counted"),
        Statistic("counted-allocations", "allocations"),
    )

    def run(self, op: ir.Operation) -> None:
        least = self.options.alignment
        if least < 1 or least & (least - 1):
            raise PassFailure(f"option 'alignment' of {self.argument} is {least}, but a power of two is needed", op)
        if least > MAX_ALIGNMENT:
            raise PassFailure(
                f"option 'alignment' of {self.argument} is {least}, but at most {MAX_ALIGNMENT} is possible", op
            )
        copies, allocations = analyze_copies(op), find_ops(op, "memref.alloc")
        given = [a.attributes["alignment"] for a in allocations if "alignment" in a.attributes]
        alignment = max([least, *(ir.IntegerAttr(one).value for one in given)])
        with op.context:
            attribute = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), alignment)
        for allocation in allocations:
            allocation.attributes["alignment"] = attribute
        op.attributes[COUNT_ALIGNMENT] = attribute
        for copy in copies:
            with ir.InsertionPoint(copy), copy.location:
                func.CallOp([], COUNT_COPY, [_copied_bytes(copy.operands[0])])
        if copies and COUNT_COPY not in ir.SymbolTable(op):
            with ir.InsertionPoint.at_block_begin(op.regions[0].blocks[0]), ir.Location.unknown():
                func.FuncOp(COUNT_COPY, ir.FunctionType.get([ir.IndexType.get()], []), visibility="private")
        self.count("counted-copies", len(copies))
        self.count("counted-allocations", len(allocations))
