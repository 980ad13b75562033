"""vector.transfer_read and vector.transfer_write on tensors."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

PROGRAMS = [
    Program(
        "transfer_write_into_argument",
        """
        func.func @main(%t: tensor<8xf32>, %i: index, %f: f32) -> tensor<8xf32> {
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %0 = vector.transfer_write %v, %t[%i] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
          return %0 : tensor<8xf32>
        }""",
        args=[("8xf32", 0, 99.0), ("8xf32", 4, 99.0)],
        numpy=lambda t, i, f: put(t, slice(i, i + 4), f),
    ),
    Program(
        "transfer_write_into_argument_read_later",
        """
        func.func @main(%t: tensor<8xf32>, %i: index, %f: f32) -> (tensor<8xf32>, f32) {
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %0 = vector.transfer_write %v, %t[%i] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
          %1 = vector.transfer_read %t[%i], %f {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
          %2 = vector.reduction <add>, %1 : vector<4xf32> into f32
          return %0, %2 : tensor<8xf32>, f32
        }""",
        args=("8xf32", 2, 99.0),
        numpy=lambda t, i, f: (put(t, slice(i, i + 4), f), t[i : i + 4].sum()),
    ),
    Program(
        "transfer_read_then_write_shifted",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
          %c0 = arith.constant 0 : index
          %c2 = arith.constant 2 : index
          %0 = vector.transfer_read %t[%c0], %f {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
          %1 = vector.transfer_write %0, %t[%c2] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
          return %1 : tensor<8xf32>
        }""",
        args=("8xf32", 99.0),
        numpy=lambda t, f: put(t, slice(2, 6), t[:4]),
    ),
    Program(
        "transfer_beyond_the_end",
        """
        func.func @main(%t: tensor<?xf32>, %i: index, %j: index, %f: f32) -> tensor<?xf32> {
          %0 = vector.transfer_read %t[%i], %f : tensor<?xf32>, vector<4xf32>
          %1 = vector.transfer_write %0, %t[%j] : vector<4xf32>, tensor<?xf32>
          return %1 : tensor<?xf32>
        }""",
        args=[("6xf32", 4, 1, 99.0), ("6xf32", 0, 4, 99.0)],
        numpy=lambda t, i, j, f: put(t, slice(j, j + 4), np.append(t[i : i + 4], [f] * 4)[: len(t[j : j + 4])]),
    ),
    Program(
        "transfer_write_of_the_whole_tensor",
        """
        func.func @main(%t: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %0 = vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
          return %0, %t : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 99.0),
        numpy=lambda t, f: (np.full_like(t, f), t),
    ),
    Program(
        "transfer_write_beyond_the_whole_tensor",
        """
        func.func @main(%t: tensor<2x3xf32>, %f: f32) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
          %c0 = arith.constant 0 : index
          %v = vector.broadcast %f : f32 to vector<4x4xf32>
          %0 = vector.transfer_write %v, %t[%c0, %c0] : vector<4x4xf32>, tensor<2x3xf32>
          return %0, %t : tensor<2x3xf32>, tensor<2x3xf32>
        }""",
        args=("2x3xf32", 99.0),
        numpy=lambda t, f: (np.full_like(t, f), t),
    ),
    Program(
        "transfer_write_to_a_dynamic_size",
        """
        func.func @main(%t: tensor<?xf32>, %f: f32) -> (tensor<?xf32>, tensor<?xf32>) {
          %c0 = arith.constant 0 : index
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %0 = vector.transfer_write %v, %t[%c0] : vector<4xf32>, tensor<?xf32>
          return %0, %t : tensor<?xf32>, tensor<?xf32>
        }""",
        args=[("3xf32", 99.0), ("6xf32", 99.0)],
        numpy=lambda t, f: (put(t, slice(0, 4), f), t),
    ),
    Program(
        "masked_transfer_write_keeps_the_rest",
        """
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %m = vector.create_mask %n : vector<4xi1>
          %0 = vector.transfer_write %v, %t[%c0], %m {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
          return %0, %t : tensor<4xf32>, tensor<4xf32>
        }""",
        args=[("4xf32", n, 99.0) for n in (0, 2, 4)],
        numpy=lambda t, n, f: (put(t, slice(n), f), t),
        oracle_wrong="upstream takes a masked write of the whole tensor as overwriting all of it",
    ),
    Program(
        "transfer_write_transposed_into_its_source",
        """
        #transposed = affine_map<(i, j) -> (j, i)>
        func.func @main(%t: tensor<4x4xf32>, %f: f32) -> tensor<4x4xf32> {
          %c0 = arith.constant 0 : index
          %0 = vector.transfer_read %t[%c0, %c0], %f {in_bounds = [true, true]} : tensor<4x4xf32>, vector<4x4xf32>
          %1 = vector.transfer_write %0, %t[%c0, %c0] {in_bounds = [true, true], permutation_map = #transposed}
              : vector<4x4xf32>, tensor<4x4xf32>
          return %1 : tensor<4x4xf32>
        }""",
        args=("4x4xf32", 99.0),
        numpy=lambda t, f: t.T,
    ),
    Program(
        "transfers_in_a_loop",
        """
        func.func @main(%t: tensor<12xf32>, %f: f32) -> tensor<12xf32> {
          %c0 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %c12 = arith.constant 12 : index
          %0 = scf.for %i = %c0 to %c12 step %c4 iter_args(%u = %t) -> tensor<12xf32> {
            %1 = vector.transfer_read %u[%i], %f {in_bounds = [true]} : tensor<12xf32>, vector<4xf32>
            %2 = arith.mulf %1, %1 : vector<4xf32>
            %3 = vector.transfer_write %2, %u[%i] {in_bounds = [true]} : vector<4xf32>, tensor<12xf32>
            scf.yield %3 : tensor<12xf32>
          }
          return %0 : tensor<12xf32>
        }""",
        args=("12xf32", 99.0),
        numpy=lambda t, f: t * t,
    ),
    Program(
        "transfer_of_a_slice_written_back",
        """
        func.func @main(%t: tensor<4x6xf32>, %i: index, %f: f32) -> tensor<4x6xf32> {
          %c0 = arith.constant 0 : index
          %0 = tensor.extract_slice %t[%i, 1] [1, 4] [1, 1] : tensor<4x6xf32> to tensor<4xf32>
          %1 = vector.transfer_read %0[%c0], %f {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
          %2 = arith.addf %1, %1 : vector<4xf32>
          %3 = vector.transfer_write %2, %0[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
          %4 = tensor.insert_slice %3 into %t[%i, 1] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x6xf32>
          return %4 : tensor<4x6xf32>
        }""",
        args=("4x6xf32", 2, 99.0),
        numpy=lambda t, i, f: put(t, (i, slice(1, 5)), 2 * t[i, 1:5]),
    ),
]
