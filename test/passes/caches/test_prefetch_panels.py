"""The next panel of a product, fetched while register tiles read this one: where it is, and that values stay."""

from __future__ import annotations

import numpy as np
import pytest
from linalg_programs import floats, named
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.lowering import BUFFERIZE, OPTIMIZE, STREAMS, pipeline

SMALL = "vector-bits=512 registers=32 l1=4096 l2=32768"
LARGE = "vector-bits=512 registers=32 l1=4096 l2=4194304"
SIZES = [(14, 64, 128), (33, 70, 130), (61, 129, 200), (100, 300, 64), (7, 517, 96)]


def program(m: int | str, k: int, n: int, element: str = "f32") -> str:
    return named(
        "linalg.matmul", [f"tensor<{m}x{k}x{element}>", f"tensor<{k}x{n}x{element}>", f"tensor<{m}x{n}x{element}>"]
    )


@pytest.mark.each_value
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("m", "k", "n"), SIZES)
def test_results_are_the_same_with_the_next_panel_fetched(m: int, k: int, n: int, dynamic: bool, threads: int) -> None:
    a, b, c = floats(m, k), floats(k, n), floats(m, n)
    text = program("?" if dynamic else m, k, n)
    found, plain = (
        mi.compile(text, optimize=True, threads=threads, machine=machine).main(a, b, c.copy())
        for machine in (SMALL, LARGE)
    )
    np.testing.assert_allclose(found, a.astype(np.float64) @ b + c, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize(
    ("rows", "element", "machine", "fetched"),
    [
        (64, "f32", SMALL, True),
        (64, "f64", SMALL, True),
        ("?", "f32", SMALL, True),
        (64, "f32", LARGE, False),  # Panels stay in the second cache.
        (4, "f32", SMALL, False),  # One register tile reads each once.
    ],
)
def test_panels_that_are_read_again_and_come_from_afar_are_fetched(
    rows: int | str, element: str, machine: str, fetched: bool
) -> None:
    with ir.Context():
        module = ir.Module.parse(program(rows, 128, 256, element))
        mi.run_pipeline(module, pipeline((*OPTIMIZE, *BUFFERIZE, *STREAMS), machine=machine))
        assert ("memref.prefetch" in str(module)) == fetched
