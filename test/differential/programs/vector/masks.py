"""vector.mask, vector.gather and vector.scatter on tensors, and transfers of boxes that are known to be apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..program import Program, put

Array = np.ndarray[Any, Any]


def scattered(tensor: Array, start: int, indices: Array, values: Array, mask: Array) -> Array:
    """vector.scatter of `values` where `mask` says so."""
    return put(tensor, start + indices[mask], values[mask])


PROGRAMS = [
    Program(
        "masked_transfer_write_in_place",
        """
        func.func @main(%t: tensor<8xf32>, %i: index, %n: index, %f: f32) -> tensor<8xf32> {
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %m = vector.create_mask %n : vector<4xi1>
          %0 = vector.mask %m { vector.transfer_write %v, %t[%i] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32> }
              : vector<4xi1> -> tensor<8xf32>
          return %0 : tensor<8xf32>
        }""",
        args=[("8xf32", 1, 0, 99.0), ("8xf32", 4, 3, 99.0), ("8xf32", 0, 4, 99.0)],
        numpy=lambda t, i, n, f: put(t, slice(i, i + n), f),
    ),
    Program(
        "masked_transfer_write_read_later",
        """
        func.func @main(%t: tensor<8xf32>, %i: index, %n: index, %f: f32) -> (tensor<8xf32>, f32) {
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %m = vector.create_mask %n : vector<4xi1>
          %0 = vector.mask %m { vector.transfer_write %v, %t[%i] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32> }
              : vector<4xi1> -> tensor<8xf32>
          %1 = tensor.extract %t[%i] : tensor<8xf32>
          return %0, %1 : tensor<8xf32>, f32
        }""",
        args=[("8xf32", 1, 2, 99.0)],
        numpy=lambda t, i, n, f: (put(t, slice(i, i + n), f), t[i]),
    ),
    Program(
        "mask_of_the_whole_tensor_keeps_the_rest",
        """
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %m = vector.create_mask %n : vector<4xi1>
          %0 = vector.mask %m { vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32> }
              : vector<4xi1> -> tensor<4xf32>
          return %0, %t : tensor<4xf32>, tensor<4xf32>
        }""",
        args=[("4xf32", n, 99.0) for n in (0, 2, 4)],
        numpy=lambda t, n, f: (put(t, slice(n), f), t),
        oracle_wrong="upstream takes a masked write of the whole tensor as overwriting all of it",
    ),
    Program(
        "masked_transfer_read",
        """
        func.func @main(%t: tensor<8xf32>, %u: tensor<4xf32>, %i: index, %n: index, %f: f32) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %m = vector.create_mask %n : vector<4xi1>
          %0 = vector.mask %m { vector.transfer_read %t[%i], %f {in_bounds = [true]} : tensor<8xf32>, vector<4xf32> }
              : vector<4xi1> -> vector<4xf32>
          %1 = vector.transfer_write %0, %u[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        args=[("8xf32", "4xf32", 2, 3, 99.0), ("8xf32", "4xf32", 4, 0, 99.0)],
        numpy=lambda t, u, i, n, f: np.append(t[i : i + n], np.full(4 - n, f, t.dtype)),
    ),
    Program(
        "masked_transfer_read_of_what_is_written_first",
        """
        func.func @main(%t: tensor<8xf32>, %u: tensor<4xf32>, %i: index, %n: index, %f: f32)
            -> (tensor<8xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %m = vector.create_mask %n : vector<4xi1>
          %w = tensor.insert %f into %t[%i] : tensor<8xf32>
          %0 = vector.mask %m { vector.transfer_read %t[%i], %f {in_bounds = [true]} : tensor<8xf32>, vector<4xf32> }
              : vector<4xi1> -> vector<4xf32>
          %1 = vector.transfer_write %0, %u[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
          return %w, %1 : tensor<8xf32>, tensor<4xf32>
        }""",
        args=[("8xf32", "4xf32", 2, 3, 99.0)],
        numpy=lambda t, u, i, n, f: (put(t, i, f), np.append(t[i : i + n], np.full(4 - n, f, t.dtype))),
    ),
    Program(
        "masked_transfers_in_a_loop",
        """
        func.func @main(%t: tensor<?xf32>, %f: f32) -> tensor<?xf32> {
          %c0 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %d = tensor.dim %t, %c0 : tensor<?xf32>
          %0 = scf.for %i = %c0 to %d step %c4 iter_args(%u = %t) -> tensor<?xf32> {
            %n = arith.subi %d, %i : index
            %m = vector.create_mask %n : vector<4xi1>
            %1 = vector.mask %m { vector.transfer_read %u[%i], %f {in_bounds = [true]} : tensor<?xf32>, vector<4xf32> }
                : vector<4xi1> -> vector<4xf32>
            %2 = arith.mulf %1, %1 : vector<4xf32>
            %3 = vector.mask %m { vector.transfer_write %2, %u[%i] {in_bounds = [true]} : vector<4xf32>, tensor<?xf32> }
                : vector<4xi1> -> tensor<?xf32>
            scf.yield %3 : tensor<?xf32>
          }
          return %0 : tensor<?xf32>
        }""",
        args=[("11xf32", 99.0), ("3xf32", 99.0), ("0xf32", 99.0)],
        numpy=lambda t, f: t * t,
    ),
    Program(
        "masked_write_of_a_slice_put_back",
        """
        func.func @main(%t: tensor<3x6xf32>, %i: index, %n: index, %f: f32) -> tensor<3x6xf32> {
          %c0 = arith.constant 0 : index
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %m = vector.create_mask %n : vector<4xi1>
          %0 = tensor.extract_slice %t[%i, 1] [1, 4] [1, 1] : tensor<3x6xf32> to tensor<4xf32>
          %1 = vector.mask %m { vector.transfer_write %v, %0[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32> }
              : vector<4xi1> -> tensor<4xf32>
          %2 = tensor.insert_slice %1 into %t[%i, 1] [1, 4] [1, 1] : tensor<4xf32> into tensor<3x6xf32>
          return %2 : tensor<3x6xf32>
        }""",
        args=[("3x6xf32", 1, 2, 99.0), ("3x6xf32", 2, 0, 99.0)],
        numpy=lambda t, i, n, f: put(t, (i, slice(1, 1 + n)), f),
        oracle_wrong="upstream takes a masked write of the whole tensor as overwriting all of it",
    ),
    Program(
        "gather_of_an_argument",
        """
        func.func @main(%t: tensor<8xf32>, %x: tensor<4xi32>, %n: index, %u: tensor<4xf32>) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %b = arith.constant -7 : index
          %z = arith.constant 0 : i32
          %f = arith.constant 0.0 : f32
          %i = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : tensor<4xi32>, vector<4xi32>
          %p = vector.transfer_read %u[%c0], %f {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
          %m = vector.create_mask %n : vector<4xi1>
          %0 = vector.gather %t[%b] [%i], %m, %p
              : tensor<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
          %1 = vector.transfer_write %0, %u[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        args=[("8xf32", "4xi32", n, "4xf32") for n in (0, 1, 4)],
        numpy=lambda t, x, n, u: put(u, slice(n), t[x[:n] - 7]),
    ),
    Program(
        "gather_after_a_write",
        """
        func.func @main(%t: tensor<8xf32>, %i: index, %f: f32, %u: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %x = vector.step : vector<4xindex>
          %p = vector.broadcast %f : f32 to vector<4xf32>
          %m = vector.constant_mask [4] : vector<4xi1>
          %w = tensor.insert %f into %t[%i] : tensor<8xf32>
          %0 = vector.gather %t[%i] [%x], %m, %p
              : tensor<8xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
          %1 = vector.transfer_write %0, %u[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
          return %w, %1 : tensor<8xf32>, tensor<4xf32>
        }""",
        args=("8xf32", 2, 99.0, "4xf32"),
        numpy=lambda t, i, f, u: (put(t, i, f), t[i : i + 4]),
        oracle_wrong="upstream makes the gather a load that does not allow for strides",
    ),
    Program(
        "gather_of_a_matrix_before_a_write",
        """
        func.func @main(%t: tensor<3x4xf32>, %i: index, %f: f32, %u: tensor<4xf32>)
            -> (tensor<3x4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %x = arith.constant dense<[2, 0, 3, 2]> : vector<4xindex>
          %p = vector.broadcast %f : f32 to vector<4xf32>
          %m = vector.constant_mask [4] : vector<4xi1>
          %0 = vector.gather %t[%i, %c0] [%x], %m, %p
              : tensor<3x4xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32>
          %w = tensor.insert %f into %t[%i, %c0] : tensor<3x4xf32>
          %1 = vector.transfer_write %0, %u[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
          return %w, %1 : tensor<3x4xf32>, tensor<4xf32>
        }""",
        args=("3x4xf32", 1, 99.0, "4xf32"),
        numpy=lambda t, i, f, u: (put(t, (i, 0), f), t[i, [2, 0, 3, 2]]),
    ),
    Program(
        "scatter_into_an_argument",
        """
        func.func @main(%t: tensor<8xf32>, %n: index, %u: tensor<4xf32>, %f: f32) -> tensor<8xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %x = arith.constant dense<[5, 0, 6, 2]> : vector<4xi32>
          %v = vector.transfer_read %u[%c0], %f {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
          %m = vector.create_mask %n : vector<4xi1>
          %0 = vector.scatter %t[%c1] [%x], %m, %v
              : tensor<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> -> tensor<8xf32>
          return %0 : tensor<8xf32>
        }""",
        args=[("8xf32", n, "4xf32", 99.0) for n in (0, 3, 4)],
        numpy=lambda t, n, u, f: scattered(t, 1, np.array([5, 0, 6, 2]), u, np.arange(4) < n),
    ),
    Program(
        "scatter_into_what_is_read_later",
        """
        func.func @main(%t: tensor<8xf32>, %u: tensor<4xf32>, %f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
          %c0 = arith.constant 0 : index
          %x = arith.constant dense<[5, 0, 6, 2]> : vector<4xi32>
          %v = vector.transfer_read %u[%c0], %f {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
          %m = vector.constant_mask [4] : vector<4xi1>
          %0 = vector.scatter %t[%c0] [%x], %m, %v
              : tensor<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> -> tensor<8xf32>
          return %0, %t : tensor<8xf32>, tensor<8xf32>
        }""",
        args=("8xf32", "4xf32", 99.0),
        numpy=lambda t, u, f: (put(t, [5, 0, 6, 2], u), t),
    ),
    Program(
        "scatter_into_a_constant",
        """
        func.func @main(%u: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
          %x = arith.constant dense<[3, 0, 1, 2]> : vector<4xi32>
          %v = vector.transfer_read %u[%c0], %f {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
          %m = vector.constant_mask [2] : vector<4xi1>
          %0 = vector.scatter %k[%c0] [%x], %m, %v
              : tensor<4xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32", 99.0),
        numpy=lambda u, f: np.array([u[1], 2, 3, u[0]], np.float32),
    ),
    Program(
        "transfers_of_boxes_apart",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, f32) {
          %c0 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %0 = vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
          %1 = vector.transfer_read %t[%c4], %f {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
          %2 = vector.reduction <add>, %1 : vector<4xf32> into f32
          return %0, %2 : tensor<8xf32>, f32
        }""",
        args=("8xf32", 99.0),
        numpy=lambda t, f: (put(t, slice(4), f), t[4:].sum()),
        fewer=True,
    ),
    Program(
        "transfers_of_boxes_that_meet",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, f32) {
          %c0 = arith.constant 0 : index
          %c3 = arith.constant 3 : index
          %v = vector.broadcast %f : f32 to vector<4xf32>
          %0 = vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
          %1 = vector.transfer_read %t[%c3], %f {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
          %2 = vector.reduction <add>, %1 : vector<4xf32> into f32
          return %0, %2 : tensor<8xf32>, f32
        }""",
        args=("8xf32", 99.0),
        numpy=lambda t, f: (put(t, slice(4), f), t[3:7].sum()),
    ),
    Program(
        "transfers_of_transposed_boxes_apart",
        """
        #transposed = affine_map<(i, j) -> (j, i)>
        func.func @main(%t: tensor<4x6xf32>, %f: f32) -> (tensor<4x6xf32>, f32) {
          %c0 = arith.constant 0 : index
          %c2 = arith.constant 2 : index
          %v = vector.broadcast %f : f32 to vector<2x4xf32>
          %0 = vector.transfer_write %v, %t[%c0, %c0] {in_bounds = [true, true], permutation_map = #transposed}
              : vector<2x4xf32>, tensor<4x6xf32>
          %1 = vector.transfer_read %t[%c0, %c2], %f {in_bounds = [true, true]} : tensor<4x6xf32>, vector<4x4xf32>
          %2 = vector.shape_cast %1 : vector<4x4xf32> to vector<16xf32>
          %3 = vector.reduction <add>, %2 : vector<16xf32> into f32
          return %0, %3 : tensor<4x6xf32>, f32
        }""",
        args=("4x6xf32", 99.0),
        numpy=lambda t, f: (put(t, np.s_[:, :2], f), t[:, 2:].sum()),
        fewer=True,
    ),
    Program(
        "transfers_of_transposed_boxes_that_meet",
        """
        #transposed = affine_map<(i, j) -> (j, i)>
        func.func @main(%t: tensor<4x6xf32>, %f: f32) -> (tensor<4x6xf32>, f32) {
          %c0 = arith.constant 0 : index
          %c2 = arith.constant 2 : index
          %v = vector.broadcast %f : f32 to vector<4x2xf32>
          %0 = vector.transfer_write %v, %t[%c0, %c0] {in_bounds = [true, true], permutation_map = #transposed}
              : vector<4x2xf32>, tensor<4x6xf32>
          %1 = vector.transfer_read %t[%c0, %c2], %f {in_bounds = [true, true]} : tensor<4x6xf32>, vector<4x4xf32>
          %2 = vector.shape_cast %1 : vector<4x4xf32> to vector<16xf32>
          %3 = vector.reduction <add>, %2 : vector<16xf32> into f32
          return %0, %3 : tensor<4x6xf32>, f32
        }""",
        args=("4x6xf32", 99.0),
        numpy=lambda t, f: (put(t, np.s_[:2, :4], f), t[:, 2:].sum()),
    ),
    Program(
        "transfer_write_that_replaces_another_one",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32, %g: f32) -> (tensor<8xf32>, tensor<8xf32>) {
          %c2 = arith.constant 2 : index
          %v = vector.broadcast %f : f32 to vector<2xf32>
          %w = vector.broadcast %g : f32 to vector<4xf32>
          %0 = vector.transfer_write %v, %t[%c2] {in_bounds = [true]} : vector<2xf32>, tensor<8xf32>
          %1 = vector.transfer_write %w, %t[%c2] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
          return %0, %1 : tensor<8xf32>, tensor<8xf32>
        }""",
        args=("8xf32", 99.0, 98.0),
        numpy=lambda t, f, g: (put(t, slice(2, 4), f), put(t, slice(2, 6), g)),
    ),
    Program(
        "masked_transfer_write_does_not_replace_another_one",
        """
        func.func @main(%t: tensor<8xf32>, %n: index, %f: f32, %g: f32) -> (tensor<8xf32>, f32) {
          %c2 = arith.constant 2 : index
          %v = vector.broadcast %f : f32 to vector<2xf32>
          %w = vector.broadcast %g : f32 to vector<4xf32>
          %m = vector.create_mask %n : vector<4xi1>
          %0 = vector.transfer_write %v, %t[%c2] {in_bounds = [true]} : vector<2xf32>, tensor<8xf32>
          %e = tensor.extract %0[%c2] : tensor<8xf32>
          %1 = vector.transfer_write %w, %t[%c2], %m {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
          return %1, %e : tensor<8xf32>, f32
        }""",
        args=[("8xf32", n, 99.0, 98.0) for n in (0, 1, 4)],
        numpy=lambda t, n, f, g: (put(t, slice(2, 2 + n), g), np.float32(f)),
    ),
    Program(
        "transfer_write_over_a_dead_one",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32, %g: f32) -> (tensor<8xf32>, f32) {
          %c2 = arith.constant 2 : index
          %v = vector.broadcast %f : f32 to vector<2xf32>
          %w = vector.broadcast %g : f32 to vector<4xf32>
          %0 = vector.transfer_write %v, %t[%c2] {in_bounds = [true]} : vector<2xf32>, tensor<8xf32>
          %e = tensor.extract %0[%c2] : tensor<8xf32>
          %1 = vector.transfer_write %w, %t[%c2] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
          return %1, %e : tensor<8xf32>, f32
        }""",
        args=("8xf32", 99.0, 98.0),
        numpy=lambda t, f, g: (put(t, slice(2, 6), g), np.float32(f)),
        fewer=True,
    ),
    Program(
        "transfer_beyond_the_end_over_a_dead_one",
        """
        func.func @main(%t: tensor<5xf32>, %f: f32, %g: f32) -> (tensor<5xf32>, f32) {
          %c3 = arith.constant 3 : index
          %v = vector.broadcast %f : f32 to vector<2xf32>
          %w = vector.broadcast %g : f32 to vector<4xf32>
          %0 = vector.transfer_write %v, %t[%c3] {in_bounds = [true]} : vector<2xf32>, tensor<5xf32>
          %e = tensor.extract %0[%c3] : tensor<5xf32>
          %1 = vector.transfer_write %w, %t[%c3] : vector<4xf32>, tensor<5xf32>
          return %1, %e : tensor<5xf32>, f32
        }""",
        args=("5xf32", 99.0, 98.0),
        numpy=lambda t, f, g: (put(t, slice(3, 5), g), np.float32(f)),
        fewer=True,
    ),
    Program(
        "gather_of_a_column",
        """
        func.func @main(%t: tensor<5x4xf32>, %x: tensor<3xi32>, %j: index, %f: f32, %u: tensor<3xf32>)
            -> tensor<3xf32> {
          %c0 = arith.constant 0 : index
          %b = arith.constant -21 : index
          %z = arith.constant 0 : i32
          %i = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : tensor<3xi32>, vector<3xi32>
          %p = vector.broadcast %f : f32 to vector<3xf32>
          %m = vector.constant_mask [3] : vector<3xi1>
          %s = tensor.extract_slice %t[0, %j] [5, 1] [1, 1] : tensor<5x4xf32> to tensor<5xf32>
          %0 = vector.gather %s[%b] [%i], %m, %p
              : tensor<5xf32>, vector<3xi32>, vector<3xi1>, vector<3xf32> into vector<3xf32>
          %1 = vector.transfer_write %0, %u[%c0] {in_bounds = [true]} : vector<3xf32>, tensor<3xf32>
          return %1 : tensor<3xf32>
        }""",
        args=("5x4xf32", "3xi32", 2, 99.0, "3xf32"),
        numpy=lambda t, x, j, f, u: t[x - 21, j],
        oracle_cannot="upstream cannot lower a gather of a strided buffer",
    ),
    Program(
        "masked_gather_of_every_second_element",
        """
        func.func @main(%t: tensor<3x8xf32>, %i: index, %n: index, %u: tensor<4xf32>) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %f = arith.constant 0.0 : f32
          %x = arith.constant dense<[2, 0, 1, 2]> : vector<4xindex>
          %p = vector.transfer_read %u[%c0], %f {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
          %a = vector.constant_mask [4] : vector<4xi1>
          %m = vector.create_mask %n : vector<4xi1>
          %s = tensor.extract_slice %t[0, 1] [3, 4] [1, 2] : tensor<3x8xf32> to tensor<3x4xf32>
          %0 = vector.mask %m { vector.gather %s[%i, %c1] [%x], %a, %p
              : tensor<3x4xf32>, vector<4xindex>, vector<4xi1>, vector<4xf32> into vector<4xf32> }
              : vector<4xi1> -> vector<4xf32>
          %1 = vector.transfer_write %0, %u[%c0], %m {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        args=[("3x8xf32", 1, n, "4xf32") for n in (0, 3, 4)],
        numpy=lambda t, i, n, u: put(u, slice(n), t[i, [7, 3, 5, 7]][:n]),
        oracle_cannot="upstream cannot lower a gather of a strided buffer",
    ),
    Program(
        "scatter_into_a_column_put_back",
        """
        func.func @main(%t: tensor<5x4xf32>, %j: index, %f: f32) -> tensor<5x4xf32> {
          %c1 = arith.constant 1 : index
          %x = arith.constant dense<[3, 0]> : vector<2xi8>
          %v = vector.broadcast %f : f32 to vector<2xf32>
          %m = vector.constant_mask [2] : vector<2xi1>
          %s = tensor.extract_slice %t[0, %j] [5, 1] [1, 1] : tensor<5x4xf32> to tensor<5xf32>
          %0 = vector.scatter %s[%c1] [%x], %m, %v
              : tensor<5xf32>, vector<2xi8>, vector<2xi1>, vector<2xf32> -> tensor<5xf32>
          %1 = tensor.insert_slice %0 into %t[0, %j] [5, 1] [1, 1] : tensor<5xf32> into tensor<5x4xf32>
          return %1 : tensor<5x4xf32>
        }""",
        args=("5x4xf32", 2, 99.0),
        numpy=lambda t, j, f: put(t, ([4, 1], j), f),
        oracle_cannot="upstream cannot lower a scatter to a strided buffer",
    ),
    Program(
        "gather_of_a_matrix_of_elements",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32, %u: tensor<2x3xf32>) -> tensor<2x3xf32> {
          %c0 = arith.constant 0 : index
          %x = arith.constant dense<[[7, 0, 2], [1, 1, 6]]> : vector<2x3xindex>
          %p = vector.broadcast %f : f32 to vector<2x3xf32>
          %m = vector.constant_mask [2, 2] : vector<2x3xi1>
          %0 = vector.gather %t[%c0] [%x], %m, %p
              : tensor<8xf32>, vector<2x3xindex>, vector<2x3xi1>, vector<2x3xf32> into vector<2x3xf32>
          %1 = vector.transfer_write %0, %u[%c0, %c0] {in_bounds = [true, true]} : vector<2x3xf32>, tensor<2x3xf32>
          return %1 : tensor<2x3xf32>
        }""",
        args=("8xf32", 99.0, "2x3xf32"),
        numpy=lambda t, f, u: np.array([[t[7], t[0], f], [t[1], t[1], f]], t.dtype),
    ),
]
