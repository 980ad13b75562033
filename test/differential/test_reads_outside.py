"""No program accesses what is outside of its memory: a page that nobody may access is beside each array.

Arguments end where that page begins, or begin where it ends. Buffers of native code end at most 80 bytes in front of
it, as they are aligned. A program that goes further is ended by a signal, so each batch runs in a process of its own.
"""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import multiprocessing
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from fast_run import is_full
from programs import PROGRAMS
from programs.program import Program, arguments

import mlir_inplace as mi
from mlir_inplace.runtime.compilation import steps
from mlir_inplace.runtime.interface import memrefs
from mlir_inplace.runtime.native.guard_code import NativeAllocator

PAGE = mmap.PAGESIZE
CHOSEN = PROGRAMS if is_full() else PROGRAMS[3::90]
BATCH = 60
PAGES = NativeAllocator(
    f"""
    llvm.func @mmap(!llvm.ptr, i64, i32, i32, i32, i64) -> !llvm.ptr
    llvm.func @munmap(!llvm.ptr, i64) -> i32
    llvm.func @mprotect(!llvm.ptr, i64, i32) -> i32
    llvm.func internal @pages_allocate(%size: i64) -> !llvm.ptr {{
      %null = llvm.mlir.zero : !llvm.ptr
      %zero = llvm.mlir.constant(0 : i64) : i64
      %page = llvm.mlir.constant({PAGE} : i64) : i64
      %more = llvm.mlir.constant({PAGE - 1 + 32} : i64) : i64
      %pages = llvm.mlir.constant({-PAGE} : i64) : i64
      %fifteen = llvm.mlir.constant(15 : i64) : i64
      %sixteens = llvm.mlir.constant(-16 : i64) : i64
      %over = llvm.add %size, %fifteen : i64
      %body = llvm.and %over, %sixteens : i64
      %needed = llvm.add %body, %more : i64
      %open = llvm.and %needed, %pages : i64
      %total = llvm.add %open, %page : i64
      %rights = llvm.mlir.constant({mmap.PROT_READ | mmap.PROT_WRITE} : i32) : i32
      %flags = llvm.mlir.constant({mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} : i32) : i32
      %none = llvm.mlir.constant(-1 : i32) : i32
      %nothing = llvm.mlir.constant(0 : i32) : i32
      %memory = llvm.call @mmap(%null, %total, %rights, %flags, %none, %zero)
        : (!llvm.ptr, i64, i32, i32, i32, i64) -> !llvm.ptr
      %end = llvm.getelementptr %memory[%open] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %done = llvm.call @mprotect(%end, %page, %nothing) : (!llvm.ptr, i64, i32) -> i32
      %back = llvm.sub %zero, %body : i64
      %block = llvm.getelementptr %end[%back] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %memory_at = llvm.getelementptr %block[-32] : (!llvm.ptr) -> !llvm.ptr, i8
      %total_at = llvm.getelementptr %block[-24] : (!llvm.ptr) -> !llvm.ptr, i8
      llvm.store %memory, %memory_at : !llvm.ptr, !llvm.ptr
      llvm.store %total, %total_at : i64, !llvm.ptr
      llvm.return %block : !llvm.ptr
    }}
    llvm.func internal @pages_free(%block: !llvm.ptr) {{
      %memory_at = llvm.getelementptr %block[-32] : (!llvm.ptr) -> !llvm.ptr, i8
      %total_at = llvm.getelementptr %block[-24] : (!llvm.ptr) -> !llvm.ptr, i8
      %memory = llvm.load %memory_at : !llvm.ptr -> !llvm.ptr
      %total = llvm.load %total_at : !llvm.ptr -> i64
      %done = llvm.call @munmap(%memory, %total) : (!llvm.ptr, i64) -> i32
      llvm.return
    }}""",
    "pages_allocate",
    "pages_free",
    spare=0,
    place="place = block - 8",
)
"""An allocator with a page behind each block that nobody may access; a freed block nobody may access either."""

KEEP = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda memory: None)
"""Instead of `free`, for results: their blocks are not those of `malloc`."""


def beside_a_page(value: Any, *, behind: bool) -> Any:
    """The array, in memory that ends, or begins, beside a page that nobody may access."""
    if not isinstance(value, np.ndarray):
        return value
    pages = -(-value.nbytes // PAGE) * PAGE
    memory = mmap.mmap(-1, pages + 2 * PAGE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (base, base + PAGE + pages):
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(page), ctypes.c_size_t(PAGE), 0) == 0
    start = PAGE + pages - value.nbytes if behind else PAGE
    array = np.frombuffer(memory, value.dtype, value.size, start).reshape(value.shape)
    array[...] = value
    return array


def run(program: Program, options: dict[str, Any]) -> None:
    """Call the program, and read all of its results."""
    compiled = mi.compile(program.text, **options)
    for given in program.runs:
        for behind in (True, False):
            results = compiled.main(*(beside_a_page(value, behind=behind) for value in arguments(given)))
            for result in results if isinstance(results, tuple) else [results]:
                np.sum(np.asarray(result) != 0)


def child(work: Callable[[], None]) -> None:
    faulthandler.disable()
    steps.NativeAllocator = lambda: PAGES  # pyright: ignore[reportAttributeAccessIssue]
    steps.wants_pool = lambda module: False  # pyright: ignore[reportAttributeAccessIssue]
    memrefs.free_with(KEEP)
    work()


def exit_code(work: Callable[[], None]) -> int | None:
    """That of a process that does the work with the allocator of pages."""
    process = multiprocessing.get_context("fork").Process(target=child, args=(work,))
    process.start()
    process.join()
    return process.exitcode


@pytest.mark.parametrize("options", [{"opt_level": 0}, {"optimize": True}], ids=str)
@pytest.mark.parametrize("start", range(0, len(CHOSEN), BATCH))
def test_no_program_leaves_its_memory(start: int, options: dict[str, Any]) -> None:
    def batch(programs: Sequence[Program]) -> Callable[[], None]:
        return lambda: [run(program, options) for program in programs] and None

    chosen = CHOSEN[start : start + BATCH]
    if exit_code(batch(chosen)) != 0:
        assert [program.name for program in chosen if exit_code(batch([program])) != 0] == []


@pytest.mark.parametrize("index", [0, 40, -60])
def test_the_pages_are_noticed(index: int) -> None:
    """A temporary and an argument of 16 numbers, and an access behind and in front of them."""
    text = """
    func.func @main(%a: memref<16xf32>, %i: index, %j: index) -> f32 {
      %t = memref.alloc(%i) : memref<?xf32>
      %x = memref.load %a[%j] : memref<16xf32>
      memref.store %x, %t[%j] : memref<?xf32>
      %y = memref.load %t[%j] : memref<?xf32>
      memref.dealloc %t : memref<?xf32>
      return %y : f32
    }"""

    def work() -> None:
        for behind in (True, False):
            mi.compile(text).main(beside_a_page(np.ones(16, np.float32), behind=behind), 16, index)
        os._exit(0)

    assert exit_code(work) == (0 if index == 0 else -11)
