"""Reshapes there and back: what is known to be one buffer although its strides are not known."""

from __future__ import annotations

from ..program import Program, put

PROGRAMS = [
    Program(
        "expanded_and_collapsed_into_its_source",
        """
        #id = affine_map<(i) -> (i)>
        func.func @main(%t: tensor<8xf32>) -> tensor<8xf32> {
          %0 = tensor.expand_shape %t [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
          %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
          %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
              ins(%1 : tensor<8xf32>) outs(%t : tensor<8xf32>) {
          ^bb0(%x: f32, %y: f32):
            %3 = arith.addf %x, %x : f32
            linalg.yield %3 : f32
          } -> tensor<8xf32>
          return %2 : tensor<8xf32>
        }""",
        args=("8xf32",),
        numpy=lambda t: 2 * t,
        fewer=True,
    ),
    Program(
        "expanded_updated_and_collapsed",
        """
        func.func @main(%t: tensor<8xf32>, %i: index, %f: f32) -> tensor<8xf32> {
          %0 = tensor.expand_shape %t [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
          %1 = tensor.insert %f into %0[%i, %i] : tensor<2x4xf32>
          %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
          return %2 : tensor<8xf32>
        }""",
        args=[("8xf32", 0, 99.0), ("8xf32", 1, 99.0)],
        numpy=lambda t, i, f: put(t, 5 * i, f),
        fewer=True,
    ),
    Program(
        "expanded_updated_and_collapsed_read_later",
        """
        func.func @main(%t: tensor<8xf32>, %i: index, %f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
          %0 = tensor.expand_shape %t [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
          %1 = tensor.insert %f into %0[%i, %i] : tensor<2x4xf32>
          %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
          return %2, %t : tensor<8xf32>, tensor<8xf32>
        }""",
        args=[("8xf32", 0, 99.0), ("8xf32", 1, 99.0)],
        numpy=lambda t, i, f: (put(t, 5 * i, f), t),
    ),
    Program(
        "expanded_and_collapsed_otherwise",
        """
        func.func @main(%t: tensor<2x6xf32>, %i: index, %f: f32) -> tensor<6x2xf32> {
          %0 = tensor.expand_shape %t [[0], [1, 2]] output_shape [2, 3, 2] : tensor<2x6xf32> into tensor<2x3x2xf32>
          %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<2x3x2xf32> into tensor<6x2xf32>
          %2 = tensor.insert %f into %1[%i, %i] : tensor<6x2xf32>
          return %2 : tensor<6x2xf32>
        }""",
        args=[("2x6xf32", 0, 99.0), ("2x6xf32", 1, 99.0)],
        numpy=lambda t, i, f: put(t.reshape(6, 2), (i, i), f),
    ),
]
