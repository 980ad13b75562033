"""`inplace-vector-math`: functions of f64 within 2 ulp of `longdouble`, and those of two operands in f32 and f64."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest
from math_kernels import UNARY, assert_within, compiled, compute, exact, kernel
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.vectorization.functions import BINARY, FUNCTIONS
from mlir_inplace.passes.vectorization.functions.powers import KNOWN_POWERS
from mlir_inplace.runtime.compilation.lowering import OPTIMIZE, pipeline

ULPS = 2 if np.finfo(np.longdouble).nmant > 60 else 3
"""Where `longdouble` is f64, the reference is rounded, too."""
TYPES = {"f32": np.float32, "f64": np.float64}
EDGES = [
    0.0,
    1.0,
    0.5,
    2.0,
    3.0,
    1.5,
    1e5,
    2.0**30,
    2.0**52,
    2.0**53 - 1,
    2.0**53,
    1e22,
    0.7071067811865476,
    0.9,
    0.625,
]
OVERFLOWS = [709.78271289, 709.7827, 710.4758, 745.1332, 745.14, 708.3964, 1024.0, 1074.5, 1075.5, 1022.5]
FEW = 4000


def with_signs(x: np.ndarray) -> np.ndarray:
    """`x` and the numbers next to them, of both signs."""
    near = np.concatenate([x, np.nextafter(x, x.dtype.type(0)), np.nextafter(x, x.dtype.type(math.inf))])
    return np.concatenate([near, -near])


def edges(dtype: type[np.floating]) -> np.ndarray:
    """Numbers where something begins or ends, with both signs."""
    limits = np.finfo(dtype)
    ends = [limits.max, limits.tiny, limits.smallest_subnormal, math.inf, math.nan]
    with np.errstate(over="ignore"):
        return with_signs(np.array([*EDGES, *ends], dtype))


def filled(*columns: np.ndarray) -> tuple[np.ndarray, ...]:
    """`columns` in whole vectors of 8."""
    return tuple(np.concatenate([column, np.ones(-len(column) % 8, column.dtype)]) for column in columns)


def arguments() -> np.ndarray:
    """f64 of all exponents, and many where functions change."""
    rng = np.random.default_rng(7)
    patterns = rng.integers(0, 2**64, FEW, dtype=np.uint64).view(np.float64)
    scales = [1e-9, 1e-4, 0.1, 0.5, 1.0, 3.0, 10.0, 30.0, 100.0, 750.0, 1100.0, 1e5, 1e9]
    uniform = [rng.uniform(-scale, scale, FEW) for scale in scales]
    tiny = rng.uniform(-1, 1, FEW) * np.exp2(rng.uniform(-1074, -1000, FEW))
    n = np.arange(1, 3000)
    borders = np.concatenate(
        [n * (math.log(2) / 2), n * (math.pi / 4), n * 1e5 * math.pi, 2.0 ** np.arange(-1074, 1024)]
    )
    close = [1 + rng.uniform(-0.01, 0.01, FEW), with_signs(borders), with_signs(np.array(OVERFLOWS)), edges(np.float64)]
    return filled(np.concatenate([patterns, *uniform, tiny, *close]))[0]


def pairs(name: str, dtype: type[np.floating]) -> tuple[np.ndarray, ...]:
    """Arguments of a function of two: all pairs of edges, all exponents, and where results are neither 0 nor large."""
    rng = np.random.default_rng(8)
    bits = 8 * dtype(0).nbytes
    x, y = (one.ravel() for one in np.meshgrid(edges(dtype), edges(dtype)))
    patterns = rng.integers(0, 2**bits, (2, 4 * FEW), dtype=f"u{bits // 8}").view(dtype)
    near = rng.uniform(-30, 30, (2, 4 * FEW)).astype(dtype)
    both = [np.stack([x, y]), patterns, near]
    if name == "powf":
        power = 0.99 * math.log(float(np.finfo(dtype).max))
        base = np.concatenate([np.exp2(rng.uniform(-100, 100, 8 * FEW)), rng.uniform(0.9, 1.1, 8 * FEW)])
        both.append(np.stack([base, rng.uniform(-power, power, len(base)) / np.log(base)]).astype(dtype))
        both.append(np.stack([near[0], np.round(near[1])]))
    if name == "remf":
        both.append(np.stack([near[0] * rng.integers(0, 10**6, 4 * FEW), near[0]]).astype(dtype))
        both.append(np.stack([near[0] * np.exp2(rng.uniform(0, 80, 4 * FEW)), near[1]]).astype(dtype))
    return filled(*np.concatenate(both, axis=1))


@pytest.fixture(scope="module")
def wide() -> mi.Program:
    return compiled("\n".join(kernel(name, "8", "f64") for name in FUNCTIONS))


@pytest.fixture(scope="module")
def single() -> mi.Program:
    return compiled("\n".join(kernel(name, "8", "f32") for name in BINARY))


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_f64_are_within_two_ulp(name: str, wide: mi.Program) -> None:
    x = arguments()
    assert_within(ULPS, x, compute(wide, name, x), exact(name, x))


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("name", sorted(BINARY))
def test_functions_of_two_are_within_two_ulp(name: str, element: str, wide: mi.Program, single: mi.Program) -> None:
    x = pairs(name, TYPES[element])
    found = compute(wide if element == "f64" else single, name, *x)
    assert_within(0 if name == "remf" else ULPS, np.stack(x), found, exact(name, *x))


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "remf"])
def test_one_large_lane_of_f64_does_not_change_the_others(name: str, wide: mi.Program) -> None:
    x = np.linspace(-70, 70, 4096)
    more = [np.full_like(x, 1.7)] if name in BINARY else []
    alone = compute(wide, name, x, *more)
    x[::8] *= 2.0**90
    found = compute(wide, name, x, *more)
    assert_within(ULPS, x, found, exact(name, x, *more))
    small = np.arange(len(x)) % 8 != 0
    np.testing.assert_array_equal(found[small], alone[small])


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_narrow_functions_of_two_are_rounded_from_f32(element: str) -> None:
    import ml_dtypes

    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}[element]
    program = compiled("\n".join(kernel(name, "8", element) for name in BINARY))
    x, y = np.random.default_rng(9).uniform(-8, 8, (2, FEW)).astype(dtype)
    for name in BINARY:
        with np.errstate(over="ignore"):
            expected = exact(name, x, y).astype(np.float32).astype(dtype)
        found = compute(program, name, x, y)
        numbers = ~np.isnan(expected)
        apart = np.abs(found.view(np.int16).astype(int) - expected.view(np.int16))[numbers]
        assert apart.max() <= (0 if name == "remf" else 1)
        np.testing.assert_array_equal(np.isnan(found), ~numbers)


def known_powers(element: str, exponents: Iterable[float]) -> str:
    """`kernel` for powers with constant exponents, vectors and scalars that are broadcast."""
    vector = f"vector<8x{element}>"
    functions: list[str] = []
    for number, exponent in enumerate(exponents):
        text = kernel("powf", "8", element).replace("@vector_powf", f"@vector_{number}")
        dense = f"%y1 = arith.constant dense<{exponent}> : {vector}"
        scalar = f"%c = arith.constant {exponent} : {element}\n%y1 = vector.broadcast %c : {element} to {vector}"
        power = f"{scalar if number % 2 else dense}\n%y = math.powf %s0, %y1"
        functions.append(text.replace("%y = math.powf %s0, %s1", power))
    return "\n".join(functions)


@pytest.mark.parametrize("element", TYPES)
def test_constant_exponents(element: str) -> None:
    exponents = [*KNOWN_POWERS, *KNOWN_POWERS, 1.5, -2.0][1:]  # both kinds of constant each
    text = known_powers(element, exponents)
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(inplace-vector-math)")
        fused = [str(function).count("math.fma") for function in module.body.operations]
    assert [count > 0 for count in fused] == [exponent not in KNOWN_POWERS for exponent in exponents]
    program = compiled(text)
    (x,) = filled(np.concatenate([edges(TYPES[element]), pairs("atan2", TYPES[element])[0]]))
    for number, exponent in enumerate(exponents):
        y = np.full_like(x, exponent)
        assert_within(ULPS, x, compute(program, str(number), x, y), exact("powf", x, y))


def test_powers_of_several_exponents_are_not_one_group() -> None:
    text = """
      func.func @main(%x: vector<8xf32>, %y: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>) {
        %two = arith.constant dense<2.0> : vector<8xf32>
        %three = arith.constant dense<3.0> : vector<8xf32>
        %0 = math.powf %x, %two : vector<8xf32>
        %1 = math.powf %x, %three : vector<8xf32>
        %2 = math.powf %x, %y : vector<8xf32>
        return %0, %1, %2 : vector<8xf32>, vector<8xf32>, vector<8xf32>
      }"""
    x, y = np.array([2.0, -3.0] * 4, np.float32), np.full(8, 5, np.float32)
    wrapped = f"""{text.replace("@main", "@vectors")}
      func.func @powers(%a: memref<8xf32>, %b: memref<8xf32>, %o: memref<3x8xf32>) {{
        %z = arith.constant 0.0 : f32
        %0 = arith.constant 0 : index
        %1 = arith.constant 1 : index
        %2 = arith.constant 2 : index
        %x = vector.transfer_read %a[%0], %z {{in_bounds = [true]}} : memref<8xf32>, vector<8xf32>
        %y = vector.transfer_read %b[%0], %z {{in_bounds = [true]}} : memref<8xf32>, vector<8xf32>
        %r:3 = call @vectors(%x, %y) : (vector<8xf32>, vector<8xf32>) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>)
        vector.transfer_write %r#0, %o[%0, %0] {{in_bounds = [true]}} : vector<8xf32>, memref<3x8xf32>
        vector.transfer_write %r#1, %o[%1, %0] {{in_bounds = [true]}} : vector<8xf32>, memref<3x8xf32>
        vector.transfer_write %r#2, %o[%2, %0] {{in_bounds = [true]}} : vector<8xf32>, memref<3x8xf32>
        return
      }}""".replace("func.func @vectors", "func.func private @vectors")
    result = np.zeros((3, 8), np.float32)
    compiled(wrapped).powers(x, y, result)
    np.testing.assert_array_equal(result, [x**2, x**3, x**5])


def test_optimized_programs_of_f64_do_not_call_libm() -> None:
    text = """
      func.func @main(%a: tensor<37x24xf64>, %b: tensor<37x24xf64>) -> tensor<37x24xf64> {
        %0 = math.exp %a : tensor<37x24xf64>
        %1 = math.powf %0, %b : tensor<37x24xf64>
        %2 = math.cbrt %1 : tensor<37x24xf64>
        return %2 : tensor<37x24xf64>
      }"""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, pipeline(OPTIMIZE))
        assert "math.fma" in str(module)
        assert not any(op in str(module) for op in ("math.exp", "math.powf", "math.cbrt"))
