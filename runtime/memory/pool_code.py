"""The native code of `pool.py`, in the LLVM dialect: the pool, and what programs call in place of `malloc`.

Each place is a word that threads exchange atomically for zero, so that a block belongs to the pool or to one thread,
without locks. These exchanges are ordered with all stores before and after them, non-temporal ones included.

Where large pages are given on demand (Linux, `madvise`), they are asked for in new blocks: packed panels of some
megabytes are read again and again, and have more small pages than the TLB has entries. NumPy does the same for arrays
of 4 MB and more.
"""

from __future__ import annotations

import mmap

from ..native.guard_code import NativeAllocator

__all__ = [
    "GIVE",
    "HELD",
    "LEAST_ADVISED",
    "LEAST_BYTES",
    "MOST_BLOCKS",
    "MOST_BYTES",
    "OWN_POOL",
    "POOL",
    "POOLED",
    "RELEASE",
    "SHARED_POOL",
    "TAKE",
    "USE_POOL",
]

LEAST_BYTES = 1 << 20
"""Smaller blocks stay in the heap of `malloc` anyway."""
LEAST_ADVISED = 2 << 20
"""Smaller blocks contain no large page."""
MOST_BLOCKS = 8
MOST_BYTES = 256 << 20
USE_POOL = "inplace_use_pool"
"""The function of a linked module that takes the address of the pool's table."""
TAKE, GIVE, RELEASE, HELD = (f"inplace_pool_{name}" for name in ("take", "give", "release", "held"))
_SPARE = 3
"""A block may be larger than wanted by one part in two to the power of this."""
_PLACES = f"!llvm.array<{MOST_BLOCKS} x i64>"
_CONSTANTS = f"""
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %count = llvm.mlir.constant({MOST_BLOCKS} : i64) : i64
  %places = llvm.mlir.addressof @places : !llvm.ptr
  %held = llvm.mlir.addressof @held : !llvm.ptr"""


def _each_place(body: str, behind: str) -> str:
    """A loop over the places %i; its block `body` branches back to ^place with the next one."""
    return f"""
  llvm.br ^place(%zero : i64)
^place(%i: i64):
  %more = llvm.icmp "ult" %i, %count : i64
  llvm.cond_br %more, ^{body}, ^{behind}"""


_HUGE_PAGES: int | None = getattr(mmap, "MADV_HUGEPAGE", None)
_DECLARED = "" if _HUGE_PAGES is None else "llvm.func @madvise(!llvm.ptr, i64, i32) -> i32"
_NEW = (
    "  llvm.return %new : !llvm.ptr"
    if _HUGE_PAGES is None
    else f"""
  %least_advised = llvm.mlir.constant({LEAST_ADVISED} : i64) : i64
  %large = llvm.icmp "uge" %size, %least_advised : i64
  llvm.cond_br %large, ^advise, ^new
^advise:
  %advice = llvm.mlir.constant({_HUGE_PAGES} : i32) : i32
  %whole_pages = llvm.mlir.constant({-mmap.PAGESIZE} : i64) : i64
  %part_of_page = llvm.mlir.constant({mmap.PAGESIZE - 1} : i64) : i64
  %first = llvm.ptrtoint %new : !llvm.ptr to i64
  %start = llvm.and %first, %whole_pages : i64
  %past = llvm.add %first, %size : i64
  %past_page = llvm.add %past, %part_of_page : i64
  %stop = llvm.and %past_page, %whole_pages : i64
  %length = llvm.sub %stop, %start : i64
  %begin = llvm.inttoptr %start : i64 to !llvm.ptr
  %refused = llvm.call @madvise(%begin, %length, %advice) : (!llvm.ptr, i64, i32) -> i32
  llvm.br ^new
^new:
  llvm.return %new : !llvm.ptr"""
)
"""Code that runs on a new block before it is returned: a request for large pages, whose failure is harmless."""

