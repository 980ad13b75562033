"""NaN, infinite, finite and normal numbers of every float type, as NumPy tells them apart."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import mlir_inplace as mi

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
OPTIONS = [pytest.param({}, id="default"), pytest.param({"optimize": True}, id="optimize")]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("element", DTYPES)
def test_number_classes(element: str, options: dict[str, bool]) -> None:
    dtype = DTYPES[element]
    info = ml_dtypes.finfo(dtype)
    least = float(info.smallest_normal)
    sizes = [0, info.smallest_subnormal, least / 2, least, least * 2, 1, info.max, np.inf, np.nan]
    numbers = np.array([*sizes, *(-float(size) for size in sizes)], dtype)
    asked = ("isnan", "isinf", "isfinite", "isnormal")
    t, b = f"tensor<?x{element}>", "tensor<?xi1>"
    lines = [f"%{name} = math.{name} %x : {t}" for name in asked]
    results = ", ".join(f"%{name}" for name in asked)
    program = mi.compile(
        f"func.func @main(%x: {t}) -> ({b}, {b}, {b}, {b}) {{\n"
        + "\n".join(lines)
        + f"\nreturn {results} : {b}, {b}, {b}, {b} }}",
        **options,
    )
    wide = numbers.astype(np.float64)
    normal = np.isfinite(wide) & (np.abs(wide) >= least)
    expected = (np.isnan(wide), np.isinf(wide), np.isfinite(wide), normal)
    for name, found, wanted in zip(asked, program.main(numbers), expected, strict=True):
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
