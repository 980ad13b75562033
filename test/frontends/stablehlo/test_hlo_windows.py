"""Gradients of pooling against NumPy, with padding and windows that overlap; ops on tensors without elements."""

from __future__ import annotations

import numpy as np
import pytest
from hlo_programs import compiled, distinct


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