POOL = f"""
{_DECLARED}
llvm.mlir.global internal @places(dense<0> : tensor<{MOST_BLOCKS}xi64>) : {_PLACES}
llvm.mlir.global internal @held(0 : i64) : i64
llvm.mlir.global internal @next(0 : i64) : i64
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func @malloc_usable_size(!llvm.ptr) -> i64

llvm.func internal @take(%size: i64) -> !llvm.ptr {{{_CONSTANTS}
  %spare_bits = llvm.mlir.constant({_SPARE} : i64) : i64
  %spare = llvm.lshr %size, %spare_bits : i64{_each_place("take", "none")}
^take:
  %place = llvm.getelementptr %places[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, {_PLACES}
  %address = llvm.atomicrmw xchg %place, %zero seq_cst : !llvm.ptr, i64
  %following = llvm.add %i, %one : i64
  %empty = llvm.icmp "eq" %address, %zero : i64
  llvm.cond_br %empty, ^place(%following : i64), ^look
^look:
  %block = llvm.inttoptr %address : i64 to !llvm.ptr
  %has = llvm.call @malloc_usable_size(%block) : (!llvm.ptr) -> i64
  %over = llvm.sub %has, %size : i64
  %fits = llvm.icmp "ule" %over, %spare : i64
  llvm.cond_br %fits, ^found, ^put_back
^found:
  %less = llvm.atomicrmw sub %held, %has seq_cst : !llvm.ptr, i64
  llvm.return %block : !llvm.ptr
^put_back:
  %pair = llvm.cmpxchg %place, %zero, %address seq_cst seq_cst : !llvm.ptr, i64
  %done = llvm.extractvalue %pair[1] : !llvm.struct<(i64, i1)>
  llvm.cond_br %done, ^place(%following : i64), ^drop
^drop:
  %fewer = llvm.atomicrmw sub %held, %has seq_cst : !llvm.ptr, i64
  llvm.call @free(%block) : (!llvm.ptr) -> ()
  llvm.br ^place(%following : i64)
^none:
  %new = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
{_NEW}
}}

llvm.func internal @empty_place(%i: i64) {{{_CONSTANTS}
  %place = llvm.getelementptr %places[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, {_PLACES}
  %address = llvm.atomicrmw xchg %place, %zero seq_cst : !llvm.ptr, i64
  llvm.call @drop(%address) : (i64) -> ()
  llvm.return
}}

llvm.func internal @drop(%address: i64) {{{_CONSTANTS}
  %block = llvm.inttoptr %address : i64 to !llvm.ptr
  %has = llvm.call @malloc_usable_size(%block) : (!llvm.ptr) -> i64
  %less = llvm.atomicrmw sub %held, %has seq_cst : !llvm.ptr, i64
  llvm.call @free(%block) : (!llvm.ptr) -> ()
  llvm.return
}}

llvm.func internal @give(%block: !llvm.ptr) {{{_CONSTANTS}
  %least = llvm.mlir.constant({LEAST_BYTES} : i64) : i64
  %most = llvm.mlir.constant({MOST_BYTES} : i64) : i64
  %last = llvm.mlir.constant({MOST_BLOCKS - 1} : i64) : i64
  %next = llvm.mlir.addressof @next : !llvm.ptr
  %address = llvm.ptrtoint %block : !llvm.ptr to i64
  %has = llvm.call @malloc_usable_size(%block) : (!llvm.ptr) -> i64
  %small = llvm.icmp "ult" %has, %least : i64
  %large = llvm.icmp "ugt" %has, %most : i64
  %unwanted = llvm.or %small, %large : i1
  llvm.cond_br %unwanted, ^free, ^keep
^free:
  llvm.call @free(%block) : (!llvm.ptr) -> ()
  llvm.return
^keep:
  %before = llvm.atomicrmw add %held, %has seq_cst : !llvm.ptr, i64{_each_place("put", "replace")}
^put:
  %place = llvm.getelementptr %places[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, {_PLACES}
  %pair = llvm.cmpxchg %place, %zero, %address seq_cst seq_cst : !llvm.ptr, i64
  %done = llvm.extractvalue %pair[1] : !llvm.struct<(i64, i1)>
  %following = llvm.add %i, %one : i64
  llvm.cond_br %done, ^limit(%zero : i64), ^place(%following : i64)
^replace:
  %turn = llvm.atomicrmw add %next, %one seq_cst : !llvm.ptr, i64
  %oldest = llvm.and %turn, %last : i64
  %taken = llvm.getelementptr %places[0, %oldest] : (!llvm.ptr, i64) -> !llvm.ptr, {_PLACES}
  %old = llvm.atomicrmw xchg %taken, %address seq_cst : !llvm.ptr, i64
  llvm.call @drop(%old) : (i64) -> ()
  llvm.br ^limit(%zero : i64)
^limit(%j: i64):
  %now = llvm.load %held atomic seq_cst {{alignment = 8 : i64}} : !llvm.ptr -> i64
  %over = llvm.icmp "ugt" %now, %most : i64
  %rest = llvm.icmp "ult" %j, %count : i64
  %too_much = llvm.and %over, %rest : i1
  llvm.cond_br %too_much, ^evict, ^end
^evict:
  %turn_2 = llvm.atomicrmw add %next, %one seq_cst : !llvm.ptr, i64
  %oldest_2 = llvm.and %turn_2, %last : i64
  llvm.call @empty_place(%oldest_2) : (i64) -> ()
  %j_2 = llvm.add %j, %one : i64
  llvm.br ^limit(%j_2 : i64)
^end:
  llvm.return
}}

llvm.func @{RELEASE}() {{{_CONSTANTS}{_each_place("empty", "end")}
^empty:
  llvm.call @empty_place(%i) : (i64) -> ()
  %following = llvm.add %i, %one : i64
  llvm.br ^place(%following : i64)
^end:
  llvm.return
}}

llvm.func @{HELD}() -> i64 {{
  %held = llvm.mlir.addressof @held : !llvm.ptr
  %now = llvm.load %held atomic seq_cst {{alignment = 8 : i64}} : !llvm.ptr -> i64
  llvm.return %now : i64
}}

llvm.func @{TAKE}() -> !llvm.ptr {{
  %function = llvm.mlir.addressof @take : !llvm.ptr
  llvm.return %function : !llvm.ptr
}}

llvm.func @{GIVE}() -> !llvm.ptr {{
  %function = llvm.mlir.addressof @give : !llvm.ptr
  llvm.return %function : !llvm.ptr
}}
"""

