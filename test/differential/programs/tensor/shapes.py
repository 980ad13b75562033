"""Views under another shape (cast, expand_shape, collapse_shape), dim, and slices under them."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

PROGRAMS = [
    Program(
        "cast_updated_and_cast_back",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = tensor.cast %t : tensor<4xf32> to tensor<?xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<?xf32>
          %2 = tensor.cast %1 : tensor<?xf32> to tensor<4xf32>
          return %2, %t : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 2, 99.0),
        numpy=lambda t, i, f: (put(t, i, f), t),
    ),
    Program(
        "cast_of_a_strided_slice",
        """
        func.func @main(%t: tensor<8xf32>, %i: index) -> (tensor<?xf32>, f32) {
          %0 = tensor.extract_slice %t[1] [4] [2] : tensor<8xf32> to tensor<4xf32>
          %1 = tensor.cast %0 : tensor<4xf32> to tensor<?xf32>
          %2 = tensor.extract %1[%i] : tensor<?xf32>
          return %1, %2 : tensor<?xf32>, f32
        }""",
        args=("8xf32", 3),
        numpy=lambda t, i: (t[1::2], t[1::2][i]),
    ),
    Program(
        "dim_of_an_overwritten_tensor",
        """
        func.func @main(%t: tensor<?x3xf32>, %i: index, %f: f32) -> (tensor<?x3xf32>, index, index) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = tensor.insert %f into %t[%i, %c0] : tensor<?x3xf32>
          %1 = tensor.dim %t, %c0 : tensor<?x3xf32>
          %2 = tensor.dim %0, %c1 : tensor<?x3xf32>
          return %0, %1, %2 : tensor<?x3xf32>, index, index
        }""",
        args=("4x3xf32", 2, 99.0),
        numpy=lambda t, i, f: (put(t, (i, 0), f), 4, 3),
    ),
    Program(
        "collapsed_updated_and_expanded",
        """
        func.func @main(%t: tensor<2x3xf32>, %i: index, %f: f32) -> tensor<2x3xf32> {
          %0 = tensor.collapse_shape %t [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<6xf32>
          %2 = tensor.expand_shape %1 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
          return %2 : tensor<2x3xf32>
        }""",
        args=("2x3xf32", 4, 99.0),
        numpy=lambda t, i, f: put(t.reshape(6), i, f).reshape(2, 3),
    ),
    Program(
        "collapsed_updated_and_read_later",
        """
        func.func @main(%t: tensor<2x3xf32>, %i: index, %f: f32) -> (tensor<6xf32>, tensor<2x3xf32>) {
          %0 = tensor.collapse_shape %t [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<6xf32>
          return %1, %t : tensor<6xf32>, tensor<2x3xf32>
        }""",
        args=("2x3xf32", 4, 99.0),
        numpy=lambda t, i, f: (put(t.reshape(6), i, f), t),
        fewer=True,
    ),
    Program(
        "collapsed_read_after_its_source_was_overwritten",
        """
        func.func @main(%t: tensor<2x3xf32>, %i: index, %f: f32) -> (tensor<2x3xf32>, f32) {
          %0 = tensor.collapse_shape %t [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
          %1 = linalg.fill ins(%f : f32) outs(%t : tensor<2x3xf32>) -> tensor<2x3xf32>
          %2 = tensor.extract %0[%i] : tensor<6xf32>
          return %1, %2 : tensor<2x3xf32>, f32
        }""",
        args=("2x3xf32", 4, 99.0),
        numpy=lambda t, i, f: (np.full_like(t, f), t.reshape(6)[i]),
    ),
    Program(
        "collapse_of_a_slice_that_is_not_contiguous",
        """
        func.func @main(%t: tensor<3x4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<3x4xf32>) {
          %0 = tensor.extract_slice %t[0, 1] [2, 2] [1, 1] : tensor<3x4xf32> to tensor<2x2xf32>
          %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
          %2 = tensor.insert %f into %1[%i] : tensor<4xf32>
          return %2, %t : tensor<4xf32>, tensor<3x4xf32>
        }""",
        args=("3x4xf32", 2, 99.0),
        numpy=lambda t, i, f: (put(t[:2, 1:3].reshape(4), i, f), t),
    ),
    Program(
        "collapse_of_a_slice_that_is_not_contiguous_put_back",
        """
        func.func @main(%t: tensor<3x4xf32>, %i: index, %f: f32) -> tensor<3x4xf32> {
          %0 = tensor.extract_slice %t[0, 1] [2, 2] [1, 1] : tensor<3x4xf32> to tensor<2x2xf32>
          %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
          %2 = tensor.insert %f into %1[%i] : tensor<4xf32>
          %3 = tensor.expand_shape %2 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
          %4 = tensor.insert_slice %3 into %t[0, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<3x4xf32>
          return %4 : tensor<3x4xf32>
        }""",
        args=("3x4xf32", 2, 99.0),
        numpy=lambda t, i, f: put(t, (slice(2), slice(1, 3)), put(t[:2, 1:3].reshape(4), i, f).reshape(2, 2)),
    ),
    Program(
        "collapse_of_a_slice_of_whole_rows",
        """
        func.func @main(%t: tensor<4x3xf32>, %o: index, %f: f32) -> tensor<4x3xf32> {
          %0 = tensor.extract_slice %t[%o, 0] [2, 3] [1, 1] : tensor<4x3xf32> to tensor<2x3xf32>
          %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
          %2 = linalg.add ins(%1, %1 : tensor<6xf32>, tensor<6xf32>) outs(%1 : tensor<6xf32>) -> tensor<6xf32>
          %3 = tensor.expand_shape %2 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
          %4 = tensor.insert_slice %3 into %t[%o, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x3xf32>
          return %4 : tensor<4x3xf32>
        }""",
        args=[("4x3xf32", 0, 99.0), ("4x3xf32", 2, 99.0)],
        numpy=lambda t, o, f: put(t, slice(o, o + 2), 2 * t[o : o + 2]),
    ),
    Program(
        "expanded_with_dynamic_sizes",
        """
        func.func @main(%t: tensor<?xf32>, %n: index, %f: f32) -> (tensor<?x2xf32>, tensor<?xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = tensor.expand_shape %t [[0, 1]] output_shape [%n, 2] : tensor<?xf32> into tensor<?x2xf32>
          %1 = tensor.insert %f into %0[%c0, %c1] : tensor<?x2xf32>
          return %1, %t : tensor<?x2xf32>, tensor<?xf32>
        }""",
        args=("6xf32", 3, 99.0),
        numpy=lambda t, n, f: (put(t.reshape(n, 2), (0, 1), f), t),
    ),
    Program(
        "expanded_to_and_collapsed_from_rank_0",
        """
        func.func @main(%t: tensor<f32>, %s: tensor<1x1xf32>) -> (tensor<1xf32>, tensor<f32>) {
          %0 = tensor.expand_shape %t [] output_shape [1] : tensor<f32> into tensor<1xf32>
          %1 = tensor.collapse_shape %s [] : tensor<1x1xf32> into tensor<f32>
          %2 = linalg.add ins(%t, %1 : tensor<f32>, tensor<f32>) outs(%1 : tensor<f32>) -> tensor<f32>
          return %0, %2 : tensor<1xf32>, tensor<f32>
        }""",
        args=("f32", "1x1xf32"),
        numpy=lambda t, s: (t.reshape(1), t + s.reshape(())),
    ),
    Program(
        "expanded_slice_with_a_stride",
        """
        func.func @main(%t: tensor<12xf32>, %i: index, %f: f32) -> (tensor<2x3xf32>, f32) {
          %c0 = arith.constant 0 : index
          %0 = tensor.extract_slice %t[0] [6] [2] : tensor<12xf32> to tensor<6xf32>
          %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
          %2 = tensor.insert %f into %1[%c0, %i] : tensor<2x3xf32>
          %3 = tensor.extract %t[%i] : tensor<12xf32>
          return %2, %3 : tensor<2x3xf32>, f32
        }""",
        args=("12xf32", 2, 99.0),
        numpy=lambda t, i, f: (put(t[::2].reshape(2, 3), (0, i), f), t[i]),
    ),
    Program(
        "collapsed_columns_of_a_tensor_overwritten_before",
        """
        func.func @main(%t: tensor<3x4xf32>, %i: index, %f: f32) -> (tensor<6xf32>, tensor<3x4xf32>) {
          %e = tensor.empty() : tensor<3x4xf32>
          %n = linalg.negf ins(%t : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
          %s = tensor.extract_slice %n[0, 1] [3, 2] [1, 1] : tensor<3x4xf32> to tensor<3x2xf32>
          %w = tensor.insert %f into %n[%i, %i] : tensor<3x4xf32>
          %c = tensor.collapse_shape %s [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
          %x = tensor.insert %f into %c[%i] : tensor<6xf32>
          return %x, %w : tensor<6xf32>, tensor<3x4xf32>
        }""",
        args=("3x4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(-t[:, 1:3].reshape(6), i, f), put(-t, (i, i), f)),
    ),
    Program(
        "collapsed_columns_of_a_tensor_overwritten_later",
        """
        func.func @main(%t: tensor<3x4xf32>, %i: index, %f: f32) -> (tensor<6xf32>, tensor<3x4xf32>) {
          %e = tensor.empty() : tensor<3x4xf32>
          %n = linalg.negf ins(%t : tensor<3x4xf32>) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
          %s = tensor.extract_slice %n[0, 1] [3, 2] [1, 1] : tensor<3x4xf32> to tensor<3x2xf32>
          %c = tensor.collapse_shape %s [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
          %w = tensor.insert %f into %n[%i, %i] : tensor<3x4xf32>
          %x = tensor.insert %f into %c[%i] : tensor<6xf32>
          return %x, %w : tensor<6xf32>, tensor<3x4xf32>
        }""",
        args=("3x4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(-t[:, 1:3].reshape(6), i, f), put(-t, (i, i), f)),
    ),
    Program(
        "collapsed_columns_in_a_loop_over_what_they_are_cut_from",
        """
        func.func @main(%t: tensor<3x4xf32>, %k: index, %f: f32) -> (tensor<6xf32>, tensor<3x4xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %z = arith.constant dense<0.0> : tensor<6xf32>
          %s = tensor.extract_slice %t[0, 1] [3, 2] [1, 1] : tensor<3x4xf32> to tensor<3x2xf32>
          %0:2 = scf.for %i = %c0 to %k step %c1 iter_args(%a = %z, %b = %t) -> (tensor<6xf32>, tensor<3x4xf32>) {
            %w = tensor.insert %f into %b[%i, %c1] : tensor<3x4xf32>
            %c = tensor.collapse_shape %s [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
            %x = tensor.insert %f into %c[%i] : tensor<6xf32>
            %y = linalg.add ins(%a, %x : tensor<6xf32>, tensor<6xf32>) outs(%a : tensor<6xf32>) -> tensor<6xf32>
            scf.yield %y, %w : tensor<6xf32>, tensor<3x4xf32>
          }
          return %0#0, %0#1 : tensor<6xf32>, tensor<3x4xf32>
        }""",
        args=[("3x4xf32", 3, 99.0), ("3x4xf32", 0, 99.0)],
        numpy=lambda t, k, f: (
            sum((put(t[:, 1:3].reshape(6), i, f) for i in range(k)), np.zeros(6, np.float32)),
            put(t, (slice(k), 1), f),
        ),
    ),
    Program(
        "collapsed_columns_returned_by_a_function",
        """
        func.func private @columns(%t: tensor<3x4xf32>) -> tensor<6xf32> {
          %s = tensor.extract_slice %t[0, 1] [3, 2] [1, 1] : tensor<3x4xf32> to tensor<3x2xf32>
          %c = tensor.collapse_shape %s [[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
          return %c : tensor<6xf32>
        }
        func.func @main(%t: tensor<3x4xf32>, %i: index, %f: f32) -> (tensor<6xf32>, tensor<3x4xf32>) {
          %c = call @columns(%t) : (tensor<3x4xf32>) -> tensor<6xf32>
          %w = tensor.insert %f into %t[%i, %i] : tensor<3x4xf32>
          return %c, %w : tensor<6xf32>, tensor<3x4xf32>
        }""",
        args=("3x4xf32", 1, 99.0),
        numpy=lambda t, i, f: (t[:, 1:3].reshape(6), put(t, (i, i), f)),
        fewer=True,
    ),
]
