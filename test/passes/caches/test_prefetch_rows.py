"""Rows that are fetched an iteration ahead: the values stay, up to the last row, of which there is no next."""

from __future__ import annotations

import numpy as np
import pytest
from linalg_programs import floats
from mlir import ir
from softmax_programs import MAPS, softmax

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.lowering import BUFFERIZE, OPTIMIZE, STREAMS, pipeline

MACHINE = "l1=16384 l2=16384"


def program(rows: int | str) -> str:
    matrix = f"tensor<{rows}x1024xf32>"
    return f"""{MAPS}
      func.func @main(%a: {matrix}) -> {matrix} {{
        {softmax("%a", "%r", matrix, f"tensor<{rows}xf32>")}
        return %r : {matrix}
      }}"""


@pytest.mark.each_value
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rows", [1, 40, 61])
def test_results_are_the_same_with_rows_fetched_ahead(rows: int, threads: int) -> None:
    a = floats(rows, 1024)
    found = mi.compile(program(rows), optimize=True, threads=threads, machine=MACHINE).main(a)
    power = np.exp(a.astype(np.float64) - a.max(1, keepdims=True))
    np.testing.assert_allclose(found, power / power.sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(found, mi.compile(program(rows), optimize=True).main(a))


@pytest.mark.parametrize(("rows", "fetched"), [(61, True), (3, False)])
def test_a_softmax_of_memory_that_is_too_large_is_fetched_ahead(rows: int, fetched: bool) -> None:
    with ir.Context():
        module = ir.Module.parse(program(rows))
        mi.run_pipeline(module, pipeline((*OPTIMIZE, *BUFFERIZE, *STREAMS), machine=MACHINE))
        assert ("memref.prefetch" in str(module)) == fetched