_TABLE = "!llvm.array<2 x ptr>"
_ALLOCATE, _FREE = "inplace_pool_allocate", "inplace_pool_free"
_ALLOCATOR = f"""
llvm.func internal @{_ALLOCATE}(%size: i64) -> !llvm.ptr {{
  %least = llvm.mlir.constant({LEAST_BYTES} : i64) : i64
  %small = llvm.icmp "ult" %size, %least : i64
  llvm.cond_br %small, ^small, ^large
^small:
  %new = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  llvm.return %new : !llvm.ptr
^large:
  %pool = llvm.mlir.addressof @inplace_pool : !llvm.ptr
  %functions = llvm.load %pool : !llvm.ptr -> !llvm.ptr
  %place = llvm.getelementptr %functions[0, 0] : (!llvm.ptr) -> !llvm.ptr, {_TABLE}
  %take = llvm.load %place : !llvm.ptr -> !llvm.ptr
  %block = llvm.call %take(%size) : !llvm.ptr, (i64) -> !llvm.ptr
  llvm.return %block : !llvm.ptr
}}

llvm.func internal @{_FREE}(%block: !llvm.ptr) {{
  %pool = llvm.mlir.addressof @inplace_pool : !llvm.ptr
  %functions = llvm.load %pool : !llvm.ptr -> !llvm.ptr
  %place = llvm.getelementptr %functions[0, 1] : (!llvm.ptr) -> !llvm.ptr, {_TABLE}
  %give = llvm.load %place : !llvm.ptr -> !llvm.ptr
  llvm.call %give(%block) : !llvm.ptr, (!llvm.ptr) -> ()
  llvm.return
}}
"""

POOLED = NativeAllocator(
    allocate=_ALLOCATE,
    free=_FREE,
    text=f"""
llvm.mlir.global internal @inplace_pool() : !llvm.ptr {{
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.return %null : !llvm.ptr
}}
llvm.func @malloc(i64) -> !llvm.ptr

llvm.func @{USE_POOL}(%functions: !llvm.ptr) {{
  %pool = llvm.mlir.addressof @inplace_pool : !llvm.ptr
  llvm.store %functions, %pool : !llvm.ptr, !llvm.ptr
  llvm.return
}}
{_ALLOCATOR}""",
)
"""The allocator of programs, after `USE_POOL` has given it the address of the pool."""

OWN_POOL = f"""
{POOL}
llvm.mlir.global internal constant @inplace_pool_functions() : {_TABLE} {{
  %none = llvm.mlir.undef : {_TABLE}
  %take = llvm.mlir.addressof @take : !llvm.ptr
  %give = llvm.mlir.addressof @give : !llvm.ptr
  %one = llvm.insertvalue %take, %none[0] : {_TABLE}
  %both = llvm.insertvalue %give, %one[1] : {_TABLE}
  llvm.return %both : {_TABLE}
}}
llvm.mlir.global internal constant @inplace_pool() : !llvm.ptr {{
  %functions = llvm.mlir.addressof @inplace_pool_functions : !llvm.ptr
  llvm.return %functions : !llvm.ptr
}}
{_ALLOCATOR}"""
"""For a library: an allocator, and a pool of its own."""

SHARED_POOL = NativeAllocator(
    allocate=_ALLOCATE,
    free=_FREE,
    text=f"""
llvm.func @{_ALLOCATE}(i64) -> !llvm.ptr
llvm.func @{_FREE}(!llvm.ptr)
""",
)
"""The allocator of the versions of a program in a library, which has `OWN_POOL`."""
