"""Old failures that were copies too many: what is allocated and copied now, and that upstream needs no less.

`// COUNTS:` in a file below `test/regressions/` says how many allocations and copies are left.
"""

from __future__ import annotations

import re
from pathlib import Path

import oracle
import pytest

import mlir_inplace as mi
from mlir_inplace.dialects import dispatch

COUNTED = [p for p in sorted(Path(__file__).parents[1].glob("regressions/*/*.mlir")) if "// COUNTS:" in p.read_text()]
OURS = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false})"
PLAN = "builtin.module(inplace-promote-bindings,inplace-plan-bufferize)"


@pytest.mark.parametrize("path", COUNTED, ids=[path.stem for path in COUNTED])
def test_allocations_and_copies(path: Path) -> None:
    text = path.read_text()
    counted = tuple(map(int, re.search(r"^// COUNTS: (\d+) (\d+)$", text, re.MULTILINE).groups()))
    kernel = dispatch.mentions_dispatch(text)
    module = dispatch.parse(text, oracle.context()) if kernel else oracle.parse(text)
    mi.run_pipeline(module, PLAN if kernel else OURS)
    ours = oracle.count_memory_ops(module)
    assert (ours.allocations, ours.copies) == counted
    if not kernel:
        theirs = oracle.count_memory_ops(oracle.bufferized(text, oracle.DEFAULT))
        assert ours.allocations <= theirs.allocations
        assert ours.copies <= theirs.copies
