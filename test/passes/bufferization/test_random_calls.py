"""Random call graphs: what is known of callees, of layouts at calls and of recursion never shows in a value.

The reference is upstream's bufferization with a copy before every write. Deterministic: the seeds are fixed.
"""

from __future__ import annotations

import numpy as np
import pytest
from analysed import context
from mlir import ir
from mlir.passmanager import PassManager
from random_calls import random_calls

import mlir_inplace as mi
from mlir_inplace.dialects.support import memref_types
from mlir_inplace.passes.bufferization.rewriting import rewriter
from mlir_inplace.passes.bufferization.rewriting.boundary import BoundaryLayout

COPY_EVERYTHING = (
    "builtin.module(one-shot-bufferize{copy-before-write bufferize-function-boundaries allow-return-allocs-from-loops})"
)
LAYOUTS = ["infer-layout-map", "identity-layout-map", "fully-dynamic-layout-map"]


def arguments(fuel: int, p: bool) -> list[np.ndarray | float | int | bool]:
    matrix = np.arange(16, dtype=np.float32).reshape(4, 4) / 64
    return [matrix, np.arange(20, 24, dtype=np.float32) / 64, 0.75, 2, fuel, p]


def reference(text: str) -> mi.Program:
    with context():
        module = ir.Module.parse(text)
        PassManager.parse(COPY_EVERYTHING).run(module.operation)
    return mi.compile(module)


def bufferized_with(layout: str) -> str:
    return f"inplace-one-shot-bufferize{{bufferize-function-boundaries function-boundary-type-conversion={layout}}}"


def check(seed: int, *, recursive: bool, pipeline: str | None) -> None:
    text = random_calls(seed, recursive=recursive)
    ours, oracle = mi.compile(text, pipeline=pipeline, memory_stats=True, opt_level=0), reference(text)
    for fuel, p in ((1, True), (2, False), (3, True)):
        given = arguments(fuel, p)
        found, expected = ours.main(*given), oracle.main(*arguments(fuel, p))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=text)
        for before, after in zip(arguments(fuel, p), given, strict=True):
            np.testing.assert_array_equal(before, after, err_msg=f"an argument was changed\n{text}")
        assert ours.memory_stats.leaked_bytes == 0, text


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_random_calls(seed: int, recursive: bool, layout: str) -> None:
    pipeline = None if layout == LAYOUTS[0] else f"builtin.module({bufferized_with(layout)})"
    check(seed, recursive=recursive, pipeline=pipeline)


OUT_PARAMS = [
    "modify-called-functions hoist-dynamic-allocs",
    "modify-called-functions copy-results add-result-attr",
    "modify-called-functions modify-public-functions=false",
]


@pytest.mark.parametrize("options", OUT_PARAMS)
@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize("seed", range(100, 105))
def test_random_calls_with_results_in_arguments(seed: int, recursive: bool, options: str) -> None:
    passes = [
        bufferized_with(LAYOUTS[0]),
        "canonicalize",
        "inplace-drop-equivalent-results{modify-public-functions=false}",
        f"inplace-results-to-out-params{{{options}}}",
        "canonicalize",
    ]
    check(seed, recursive=recursive, pipeline=f"builtin.module({','.join(passes)})")


@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_no_copy_for_the_sake_of_a_layout(seed: int, recursive: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Types that are inferred fit: casting to them loses no stride, so nothing is copied that no decision asked for."""
    asked: list[bool] = []

    def copied_as_decided(self: rewriter.BufferRewriter, op: ir.Operation, operand: int, wanted: ir.Type) -> ir.Value:
        return self.cast(self.buffer(op, operand), wanted)

    def is_castable(source: ir.Type, target: ir.Type) -> bool:
        asked.append(memref_types.is_castable(source, target))
        return asked[-1]

    monkeypatch.setattr(rewriter, "is_castable", is_castable)
    monkeypatch.setattr(rewriter.BufferRewriter, "buffer_as", copied_as_decided)
    with context():
        mi.bufferize(ir.Module.parse(random_calls(seed, recursive=recursive)))
    assert all(asked)


def test_strides_are_lost_where_the_option_asks_for_it() -> None:
    """The test above would see it: contiguous arguments need copies of columns."""
    text = next(text for seed in range(40) if "[0, 1] [4, 1]" in (text := random_calls(seed, recursive=False)))
    with context():
        options = {"function_boundary_type_conversion": BoundaryLayout.IDENTITY}
        contiguous = mi.bufferize(ir.Module.parse(text), **options)
        inferred = mi.bufferize(ir.Module.parse(text))
    assert len(contiguous.copies) > len(inferred.copies)
