"""Programs as text after passes, and how many allocations and copies are in them."""

from __future__ import annotations

from mlir import ir

import mlir_inplace as mi

BUFFERIZE = (
    "inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false},"
    "canonicalize,cse,canonicalize"
)


def transformed(text: str, *passes: str) -> str:
    """The program after `passes`."""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module({','.join(passes)})")
        return str(module)


def counts(text: str, *passes: str) -> tuple[int, int]:
    """How many allocations and copies are in the program after `passes` and bufferization."""
    memrefs = transformed(text, *passes, BUFFERIZE)
    return memrefs.count("memref.alloc("), memrefs.count("memref.copy")
