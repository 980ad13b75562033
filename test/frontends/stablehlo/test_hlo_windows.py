"""Gradients of pooling against NumPy, with padding and windows that overlap; ops on tensors without elements."""

from __future__ import annotations

import numpy as np
import pytest
from hlo_programs import compiled, distinct
from ml_dtypes import bfloat16


def gradient_text(comparison: str) -> str:
    return f"""
func.func @main(%x: tensor<6x7xf32>, %s: tensor<3x4xf32>) -> tensor<6x7xf32> {{
  %init = stablehlo.constant dense<0.25> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %init) <{{window_dimensions = array<i64: 3, 2>,
      window_strides = array<i64: 2, 2>, padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare {comparison}, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }}, {{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }}) : (tensor<6x7xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<6x7xf32>
  return %0 : tensor<6x7xf32>
}}
"""


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("comparison", ["GE", "GT", "LE"])
def test_gradient_of_pooling(comparison: str, optimize: bool) -> None:
    keeps = {"GE": np.greater_equal, "GT": np.greater, "LE": np.less_equal}[comparison]
    x, s = np.floor(distinct(6, 7) / 2), distinct(3, 4)  # Equal elements: the comparison says which is taken.
    expected = np.full_like(x, 0.25)
    for place in np.ndindex(*s.shape):
        chosen = None
        for offset in np.ndindex(3, 2):
            at = tuple(2 * p + o - low for p, o, low in zip(place, offset, (1, 0), strict=True))
            if all(0 <= a < size for a, size in zip(at, x.shape, strict=True)) and (
                chosen is None or not keeps(x[chosen], x[at])
            ):
                chosen = at
        assert chosen is not None
        expected[chosen] += s[place]
    program = compiled(gradient_text(comparison), optimize=optimize)
    np.testing.assert_array_equal(program.main(x, s), expected)
    assert program.memory_stats.copies == 0
    assert program.memory_stats.allocations == 1  # its result


def cumulative_text(
    function: str, init: str, shape: tuple[int, ...], axis: int, *, from_end: bool, element: str = "f32"
) -> str:
    type_ = f"tensor<{'x'.join(map(str, shape))}x{element}>"
    windows = [size if number == axis else 1 for number, size in enumerate(shape)]
    pads = [[0, size - 1] if from_end else [size - 1, 0] for size in windows]
    return f"""
func.func @main(%x: {type_}) -> {type_} {{
  %c = stablehlo.constant dense<{init}> : tensor<{element}>
  %init = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<{element}>) -> tensor<{element}>
  %0 = "stablehlo.reduce_window"(%x, %init) <{{window_dimensions = array<i64: {", ".join(map(str, windows))}>,
      padding = dense<{pads}> : tensor<{len(shape)}x2xi64>}}> ({{
  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
    %1 = stablehlo.{function} %a, %b : tensor<{element}>
    stablehlo.return %1 : tensor<{element}>
  }}) : ({type_}, tensor<{element}>) -> {type_}
  return %0 : {type_}
}}
"""


FUNCTIONS = {
    "add": ("0.0", np.add),
    "multiply": ("1.0", np.multiply),
    "maximum": ("0xFF800000", np.maximum),
    "minimum": ("1.0", np.minimum),  # not what leaves numbers as they are: it counts everywhere
}


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("from_end", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("shape", "axis"), [((7,), 0), ((5, 6), 0), ((5, 6), 1), ((16, 33), 1), ((2, 3, 4), 1)])
def test_cumulative(shape: tuple[int, ...], axis: int, function: str, from_end: bool, optimize: bool) -> None:
    init, ufunc = FUNCTIONS[function]
    x = distinct(*shape) if function != "multiply" else (2 ** (distinct(*shape) % 2)).astype(np.float32)
    expected = np.flip(x, axis) if from_end else x
    expected = ufunc.accumulate(expected, axis=axis)
    if function == "minimum":
        expected = np.minimum(expected, 1)
    program = compiled(cumulative_text(function, init, shape, axis, from_end=from_end), optimize=optimize)
    np.testing.assert_allclose(program.main(x), np.flip(expected, axis) if from_end else expected, rtol=1e-6)
    assert program.memory_stats.copies == 0
    # Its result; and, where nothing is fused, memory for a row of inits, the same for each first row.
    rows = 0 if optimize or axis == x.ndim - 1 else 1
    assert program.memory_stats.allocations == 1 + rows


