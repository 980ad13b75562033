"""Floats of 8 bits and integers of 2 and 4 bits in ONNX models: conversions, quantization, stored tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_models import distinct, node_model, onnx, reference

import mlir_inplace as mi

ml_dtypes = pytest.importorskip("ml_dtypes")

FLOATS = {
    name: np.dtype(getattr(ml_dtypes, f"float8_{name.removeprefix('FLOAT8').lower()}"))
    for name in ("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ")
}
INTEGERS = {name: np.dtype(getattr(ml_dtypes, name.lower())) for name in ("INT2", "UINT2", "INT4", "UINT4")}


def code(name: str) -> int:
    return getattr(onnx.TensorProto, name)


@pytest.mark.parametrize("name", FLOATS)
def test_every_float_of_8_bits(name: str) -> None:
    every = np.arange(256, dtype=np.uint8).view(FLOATS[name])
    wide = mi.from_onnx(node_model("Cast", [every], to=code("FLOAT"))).main(every)
    np.testing.assert_array_equal(wide, every.astype(np.float32))
    back = mi.from_onnx(node_model("Cast", [wide], to=code(name))).main(wide)
    numbers = ~np.isnan(wide) & np.isfinite(wide)
    np.testing.assert_array_equal(back.view(np.uint8)[numbers], every.view(np.uint8)[numbers])
    assert np.isnan(back[np.isnan(wide)].astype(np.float32)).all()


@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("name", FLOATS)
def test_numbers_that_do_not_fit(name: str, saturate: int) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 1e6, -1e6, 470, 460, -241, 250, 61000, 1e-9, -1e-9, 0.3], np.float32)
    proto = node_model("Cast", [x], to=code(name), saturate=saturate)
    wanted, found = reference(proto, x)[0], mi.from_onnx(proto, optimize=False).main(x)
    np.testing.assert_array_equal(found.astype(np.float32), wanted.astype(np.float32))


def test_doubles_are_rounded_once() -> None:
    x = np.array([1.125 + 2.0**-40, 1.125, 1.125 - 2.0**-40])
    found = mi.from_onnx(node_model("Cast", [x], to=code("FLOAT8E5M2"))).main(x)
    np.testing.assert_array_equal(found.astype(np.float32), [1.25, 1, 1])


@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_quantize_and_back(name: str) -> None:
    x, dtype = distinct(4, 6), {**INTEGERS, **FLOATS}[name]
    zero = np.array(0 if name in FLOATS else 1, dtype)
    steps = [np.float32(0.75), zero]
    proto = node_model("QuantizeLinear", [x, *steps], stored=[1, 2], opset=25 if name.endswith("2") else 21)
    small = mi.from_onnx(proto).main(x)
    wanted = reference(proto, x)[0]
    assert small.dtype == wanted.dtype == dtype
    np.testing.assert_array_equal(small.astype(np.float32), wanted.astype(np.float32))
    proto = node_model("DequantizeLinear", [small, *steps], stored=[1, 2], opset=25 if name.endswith("2") else 21)
    np.testing.assert_array_equal(mi.from_onnx(proto).main(small), reference(proto, small)[0])


@pytest.mark.parametrize("name", ["INT4", "UINT4", "FLOAT8E4M3FN"])
def test_large_stored_tensors(name: str) -> None:
    dtype: Any = {**INTEGERS, **FLOATS}[name]
    table = ((np.arange(2048) % 16) - (8 if name == "INT4" else 0)).astype(np.float32).astype(dtype).reshape(1024, 2)
    places = np.array([3, 127, 1023])
    proto = node_model("Gather", [table, places], stored=[0])
    np.testing.assert_array_equal(mi.from_onnx(proto).main(places).astype(np.float32), table[places].astype(np.float32))


@pytest.mark.parametrize("name", ["FLOAT4E2M1", "FLOAT8E8M0"])
def test_types_that_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"elements of type {name} are not supported"):
        mi.from_onnx(node_model("Cast", [distinct(3)], to=code(name)))
