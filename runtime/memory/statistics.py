"""Memory statistics: allocations and copies of each call, counted by the program itself.

A program compiled with statistics carries its own allocator and a few 64-bit counters, written in the LLVM dialect
below, so counting needs no callback into Python. Each block starts with a header that holds its size: the requested
one, without the padding of alignment (`inplace-count-memory` makes that the same everywhere). Memory is overwritten
before it is freed, so that a use after free shows in the results.

A checked allocator, which `inplace-check` uses, also fills each new block, and some memory behind it, with one byte. It
never reuses a freed block, and counts bad frees instead of executing them.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mlir import ir

from ...passes.framework.contract import COUNT_ALIGNMENT, COUNT_COPY
from ..native.linking import link

HEADER_BYTES = 16
"""The size of the header before each counted block; a multiple of malloc's alignment."""

_COUNTERS = (
    "allocations",
    "frees",
    "allocated_bytes",
    "live_bytes",
    "peak_bytes",
    "copies",
    "copied_bytes",
    "bad_frees",
)
_SLOT = {name: number for number, name in enumerate(_COUNTERS)}
_ARRAY = f"!llvm.array<{len(_COUNTERS) + 1} x i64>"
"""The counters, and the byte with which a checked allocator fills new blocks."""
_ADDRESS_FUNCTION = "inplace_memory_counters"
_GARBAGE = -91
_GUARD_BYTES = 512
_ALIVE, _DEAD = 0x600D_B10C, 0x0DEA_D10C


@dataclass(frozen=True)
class MemoryStats:
    """The memory traffic of one call.

    Heap buffers are counted, those of results included; stack memory and the caller's arrays are not. All sizes are in
    bytes. `peak_bytes` is the most that was allocated at one moment, results included. Copies are executed
    `memref.copy` and `linalg.copy` ops, and those of the call itself (an `out=` array that could not be written to
    directly). `leaked_bytes` is memory without an owner that will free it; results are no leak. `bad_frees` are double
    frees and frees of memory that was never allocated; only a checked allocator counts them.
    """

    allocations: int
    frees: int
    result_allocations: int
    allocated_bytes: int
    result_bytes: int
    leaked_bytes: int
    peak_bytes: int
    copies: int
    copied_bytes: int
    bad_frees: int = 0

    @property
    def temporaries(self) -> int:
        """Allocations that are not results."""
        return self.allocations - self.result_allocations

    def __str__(self) -> str:
        return (
            f"allocations: {self.allocations} ({self.result_allocations} for results), frees: {self.frees}, "
            f"peak: {self.peak_bytes} bytes, leaked: {self.leaked_bytes} bytes, "
            f"copies: {self.copies} ({self.copied_bytes} bytes)"
        )


Report = Callable[[MemoryStats], None]
"""Takes the statistics of a call that has ended."""


class Recorder:
    """The counters of one JIT-compiled module, and what the Python side of a call adds to them.

    `lookup` finds native functions of the module by name.
    """

    def __init__(self, lookup: Callable[[str], Callable[[int], None]]) -> None:
        self._lock = threading.Lock()
        address = ctypes.c_uint64()
        table = (ctypes.c_void_p * 1)(ctypes.addressof(address))
        lookup(_ADDRESS_FUNCTION)(ctypes.addressof(table))
        self._counters = (ctypes.c_int64 * len(_COUNTERS)).from_address(address.value)
        self._fill = ctypes.c_int64.from_address(address.value + ctypes.sizeof(self._counters))
        self._reset()

    def fill_with(self, byte: int) -> None:
        """Fill new blocks with this byte from now on, if the allocator is a checked one."""
        self._fill.value = byte

    def counted(self, run: Callable[[], Any], report: Report) -> Any:
        """The result of `run`; calls `report` with its statistics. One call at a time: counters are the module's."""
        with self._lock:
            self._reset()
            result = run()
            report(self._read())
            return result

    def made(self, *nbytes: int) -> None:
        """Arrays were made for results."""
        self._made += nbytes

    def adopted(self, nbytes: int) -> None:
        """A result took over a buffer that native code had allocated."""
        self._adopted += (nbytes,)

    def copied(self, nbytes: int) -> None:
        """A result was copied."""
        self._copied += (nbytes,)

    def _reset(self) -> None:
        ctypes.memset(self._counters, 0, ctypes.sizeof(self._counters))
        self._made: tuple[int, ...] = ()
        self._adopted: tuple[int, ...] = ()
        self._copied: tuple[int, ...] = ()

    def _read(self) -> MemoryStats:
        count = dict(zip(_COUNTERS, self._counters, strict=True))
        made, adopted = sum(self._made), sum(self._adopted)
        return MemoryStats(
            allocations=count["allocations"] + len(self._made),
            frees=count["frees"],
            result_allocations=len(self._made) + len(self._adopted),
            allocated_bytes=count["allocated_bytes"] + made,
            result_bytes=made + adopted,
            leaked_bytes=count["live_bytes"] - adopted,
            peak_bytes=count["peak_bytes"] + made,
            copies=count["copies"] + len(self._copied),
            copied_bytes=count["copied_bytes"] + sum(self._copied),
            bad_frees=count["bad_frees"],
        )


def block_bytes(allocated: int) -> int:
    """The requested size of a counted block, from its header."""
    return ctypes.c_int64.from_address(allocated - HEADER_BYTES).value


def link_counters(module: ir.Module, *, checked: bool = False) -> None:
    """Link the counters, the allocator and `@inplace_count_copy` into a lowered module after `inplace-count-memory`.

    `checked`: use the checked allocator, which never gives memory back.
    """
    padding = ir.IntegerAttr(module.operation.attributes[COUNT_ALIGNMENT]).value
    del module.operation.attributes[COUNT_ALIGNMENT]
    link(module, _module_text(padding, checked=checked))


def _module_text(padding: int, *, checked: bool) -> str:
    return f"""
        llvm.mlir.global internal @inplace_counters(dense<0> : tensor<{len(_COUNTERS) + 1}xi64>) : {_ARRAY}
        llvm.func @malloc(i64) -> !llvm.ptr
        llvm.func @free(!llvm.ptr)
        llvm.func @{_ADDRESS_FUNCTION}() -> !llvm.ptr {{
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
    return f"""llvm.func @_mlir_memref_to_llvm_alloc(%padded: i64) -> !llvm.ptr {{
            %counters = llvm.mlir.addressof @inplace_counters : !llvm.ptr
            %header = llvm.mlir.constant({HEADER_BYTES} : i64) : i64
            %padding = llvm.mlir.constant({padding} : i64) : i64
            %one = llvm.mlir.constant(1 : i64) : i64
            %size = llvm.sub %padded, %padding : i64
            %guard = llvm.mlir.constant({_GUARD_BYTES if checked else 0} : i64) : i64
            %guarded = llvm.add %padded, %guard : i64
            %total = llvm.add %guarded, %header : i64
            %block = llvm.call @malloc(%total) : (i64) -> !llvm.ptr
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
    return f"""llvm.func @_mlir_memref_to_llvm_free(%data: !llvm.ptr) {{
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
            %fill_at = llvm.getelementptr %counters[0, {len(_COUNTERS)}] : (!llvm.ptr) -> !llvm.ptr, {_ARRAY}
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
