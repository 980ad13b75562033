"""Floats of 8 bits: every number is extended right, truncated right, and computed as `ml_dtypes` does."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.passes.numerics.rewriting.small_floats import SMALL_FLOATS

WIDE = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
OPTIONS = [pytest.param({}, id="default"), pytest.param({"optimize": True}, id="optimize")]


def dtype_of(name: str) -> np.dtype:
    return np.dtype(WIDE[name] if name in WIDE else getattr(ml_dtypes, "float8_" + name[2:].lower()))


def all_numbers(name: str) -> np.ndarray:
    return np.arange(256, dtype=np.uint8).view(dtype_of(name))


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    """Bit for bit, but for which NaN it is."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    word = f"u{found.dtype.itemsize}"
    with np.errstate(invalid="ignore"):
        both_nan = np.isnan(found.astype(np.float64)) & np.isnan(expected.astype(np.float64))
    wrong = np.flatnonzero((found.view(word) != expected.view(word)) & ~both_nan)
    assert not len(wrong), (wrong[:5], found[wrong[:5]], expected[wrong[:5]])


def cast(source: str, target: str, op: str, **options: bool) -> Callable[[np.ndarray], np.ndarray]:
    return mi.compile(
        f"""
        func.func @main(%x: tensor<?x{source}>) -> tensor<?x{target}> {{
          %0 = arith.{op} %x : tensor<?x{source}> to tensor<?x{target}>
          return %0 : tensor<?x{target}>
        }}""",
        **options,
    ).main


def converted(numbers: np.ndarray, name: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return numbers.astype(dtype_of(name))


@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_all_numbers_are_extended(name: str) -> None:
    for wide in WIDE:
        numbers = all_numbers(name)
        assert_same(cast(name, wide, "extf")(numbers), converted(numbers.astype(np.float32), wide))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_numbers_between_are_truncated_to_the_nearest(name: str, options: dict[str, bool]) -> None:
    """All numbers, what lies half way between two, and the neighbours of both; what is too large, and NaN."""
    exact = np.unique(all_numbers(name).astype(np.float32))
    exact = exact[np.isfinite(exact)]
    half = (exact[1:] + exact[:-1]) / 2
    beyond = np.array([1.5, 2, 1e3, 1e30, np.inf], np.float32) * exact[-1]
    base = np.concatenate([exact, half, beyond, -beyond, [0.0, -0.0, np.nan, 1e-40, -1e-40]]).astype(np.float32)
    up, down = (np.nextafter(base, np.float32(way), dtype=np.float32) for way in (np.inf, -np.inf))
    numbers = np.concatenate([base, up, down])
    assert_same(cast("f32", name, "truncf", **options)(numbers), converted(numbers, name))


@pytest.mark.parametrize("name", SMALL_FLOATS)
@pytest.mark.parametrize("wide", ["f16", "bf16"])
def test_all_numbers_of_16_bits_are_truncated(name: str, wide: str) -> None:
    numbers = np.arange(1 << 16, dtype=np.uint16).view(WIDE[wide])
    assert_same(cast(wide, name, "truncf")(numbers), converted(numbers.astype(np.float32), name))


def test_f64_is_rounded_once() -> None:
    """Just beyond what lies half way between two numbers, by less than f32 can tell."""
    half = 1 + 2.0**-4
    numbers = np.array([half, half + 2.0**-40, half - 2.0**-40, 3 * half, -half - 2.0**-40])
    found = cast("f64", "f8E4M3FN", "truncf")(numbers)
    np.testing.assert_array_equal(found.astype(np.float64), [1, 1.125, 1, 3.25, -1.125])


@pytest.mark.parametrize("target", ["f8E5M2", "f8E4M3FNUZ", "f8E3M4"])
@pytest.mark.parametrize("source", ["f8E4M3FN", "f8E4M3"])
def test_conversions_between_types_of_8_bits(source: str, target: str) -> None:
    numbers = all_numbers(source)
    assert_same(cast(source, target, "convertf")(numbers), converted(numbers.astype(np.float32), target))


@pytest.mark.each_value
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_each_op_is_rounded(name: str, options: dict[str, bool]) -> None:
    t, b = f"tensor<?x{name}>", "tensor<?xi1>"
    program = mi.compile(
        f"""
        func.func @main(%x: {t}, %y: {t}, %n: tensor<?xi8>) -> ({t}, {t}, {b}, {t}) {{
          %0 = arith.addf %x, %y : {t}
          %1 = arith.mulf %0, %y : {t}
          %2 = arith.cmpf olt, %x, %y : {t}
          %3 = arith.sitofp %n : tensor<?xi8> to {t}
          return %0, %1, %2, %3 : {t}, {t}, {b}, {t}
        }}""",
        **options,
    )
    x = np.repeat(all_numbers(name), 16)
    y = np.tile(all_numbers(name)[3::16], 256)
    n = np.arange(x.size).astype(np.int8)
    wide_x, wide_y = x.astype(np.float32), y.astype(np.float32)
    with np.errstate(all="ignore"):
        added = converted(wide_x + wide_y, name)
        product = converted(added.astype(np.float32) * wide_y, name)
    found = program.main(x, y, n)
    assert_same(found[0], added)
    assert_same(found[1], product)
    np.testing.assert_array_equal(found[2], wide_x < wide_y)
    assert_same(found[3], converted(n.astype(np.float32), name))


@pytest.mark.parametrize("options", OPTIONS)
def test_products_of_matrices(options: dict[str, bool]) -> None:
    program = mi.compile(
        """
        func.func @main(%a: tensor<16x24xf8E4M3FN>, %b: tensor<24x40xf8E4M3FN>) -> tensor<16x40xf32> {
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : tensor<16x40xf32>
          %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x40xf32>) -> tensor<16x40xf32>
          %r = linalg.matmul ins(%a, %b : tensor<16x24xf8E4M3FN>, tensor<24x40xf8E4M3FN>)
                             outs(%f : tensor<16x40xf32>) -> tensor<16x40xf32>
          return %r : tensor<16x40xf32>
        }""",
        **options,
    )
    random = np.random.default_rng(0)
    a, b = (random.normal(size=shape).astype(ml_dtypes.float8_e4m3fn) for shape in ((16, 24), (24, 40)))
    np.testing.assert_allclose(program.main(a, b), a.astype(np.float32) @ b.astype(np.float32), rtol=1e-5, atol=1e-5)


def test_scalars() -> None:
    program = mi.compile(
        "func.func @main(%x: f8E4M3FN) -> f8E4M3FN { %0 = arith.addf %x, %x : f8E4M3FN return %0 : f8E4M3FN }"
    )
    assert program.main(1.5) == 3
    assert type(program.main(ml_dtypes.float8_e4m3fn(1.5))) is ml_dtypes.float8_e4m3fn
    with pytest.raises(ValueError, match="500 does not fit into f8E4M3FN"):
        program.main(500)
