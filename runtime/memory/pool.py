"""Pool of large temporaries, which later calls of any program in the process reuse.

`malloc` maps blocks of many megabytes anew each time, and trims its heap when much of it is free. The kernel then maps
and zeroes each page at the first write, which may take as long as the computation. So blocks of `LEAST_BYTES` or more
that programs free are kept here: at most `MOST_BLOCKS` blocks, and `MOST_BYTES` in all, for all programs together.
Beyond that the oldest are freed. `release_memory` frees everything.

Blocks are `malloc`'s: any owner may free one, and blocks of other libraries may be given to the pool. NumPy arrays that
own a block (results whose size only the program knows) give it to the pool when their last view is deleted. The size of
a block is from `malloc_usable_size`; where the C library has no such function, nothing is kept.

Where the system gives large pages on demand (`madvise`), it is asked for them.

The functions are native code without locks (`pool_code.py`), since OpenMP threads call them.
"""

from __future__ import annotations

import ctypes
from threading import Lock
from typing import Any

from mlir import ir, rewrite

from ...passes.analysis.linalg.structured_op import type_bytes
from ...passes.framework.entered_context import entered, new_context
from ..interface.memrefs import free_with
from ..native.engine import Engine
from .pool_code import GIVE, HELD, LEAST_BYTES, MOST_BLOCKS, MOST_BYTES, POOL, POOLED, RELEASE, TAKE, USE_POOL
from .result_pool import release_shared

__all__ = [
    "LEAST_BYTES",
    "MOST_BLOCKS",
    "MOST_BYTES",
    "POOLED",
    "USE_POOL",
    "MemoryPool",
    "memory_pool",
    "release_memory",
    "use_pool",
    "wants_pool",
]


class MemoryPool:
    """The pool of the process, as native functions.

    Attributes:
        table: the addresses of the functions that take a block, and give one back.
        give: the latter.
    """

    def __init__(self) -> None:
        with entered(new_context()):
            self._engine = Engine(ir.Module.parse(POOL), 0, ())  # no optimization: that takes half as long
        self.table = (ctypes.c_void_p * 2)(*(self._result(name) for name in (TAKE, GIVE)))
        self.give = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.table[1] or 0)

    @property
    def held_bytes(self) -> int:
        """How many bytes it holds."""
        return self._result(HELD)

    def release(self) -> None:
        """Free all that it holds."""
        self._engine.function(RELEASE)(0)

    def _result(self, function: str) -> int:
        value = ctypes.c_int64()
        table = (ctypes.c_void_p * 1)(ctypes.addressof(value))
        self._engine.function(function)(ctypes.addressof(table))
        return value.value


_pools: list[MemoryPool] = []
"""The pool of the process, once a program has needed one; never replaced, since native code has its address."""
_lock = Lock()


def wants_pool(module: ir.Operation) -> bool:
    """Whether `module`, on memrefs, may allocate large blocks, and the C library has `malloc_usable_size`."""
    types: set[ir.Type] = set()

    def visit(op: ir.OpView, _: rewrite.PatternRewriter) -> bool:
        types.add(op.operation.results[0].type)
        return True  # Never matches, so nothing is rewritten.

    if hasattr(ctypes.CDLL(None), "malloc_usable_size"):
        # A tenth of the time of a walk that visits all ops. Unreachable blocks do not count.
        patterns = rewrite.RewritePatternSet()
        patterns.add("memref.alloc", visit)
        with module.context:
            rewrite.walk_and_apply_patterns(module, patterns.freeze())
    memrefs = map(ir.MemRefType, types)
    return any(not memref.has_static_shape or type_bytes(memref) >= LEAST_BYTES for memref in memrefs)


def memory_pool() -> MemoryPool:
    """The pool of the process, which is compiled at the first use."""
    with _lock:
        if not _pools:
            _pools.append(MemoryPool())
            free_with(_pools[0].give)
        return _pools[0]


def release_memory() -> None:
    """Free the temporaries of programs that are kept for later calls, 256 MiB at most, and four results.

    Programs may run meanwhile. Memory that they free afterwards is kept again. Results of static size are not affected:
    their program keeps them as long as it lives.
    """
    release_shared()
    if _pools:
        _pools[0].release()


def use_pool(engine: Any) -> None:
    """Give native code with the allocator `POOLED`, which `engine` holds, the address of the pool; others nothing."""
    if not engine.defines(USE_POOL):
        return
    address = ctypes.c_void_p(ctypes.addressof(memory_pool().table))
    argument = (ctypes.c_void_p * 1)(ctypes.addressof(address))
    engine.function(USE_POOL)(ctypes.addressof(argument))
