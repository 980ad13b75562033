"""The native code of `statistics.py`, in the LLVM dialect: the counters, and the allocator that counts."""

from __future__ import annotations

from mlir import ir

from ...passes.framework.contract import COUNT_ALIGNMENT, COUNT_COPY
from ..native.guard_code import NativeAllocator
from .statistics import ADDRESS_FUNCTION, COUNTERS, HEADER_BYTES

__all__ = ["counting_allocator"]

_SLOT = {name: number for number, name in enumerate(COUNTERS)}
_ARRAY = f"!llvm.array<{len(COUNTERS) + 2} x i64>"
"""The counters, the byte with which a checked allocator fills new blocks, and the allocation to be refused, from 1."""
_GARBAGE = -91
_GUARD_BYTES = 512
_ALIVE, _DEAD = 0x600D_B10C, 0x0DEA_D10C


def counting_allocator(module: ir.Module, *, checked: bool = False) -> NativeAllocator:
    """The allocator of a lowered module after `inplace-count-memory`, which gets the counters.

    `checked`: the checked allocator, which never gives memory back.
    """
    padding = ir.IntegerAttr(module.operation.attributes[COUNT_ALIGNMENT]).value
    del module.operation.attributes[COUNT_ALIGNMENT]
    text = _allocator_text(padding, checked=checked)
    return NativeAllocator(text, "inplace_count_allocate", "inplace_count_free", spare=0, place="place = block - 8")


def _allocator_text(padding: int, *, checked: bool) -> str:
    return f"""
        llvm.mlir.global internal @inplace_counters(dense<0> : tensor<{len(COUNTERS) + 2}xi64>) : {_ARRAY}
        llvm.func @malloc(i64) -> !llvm.ptr
        llvm.func @free(!llvm.ptr)
        llvm.func @{ADDRESS_FUNCTION}() -> !llvm.ptr {{
            %counters = llvm.mlir.addressof @inplace_counters : !llvm.ptr
            llvm.return %counters : !llvm.ptr
        }}
        {_allocation_text(padding, checked=checked)}
        {_free_text(checked=checked)}
        llvm.func @{COUNT_COPY}(%bytes: i64) {{
            %counters = llvm.mlir.addressof @inplace_counters : !llvm.ptr
            %one = llvm.mlir.constant(1 : i64) : i64
            {_bump("copies", "%one")}
            {_bump("copied_bytes", "%bytes")}
            llvm.return
        }}
    """


def _allocation_text(padding: int, *, checked: bool) -> str:
    return f"""llvm.func internal @inplace_count_allocate(%padded: i64) -> !llvm.ptr {{
            %counters = llvm.mlir.addressof @inplace_counters : !llvm.ptr
            %header = llvm.mlir.constant({HEADER_BYTES} : i64) : i64
            %padding = llvm.mlir.constant({padding} : i64) : i64
            %one = llvm.mlir.constant(1 : i64) : i64
            %size = llvm.sub %padded, %padding : i64
            %guard = llvm.mlir.constant({_GUARD_BYTES if checked else 0} : i64) : i64
            %guarded = llvm.add %padded, %guard : i64
            %total = llvm.add %guarded, %header : i64
            %refused_at = llvm.getelementptr %counters[0, {len(COUNTERS) + 1}] : (!llvm.ptr) -> !llvm.ptr, {_ARRAY}
            %countdown = llvm.atomicrmw sub %refused_at, %one monotonic : !llvm.ptr, i64
            %refused = llvm.icmp "eq" %countdown, %one : i64
            %null = llvm.mlir.zero : !llvm.ptr
            llvm.cond_br %refused, ^none, ^ask
        ^none:
            llvm.return %null : !llvm.ptr
        ^ask:
            %block = llvm.call @malloc(%total) : (i64) -> !llvm.ptr
            %none = llvm.icmp "eq" %block, %null : !llvm.ptr
            llvm.cond_br %none, ^none, ^some
        ^some:
            llvm.store %size, %block : i64, !llvm.ptr
            {_bump("allocations", "%one")}
            {_bump("allocated_bytes", "%size")}
            {_bump("live_bytes", "%size")}
            %live = llvm.add %live_bytes_old, %size : i64
            %peak = llvm.getelementptr %counters[0, {_SLOT["peak_bytes"]}] : (!llvm.ptr) -> !llvm.ptr, {_ARRAY}
            %peak_old = llvm.atomicrmw max %peak, %live monotonic : !llvm.ptr, i64
            %data = llvm.getelementptr %block[{HEADER_BYTES}] : (!llvm.ptr) -> !llvm.ptr, i8
            {_birth() if checked else ""}
            llvm.return %data : !llvm.ptr
        }}"""


def _free_text(*, checked: bool) -> str:
    return f"""llvm.func internal @inplace_count_free(%data: !llvm.ptr) {{
            %counters = llvm.mlir.addressof @inplace_counters : !llvm.ptr
            %zero = llvm.mlir.constant(0 : i64) : i64
            %one = llvm.mlir.constant(1 : i64) : i64
            %block = llvm.getelementptr %data[-{HEADER_BYTES}] : (!llvm.ptr) -> !llvm.ptr, i8
            {_death() if checked else ""}
            %size = llvm.load %block : !llvm.ptr -> i64
            %negative = llvm.sub %zero, %size : i64
            {_bump("frees", "%one")}
            {_bump("live_bytes", "%negative")}
            %garbage = llvm.mlir.constant({_GARBAGE} : i8) : i8
            "llvm.intr.memset"(%data, %garbage, %size) <{{isVolatile = false}}> : (!llvm.ptr, i8, i64) -> ()
            {"" if checked else "llvm.call @free(%block) : (!llvm.ptr) -> ()"}
            llvm.return
        }}"""


def _bump(counter: str, amount: str) -> str:
    """Add `amount` to a counter."""
    return f"""
            %{counter} = llvm.getelementptr %counters[0, {_SLOT[counter]}] : (!llvm.ptr) -> !llvm.ptr, {_ARRAY}
            %{counter}_old = llvm.atomicrmw add %{counter}, {amount} monotonic : !llvm.ptr, i64"""


def _birth() -> str:
    """Mark a new block as alive and fill it with the byte after the counters."""
    return f"""
            %alive = llvm.mlir.constant({_ALIVE} : i64) : i64
            %mark = llvm.getelementptr %block[8] : (!llvm.ptr) -> !llvm.ptr, i8
            llvm.store %alive, %mark : i64, !llvm.ptr
            %fill_at = llvm.getelementptr %counters[0, {len(COUNTERS)}] : (!llvm.ptr) -> !llvm.ptr, {_ARRAY}
            %fill = llvm.load %fill_at : !llvm.ptr -> i64
            %byte = llvm.trunc %fill : i64 to i8
            "llvm.intr.memset"(%data, %byte, %guarded) <{{isVolatile = false}}> : (!llvm.ptr, i8, i64) -> ()"""


def _death() -> str:
    """Mark a block as dead; count a bad free of a block that is not alive, and do nothing else."""
    return f"""
            %mark = llvm.getelementptr %block[8] : (!llvm.ptr) -> !llvm.ptr, i8
            %found = llvm.load %mark : !llvm.ptr -> i64
            %alive = llvm.mlir.constant({_ALIVE} : i64) : i64
            %dead = llvm.mlir.constant({_DEAD} : i64) : i64
            %lives = llvm.icmp "eq" %found, %alive : i64
            llvm.cond_br %lives, ^living, ^bad
        ^bad:
            {_bump("bad_frees", "%one")}
            llvm.return
        ^living:
            llvm.store %dead, %mark : i64, !llvm.ptr"""
