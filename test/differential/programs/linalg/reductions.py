"""linalg ops that reduce or contract, and the inits of which some elements are not written."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..program import Program

ID2 = "affine_map<(i, j) -> (i, j)>"
ROWS = "affine_map<(i, j) -> (i)>"

PARTIAL_MAP = "upstream takes an init as overwritten although the output map does not reach all of it"
ZERO_TRIPS = "upstream takes an init as overwritten although the reduction loop may run zero times"


def where_diagonal(t: np.ndarray, d: np.ndarray) -> np.ndarray:
    changed = t.copy()
    np.fill_diagonal(changed, d)
    return changed


PROGRAMS = [
    Program(
        "matmul_accumulates_into_argument",
        """
        func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
          %0 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%c : tensor<2x2xf32>)
              -> tensor<2x2xf32>
          return %0 : tensor<2x2xf32>
        }""",
        args=("2x3xf32", "3x2xf32", "2x2xf32"),
        numpy=lambda a, b, c: a @ b + c,
    ),
    Program(
        "matmul_into_argument_read_later",
        """
        func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>)
            -> (tensor<2x2xf32>, tensor<2x2xf32>) {
          %0 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%c : tensor<2x2xf32>)
              -> tensor<2x2xf32>
          %1 = linalg.matmul ins(%a, %c : tensor<2x2xf32>, tensor<2x2xf32>) outs(%0 : tensor<2x2xf32>)
              -> tensor<2x2xf32>
          return %1, %c : tensor<2x2xf32>, tensor<2x2xf32>
        }""",
        args=("2x2xf32", "2x2xf32", "2x2xf32"),
        numpy=lambda a, b, c: (a @ b + c + a @ c, c),
    ),
    Program(
        "matmul_into_its_left_side",
        """
        func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
          %0 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%a : tensor<2x2xf32>)
              -> tensor<2x2xf32>
          return %0 : tensor<2x2xf32>
        }""",
        args=("2x2xf32", "2x2xf32"),
        numpy=lambda a, b: a @ b + a,
    ),
    Program(
        "matmul_into_fill",
        """
        func.func @main(%a: tensor<?x3xf32>, %b: tensor<3x?xf32>) -> tensor<?x?xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0.0 : f32
          %m = tensor.dim %a, %c0 : tensor<?x3xf32>
          %n = tensor.dim %b, %c1 : tensor<3x?xf32>
          %e = tensor.empty(%m, %n) : tensor<?x?xf32>
          %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
          %1 = linalg.matmul ins(%a, %b : tensor<?x3xf32>, tensor<3x?xf32>) outs(%0 : tensor<?x?xf32>)
              -> tensor<?x?xf32>
          return %1 : tensor<?x?xf32>
        }""",
        args=[("4x3xf32", "3x2xf32"), ("1x3xf32", "3x0xf32")],
        numpy=lambda a, b: a @ b,
    ),
    Program(
        "one_fill_for_two_matmuls",
        """
        func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : tensor<2x2xf32>
          %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
          %1 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%0 : tensor<2x2xf32>)
              -> tensor<2x2xf32>
          %2 = linalg.matmul ins(%1, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%0 : tensor<2x2xf32>)
              -> tensor<2x2xf32>
          return %2 : tensor<2x2xf32>
        }""",
        args=("2x2xf32", "2x2xf32"),
        numpy=lambda a, b: a @ b @ b,
    ),
    Program(
        "batch_matmul_on_a_slice_of_its_input",
        """
        func.func @main(%a: tensor<4x2x2xf32>) -> tensor<2x2x2xf32> {
          %0 = tensor.extract_slice %a[0, 0, 0] [2, 2, 2] [1, 1, 1] : tensor<4x2x2xf32> to tensor<2x2x2xf32>
          %1 = tensor.extract_slice %a[1, 0, 0] [2, 2, 2] [1, 1, 1] : tensor<4x2x2xf32> to tensor<2x2x2xf32>
          %2 = tensor.extract_slice %a[2, 0, 0] [2, 2, 2] [1, 1, 1] : tensor<4x2x2xf32> to tensor<2x2x2xf32>
          %3 = linalg.batch_matmul ins(%0, %1 : tensor<2x2x2xf32>, tensor<2x2x2xf32>) outs(%2 : tensor<2x2x2xf32>)
              -> tensor<2x2x2xf32>
          return %3 : tensor<2x2x2xf32>
        }""",
        args=("4x2x2xf32",),
        numpy=lambda a: a[:2] @ a[1:3] + a[2:],
    ),
    Program(
        "dot_into_rank_0",
        """
        func.func @main(%a: tensor<4xi32>, %t: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
          %0 = linalg.dot ins(%a, %a : tensor<4xi32>, tensor<4xi32>) outs(%t : tensor<i32>) -> tensor<i32>
          return %0, %t : tensor<i32>, tensor<i32>
        }""",
        args=("4xi32", "i32"),
        numpy=lambda a, t: (a @ a + t, t),
    ),
    Program(
        "reduce_rows_into_a_column_of_the_input",
        """
        func.func @main(%a: tensor<3x4xf32>) -> tensor<3x4xf32> {
          %0 = tensor.extract_slice %a[0, 1] [3, 1] [1, 1] : tensor<3x4xf32> to tensor<3xf32>
          %1 = linalg.reduce { arith.addf } ins(%a : tensor<3x4xf32>) outs(%0 : tensor<3xf32>) dimensions = [1]
          %2 = tensor.insert_slice %1 into %a[0, 1] [3, 1] [1, 1] : tensor<3xf32> into tensor<3x4xf32>
          return %2 : tensor<3x4xf32>
        }""",
        args=("3x4xf32",),
        numpy=lambda a: np.concatenate([a[:, :1], (a.sum(1) + a[:, 1])[:, None], a[:, 2:]], 1),
    ),
    Program(
        "running_sum_of_squares_by_generic",
        f"""
        func.func @main(%a: tensor<3x4xf64>) -> tensor<3xf64> {{
          %zero = arith.constant 0.0 : f64
          %e = tensor.empty() : tensor<3xf64>
          %0 = linalg.fill ins(%zero : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
          %1 = linalg.generic {{indexing_maps = [{ID2}, {ROWS}], iterator_types = ["parallel", "reduction"]}}
              ins(%a : tensor<3x4xf64>) outs(%0 : tensor<3xf64>) {{
          ^bb0(%x: f64, %y: f64):
            %2 = arith.mulf %x, %x : f64
            %3 = arith.addf %y, %2 : f64
            linalg.yield %3 : f64
          }} -> tensor<3xf64>
          return %1 : tensor<3xf64>
        }}""",
        args=("3x4xf64",),
        numpy=lambda a: (a * a).sum(1),
    ),
    Program(
        "argmax_with_two_results",
        """
        func.func @main(%a: tensor<5xf32>) -> (tensor<f32>, tensor<index>) {
          %low = arith.constant dense<-1.0> : tensor<f32>
          %none = arith.constant dense<0> : tensor<index>
          %0:2 = linalg.generic {
              indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
              iterator_types = ["reduction"]}
              ins(%a : tensor<5xf32>) outs(%low, %none : tensor<f32>, tensor<index>) {
          ^bb0(%x: f32, %best: f32, %at: index):
            %i = linalg.index 0 : index
            %1 = arith.cmpf ogt, %x, %best : f32
            %2 = arith.select %1, %x, %best : f32
            %3 = arith.select %1, %i, %at : index
            linalg.yield %2, %3 : f32, index
          } -> (tensor<f32>, tensor<index>)
          return %0#0, %0#1 : tensor<f32>, tensor<index>
        }""",
        args=("5xf32",),
        numpy=lambda a: (a.max(), a.argmax()),
    ),
    Program(
        "convolution_window_over_its_init",
        """
        func.func @main(%a: tensor<8xf32>, %k: tensor<3xf32>) -> tensor<8xf32> {
          %0 = tensor.extract_slice %a[0] [6] [1] : tensor<8xf32> to tensor<6xf32>
          %1 = linalg.conv_1d ins(%a, %k : tensor<8xf32>, tensor<3xf32>) outs(%0 : tensor<6xf32>) -> tensor<6xf32>
          %2 = tensor.insert_slice %1 into %a[0] [6] [1] : tensor<6xf32> into tensor<8xf32>
          return %2 : tensor<8xf32>
        }""",
        args=("8xf32", "3xf32"),
        numpy=lambda a, k: np.concatenate([sliding_window_view(a, 3) @ k + a[:6], a[6:]]),
    ),
    Program(
        "pooling_with_a_window_of_shape_only",
        """
        func.func @main(%a: tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32> {
          %low = arith.constant dense<0.0> : tensor<1x2x2x1xf32>
          %window = tensor.empty() : tensor<2x2xf32>
          %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
              ins(%a, %window : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%low : tensor<1x2x2x1xf32>)
              -> tensor<1x2x2x1xf32>
          return %0 : tensor<1x2x2x1xf32>
        }""",
        args=("1x4x4x1xf32",),
        numpy=lambda a: a.reshape(1, 2, 2, 2, 2, 1).max((2, 4)),
    ),
    Program(
        "init_written_on_its_diagonal_only",
        """
        func.func @main(%d: tensor<3xf32>, %t: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>) {
          %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>],
              iterator_types = ["parallel"]}
              ins(%d : tensor<3xf32>) outs(%t : tensor<3x3xf32>) {
          ^bb0(%x: f32, %y: f32):
            linalg.yield %x : f32
          } -> tensor<3x3xf32>
          return %0, %t : tensor<3x3xf32>, tensor<3x3xf32>
        }""",
        args=("3xf32", "3x3xf32"),
        numpy=lambda d, t: (where_diagonal(t, d), t),
        oracle_wrong=PARTIAL_MAP,
    ),
    Program(
        "init_written_in_its_first_column_only",
        """
        func.func @main(%d: tensor<3xf32>, %t: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
          %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>],
              iterator_types = ["parallel"]}
              ins(%d : tensor<3xf32>) outs(%t : tensor<3x4xf32>) {
          ^bb0(%x: f32, %y: f32):
            linalg.yield %x : f32
          } -> tensor<3x4xf32>
          return %0, %t : tensor<3x4xf32>, tensor<3x4xf32>
        }""",
        args=("3xf32", "3x4xf32"),
        numpy=lambda d, t: (np.concatenate([d[:, None], t[:, 1:]], 1), t),
        oracle_wrong=PARTIAL_MAP,
    ),
    Program(
        "init_kept_by_a_reduction_of_zero_trips",
        f"""
        func.func @main(%a: tensor<3x?xf32>, %t: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {{
          %0 = linalg.generic {{indexing_maps = [{ID2}, {ROWS}], iterator_types = ["parallel", "reduction"]}}
              ins(%a : tensor<3x?xf32>) outs(%t : tensor<3xf32>) {{
          ^bb0(%x: f32, %y: f32):
            linalg.yield %x : f32
          }} -> tensor<3xf32>
          return %0, %t : tensor<3xf32>, tensor<3xf32>
        }}""",
        args=("3x0xf32", "3xf32"),
        numpy=lambda a, t: (t, t),
        oracle_wrong=ZERO_TRIPS,
    ),
    Program(
        "init_overwritten_by_a_reduction_of_some_trips",
        f"""
        func.func @main(%a: tensor<3x2xf32>, %t: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {{
          %0 = linalg.generic {{indexing_maps = [{ID2}, {ROWS}], iterator_types = ["parallel", "reduction"]}}
              ins(%a : tensor<3x2xf32>) outs(%t : tensor<3xf32>) {{
          ^bb0(%x: f32, %y: f32):
            linalg.yield %x : f32
          }} -> tensor<3xf32>
          return %0, %t : tensor<3xf32>, tensor<3xf32>
        }}""",
        args=("3x2xf32", "3xf32"),
        numpy=lambda a, t: (a[:, -1], t),
    ),
    Program(
        "last_of_each_row_into_the_input",
        f"""
        func.func @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {{
          %0 = tensor.extract_slice %a[0, 0] [1, 3] [1, 1] : tensor<3x3xf32> to tensor<3xf32>
          %1 = linalg.generic {{indexing_maps = [{ID2}, {ROWS}], iterator_types = ["parallel", "reduction"]}}
              ins(%a : tensor<3x3xf32>) outs(%0 : tensor<3xf32>) {{
          ^bb0(%x: f32, %y: f32):
            linalg.yield %x : f32
          }} -> tensor<3xf32>
          %2 = tensor.insert_slice %1 into %a[0, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<3x3xf32>
          return %2 : tensor<3x3xf32>
        }}""",
        args=("3x3xf32",),
        numpy=lambda a: np.concatenate([a[:, 2][None], a[1:]]),
    ),
]
