"""Slices of elements a few steps apart, against NumPy: copied, read by other ops, and updated."""

from __future__ import annotations

import numpy as np
import pytest

import mlir_inplace as mi

ELEMENTS = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32}


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("step", [2, 3, 4, 5])
@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("shape", [(70,), (5, 70), (2, 3, 131)])
@pytest.mark.parametrize("element", ELEMENTS)
def test_slices_with_steps(element: str, shape: tuple[int, ...], offset: int, step: int, optimize: bool) -> None:
    x = (np.arange(np.prod(shape)) % 119).astype(ELEMENTS[element]).reshape(shape)
    sliced = x[..., offset::step]
    kind, result = (f"tensor<{'x'.join(map(str, one.shape))}x{element}>" for one in (x, sliced))
    zeros, ones = ", ".join(["0"] * (x.ndim - 1) + [str(offset)]), ", ".join(["1"] * (x.ndim - 1) + [str(step)])
    sizes = ", ".join(map(str, sliced.shape))
    text = f"""
func.func @main(%a: {kind}) -> ({result}, {result}) {{
  %s = tensor.extract_slice %a[{zeros}] [{sizes}] [{ones}] : {kind} to {result}
  %e = tensor.empty() : {result}
  %r = linalg.add ins(%s, %s : {result}, {result}) outs(%e : {result}) -> {result}
  return %s, %r : {result}, {result}
}}"""
    program = mi.compile(text, optimize=optimize)
    for got, wanted in zip(program.main(x), (sliced, sliced + sliced), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_what_is_updated_is_updated_in_place() -> None:
    text = """
func.func @main(%a: tensor<64xf32> {bufferization.writable = true}) -> tensor<64xf32> {
  %s = tensor.extract_slice %a[1] [31] [2] : tensor<64xf32> to tensor<31xf32>
  %r = linalg.add ins(%s, %s : tensor<31xf32>, tensor<31xf32>) outs(%s : tensor<31xf32>) -> tensor<31xf32>
  %b = tensor.insert_slice %r into %a[1] [31] [2] : tensor<31xf32> into tensor<64xf32>
  return %b : tensor<64xf32>
}"""
    program = mi.compile(text, optimize=True, memory_stats=True)
    x = np.arange(64, dtype=np.float32)
    expected = x.copy()
    expected[1:63:2] *= 2
    assert program.main(x) is x
    np.testing.assert_array_equal(x, expected)
    assert (program.memory_stats.allocations, program.memory_stats.copies) == (0, 0)
