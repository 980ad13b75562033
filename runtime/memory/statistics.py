"""Memory statistics: allocations and copies of each call, counted by the program itself.

A program compiled with statistics carries its own allocator and a few 64-bit counters (`counting_code.py`), so counting
needs no callback into Python. Each block starts with a header that holds its size: the requested one, without the
padding of alignment (`inplace-count-memory` makes that the same everywhere). Memory is overwritten before it is freed,
so that a use after free shows in the results.

A checked allocator, which `inplace-check` uses, also fills each new block, and some memory behind it, with one byte. It
never reuses a freed block, and counts bad frees instead of executing them.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from ...dialects.support.frozen_classes import frozen

HEADER_BYTES = 32
"""The size of the header before each counted block: its size, a mark, and the number of its slot in its call.

A multiple of malloc's alignment.
"""

COUNTERS = (
    "allocations",
    "frees",
    "allocated_bytes",
    "live_bytes",
    "peak_bytes",
    "copies",
    "copied_bytes",
    "bad_frees",
)
"""The counters in their order."""
ADDRESS_FUNCTION = "inplace_memory_counters"
"""The function of counting code that returns the address of the counters."""


@frozen
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

    def __init__(self, lookup: Callable[[str], Callable[[int], int]]) -> None:
        self._lock = threading.Lock()
        address = ctypes.c_uint64()
        table = (ctypes.c_void_p * 1)(ctypes.addressof(address))
        lookup(ADDRESS_FUNCTION)(ctypes.addressof(table))
        self._counters = (ctypes.c_int64 * len(COUNTERS)).from_address(address.value)
        self._settings = (ctypes.c_int64 * 2).from_address(address.value + ctypes.sizeof(self._counters))
        self._reset()

    def fill_with(self, byte: int) -> None:
        """Fill new blocks with this byte from now on, if the allocator is a checked one."""
        self._settings[0] = byte

    def refuse(self, allocation: int) -> None:
        """Let the allocation of that number from now on fail, from 1, as if the system refused it; 0 for none."""
        self._settings[1] = allocation

    def counted(self, run: Callable[[], Any], report: Report) -> Any:
        """The result of `run`; calls `report` with its statistics. One call at a time: counters are the module's."""
        with self._lock:
            self._reset()
            try:
                return run()
            finally:
                report(self._read())

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
        count = dict(zip(COUNTERS, self._counters, strict=True))
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
