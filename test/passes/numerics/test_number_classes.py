"""NaN, infinite, finite and normal numbers of every float type, as NumPy tells them apart."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mlir_inplace as mi

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
SMALL = {
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
}
ASKED = ("isnan", "isinf", "isfinite", "isnormal")
OPTIONS = [pytest.param({}, id="default"), pytest.param({"optimize": True}, id="optimize")]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("element", DTYPES)
def test_number_classes(element: str, options: dict[str, bool]) -> None:
    dtype = DTYPES[element]
    info = ml_dtypes.finfo(dtype)
    least = float(info.smallest_normal)
    sizes = [0, info.smallest_subnormal, least / 2, least, least * 2, 1, info.max, np.inf, np.nan]
    numbers = np.array([*sizes, *(-float(size) for size in sizes)], dtype)
    check(element, numbers, least, options)


@pytest.mark.parametrize("element", SMALL)
def test_number_classes_of_all_numbers_of_8_bits(element: str) -> None:
    dtype = SMALL[element]
    numbers = np.arange(256, dtype=np.uint8).view(dtype)
    check(element, numbers, float(ml_dtypes.finfo(dtype).smallest_normal), {})


def check(element: str, numbers: np.ndarray[Any, Any], least: float, options: dict[str, bool]) -> None:
    t, b = f"tensor<?x{element}>", "tensor<?xi1>"
    lines = [f"%{name} = math.{name} %x : {t}" for name in ASKED]
    results = ", ".join(f"%{name}" for name in ASKED)
    program = mi.compile(
        f"func.func @main(%x: {t}) -> ({b}, {b}, {b}, {b}) {{\n"
        + "\n".join(lines)
        + f"\nreturn {results} : {b}, {b}, {b}, {b} }}",
        **options,
    )
    wide = numbers.astype(np.float64)
    normal = np.isfinite(wide) & (np.abs(wide) >= least)
    expected = (np.isnan(wide), np.isinf(wide), np.isfinite(wide), normal)
    for name, found, wanted in zip(ASKED, program.main(numbers), expected, strict=True):
        np.testing.assert_array_equal(found, wanted, err_msg=name)


@pytest.mark.parametrize(("source", "target"), [("bf16", "f16"), ("f16", "bf16")])
def test_converted_to_the_other_type_of_16_bits(source: str, target: str) -> None:
    program = mi.compile(
        f"""
        func.func @main(%x: tensor<?x{source}>) -> tensor<?x{target}> {{
          %0 = arith.convertf %x : tensor<?x{source}> to tensor<?x{target}>
          return %0 : tensor<?x{target}>
        }}"""
    )
    numbers = np.arange(1 << 16, dtype=np.uint16).view(DTYPES[source])
    with np.errstate(invalid="ignore", over="ignore"):
        expected = numbers.astype(np.float32).astype(DTYPES[target])
    found = program.main(numbers)
    same = (found.view(np.uint16) == expected.view(np.uint16)) | (np.isnan(found) & np.isnan(expected))
    assert same.all()
