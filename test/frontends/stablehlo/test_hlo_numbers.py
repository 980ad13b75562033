"""Conversions and products of integers where upstream's legalizer computes something else than StableHLO says."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hlo_programs import compiled


@pytest.mark.each_value
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64])
@pytest.mark.parametrize("source", [np.float16, np.float32, np.float64])
def test_conversions_to_integers_saturate(source: type, dtype: type) -> None:
    info = np.iinfo(dtype)
    prefix = "ui" if info.min == 0 else "i"
    element = f"f{8 * np.dtype(source).itemsize}"
    types = [f"tensor<12x{element}>", f"tensor<12x{prefix}{info.bits}>"]
    text = f"""
func.func @main(%x: {types[0]}) -> {types[1]} {{
  %0 = stablehlo.convert %x : ({types[0]}) -> {types[1]}
  return %0 : {types[1]}
}}
"""
    with np.errstate(over="ignore"):
        x = np.array([0.5, -0.5, 3.99, -7.5, np.nan, np.inf, -np.inf, 1e30, -1e30, 2.0**31, -(2.0**31), 100], source)
    whole = (int(np.clip(number, info.min, float(info.max))) if np.isfinite(number) else 0 for number in x.tolist())
    expected = [min(number, info.max) for number in whole]
    expected[5:7] = info.max, info.min
    for number, value in enumerate(x):
        if np.isinf(value):
            expected[number] = info.max if value > 0 else info.min
    np.testing.assert_array_equal(compiled(text).main(x).view(dtype), np.array(expected, dtype))


def test_products_of_unsigned_integers() -> None:
    text = """
func.func @main(%x: tensor<2x3xui8>, %y: tensor<3x2xui8>) -> tensor<2x2xui32> {
  %0 = stablehlo.dot %x, %y : (tensor<2x3xui8>, tensor<3x2xui8>) -> tensor<2x2xui32>
  return %0 : tensor<2x2xui32>
}
"""
    x, y = np.array([[250, 1, 2], [3, 128, 5]], np.uint8), np.array([[7, 200], [9, 129], [255, 0]], np.uint8)
    result = compiled(text).main(x.view(np.int8), y.view(np.int8))
    np.testing.assert_array_equal(result, x.astype(np.int32) @ y.astype(np.int32))


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(
    ("element", "dtype", "ones"),
    [
        ("bf16", ml_dtypes.bfloat16, 300),
        ("f16", np.float16, 2100),
        ("f8E5M2", ml_dtypes.float8_e5m2, 10),
    ],
)
def test_products_of_narrow_floats_add_up_in_f32(element: str, dtype: type, ones: int, optimize: bool) -> None:
    """In its own type a sum of ones stays where one more is less than half of the last digit."""
    types = [f"tensor<2x{ones}x{element}>", f"tensor<{ones}x3x{element}>", f"tensor<2x3x{element}>"]
    text = f"""
func.func @main(%x: {types[0]}, %y: {types[1]}) -> tensor<2x3xf32> {{
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ({types[0]}, {types[1]}) -> {types[2]}
  %1 = stablehlo.convert %0 : ({types[2]}) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}}
"""
    result = compiled(text, optimize=optimize).main(np.ones((2, ones), dtype), np.ones((ones, 3), dtype))
    np.testing.assert_array_equal(result, np.full((2, 3), ones, np.float32).astype(dtype).astype(np.float32))
