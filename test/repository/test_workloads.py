"""The programs of the benchmark, in small and odd sizes, on kind and unkind data, optimized or not, on threads."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from fast_run import sample

import mlir_inplace as mi

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from subjects import workloads as w

WORKLOADS = [
    w.matmul(33, 47, 65),
    w.matmul(29, 31, 37, dynamic=True),
    w.matmul(17, 40, 23, element="f64", to="f64"),
    w.matmul(16, 48, 32, element="bf16"),
    w.matmul(19, 35, 64, element="i8", to="i32"),
    w.transposed(20, 36, 33, "A"),
    w.transposed(20, 36, 33, "B"),
    w.batch_matmul(3, 17, 20, 33),
    w.mlp(5, (40, 33, 10), w.RELU, "MLP", w.relu_mlp),
    w.mlp(6, (24, 70, 24), w.GELU, "GELU MLP", w.gelu_mlp),
    w.elementwise(1000),
    w.softmax(7, 129),
    w.softmax(7, 129, log=True),
    w.layernorm(6, 130),
    w.layernorm(6, 130, rms=True),
    w.attention(35, 16),
    w.attention(35, 16, causal=True),
    w.conv(9, 8, 12),
    w.conv(9, 8, 8, depthwise=True),
    w.stencil("5-point", (21, 40), 5),
    w.stencil("7-point", (12, 13, 20), 4, element="f64"),
]
SCALES = {"as drawn": 1.0, "large": 1e4, "small": 1e-12, "denormal products": 1e-22, "zero": 0.0}


def arguments_of(workload: w.Workload, scale: float) -> list[np.ndarray]:
    """Random arguments, those of floats scaled; an integer says the same about all."""
    arguments = workload.arguments(seed=7)
    return [a if a.dtype.kind == "i" else (a.astype(np.float64) * scale).astype(a.dtype) for a in arguments]


def exact_of(workload: w.Workload, arguments: list[np.ndarray]) -> tuple[np.ndarray, float]:
    """What is right, and by how much a result may be off: NumPy in the same precision rounds, too."""
    wide = [a if a.dtype.kind == "i" else a.astype(np.float64) for a in arguments]
    expected = np.asarray(workload.function(np, *wide), np.float64)
    narrow = np.asarray(workload.function(np, *arguments), np.float64)
    rounding = float(np.abs(narrow - expected).max(initial=0))
    return expected, max(4 * rounding, workload.tolerance * float(np.abs(expected).max(initial=0)), 1e-37)


@pytest.mark.parametrize("workload", sample(WORKLOADS, least=4), ids=lambda workload: workload.name)
def test_values_are_those_of_float64(workload: w.Workload) -> None:
    programs = [mi.compile(workload.text), *(mi.compile(workload.text, optimize=True, threads=n) for n in (1, 2, 3))]
    for name, scale in SCALES.items():
        arguments = arguments_of(workload, scale)
        expected, tolerance = exact_of(workload, arguments)
        results = [np.asarray(program.main(*arguments)) for program in programs]
        for result in results[:2]:
            assert result.shape == expected.shape
            off = np.abs(result.astype(np.float64) - expected).max()
            assert off <= tolerance, f"{name}: off by {off}, allowed {tolerance}"
        for result in results[2:]:
            assert result.tobytes() == results[1].tobytes(), name


@pytest.mark.parametrize(
    "workload", [w.elementwise(300), w.softmax(6, 70), w.layernorm(6, 70), w.matmul(6, 20, 30)], ids=lambda w: w.name
)
def test_rows_with_nan_and_infinity_are_those_of_numpy_and_leave_others_alone(workload: w.Workload) -> None:
    arguments = workload.arguments(seed=3)
    first = arguments[0].reshape(6, -1)
    first[1, 3], first[2, 4], first[3, 5] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        wide = workload.function(np, *(a.astype(np.float64) for a in arguments))
    result = mi.compile(workload.text, optimize=True).main(*arguments)
    np.testing.assert_array_equal(np.isnan(result), np.isnan(wide))
    finite = np.isfinite(wide)
    assert finite.any()
    np.testing.assert_array_equal(result[~finite], wide[~finite].astype(result.dtype))
    np.testing.assert_allclose(result[finite], wide[finite], rtol=1e-4, atol=1e-5)
