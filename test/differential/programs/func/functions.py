"""func.func, func.call, func.return: what a call reads, updates and returns, seen from both sides of the call."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

SET = """
func.func private @set(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
  %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

GET = """
func.func private @get(%t: tensor<4xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<4xf32>
  return %0 : f32
}
"""

# Writes its first argument with what it reads from its second: the order matters when they are one buffer.
ROTATE = """
func.func private @rotate(%into: tensor<4xf32>, %from: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %into) -> tensor<4xf32> {
    %1 = arith.addi %i, %c1 : index
    %2 = arith.remui %1, %c4 : index
    %3 = tensor.extract %from[%i] : tensor<4xf32>
    %4 = tensor.insert %3 into %t[%2] : tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
"""


PROGRAMS = [
    Program(
        "argument_returned",
        """
        func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> {
          return %t : tensor<4xf32>
        }""",
        args=("4xf32",),
        numpy=lambda t: t,
    ),
    Program(
        "argument_updated",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32", 2, 9.0),
        numpy=put,
    ),
    Program(
        "argument_updated_and_returned_unchanged_too",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
          return %t, %0 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 2, 9.0),
        numpy=lambda t, i, f: (t, put(t, i, f)),
    ),
    Program(
        "argument_read_after_update",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
          %1 = tensor.extract %t[%i] : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 2, 9.0),
        numpy=lambda t, i, f: (put(t, i, f), t[i]),
    ),
    Program(
        "argument_read_before_update",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = tensor.extract %t[%i] : tensor<4xf32>
          %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
          return %1, %0 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 2, 9.0),
        numpy=lambda t, i, f: (put(t, i, f), t[i]),
    ),
    Program(
        "one_value_returned_twice",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
          return %0, %0 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 2, 9.0),
        numpy=lambda t, i, f: (put(t, i, f), put(t, i, f)),
    ),
    Program(
        "new_value_returned_twice",
        """
        func.func @main(%f: f32) -> (tensor<4xf32>, f32, tensor<4xf32>) {
          %0 = tensor.splat %f : tensor<4xf32>
          return %0, %f, %0 : tensor<4xf32>, f32, tensor<4xf32>
        }""",
        args=(3.0,),
        numpy=lambda f: (np.full(4, f, np.float32), f, np.full(4, f, np.float32)),
    ),
    Program(
        "arguments_returned_swapped",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
          return %b, %a : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", "4xf32"),
        numpy=lambda a, b: (b, a),
    ),
    Program(
        "argument_slice_returned",
        """
        func.func @main(%t: tensor<8xf32>) -> tensor<3xf32> {
          %0 = tensor.extract_slice %t[1] [3] [2] : tensor<8xf32> to tensor<3xf32>
          return %0 : tensor<3xf32>
        }""",
        args=("8xf32",),
        numpy=lambda t: t[1:7:2],
    ),
    Program(
        "argument_slice_returned_and_argument_updated",
        """
        func.func @main(%t: tensor<8xf32>, %f: f32) -> (tensor<3xf32>, tensor<8xf32>) {
          %c1 = arith.constant 1 : index
          %0 = tensor.extract_slice %t[1] [3] [2] : tensor<8xf32> to tensor<3xf32>
          %1 = tensor.insert %f into %t[%c1] : tensor<8xf32>
          return %0, %1 : tensor<3xf32>, tensor<8xf32>
        }""",
        args=("8xf32", 99.0),
        numpy=lambda t, f: (t[1:7:2], put(t, 1, f)),
    ),
    Program(
        "two_slices_of_one_result_returned",
        """
        func.func @main(%f: f32) -> (tensor<2xf32>, tensor<2xf32>) {
          %c3 = arith.constant 3 : index
          %0 = tensor.splat %f : tensor<4xf32>
          %g = arith.addf %f, %f : f32
          %1 = tensor.insert %g into %0[%c3] : tensor<4xf32>
          %2 = tensor.extract_slice %1[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
          %3 = tensor.extract_slice %1[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
          return %2, %3 : tensor<2xf32>, tensor<2xf32>
        }""",
        args=(3.0,),
        numpy=lambda f: (np.array([f, f], np.float32), np.array([f, f + f], np.float32)),
    ),
    Program(
        "scalars_in_and_out",
        """
        func.func @main(%a: f32, %b: i1, %c: index) -> (index, i1, f32) {
          return %c, %b, %a : index, i1, f32
        }""",
        args=(1.5, True, 7),
        numpy=lambda a, b, c: (c, b, a),
    ),
    Program(
        "call_reads",
        GET
        + """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (f32, tensor<4xf32>) {
          %0 = func.call @get(%t, %i) : (tensor<4xf32>, index) -> f32
          %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
          return %0, %1 : f32, tensor<4xf32>
        }""",
        args=("4xf32", 2, 9.0),
        numpy=lambda t, i, f: (t[i], put(t, i, f)),
    ),
    Program(
        "call_reads_what_was_overwritten",
        GET
        + """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (f32, tensor<4xf32>) {
          %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
          %1 = func.call @get(%t, %i) : (tensor<4xf32>, index) -> f32
          return %1, %0 : f32, tensor<4xf32>
        }""",
        args=("4xf32", 2, 9.0),
        numpy=lambda t, i, f: (t[i], put(t, i, f)),
    ),
    Program(
        "call_updates_dead_argument",
        SET
        + """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = func.call @set(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32", 2, 9.0),
        numpy=put,
    ),
    Program(
        "call_updates_argument_read_later",
        SET
        + """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = func.call @set(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %1 = tensor.extract %t[%i] : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 2, 9.0),
        numpy=lambda t, i, f: (put(t, i, f), t[i]),
    ),
    Program(
        "call_updates_constant",
        SET
        + """
        func.func @main(%i: index, %f: f32) -> tensor<4xf32> {
          %t = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
          %0 = func.call @set(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=(2, 9.0),
        numpy=lambda i, f: put(np.array([1, 2, 3, 4], np.float32), i, f),
    ),
    Program(
        "call_twice_on_the_same_tensor",
        SET
        + """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32, %g: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = func.call @set(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %1 = func.call @set(%t, %i, %g) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 2, 8.0, 9.0),
        numpy=lambda t, i, f, g: (put(t, i, f), put(t, i, g)),
    ),
    Program(
        "calls_chained",
        SET
        + """
        func.func @main(%t: tensor<4xf32>, %i: index, %j: index, %f: f32) -> tensor<4xf32> {
          %0 = func.call @set(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %1 = func.call @set(%0, %j, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        args=("4xf32", 2, 0, 9.0),
        numpy=lambda t, i, j, f: put(put(t, i, f), j, f),
    ),
    Program(
        "call_with_one_tensor_as_both_arguments",
        ROTATE
        + """
        func.func @main(%t: tensor<4xf32>) -> tensor<4xf32> {
          %0 = func.call @rotate(%t, %t) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32",),
        numpy=lambda t: np.roll(t, 1),
    ),
    Program(
        "call_with_one_tensor_in_two_versions",
        SET
        + ROTATE
        + """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = func.call @set(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %1 = func.call @rotate(%0, %t) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        args=("4xf32", 2, 9.0),
        numpy=lambda t, i, f: np.roll(t, 1),
    ),
    Program(
        "call_with_overlapping_slices",
        ROTATE
        + """
        func.func @main(%t: tensor<6xf32>) -> tensor<6xf32> {
          %0 = tensor.extract_slice %t[2] [4] [1] : tensor<6xf32> to tensor<4xf32>
          %1 = tensor.extract_slice %t[0] [4] [1] : tensor<6xf32> to tensor<4xf32>
          %2 = func.call @rotate(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %3 = tensor.insert_slice %2 into %t[2] [4] [1] : tensor<4xf32> into tensor<6xf32>
          return %3 : tensor<6xf32>
        }""",
        args=("6xf32",),
        numpy=lambda t: np.concatenate([t[:2], np.roll(t[:4], 1)]),
    ),
    Program(
        "call_with_disjoint_slices",
        ROTATE
        + """
        func.func @main(%t: tensor<8xf32>) -> tensor<8xf32> {
          %0 = tensor.extract_slice %t[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %1 = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
          %2 = func.call @rotate(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %3 = tensor.insert_slice %2 into %t[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
          return %3 : tensor<8xf32>
        }""",
        args=("8xf32",),
        numpy=lambda t: np.concatenate([t[:4], np.roll(t[:4], 1)]),
        fewer=True,
    ),
    Program(
        "call_returns_its_argument",
        """
        func.func private @same(%t: tensor<4xf32>) -> tensor<4xf32> {
          return %t : tensor<4xf32>
        }
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = func.call @same(%t) : (tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          %2 = tensor.extract %t[%i] : tensor<4xf32>
          return %1, %2 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 2, 9.0),
        numpy=lambda t, i, f: (put(t, i, f), t[i]),
    ),
    Program(
        "call_returns_its_arguments_swapped",
        """
        func.func private @swap(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
          return %b, %a : tensor<4xf32>, tensor<4xf32>
        }
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: index, %f: f32)
            -> (tensor<4xf32>, tensor<4xf32>, f32) {
          %0:2 = func.call @swap(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
          %1 = tensor.insert %f into %0#0[%i] : tensor<4xf32>
          %2 = tensor.extract %b[%i] : tensor<4xf32>
          return %1, %0#1, %2 : tensor<4xf32>, tensor<4xf32>, f32
        }""",
        args=("4xf32", "4xf32", 2, 99.0),
        numpy=lambda a, b, i, f: (put(b, i, f), a, b[i]),
    ),
    Program(
        "call_returns_slice_of_its_argument",
        """
        func.func private @middle(%t: tensor<6xf32>) -> tensor<2xf32> {
          %0 = tensor.extract_slice %t[2] [2] [1] : tensor<6xf32> to tensor<2xf32>
          return %0 : tensor<2xf32>
        }
        func.func @main(%t: tensor<6xf32>, %f: f32) -> (tensor<2xf32>, tensor<6xf32>) {
          %0 = func.call @middle(%t) : (tensor<6xf32>) -> tensor<2xf32>
          %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<2xf32>) -> tensor<2xf32>
          return %1, %t : tensor<2xf32>, tensor<6xf32>
        }""",
        args=("6xf32", 9.0),
        numpy=lambda t, f: (np.full(2, f, np.float32), t),
    ),
    Program(
        "call_returns_new_tensor",
        """
        func.func private @fresh(%f: f32) -> tensor<4xf32> {
          %0 = tensor.splat %f : tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%f: f32, %i: index) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = func.call @fresh(%f) : (f32) -> tensor<4xf32>
          %1 = func.call @fresh(%f) : (f32) -> tensor<4xf32>
          %g = arith.addf %f, %f : f32
          %2 = tensor.insert %g into %1[%i] : tensor<4xf32>
          return %0, %2 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=(3.0, 1),
        numpy=lambda f, i: (np.full(4, f, np.float32), put(np.full(4, f, np.float32), i, f + f)),
    ),
    Program(
        "call_in_a_loop_updates_what_it_carries",
        SET
        + """
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {
            %1 = func.call @set(%u, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }""",
        args=[("4xf32", 0, 9.0), ("4xf32", 3, 9.0)],
        numpy=lambda t, n, f: np.concatenate([np.full(n, f, np.float32), t[n:]]),
    ),
]