ELEMENTS = {
    "f64": np.float64,
    "f16": np.float16,
    "bf16": bfloat16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}


@pytest.mark.each_value
@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("from_end", [False, True])
@pytest.mark.parametrize("function", ["add", "maximum", "minimum"])
@pytest.mark.parametrize("shape", [(8, 16), (9, 40), (3, 17, 33), (16, 7)])
@pytest.mark.parametrize("element", ELEMENTS)
def test_squares_of_rows(element: str, shape: tuple[int, ...], function: str, from_end: bool, optimize: bool) -> None:
    """Rows in squares, rows and elements that no square has; in each the order of sums is that of NumPy."""
    init, ufunc = FUNCTIONS[function]
    kind = np.dtype(ELEMENTS[element])
    x = (np.random.default_rng(3).standard_normal(shape) * 100).astype(kind)
    x.flat[::19] = np.array(1.0).astype(kind)
    if np.issubdtype(kind, np.integer):
        init = {"add": "0", "maximum": str(np.iinfo(kind).min), "minimum": "1"}[function]
    elif function == "maximum":
        init = "-1.0"
    expected = ufunc.accumulate(np.flip(x, -1) if from_end else x, axis=-1, dtype=kind)
    if function != "add":
        expected = ufunc(expected, np.array(float(init)).astype(kind))
    text = cumulative_text(function, init, shape, len(shape) - 1, from_end=from_end, element=element)
    result = compiled(text, optimize=optimize).main(x)
    np.testing.assert_array_equal(result, np.flip(expected, -1) if from_end else expected)


def test_squares_keep_nan_and_the_sign_of_zero() -> None:
    x = np.zeros((8, 16), np.float32)
    x[1] = -0.0
    x[2, 9], x[3, 15], x[4, 0] = np.nan, np.inf, -np.inf
    result = compiled(cumulative_text("maximum", "-0.0", x.shape, 1, from_end=False)).main(x)
    expected = np.maximum.accumulate(x, axis=1)
    np.testing.assert_array_equal(result[2:4], expected[2:4])
    assert not np.signbit(result[0]).any()
    assert np.signbit(result[1]).all()
    np.testing.assert_array_equal(result[4], 0)


@pytest.mark.parametrize(("function", "init"), [("add", "0.25"), ("multiply", "2.0")])
def test_an_init_that_changes_numbers_counts_for_each_element_of_padding(function: str, init: str) -> None:
    x = distinct(5)
    program = compiled(cumulative_text(function, init, (5,), 0, from_end=False))
    padded = np.concatenate([np.full(4, float(init)), x])
    ufunc = FUNCTIONS[function][1]
    expected = [ufunc.reduce(padded[number : number + 5], initial=float(init)) for number in range(5)]
    np.testing.assert_allclose(program.main(x), expected)


def test_tensors_without_elements() -> None:
    text = """
func.func @main(%x: tensor<3xf32>, %y: tensor<0x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.slice %x [3:3:2] : (tensor<3xf32>) -> tensor<0xf32>
  %1 = stablehlo.negate %0 : tensor<0xf32>
  %2 = stablehlo.concatenate %x, %1, dim = 0 : (tensor<3xf32>, tensor<0xf32>) -> tensor<3xf32>
  %3 = stablehlo.reduce(%y init: %two) applies stablehlo.multiply across dimensions = [0]
      : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  %4 = stablehlo.pad %y, %two, low = [1, 0], high = [1, 0], interior = [1, 0]
      : (tensor<0x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %2, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>
}
"""
    x = distinct(3)
    same, product, padded = compiled(text).main(x, np.zeros((0, 3), np.float32))
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(product, np.full(3, 2))
    np.testing.assert_array_equal(padded, np.full((2, 3), 2))
