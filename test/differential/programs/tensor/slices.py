"""tensor.extract_slice and tensor.insert_slice: matching, disjoint, overlapping, strided, rank-reducing, dynamic."""

from __future__ import annotations

import numpy as np

from ..program import Program, put


def doubled(tensor: np.ndarray, index: object) -> np.ndarray:
    return put(tensor, index, 2 * tensor[index])


def exchanged(t: np.ndarray) -> np.ndarray:
    return np.concatenate([t[3:], t[:3]])


PROGRAMS = [
    Program(
        "slice_extracted_and_put_back",
        """
        func.func @main(%t: tensor<8xf32>) -> tensor<8xf32> {
          %0 = tensor.extract_slice %t[2] [3] [1] : tensor<8xf32> to tensor<3xf32>
          %1 = linalg.add ins(%0, %0 : tensor<3xf32>, tensor<3xf32>) outs(%0 : tensor<3xf32>) -> tensor<3xf32>
          %2 = tensor.insert_slice %1 into %t[2] [3] [1] : tensor<3xf32> into tensor<8xf32>
          return %2 : tensor<8xf32>
        }""",
        args=("8xf32",),
        numpy=lambda t: doubled(t, slice(2, 5)),
    ),
    Program(
        "slice_put_back_and_read_later",
        """
        func.func @main(%t: tensor<8xf32>) -> (tensor<8xf32>, tensor<3xf32>) {
          %0 = tensor.extract_slice %t[2] [3] [1] : tensor<8xf32> to tensor<3xf32>
          %1 = linalg.add ins(%0, %0 : tensor<3xf32>, tensor<3xf32>) outs(%0 : tensor<3xf32>) -> tensor<3xf32>
          %2 = tensor.insert_slice %1 into %t[2] [3] [1] : tensor<3xf32> into tensor<8xf32>
          return %2, %0 : tensor<8xf32>, tensor<3xf32>
        }""",
        args=("8xf32",),
        numpy=lambda t: (doubled(t, slice(2, 5)), t[2:5]),
    ),
    Program(
        "slice_put_elsewhere",
        """
        func.func @main(%t: tensor<8xf32>) -> tensor<8xf32> {
          %0 = tensor.extract_slice %t[0] [3] [1] : tensor<8xf32> to tensor<3xf32>
          %1 = linalg.add ins(%0, %0 : tensor<3xf32>, tensor<3xf32>) outs(%0 : tensor<3xf32>) -> tensor<3xf32>
          %2 = tensor.insert_slice %1 into %t[4] [3] [1] : tensor<3xf32> into tensor<8xf32>
          return %2 : tensor<8xf32>
        }""",
        args=("8xf32",),
        numpy=lambda t: put(t, slice(4, 7), 2 * t[:3]),
    ),
    Program(
        "slice_put_where_it_overlaps_itself",
        """
        func.func @main(%t: tensor<6xf32>) -> tensor<6xf32> {
          %0 = tensor.extract_slice %t[0] [4] [1] : tensor<6xf32> to tensor<4xf32>
          %1 = tensor.insert_slice %0 into %t[1] [4] [1] : tensor<4xf32> into tensor<6xf32>
          return %1 : tensor<6xf32>
        }""",
        args=("6xf32",),
        numpy=lambda t: put(t, slice(1, 5), t[:4]),
    ),
    Program(
        "slice_moved_down_over_itself",
        """
        func.func @main(%t: tensor<6xf32>) -> tensor<6xf32> {
          %0 = tensor.extract_slice %t[2] [4] [1] : tensor<6xf32> to tensor<4xf32>
          %1 = tensor.insert_slice %0 into %t[0] [4] [1] : tensor<4xf32> into tensor<6xf32>
          return %1 : tensor<6xf32>
        }""",
        args=("6xf32",),
        numpy=lambda t: put(t, slice(4), t[2:]),
    ),
    Program(
        "slices_exchanged",
        """
        func.func @main(%t: tensor<6xf32>) -> tensor<6xf32> {
          %0 = tensor.extract_slice %t[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
          %1 = tensor.extract_slice %t[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
          %2 = tensor.insert_slice %1 into %t[0] [3] [1] : tensor<3xf32> into tensor<6xf32>
          %3 = tensor.insert_slice %0 into %2[3] [3] [1] : tensor<3xf32> into tensor<6xf32>
          return %3 : tensor<6xf32>
        }""",
        args=("6xf32",),
        numpy=exchanged,
    ),
    Program(
        "disjoint_slices_updated_and_put_back",
        """
        func.func @main(%t: tensor<6xf32>, %f: f32) -> tensor<6xf32> {
          %0 = tensor.extract_slice %t[0] [3] [1] : tensor<6xf32> to tensor<3xf32>
          %1 = tensor.extract_slice %t[3] [3] [1] : tensor<6xf32> to tensor<3xf32>
          %2 = linalg.fill ins(%f : f32) outs(%0 : tensor<3xf32>) -> tensor<3xf32>
          %3 = linalg.add ins(%1, %2 : tensor<3xf32>, tensor<3xf32>) outs(%1 : tensor<3xf32>) -> tensor<3xf32>
          %4 = tensor.insert_slice %2 into %t[0] [3] [1] : tensor<3xf32> into tensor<6xf32>
          %5 = tensor.insert_slice %3 into %4[3] [3] [1] : tensor<3xf32> into tensor<6xf32>
          return %5 : tensor<6xf32>
        }""",
        args=("6xf32", 100.0),
        numpy=lambda t, f: np.concatenate([np.full(3, f, np.float32), t[3:] + np.float32(f)]),
        fewer=True,
    ),
    Program(
        "overlapping_slices_updated_and_put_back",
        """
        func.func @main(%t: tensor<6xf32>, %f: f32) -> tensor<6xf32> {
          %0 = tensor.extract_slice %t[0] [4] [1] : tensor<6xf32> to tensor<4xf32>
          %1 = tensor.extract_slice %t[2] [4] [1] : tensor<6xf32> to tensor<4xf32>
          %2 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
          %3 = linalg.add ins(%1, %2 : tensor<4xf32>, tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
          %4 = tensor.insert_slice %2 into %t[0] [4] [1] : tensor<4xf32> into tensor<6xf32>
          %5 = tensor.insert_slice %3 into %4[2] [4] [1] : tensor<4xf32> into tensor<6xf32>
          return %5 : tensor<6xf32>
        }""",
        args=("6xf32", 100.0),
        numpy=lambda t, f: np.concatenate([np.full(2, f, np.float32), t[2:] + np.float32(f)]),
    ),
    Program(
        "slice_shifted_by_an_op",
        """
        func.func @main(%t: tensor<6xf32>) -> tensor<6xf32> {
          %0 = tensor.extract_slice %t[0] [5] [1] : tensor<6xf32> to tensor<5xf32>
          %1 = tensor.extract_slice %t[1] [5] [1] : tensor<6xf32> to tensor<5xf32>
          %2 = linalg.copy ins(%0 : tensor<5xf32>) outs(%1 : tensor<5xf32>) -> tensor<5xf32>
          %3 = tensor.insert_slice %2 into %t[1] [5] [1] : tensor<5xf32> into tensor<6xf32>
          return %3 : tensor<6xf32>
        }""",
        args=("6xf32",),
        numpy=lambda t: np.concatenate([t[:1], t[:5]]),
    ),
    Program(
        "three_point_stencil_in_its_input",
        """
        func.func @main(%t: tensor<7xf32>) -> tensor<7xf32> {
          %0 = tensor.extract_slice %t[0] [5] [1] : tensor<7xf32> to tensor<5xf32>
          %1 = tensor.extract_slice %t[1] [5] [1] : tensor<7xf32> to tensor<5xf32>
          %2 = tensor.extract_slice %t[2] [5] [1] : tensor<7xf32> to tensor<5xf32>
          %3 = linalg.add ins(%0, %2 : tensor<5xf32>, tensor<5xf32>) outs(%1 : tensor<5xf32>) -> tensor<5xf32>
          %4 = tensor.insert_slice %3 into %t[1] [5] [1] : tensor<5xf32> into tensor<7xf32>
          return %4 : tensor<7xf32>
        }""",
        args=("7xf32",),
        numpy=lambda t: put(t, slice(1, 6), t[:5] + t[2:]),
    ),
    Program(
        "insert_slice_destination_read_later",
        """
        func.func @main(%t: tensor<6xf32>, %s: tensor<2xf32>, %i: index) -> (tensor<6xf32>, f32) {
          %0 = tensor.insert_slice %s into %t[%i] [2] [1] : tensor<2xf32> into tensor<6xf32>
          %1 = tensor.extract %t[%i] : tensor<6xf32>
          return %0, %1 : tensor<6xf32>, f32
        }""",
        args=[("6xf32", "2xf32", 0), ("6xf32", "2xf32", 4)],
        numpy=lambda t, s, i: (put(t, slice(i, i + 2), s), t[i]),
    ),
    Program(
        "insert_slice_source_updated_later",
        """
        func.func @main(%t: tensor<6xf32>, %s: tensor<2xf32>, %i: index, %f: f32)
            -> (tensor<6xf32>, tensor<2xf32>) {
          %c0 = arith.constant 0 : index
          %0 = tensor.insert_slice %s into %t[%i] [2] [1] : tensor<2xf32> into tensor<6xf32>
          %1 = tensor.insert %f into %s[%c0] : tensor<2xf32>
          return %0, %1 : tensor<6xf32>, tensor<2xf32>
        }""",
        args=("6xf32", "2xf32", 3, 99.0),
        numpy=lambda t, s, i, f: (put(t, slice(i, i + 2), s), put(s, 0, f)),
    ),
    Program(
        "insert_slice_of_a_tensor_into_itself",
        """
        func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> {
          %0 = tensor.insert_slice %t into %t[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32",),
        numpy=lambda t: t,
        fewer=True,
    ),
    Program(
        "insert_slice_of_everything",
        """
        func.func @main(%t: tensor<4xf32>, %s: tensor<4xf32>, %i: index) -> (tensor<4xf32>, f32) {
          %0 = tensor.insert_slice %s into %t[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
          %1 = tensor.extract %t[%i] : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, f32
        }""",
        args=("4xf32", "4xf32", 2),
        numpy=lambda t, s, i: (s, t[i]),
    ),
    Program(
        "insert_slices_into_a_new_tensor",
        """
        func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<5xf32> {
          %e = tensor.empty() : tensor<5xf32>
          %0 = tensor.insert_slice %a into %e[0] [2] [1] : tensor<2xf32> into tensor<5xf32>
          %1 = tensor.insert_slice %b into %0[2] [3] [1] : tensor<3xf32> into tensor<5xf32>
          return %1 : tensor<5xf32>
        }""",
        args=("2xf32", "3xf32"),
        numpy=lambda a, b: np.concatenate([a, b]),
    ),
    Program(
        "strided_slices_interleaved",
        """
        func.func @main(%t: tensor<8xf32>) -> tensor<8xf32> {
          %even = tensor.extract_slice %t[0] [4] [2] : tensor<8xf32> to tensor<4xf32>
          %odd = tensor.extract_slice %t[1] [4] [2] : tensor<8xf32> to tensor<4xf32>
          %0 = tensor.insert_slice %odd into %t[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
          %1 = tensor.insert_slice %even into %0[1] [4] [2] : tensor<4xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=("8xf32",),
        numpy=lambda t: t.reshape(4, 2)[:, ::-1].reshape(8),
    ),
    Program(
        "strided_slice_updated_in_place",
        """
        func.func @main(%t: tensor<4x6xf32>, %f: f32) -> (tensor<4x6xf32>, tensor<2x2xf32>) {
          %0 = tensor.extract_slice %t[1, 1] [2, 2] [2, 3] : tensor<4x6xf32> to tensor<2x2xf32>
          %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<2x2xf32>) -> tensor<2x2xf32>
          %2 = tensor.insert_slice %1 into %t[1, 1] [2, 2] [2, 3] : tensor<2x2xf32> into tensor<4x6xf32>
          return %2, %1 : tensor<4x6xf32>, tensor<2x2xf32>
        }""",
        args=("4x6xf32", 99.0),
        numpy=lambda t, f: (
            put(t, (slice(1, None, 2), slice(1, None, 3)), f),
            np.full((2, 2), f, np.float32),
        ),
    ),
    Program(
        "rank_reducing_column_moved",
        """
        func.func @main(%t: tensor<3x4xf32>, %i: index, %j: index) -> tensor<3x4xf32> {
          %0 = tensor.extract_slice %t[0, %i] [3, 1] [1, 1] : tensor<3x4xf32> to tensor<3xf32>
          %1 = tensor.insert_slice %0 into %t[0, %j] [3, 1] [1, 1] : tensor<3xf32> into tensor<3x4xf32>
          return %1 : tensor<3x4xf32>
        }""",
        args=[("3x4xf32", 1, 3), ("3x4xf32", 2, 2)],
        numpy=lambda t, i, j: put(t, (slice(None), j), t[:, i]),
    ),
    Program(
        "dynamic_offsets_that_may_meet",
        """
        func.func @main(%t: tensor<6xf32>, %i: index, %j: index, %f: f32) -> (tensor<6xf32>, tensor<2xf32>) {
          %0 = tensor.extract_slice %t[%i] [2] [1] : tensor<6xf32> to tensor<2xf32>
          %1 = tensor.extract_slice %t[%j] [2] [1] : tensor<6xf32> to tensor<2xf32>
          %2 = linalg.fill ins(%f : f32) outs(%1 : tensor<2xf32>) -> tensor<2xf32>
          %3 = tensor.insert_slice %2 into %t[%j] [2] [1] : tensor<2xf32> into tensor<6xf32>
          %4 = linalg.add ins(%0, %2 : tensor<2xf32>, tensor<2xf32>) outs(%2 : tensor<2xf32>) -> tensor<2xf32>
          return %3, %4 : tensor<6xf32>, tensor<2xf32>
        }""",
        args=[("6xf32", 0, 4, 99.0), ("6xf32", 2, 3, 99.0), ("6xf32", 3, 3, 99.0)],
        numpy=lambda t, i, j, f: (put(t, slice(j, j + 2), f), t[i : i + 2] + np.float32(f)),
    ),
    Program(
        "dynamic_sizes_and_strides",
        """
        func.func @main(%t: tensor<?x?xf32>, %o: index, %n: index, %s: index, %f: f32) -> tensor<?x?xf32> {
          %0 = tensor.extract_slice %t[%o, 0] [%n, 2] [%s, 1] : tensor<?x?xf32> to tensor<?x2xf32>
          %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<?x2xf32>) -> tensor<?x2xf32>
          %2 = tensor.insert_slice %1 into %t[%o, 0] [%n, 2] [%s, 1] : tensor<?x2xf32> into tensor<?x?xf32>
          return %2 : tensor<?x?xf32>
        }""",
        args=[("5x3xf32", 1, 2, 2, 99.0), ("5x3xf32", 0, 5, 1, 99.0), ("5x3xf32", 2, 0, 1, 99.0)],
        numpy=lambda t, o, n, s, f: put(t, (slice(o, o + n * s, s), slice(2)), f),
    ),
    Program(
        "slice_of_a_slice_updated_and_put_back",
        """
        func.func @main(%t: tensor<4x8xf32>, %f: f32) -> tensor<4x8xf32> {
          %0 = tensor.extract_slice %t[1, 2] [2, 4] [1, 1] : tensor<4x8xf32> to tensor<2x4xf32>
          %1 = tensor.extract_slice %0[0, 1] [2, 2] [1, 1] : tensor<2x4xf32> to tensor<2x2xf32>
          %2 = linalg.fill ins(%f : f32) outs(%1 : tensor<2x2xf32>) -> tensor<2x2xf32>
          %3 = tensor.insert_slice %2 into %0[0, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<2x4xf32>
          %4 = tensor.insert_slice %3 into %t[1, 2] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x8xf32>
          return %4 : tensor<4x8xf32>
        }""",
        args=("4x8xf32", 99.0),
        numpy=lambda t, f: put(t, (slice(1, 3), slice(3, 5)), f),
    ),
    Program(
        "slice_of_size_0",
        """
        func.func @main(%t: tensor<4xf32>, %s: tensor<0xf32>, %f: f32) -> (tensor<4xf32>, tensor<0xf32>) {
          %0 = tensor.insert_slice %s into %t[2] [0] [1] : tensor<0xf32> into tensor<4xf32>
          %1 = tensor.extract_slice %0[1] [0] [1] : tensor<4xf32> to tensor<0xf32>
          %2 = linalg.fill ins(%f : f32) outs(%1 : tensor<0xf32>) -> tensor<0xf32>
          return %0, %2 : tensor<4xf32>, tensor<0xf32>
        }""",
        args=("4xf32", "0xf32", 99.0),
        numpy=lambda t, s, f: (t, s),
    ),
    Program(
        "first_columns_of_a_new_tensor_copied",
        """
        func.func @main(%t: tensor<?x?xf32>, %m: index, %n: index, %f: f32) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %d0 = tensor.dim %t, %c0 : tensor<?x?xf32>
          %d1 = tensor.dim %t, %c1 : tensor<?x?xf32>
          %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
          %0 = linalg.copy ins(%t : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
          %1 = tensor.extract_slice %0[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
          %2 = tensor.insert %f into %1[%c0, %c0] : tensor<?x?xf32>
          return %2, %0 : tensor<?x?xf32>, tensor<?x?xf32>
        }""",
        args=[("3x4xf32", 2, 2, 99.0), ("3x4xf32", 3, 1, 99.0), ("3x4xf32", 3, 4, 99.0)],
        numpy=lambda t, m, n, f: (put(t[:m, :n], (0, 0), f), t),
    ),
    Program(
        "padded_on_the_right_by_a_dynamic_size",
        """
        func.func @main(%t: tensor<?x?xf32>, %n: index, %f: f32) -> tensor<?x?xf32> {
          %0 = tensor.pad %t low[0, 0] high[0, %n] {
          ^bb0(%i: index, %j: index):
            tensor.yield %f : f32
          } : tensor<?x?xf32> to tensor<?x?xf32>
          return %0 : tensor<?x?xf32>
        }""",
        args=[("3x4xf32", 2, 99.0), ("3x4xf32", 0, 99.0)],
        numpy=lambda t, n, f: np.pad(t, ((0, 0), (0, n)), constant_values=f),
    ),
]
