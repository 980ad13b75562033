"""Buffers of many layouts that cross function boundaries: rows, columns, tiles, casts, reshapes, loops and choices."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

PUT = """
func.func private @put(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
  %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

FILL = """
func.func private @fill(%t: tensor<2x2xf32>, %f: f32) -> tensor<2x2xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%t : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
"""

FLAT = """
func.func private @flat(%t: tensor<2x2xf32>, %i: index) -> f32 {
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  return %1 : f32
}
"""

NEW = """
func.func private @new(%f: f32) -> tensor<4xf32> {
  %0 = tensor.splat %f : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def block(t: np.ndarray, row: int, column: int, f: float) -> np.ndarray:
    return put(t, np.s_[row : row + 2, column : column + 2], f)


PROGRAMS = [
    Program(
        "contiguous_at_every_call",
        PUT
        + NEW
        + """
        func.func @main(%i: index, %f: f32, %g: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = func.call @new(%f) : (f32) -> tensor<4xf32>
          %1 = func.call @put(%0, %i, %g) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %2 = func.call @new(%g) : (f32) -> tensor<4xf32>
          %3 = func.call @put(%2, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %1, %3 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=(2, 5.0, 9.0),
        numpy=lambda i, f, g: (
            put(np.full(4, f, np.float32), i, g),
            put(np.full(4, g, np.float32), i, f),
        ),
    ),
    Program(
        "row_and_column_at_two_calls",
        PUT
        + """
        func.func @main(%t: tensor<4x4xf32>, %i: index, %f: f32) -> tensor<4x4xf32> {
          %r = tensor.extract_slice %t[%i, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %0 = func.call @put(%r, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %1 = tensor.insert_slice %0 into %t[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
          %c = tensor.extract_slice %1[0, 3] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %2 = func.call @put(%c, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %3 = tensor.insert_slice %2 into %1[0, 3] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
          return %3 : tensor<4x4xf32>
        }""",
        args=("4x4xf32", 1, 99.0),
        numpy=lambda t, i, f: put(put(t, (i, i), f), (i, 3), f),
        fewer=True,
    ),
    Program(
        "row_and_new_tensor_at_two_calls",
        PUT
        + """
        func.func @main(%t: tensor<4x4xf32>, %i: index, %f: f32) -> (tensor<4x4xf32>, tensor<4xf32>) {
          %e = tensor.splat %f : tensor<4xf32>
          %g = arith.addf %f, %f : f32
          %0 = func.call @put(%e, %i, %g) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %r = tensor.extract_slice %t[2, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %1 = func.call @put(%r, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %2 = tensor.insert_slice %1 into %t[2, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
          return %2, %0 : tensor<4x4xf32>, tensor<4xf32>
        }""",
        args=("4x4xf32", 3, 99.0),
        numpy=lambda t, i, f: (put(t, (2, i), f), put(np.full(4, f, np.float32), i, f + f)),
        fewer=True,
    ),
    Program(
        "column_that_is_read_later",
        PUT
        + """
        func.func @main(%t: tensor<4x4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %c = tensor.extract_slice %t[0, 1] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %0 = func.call @put(%c, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %c1 = arith.constant 1 : index
          %1 = tensor.extract %t[%i, %c1] : tensor<4x4xf32>
          return %0, %1 : tensor<4xf32>, f32
        }""",
        args=("4x4xf32", 2, 99.0),
        numpy=lambda t, i, f: (put(t[:, 1], i, f), t[i, 1]),
    ),
    Program(
        "tiles_in_place_through_a_call",
        FILL
        + """
        func.func @main(%t: tensor<4x6xf32>, %f: f32) -> tensor<4x6xf32> {
          %c0 = arith.constant 0 : index
          %c2 = arith.constant 2 : index
          %c6 = arith.constant 6 : index
          %0 = scf.for %j = %c0 to %c6 step %c2 iter_args(%u = %t) -> tensor<4x6xf32> {
            %1 = tensor.extract_slice %u[1, %j] [2, 2] [1, 1] : tensor<4x6xf32> to tensor<2x2xf32>
            %2 = func.call @fill(%1, %f) : (tensor<2x2xf32>, f32) -> tensor<2x2xf32>
            %3 = tensor.insert_slice %2 into %u[1, %j] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x6xf32>
            scf.yield %3 : tensor<4x6xf32>
          }
          return %0 : tensor<4x6xf32>
        }""",
        args=("4x6xf32", 99.0),
        numpy=lambda t, f: put(t, np.s_[1:3], f),
        fewer=True,
    ),
    Program(
        "tiles_of_two_matrices",
        FILL
        + """
        func.func @main(%t: tensor<4x6xf32>, %u: tensor<4x5xf32>, %f: f32) -> (tensor<4x6xf32>, tensor<4x5xf32>) {
          %0 = tensor.extract_slice %t[1, 2] [2, 2] [1, 1] : tensor<4x6xf32> to tensor<2x2xf32>
          %1 = func.call @fill(%0, %f) : (tensor<2x2xf32>, f32) -> tensor<2x2xf32>
          %2 = tensor.insert_slice %1 into %t[1, 2] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x6xf32>
          %3 = tensor.extract_slice %u[2, 3] [2, 2] [1, 1] : tensor<4x5xf32> to tensor<2x2xf32>
          %4 = func.call @fill(%3, %f) : (tensor<2x2xf32>, f32) -> tensor<2x2xf32>
          %5 = tensor.insert_slice %4 into %u[2, 3] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x5xf32>
          return %2, %5 : tensor<4x6xf32>, tensor<4x5xf32>
        }""",
        args=("4x6xf32", "4x5xf32", 99.0),
        numpy=lambda t, u, f: (block(t, 1, 2, f), block(u, 2, 3, f)),
        fewer=True,
    ),
    Program(
        "collapse_of_a_tile_in_the_callee",
        FLAT
        + """
        func.func @main(%t: tensor<4x4xf32>, %i: index) -> (f32, f32) {
          %0 = tensor.extract_slice %t[1, 1] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
          %1 = func.call @flat(%0, %i) : (tensor<2x2xf32>, index) -> f32
          %2 = tensor.extract_slice %t[2, 0] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
          %3 = func.call @flat(%2, %i) : (tensor<2x2xf32>, index) -> f32
          return %1, %3 : f32, f32
        }""",
        args=[("4x4xf32", i) for i in range(4)],
        numpy=lambda t, i: (t[1:3, 1:3].ravel()[i], t[2:4, 0:2].ravel()[i]),
    ),
    Program(
        "collapse_of_a_new_tensor_in_the_callee",
        FLAT
        + """
        func.func @main(%t: tensor<4x4xf32>, %i: index, %f: f32) -> f32 {
          %e = tensor.empty() : tensor<2x2xf32>
          %0 = tensor.extract_slice %t[1, 1] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
          %1 = linalg.negf ins(%0 : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
          %2 = func.call @flat(%1, %i) : (tensor<2x2xf32>, index) -> f32
          return %2 : f32
        }""",
        args=[("4x4xf32", i, 1.0) for i in range(4)],
        numpy=lambda t, i, f: -t[1:3, 1:3].ravel()[i],
        fewer=True,
    ),
    Program(
        "leading_block_of_dynamic_size_is_collapsed",
        """
        func.func @main(%t: tensor<?x?xf32>, %n: index) -> tensor<?xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %d0 = tensor.dim %t, %c0 : tensor<?x?xf32>
          %d1 = tensor.dim %t, %c1 : tensor<?x?xf32>
          %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
          %0 = linalg.negf ins(%t : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
          %1 = tensor.extract_slice %0[0, 0] [%n, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
          %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
          return %2 : tensor<?xf32>
        }""",
        args=[("4x5xf32", 3), ("4x5xf32", 1), ("3x3xf32", 3)],
        numpy=lambda t, n: -t[:n, :n].ravel(),
    ),
    Program(
        "leading_block_of_dynamic_size_goes_to_a_call",
        """
        func.func private @last(%t: tensor<?x?xf32>) -> f32 {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = tensor.collapse_shape %t [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
          %d = tensor.dim %0, %c0 : tensor<?xf32>
          %i = arith.subi %d, %c1 : index
          %1 = tensor.extract %0[%i] : tensor<?xf32>
          return %1 : f32
        }
        func.func @main(%t: tensor<?x?xf32>, %n: index) -> f32 {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %d0 = tensor.dim %t, %c0 : tensor<?x?xf32>
          %d1 = tensor.dim %t, %c1 : tensor<?x?xf32>
          %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
          %0 = linalg.negf ins(%t : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
          %1 = tensor.extract_slice %0[0, 0] [%n, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
          %2 = func.call @last(%1) : (tensor<?x?xf32>) -> f32
          return %2 : f32
        }""",
        args=[("4x5xf32", 3), ("4x5xf32", 1)],
        numpy=lambda t, n: -t[n - 1, n - 1],
    ),
    Program(
        "casts_around_a_call",
        """
        func.func private @put(%t: tensor<?xf32>, %i: index, %f: f32) -> tensor<?xf32> {
          %0 = tensor.insert %f into %t[%i] : tensor<?xf32>
          return %0 : tensor<?xf32>
        }
        func.func @main(%t: tensor<4x4xf32>, %i: index, %f: f32) -> tensor<4x4xf32> {
          %0 = tensor.extract_slice %t[0, 2] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %1 = tensor.cast %0 : tensor<4xf32> to tensor<?xf32>
          %2 = func.call @put(%1, %i, %f) : (tensor<?xf32>, index, f32) -> tensor<?xf32>
          %3 = tensor.cast %2 : tensor<?xf32> to tensor<4xf32>
          %4 = tensor.insert_slice %3 into %t[0, 2] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
          return %4 : tensor<4x4xf32>
        }""",
        args=("4x4xf32", 1, 99.0),
        numpy=lambda t, i, f: put(t, (i, 2), f),
        fewer=True,
    ),
    Program(
        "expand_in_the_callee_of_a_column",
        """
        func.func private @corner(%t: tensor<4xf32>, %i: index) -> f32 {
          %0 = tensor.expand_shape %t [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
          %1 = tensor.extract %0[%i, %i] : tensor<2x2xf32>
          return %1 : f32
        }
        func.func @main(%t: tensor<4x4xf32>, %i: index) -> f32 {
          %0 = tensor.extract_slice %t[0, 2] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %1 = func.call @corner(%0, %i) : (tensor<4xf32>, index) -> f32
          return %1 : f32
        }""",
        args=[("4x4xf32", 0), ("4x4xf32", 1)],
        numpy=lambda t, i: t[3 * i, 2],
    ),
    Program(
        "result_is_a_part_of_the_argument",
        """
        func.func private @row(%t: tensor<4x4xf32>, %i: index) -> tensor<4xf32> {
          %0 = tensor.extract_slice %t[%i, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func private @column(%t: tensor<4x4xf32>, %i: index) -> tensor<4xf32> {
          %0 = tensor.extract_slice %t[0, %i] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%t: tensor<4x4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = func.call @row(%t, %i) : (tensor<4x4xf32>, index) -> tensor<4xf32>
          %1 = func.call @column(%t, %i) : (tensor<4x4xf32>, index) -> tensor<4xf32>
          %2 = tensor.insert %f into %0[%i] : tensor<4xf32>
          %3 = tensor.extract %1[%i] : tensor<4xf32>
          return %2, %3 : tensor<4xf32>, f32
        }""",
        args=("4x4xf32", 2, 99.0),
        numpy=lambda t, i, f: (put(t[i], i, f), t[i, i]),
    ),
    Program(
        "chain_of_calls_passes_a_column_on",
        PUT
        + """
        func.func private @second(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = func.call @put(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func private @first(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = func.call @second(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%t: tensor<4x4xf32>, %i: index, %f: f32) -> tensor<4x4xf32> {
          %0 = tensor.extract_slice %t[0, 1] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %1 = func.call @first(%0, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %2 = tensor.insert_slice %1 into %t[0, 1] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
          return %2 : tensor<4x4xf32>
        }""",
        args=("4x4xf32", 3, 99.0),
        numpy=lambda t, i, f: put(t, (i, 1), f),
        fewer=True,
    ),
    Program(
        "loop_in_the_callee_swaps_a_row_and_a_column",
        """
        func.func private @swap(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index, %f: f32)
            -> (tensor<4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
            %1 = tensor.insert %f into %x[%i] : tensor<4xf32>
            scf.yield %y, %1 : tensor<4xf32>, tensor<4xf32>
          }
          return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
        }
        func.func @main(%t: tensor<4x4xf32>, %u: tensor<4x4xf32>, %n: index, %f: f32)
            -> (tensor<4xf32>, tensor<4xf32>) {
          %a = tensor.extract_slice %t[1, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %b = tensor.extract_slice %u[0, 2] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %0:2 = func.call @swap(%a, %b, %n, %f)
              : (tensor<4xf32>, tensor<4xf32>, index, f32) -> (tensor<4xf32>, tensor<4xf32>)
          return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=[("4x4xf32", "4x4xf32", n, 99.0) for n in (0, 1, 2, 3)],
        numpy=lambda t, u, n, f: swapped(t[1], u[:, 2], n, f),
        upstream_refuses="Yield operand #0 is not equivalent",
        fewer=True,
    ),
    Program(
        "choice_between_a_row_and_a_column_goes_to_a_call",
        PUT
        + """
        func.func @main(%t: tensor<4x4xf32>, %i: index, %f: f32, %p: i1) -> (tensor<4xf32>, f32) {
          %a = tensor.extract_slice %t[1, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %b = tensor.extract_slice %t[0, 2] [4, 1] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
          %c = arith.select %p, %a, %b : tensor<4xf32>
          %0 = func.call @put(%c, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %1 = tensor.extract %c[%i] : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, f32
        }""",
        args=[("4x4xf32", 3, 99.0, p) for p in (True, False)],
        numpy=lambda t, i, f, p: (put(t[1] if p else t[:, 2], i, f), (t[1] if p else t[:, 2])[i]),
    ),
    Program(
        "branches_yield_a_row_and_a_new_tensor",
        PUT
        + """
        func.func @main(%t: tensor<4x4xf32>, %i: index, %f: f32, %p: i1) -> tensor<4xf32> {
          %0 = scf.if %p -> tensor<4xf32> {
            %a = tensor.extract_slice %t[%i, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
            scf.yield %a : tensor<4xf32>
          } else {
            %b = tensor.splat %f : tensor<4xf32>
            scf.yield %b : tensor<4xf32>
          }
          %g = arith.addf %f, %f : f32
          %1 = func.call @put(%0, %i, %g) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        args=[("4x4xf32", 3, 99.0, p) for p in (True, False)],
        numpy=lambda t, i, f, p: put(t[i] if p else np.full(4, f, np.float32), i, f + f),
    ),
    Program(
        "reversed_tile_with_steps",
        FILL
        + """
        func.func @main(%t: tensor<5x7xf32>, %f: f32) -> tensor<5x7xf32> {
          %0 = tensor.extract_slice %t[1, 0] [2, 2] [2, 3] : tensor<5x7xf32> to tensor<2x2xf32>
          %1 = func.call @fill(%0, %f) : (tensor<2x2xf32>, f32) -> tensor<2x2xf32>
          %2 = tensor.insert_slice %1 into %t[1, 0] [2, 2] [2, 3] : tensor<2x2xf32> into tensor<5x7xf32>
          return %2 : tensor<5x7xf32>
        }""",
        args=("5x7xf32", 99.0),
        numpy=lambda t, f: put(t, np.s_[1:4:2, 0:4:3], f),
        fewer=True,
    ),
    Program(
        "constant_and_new_tensor_at_two_calls",
        """
        func.func private @sum(%t: tensor<4xf32>, %i: index, %j: index) -> f32 {
          %0 = tensor.extract %t[%i] : tensor<4xf32>
          %1 = tensor.extract %t[%j] : tensor<4xf32>
          %2 = arith.addf %0, %1 : f32
          return %2 : f32
        }
        func.func @main(%f: f32, %i: index, %j: index) -> (f32, f32) {
          %k = arith.constant dense<[3.0, 5.0, 7.0, 11.0]> : tensor<4xf32>
          %t = tensor.splat %f : tensor<4xf32>
          %0 = func.call @sum(%k, %i, %j) : (tensor<4xf32>, index, index) -> f32
          %1 = func.call @sum(%t, %i, %j) : (tensor<4xf32>, index, index) -> f32
          return %0, %1 : f32, f32
        }""",
        args=(9.0, 1, 3),
        numpy=lambda f, i, j: (np.float32(16.0), np.float32(f + f)),
    ),
]


def swapped(a: np.ndarray, b: np.ndarray, n: int, f: float) -> tuple[np.ndarray, np.ndarray]:
    for i in range(n):
        a, b = b, put(a, i, f)
    return a, b
