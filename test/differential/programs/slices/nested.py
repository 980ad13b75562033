"""Slices of slices, slices through loops and branches, and slices that are moved, transposed or written twice."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

ADD = "linalg.add ins(%{0}, %{0} : {1}, {1}) outs(%{0} : {1}) -> {1}"


def twice(t: np.ndarray, index: object) -> np.ndarray:
    return put(t, index, 2 * t[index])


PROGRAMS = [
    Program(
        "slice_of_a_slice_put_back_at_once",
        f"""
        func.func @main(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {{
          %a = tensor.extract_slice %t[2, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
          %b = tensor.extract_slice %a[1, 3] [2, 4] [1, 1] : tensor<4x8xf32> to tensor<2x4xf32>
          %c = {ADD.format("b", "tensor<2x4xf32>")}
          %0 = tensor.insert_slice %c into %t[3, 3] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<8x8xf32>
          return %0 : tensor<8x8xf32>
        }}""",
        args=("8x8xf32",),
        numpy=lambda t: twice(t, np.s_[3:5, 3:7]),
    ),
    Program(
        "slices_of_one_slice_apart",
        f"""
        func.func @main(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {{
          %a = tensor.extract_slice %t[2, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
          %b = tensor.extract_slice %a[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
          %r = tensor.extract_slice %a[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
          %c = linalg.add ins(%b, %r : tensor<4x4xf32>, tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) -> tensor<4x4xf32>
          %d = {ADD.format("r", "tensor<4x4xf32>")}
          %0 = tensor.insert_slice %c into %a[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
          %1 = tensor.insert_slice %d into %0[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x8xf32>
          %2 = tensor.insert_slice %1 into %t[2, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<8x8xf32>
          return %2 : tensor<8x8xf32>
        }}""",
        args=("8x8xf32",),
        numpy=lambda t: put(twice(t, np.s_[2:6, 4:]), np.s_[2:6, :4], t[2:6, :4] + t[2:6, 4:]),
        fewer=True,
    ),
    Program(
        "three_levels_of_slices_put_back",
        f"""
        func.func @main(%t: tensor<8x8xf32>, %i: index) -> tensor<8x8xf32> {{
          %a = tensor.extract_slice %t[%i, 0] [6, 8] [1, 1] : tensor<8x8xf32> to tensor<6x8xf32>
          %b = tensor.extract_slice %a[0, %i] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
          %c = tensor.extract_slice %b[%i, 0] [2, 4] [2, 1] : tensor<6x4xf32> to tensor<2x4xf32>
          %d = {ADD.format("c", "tensor<2x4xf32>")}
          %0 = tensor.insert_slice %d into %b[%i, 0] [2, 4] [2, 1] : tensor<2x4xf32> into tensor<6x4xf32>
          %1 = tensor.insert_slice %0 into %a[0, %i] [6, 4] [1, 1] : tensor<6x4xf32> into tensor<6x8xf32>
          %2 = tensor.insert_slice %1 into %t[%i, 0] [6, 8] [1, 1] : tensor<6x8xf32> into tensor<8x8xf32>
          return %2 : tensor<8x8xf32>
        }}""",
        args=[("8x8xf32", 0), ("8x8xf32", 2)],
        numpy=lambda t, i: twice(t, np.s_[2 * i : 2 * i + 4 : 2, i : i + 4]),
    ),
    Program(
        "middle_of_three_levels_read_later",
        f"""
        func.func @main(%t: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<6x4xf32>) {{
          %a = tensor.extract_slice %t[0, 0] [6, 8] [1, 1] : tensor<8x8xf32> to tensor<6x8xf32>
          %b = tensor.extract_slice %a[0, 2] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
          %c = tensor.extract_slice %b[1, 0] [2, 4] [1, 1] : tensor<6x4xf32> to tensor<2x4xf32>
          %d = {ADD.format("c", "tensor<2x4xf32>")}
          %0 = tensor.insert_slice %d into %b[1, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<6x4xf32>
          %1 = tensor.insert_slice %0 into %t[0, 2] [6, 4] [1, 1] : tensor<6x4xf32> into tensor<8x8xf32>
          return %1, %b : tensor<8x8xf32>, tensor<6x4xf32>
        }}""",
        args=("8x8xf32",),
        numpy=lambda t: (twice(t, np.s_[1:3, 2:6]), t[:6, 2:6]),
    ),
    Program(
        "slice_written_twice_in_a_row",
        """
        func.func @main(%t: tensor<8xf32>, %u: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<8xf32> {
          %0 = tensor.insert_slice %u into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
          %1 = tensor.insert_slice %v into %0[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=("8xf32", "4xf32", "4xf32"),
        numpy=lambda t, u, v: put(t, slice(2, 6), v),
    ),
    Program(
        "slice_written_twice_and_read_in_between",
        """
        func.func @main(%t: tensor<8xf32>, %u: tensor<4xf32>, %v: tensor<4xf32>, %i: index) -> (tensor<8xf32>, f32) {
          %0 = tensor.insert_slice %u into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
          %1 = tensor.insert_slice %v into %0[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
          %2 = tensor.extract %0[%i] : tensor<8xf32>
          return %1, %2 : tensor<8xf32>, f32
        }""",
        args=[("8xf32", "4xf32", "4xf32", 1), ("8xf32", "4xf32", "4xf32", 4)],
        numpy=lambda t, u, v, i: (put(t, slice(2, 6), v), put(t, slice(2, 6), u)[i]),
    ),
    Program(
        "slice_transposed_in_place",
        """
        func.func @main(%t: tensor<6x6xf32>) -> tensor<6x6xf32> {
          %a = tensor.extract_slice %t[1, 2] [3, 3] [1, 1] : tensor<6x6xf32> to tensor<3x3xf32>
          %b = linalg.transpose ins(%a : tensor<3x3xf32>) outs(%a : tensor<3x3xf32>) permutation = [1, 0]
          %0 = tensor.insert_slice %b into %t[1, 2] [3, 3] [1, 1] : tensor<3x3xf32> into tensor<6x6xf32>
          return %0 : tensor<6x6xf32>
        }""",
        args=("6x6xf32",),
        numpy=lambda t: put(t, np.s_[1:4, 2:5], t[1:4, 2:5].T),
    ),
    Program(
        "slice_transposed_into_the_mirrored_slice",
        """
        func.func @main(%t: tensor<6x6xf32>) -> tensor<6x6xf32> {
          %a = tensor.extract_slice %t[0, 3] [2, 3] [1, 1] : tensor<6x6xf32> to tensor<2x3xf32>
          %b = tensor.extract_slice %t[3, 0] [3, 2] [1, 1] : tensor<6x6xf32> to tensor<3x2xf32>
          %c = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%b : tensor<3x2xf32>) permutation = [1, 0]
          %0 = tensor.insert_slice %c into %t[3, 0] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<6x6xf32>
          return %0 : tensor<6x6xf32>
        }""",
        args=("6x6xf32",),
        numpy=lambda t: put(t, np.s_[3:6, 0:2], t[0:2, 3:6].T),
        fewer=True,
    ),
    Program(
        "block_doubled_in_each_quadrant",
        """
        func.func @main(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
          %c0 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %c8 = arith.constant 8 : index
          %0 = scf.for %i = %c0 to %c8 step %c4 iter_args(%u = %t) -> tensor<8x8xf32> {
            %1 = scf.for %j = %c0 to %c8 step %c4 iter_args(%v = %u) -> tensor<8x8xf32> {
              %a = tensor.extract_slice %v[%i, %j] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
              %b = tensor.extract_slice %a[1, 1] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
              %c = linalg.add ins(%b, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%b : tensor<2x2xf32>)
                  -> tensor<2x2xf32>
              %d = tensor.insert_slice %c into %a[1, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
              %e = tensor.insert_slice %d into %v[%i, %j] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
              scf.yield %e : tensor<8x8xf32>
            }
            scf.yield %1 : tensor<8x8xf32>
          }
          return %0 : tensor<8x8xf32>
        }""",
        args=("8x8xf32",),
        numpy=lambda t: twice(t, np.ix_([1, 2, 5, 6], [1, 2, 5, 6])),
    ),
    Program(
        "slice_updated_by_a_branch_and_put_back",
        """
        func.func @main(%t: tensor<8xf32>, %p: i1, %f: f32) -> tensor<8xf32> {
          %c1 = arith.constant 1 : index
          %a = tensor.extract_slice %t[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %b = scf.if %p -> tensor<4xf32> {
            %c = tensor.insert %f into %a[%c1] : tensor<4xf32>
            scf.yield %c : tensor<4xf32>
          } else {
            scf.yield %a : tensor<4xf32>
          }
          %0 = tensor.insert_slice %b into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %0 : tensor<8xf32>
        }""",
        args=[("8xf32", True, 99.0), ("8xf32", False, 99.0)],
        numpy=lambda t, p, f: put(t, 3, f) if p else t,
    ),
    Program(
        "slice_chosen_and_put_back_elsewhere",
        """
        func.func @main(%t: tensor<8xf32>, %p: i1) -> tensor<8xf32> {
          %a = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %b = tensor.extract_slice %t[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %c = arith.select %p, %a, %b : tensor<4xf32>
          %0 = tensor.insert_slice %c into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %0 : tensor<8xf32>
        }""",
        args=[("8xf32", True), ("8xf32", False)],
        numpy=lambda t, p: put(t, slice(2, 6), t[:4] if p else t[4:]),
    ),
    Program(
        "slice_reshaped_updated_and_put_back",
        """
        func.func @main(%t: tensor<4x8xf32>, %f: f32) -> tensor<4x8xf32> {
          %c1 = arith.constant 1 : index
          %a = tensor.extract_slice %t[1, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
          %b = tensor.expand_shape %a [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
          %c = tensor.insert %f into %b[%c1, %c1] : tensor<2x4xf32>
          %d = tensor.collapse_shape %c [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
          %0 = tensor.insert_slice %d into %t[1, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32>
          return %0 : tensor<4x8xf32>
        }""",
        args=("4x8xf32", 99.0),
        numpy=lambda t, f: put(t, (1, 5), f),
        fewer=True,
    ),
    Program(
        "rank_reduced_both_ways",
        """
        func.func @main(%t: tensor<3x1x4xf32>, %i: index) -> tensor<3x1x4xf32> {
          %a = tensor.extract_slice %t[%i, 0, 0] [1, 1, 4] [1, 1, 1] : tensor<3x1x4xf32> to tensor<4xf32>
          %b = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
          %0 = tensor.insert_slice %b into %t[%i, 0, 0] [1, 1, 4] [1, 1, 1] : tensor<4xf32> into tensor<3x1x4xf32>
          return %0 : tensor<3x1x4xf32>
        }""",
        args=[("3x1x4xf32", 0), ("3x1x4xf32", 2)],
        numpy=twice,
    ),
    Program(
        "element_as_a_slice_of_rank_0",
        """
        func.func @main(%t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
          %a = tensor.extract_slice %t[%i] [1] [1] : tensor<4xf32> to tensor<f32>
          %b = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%a : tensor<f32>) {
          ^bb0(%x: f32):
            %y = arith.addf %x, %x : f32
            linalg.yield %y : f32
          } -> tensor<f32>
          %0 = tensor.insert_slice %b into %t[%i] [1] [1] : tensor<f32> into tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=[("4xf32", 0), ("4xf32", 3)],
        numpy=twice,
    ),
    Program(
        "insert_slice_over_itself_by_a_row",
        """
        func.func @main(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
          %a = tensor.extract_slice %t[0, 0] [3, 4] [1, 1] : tensor<4x4xf32> to tensor<3x4xf32>
          %0 = tensor.insert_slice %a into %t[1, 0] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<4x4xf32>
          return %0 : tensor<4x4xf32>
        }""",
        args=("4x4xf32",),
        numpy=lambda t: np.concatenate([t[:1], t[:3]]),
    ),
    Program(
        "slice_put_back_where_it_was",
        """
        func.func @main(%t: tensor<8xf32>, %i: index, %f: f32) -> tensor<8xf32> {
          %a = tensor.extract_slice %t[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %0 = tensor.insert_slice %a into %t[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=[("8xf32", 0, 99.0), ("8xf32", 4, 99.0)],
        numpy=put,
    ),
    Program(
        "old_slice_put_back_after_an_update",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
          %c3 = arith.constant 3 : index
          %a = tensor.extract_slice %t[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %0 = tensor.insert %f into %t[%c3] : tensor<8xf32>
          %1 = tensor.insert_slice %a into %0[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=("8xf32", 99.0),
        numpy=lambda t, f: t,
    ),
    Program(
        "old_slice_put_back_after_an_update_beside_it",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
          %c7 = arith.constant 7 : index
          %a = tensor.extract_slice %t[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %0 = tensor.insert %f into %t[%c7] : tensor<8xf32>
          %1 = tensor.insert_slice %a into %0[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=("8xf32", 99.0),
        numpy=lambda t, f: put(t, 7, f),
        fewer=True,
    ),
    Program(
        "diagonal_blocks_multiplied_with_each_other",
        """
        func.func @main(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
          %a = tensor.extract_slice %t[0, 0] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
          %b = tensor.extract_slice %t[2, 2] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
          %c = tensor.extract_slice %t[0, 2] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
          %d = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%c : tensor<2x2xf32>)
              -> tensor<2x2xf32>
          %0 = tensor.insert_slice %d into %t[0, 2] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
          return %0 : tensor<4x4xf32>
        }""",
        args=("4x4xf32",),
        numpy=lambda t: put(t, np.s_[:2, 2:], t[:2, 2:] + t[:2, :2] @ t[2:, 2:]),
        fewer=True,
    ),
    Program(
        "block_multiplied_into_itself",
        """
        func.func @main(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
          %a = tensor.extract_slice %t[0, 0] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
          %b = tensor.extract_slice %t[1, 1] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
          %d = linalg.matmul ins(%a, %a : tensor<2x2xf32>, tensor<2x2xf32>) outs(%b : tensor<2x2xf32>)
              -> tensor<2x2xf32>
          %0 = tensor.insert_slice %d into %t[1, 1] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
          return %0 : tensor<4x4xf32>
        }""",
        args=("4x4xf32",),
        numpy=lambda t: put(t, np.s_[1:3, 1:3], t[1:3, 1:3] + t[:2, :2] @ t[:2, :2]),
    ),
]
