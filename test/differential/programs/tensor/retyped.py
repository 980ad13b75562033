"""tensor.reshape: a target shape that is known, that is data, or whose length is data; bitcasts; unranked tensors."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

NO_ORACLE = "upstream does not run the program at all"
REFUSED = "op was not bufferized"
STRIDED_SHAPE = "memref.reshape is lowered as if the shape were contiguous and made of 64-bit numbers"


def turned(tensor: np.ndarray, steps: int, value: float) -> np.ndarray:
    """Height and width swapped in each step, without moving elements, and then one element replaced."""
    for step in range(steps):
        tensor = put(tensor.reshape(tensor.shape[::-1]), (1, step), value)
    return tensor


PROGRAMS = [
    Program(
        "reshape_to_a_static_shape",
        """
        func.func @main(%t: tensor<2x6xf32>, %i: index) -> (tensor<3x4xf32>, f32) {
          %s = arith.constant dense<[3, 4]> : tensor<2xindex>
          %0 = tensor.reshape %t(%s) : (tensor<2x6xf32>, tensor<2xindex>) -> tensor<3x4xf32>
          %1 = tensor.extract %0[%i, %i] : tensor<3x4xf32>
          return %0, %1 : tensor<3x4xf32>, f32
        }""",
        args=("2x6xf32", 2),
        numpy=lambda t, i: (t.reshape(3, 4), t.reshape(3, 4)[i, i]),
    ),
    Program(
        "reshape_of_a_new_tensor_updated_in_place",
        """
        func.func @main(%f: f32, %g: f32, %i: index) -> tensor<3x4xf32> {
          %s = arith.constant dense<[3, 4]> : tensor<2xindex>
          %e = tensor.empty() : tensor<2x6xf32>
          %t = linalg.fill ins(%f : f32) outs(%e : tensor<2x6xf32>) -> tensor<2x6xf32>
          %0 = tensor.reshape %t(%s) : (tensor<2x6xf32>, tensor<2xindex>) -> tensor<3x4xf32>
          %1 = tensor.insert %g into %0[%i, %i] : tensor<3x4xf32>
          return %1 : tensor<3x4xf32>
        }""",
        args=(1.0, 2.0, 2),
        numpy=lambda f, g, i: put(np.full((3, 4), f, np.float32), (i, i), g),
    ),
    Program(
        "reshape_updated_and_its_source_read_later",
        """
        func.func @main(%f: f32, %g: f32, %i: index) -> (tensor<4xf32>, tensor<2x2xf32>) {
          %s = arith.constant dense<4> : tensor<1xi32>
          %e = tensor.empty() : tensor<2x2xf32>
          %t = linalg.fill ins(%f : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
          %0 = tensor.reshape %t(%s) : (tensor<2x2xf32>, tensor<1xi32>) -> tensor<4xf32>
          %1 = tensor.insert %g into %0[%i] : tensor<4xf32>
          return %1, %t : tensor<4xf32>, tensor<2x2xf32>
        }""",
        args=(1.0, 2.0, 2),
        numpy=lambda f, g, i: (put(np.full(4, f, np.float32), i, g), np.full((2, 2), f, np.float32)),
    ),
    Program(
        "reshape_read_after_its_source_is_overwritten",
        """
        func.func @main(%t: tensor<2x2xf32>, %g: f32, %i: index) -> (f32, tensor<2x2xf32>) {
          %s = arith.constant dense<4> : tensor<1xi32>
          %0 = tensor.reshape %t(%s) : (tensor<2x2xf32>, tensor<1xi32>) -> tensor<4xf32>
          %1 = tensor.insert %g into %t[%i, %i] : tensor<2x2xf32>
          %j = arith.constant 3 : index
          %2 = tensor.extract %0[%j] : tensor<4xf32>
          return %2, %1 : f32, tensor<2x2xf32>
        }""",
        args=("2x2xf32", 9.0, 1),
        numpy=lambda t, g, i: (t.reshape(4)[3], put(t, (i, i), g)),
        fewer=True,
    ),
    Program(
        "reshape_by_sizes_that_are_arguments",
        """
        func.func @main(%t: tensor<12xf32>, %m: index, %n: index, %g: f32) -> (tensor<?x?xf32>, tensor<12xf32>) {
          %c0 = arith.constant 0 : index
          %s = tensor.from_elements %m, %n : tensor<2xindex>
          %0 = tensor.reshape %t(%s) : (tensor<12xf32>, tensor<2xindex>) -> tensor<?x?xf32>
          %1 = tensor.insert %g into %0[%c0, %c0] : tensor<?x?xf32>
          return %1, %t : tensor<?x?xf32>, tensor<12xf32>
        }""",
        args=[("12xf32", 3, 4, 9.0), ("12xf32", 12, 1, 9.0), ("12xf32", 1, 12, 9.0)],
        numpy=lambda t, m, n, g: (put(t.reshape(m, n), (0, 0), g), t),
        fewer=True,
    ),
    Program(
        "reshape_with_one_size_left_open",
        """
        func.func @main(%t: tensor<?x2xf32>, %n: i32) -> tensor<?x4xf32> {
          %c4 = arith.constant 4 : i32
          %s = tensor.from_elements %n, %c4 : tensor<2xi32>
          %0 = tensor.reshape %t(%s) : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<?x4xf32>
          return %0 : tensor<?x4xf32>
        }""",
        args=[("6x2xf32", 3), ("0x2xf32", 0), ("2x2xf32", 1)],
        numpy=lambda t, n: t.reshape(n, 4),
        oracle_wrong="memref.reshape by 32-bit numbers is not lowered",
    ),
    Program(
        "reshape_whose_shape_is_overwritten_later",
        """
        func.func @main(%t: tensor<6xf32>, %m: index, %n: index) -> (tensor<?x?xf32>, tensor<2xindex>) {
          %c0 = arith.constant 0 : index
          %s = tensor.from_elements %m, %n : tensor<2xindex>
          %0 = tensor.reshape %t(%s) : (tensor<6xf32>, tensor<2xindex>) -> tensor<?x?xf32>
          %1 = tensor.insert %n into %s[%c0] : tensor<2xindex>
          return %0, %1 : tensor<?x?xf32>, tensor<2xindex>
        }""",
        args=("6xf32", 3, 2),
        numpy=lambda t, m, n: (t.reshape(m, n), np.array([n, n])),
        fewer=True,
    ),
    Program(
        "reshape_by_a_shape_overwritten_before",
        """
        func.func @main(%t: tensor<6xf32>, %m: index, %n: index) -> (tensor<?x?xf32>, tensor<2xindex>) {
          %c0 = arith.constant 0 : index
          %s = tensor.from_elements %m, %n : tensor<2xindex>
          %1 = tensor.insert %n into %s[%c0] : tensor<2xindex>
          %0 = tensor.reshape %t(%s) : (tensor<6xf32>, tensor<2xindex>) -> tensor<?x?xf32>
          return %0, %1 : tensor<?x?xf32>, tensor<2xindex>
        }""",
        args=("6xf32", 3, 2),
        numpy=lambda t, m, n: (t.reshape(m, n), np.array([n, n])),
        fewer=True,
    ),
    Program(
        "reshape_from_and_to_rank_0",
        """
        func.func @main(%t: tensor<f32>, %u: tensor<?x1xf32>) -> (tensor<1x1x1xf32>, tensor<f32>) {
          %s = arith.constant dense<1> : tensor<3xindex>
          %z = arith.constant dense<> : tensor<0xindex>
          %0 = tensor.reshape %t(%s) : (tensor<f32>, tensor<3xindex>) -> tensor<1x1x1xf32>
          %1 = tensor.reshape %u(%z) : (tensor<?x1xf32>, tensor<0xindex>) -> tensor<f32>
          return %0, %1 : tensor<1x1x1xf32>, tensor<f32>
        }""",
        args=("f32", "1x1xf32"),
        numpy=lambda t, u: (t.reshape(1, 1, 1), u.reshape(())),
        fewer=True,
    ),
    Program(
        "reshape_of_no_elements",
        """
        func.func @main(%t: tensor<0x4xf32>, %n: index) -> (tensor<7x0xf32>, tensor<?x0x2xf32>) {
          %c0 = arith.constant 0 : index
          %c2 = arith.constant 2 : index
          %s = arith.constant dense<[7, 0]> : tensor<2xindex>
          %d = tensor.from_elements %n, %c0, %c2 : tensor<3xindex>
          %0 = tensor.reshape %t(%s) : (tensor<0x4xf32>, tensor<2xindex>) -> tensor<7x0xf32>
          %1 = tensor.reshape %t(%d) : (tensor<0x4xf32>, tensor<3xindex>) -> tensor<?x0x2xf32>
          return %0, %1 : tensor<7x0xf32>, tensor<?x0x2xf32>
        }""",
        args=[("0x4xf32", 5), ("0x4xf32", 0)],
        numpy=lambda t, n: (t.reshape(7, 0), t.reshape(n, 0, 2)),
    ),
    Program(
        "reshape_of_a_strided_slice",
        """
        func.func @main(%t: tensor<12xf32>, %i: index, %f: f32) -> (tensor<2x3xf32>, tensor<12xf32>) {
          %s = arith.constant dense<[2, 3]> : tensor<2xindex>
          %v = tensor.extract_slice %t[1] [6] [2] : tensor<12xf32> to tensor<6xf32>
          %0 = tensor.reshape %v(%s) : (tensor<6xf32>, tensor<2xindex>) -> tensor<2x3xf32>
          %1 = tensor.insert %f into %0[%i, %i] : tensor<2x3xf32>
          return %1, %t : tensor<2x3xf32>, tensor<12xf32>
        }""",
        args=("12xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(t[1::2].reshape(2, 3), (i, i), f), t),
    ),
    Program(
        "reshape_of_columns_put_back",
        """
        func.func @main(%t: tensor<3x4xf32>, %i: index, %f: f32) -> tensor<3x4xf32> {
          %s = arith.constant dense<[6, 1]> : tensor<2xindex>
          %b = arith.constant dense<[3, 2]> : tensor<2xindex>
          %v = tensor.extract_slice %t[0, 1] [3, 2] [1, 1] : tensor<3x4xf32> to tensor<3x2xf32>
          %0 = tensor.reshape %v(%s) : (tensor<3x2xf32>, tensor<2xindex>) -> tensor<6x1xf32>
          %c0 = arith.constant 0 : index
          %1 = tensor.insert %f into %0[%i, %c0] : tensor<6x1xf32>
          %2 = tensor.reshape %1(%b) : (tensor<6x1xf32>, tensor<2xindex>) -> tensor<3x2xf32>
          %3 = tensor.insert_slice %2 into %t[0, 1] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<3x4xf32>
          return %3 : tensor<3x4xf32>
        }""",
        args=("3x4xf32", 3, 99.0),
        numpy=lambda t, i, f: put(t, (i // 2, 1 + i % 2), f),
    ),
    Program(
        "reshape_of_rows_put_back",
        """
        func.func @main(%f: f32, %g: f32, %i: index) -> tensor<4x6xf32> {
          %s = arith.constant dense<[3, 4]> : tensor<2xindex>
          %b = arith.constant dense<[2, 6]> : tensor<2xindex>
          %e = tensor.empty() : tensor<4x6xf32>
          %t = linalg.fill ins(%f : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
          %v = tensor.extract_slice %t[1, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
          %0 = tensor.reshape %v(%s) : (tensor<2x6xf32>, tensor<2xindex>) -> tensor<3x4xf32>
          %1 = tensor.insert %g into %0[%i, %i] : tensor<3x4xf32>
          %2 = tensor.reshape %1(%b) : (tensor<3x4xf32>, tensor<2xindex>) -> tensor<2x6xf32>
          %3 = tensor.insert_slice %2 into %t[1, 0] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<4x6xf32>
          return %3 : tensor<4x6xf32>
        }""",
        args=(1.0, 2.0, 2),
        numpy=lambda f, g, i: put(np.full((4, 6), f, np.float32), (1 + 5 * i // 6, 5 * i % 6), g),
        fewer=True,
    ),
    Program(
        "reshape_to_another_order_of_open_sizes_put_back",
        """
        func.func @main(%t: tensor<?x?xf32>, %m: index, %n: index, %f: f32) -> tensor<?x?xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %s = tensor.from_elements %n, %m : tensor<2xindex>
          %b = tensor.from_elements %m, %n : tensor<2xindex>
          %0 = tensor.reshape %t(%s) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
          %1 = tensor.insert %f into %0[%c1, %c0] : tensor<?x?xf32>
          %2 = tensor.reshape %1(%b) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
          return %2 : tensor<?x?xf32>
        }""",
        args=("2x3xf32", 2, 3, 99.0),
        numpy=lambda t, m, n, f: put(t.reshape(n, m), (1, 0), f).reshape(m, n),
    ),
    Program(
        "reshape_of_an_argument_in_a_loop",
        """
        func.func @main(%t: tensor<2x3xf32>, %n: index, %f: f32) -> tensor<2x3xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %s = arith.constant dense<6> : tensor<1xindex>
          %b = arith.constant dense<[2, 3]> : tensor<2xindex>
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<2x3xf32> {
            %1 = tensor.reshape %a(%s) : (tensor<2x3xf32>, tensor<1xindex>) -> tensor<6xf32>
            %2 = tensor.insert %f into %1[%i] : tensor<6xf32>
            %3 = tensor.reshape %2(%b) : (tensor<6xf32>, tensor<2xindex>) -> tensor<2x3xf32>
            scf.yield %3 : tensor<2x3xf32>
          }
          return %0 : tensor<2x3xf32>
        }""",
        args=("2x3xf32", 4, 99.0),
        numpy=lambda t, n, f: put(t.reshape(6), slice(n), f).reshape(2, 3),
    ),
    Program(
        "reshape_of_a_new_tensor_in_a_loop",
        """
        func.func @main(%n: index, %f: f32, %g: f32) -> tensor<2x3xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %s = arith.constant dense<6> : tensor<1xindex>
          %b = arith.constant dense<[2, 3]> : tensor<2xindex>
          %t = tensor.splat %g : tensor<2x3xf32>
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<2x3xf32> {
            %1 = tensor.reshape %a(%s) : (tensor<2x3xf32>, tensor<1xindex>) -> tensor<6xf32>
            %2 = tensor.insert %f into %1[%i] : tensor<6xf32>
            %3 = tensor.reshape %2(%b) : (tensor<6xf32>, tensor<2xindex>) -> tensor<2x3xf32>
            scf.yield %3 : tensor<2x3xf32>
          }
          return %0 : tensor<2x3xf32>
        }""",
        args=[(4, 99.0, 1.0), (0, 99.0, 1.0)],
        numpy=lambda n, f, g: put(np.full(6, g, np.float32), slice(n), f).reshape(2, 3),
    ),
    Program(
        "reshape_of_what_a_loop_carries_read_afterwards",
        """
        func.func @main(%x: tensor<2x3xf32>, %n: index, %f: f32) -> (tensor<2x3xf32>, tensor<6xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %s = arith.constant dense<6> : tensor<1xindex>
          %b = arith.constant dense<[2, 3]> : tensor<2xindex>
          %e = tensor.empty() : tensor<2x3xf32>
          %t = linalg.negf ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
          %v = tensor.reshape %t(%s) : (tensor<2x3xf32>, tensor<1xindex>) -> tensor<6xf32>
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<2x3xf32> {
            %1 = tensor.reshape %a(%s) : (tensor<2x3xf32>, tensor<1xindex>) -> tensor<6xf32>
            %2 = tensor.insert %f into %1[%i] : tensor<6xf32>
            %3 = tensor.reshape %2(%b) : (tensor<6xf32>, tensor<2xindex>) -> tensor<2x3xf32>
            scf.yield %3 : tensor<2x3xf32>
          }
          return %0, %v : tensor<2x3xf32>, tensor<6xf32>
        }""",
        args=[("2x3xf32", 4, 99.0), ("2x3xf32", 0, 99.0)],
        numpy=lambda x, n, f: (put(-x.reshape(6), slice(n), f).reshape(2, 3), -x.reshape(6)),
    ),
    Program(
        "collapsed_and_expanded_in_a_loop_beside_its_rows",
        """
        func.func @main(%t: tensor<2x3xf32>, %n: index, %f: f32) -> (tensor<2x3xf32>, tensor<3xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %r = tensor.extract_slice %t[0, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<3xf32>
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t, %q = %r) -> (tensor<2x3xf32>, tensor<3xf32>) {
            %1 = tensor.collapse_shape %a [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
            %2 = tensor.insert %f into %1[%i] : tensor<6xf32>
            %3 = tensor.expand_shape %2 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
            %4 = tensor.extract_slice %a[0, 0] [1, 3] [1, 1] : tensor<2x3xf32> to tensor<3xf32>
            scf.yield %3, %4 : tensor<2x3xf32>, tensor<3xf32>
          }
          return %0#0, %0#1 : tensor<2x3xf32>, tensor<3xf32>
        }""",
        args=[("2x3xf32", 2, 99.0), ("2x3xf32", 0, 99.0), ("2x3xf32", 1, 99.0)],
        numpy=lambda t, n, f: (
            put(t.reshape(6), slice(n), f).reshape(2, 3),
            put(t[0], slice(max(n - 1, 0)), f),
        ),
        upstream_refuses="Yield operand #0 is not equivalent",
    ),
    Program(
        "reshaped_to_other_sizes_in_each_iteration",
        """
        func.func @main(%t: tensor<?x?xf32>, %n: index, %f: f32) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<?x?xf32> {
            %h = tensor.dim %a, %c0 : tensor<?x?xf32>
            %w = tensor.dim %a, %c1 : tensor<?x?xf32>
            %s = tensor.from_elements %w, %h : tensor<2xindex>
            %1 = tensor.reshape %a(%s) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
            %2 = tensor.insert %f into %1[%c1, %i] : tensor<?x?xf32>
            scf.yield %2 : tensor<?x?xf32>
          }
          return %0, %t : tensor<?x?xf32>, tensor<?x?xf32>
        }""",
        args=[("2x3xf32", 2, 99.0), ("2x3xf32", 0, 99.0), ("2x3xf32", 1, 99.0)],
        numpy=lambda t, n, f: (turned(t, n, f), t),
    ),
    Program(
        "reshape_to_a_rank_that_is_data",
        """
        func.func @main(%t: tensor<12xf32>, %m: index, %n: index, %f: f32) -> (tensor<?x?xf32>, tensor<12xf32>, index) {
          %c1 = arith.constant 1 : index
          %s = tensor.from_elements %m, %n : tensor<2xindex>
          %d = tensor.cast %s : tensor<2xindex> to tensor<?xindex>
          %0 = tensor.reshape %t(%d) : (tensor<12xf32>, tensor<?xindex>) -> tensor<*xf32>
          %1 = tensor.cast %0 : tensor<*xf32> to tensor<?x?xf32>
          %2 = tensor.insert %f into %1[%c1, %c1] : tensor<?x?xf32>
          %3 = tensor.dim %0, %c1 : tensor<*xf32>
          return %2, %t, %3 : tensor<?x?xf32>, tensor<12xf32>, index
        }""",
        args=[("12xf32", 3, 4, 99.0), ("12xf32", 2, 6, 99.0)],
        numpy=lambda t, m, n, f: (put(t.reshape(m, n), (1, 1), f), t, n),
    ),
    Program(
        "reshape_to_a_rank_that_is_data_by_a_strided_shape",
        """
        func.func @main(%t: tensor<12xf32>, %m: i32, %n: i32, %o: i32) -> tensor<?x?xf32> {
          %s = tensor.from_elements %m, %n, %o : tensor<3xi32>
          %v = tensor.extract_slice %s[0] [2] [2] : tensor<3xi32> to tensor<2xi32>
          %d = tensor.cast %v : tensor<2xi32> to tensor<?xi32>
          %0 = tensor.reshape %t(%d) : (tensor<12xf32>, tensor<?xi32>) -> tensor<*xf32>
          %1 = tensor.cast %0 : tensor<*xf32> to tensor<?x?xf32>
          return %1 : tensor<?x?xf32>
        }""",
        args=("12xf32", 3, 7, 4),
        numpy=lambda t, m, n, o: t.reshape(m, o),
        oracle_wrong=STRIDED_SHAPE,
    ),
    Program(
        "reshape_by_a_strided_shape",
        """
        func.func @main(%t: tensor<12xf32>, %m: index, %n: index, %o: index) -> tensor<?x?xf32> {
          %s = tensor.from_elements %m, %n, %o : tensor<3xindex>
          %v = tensor.extract_slice %s[0] [2] [2] : tensor<3xindex> to tensor<2xindex>
          %0 = tensor.reshape %t(%v) : (tensor<12xf32>, tensor<2xindex>) -> tensor<?x?xf32>
          return %0 : tensor<?x?xf32>
        }""",
        args=("12xf32", 3, 7, 4),
        numpy=lambda t, m, n, o: t.reshape(m, o),
        oracle_wrong=STRIDED_SHAPE,
    ),
    Program(
        "reshape_of_what_was_ranked_before",
        """
        func.func @main(%t: tensor<2x3xf32>, %i: index, %f: f32) -> (tensor<6xf32>, tensor<2x3xf32>) {
          %s = arith.constant dense<6> : tensor<1xindex>
          %u = tensor.cast %t : tensor<2x3xf32> to tensor<*xf32>
          %0 = tensor.reshape %u(%s) : (tensor<*xf32>, tensor<1xindex>) -> tensor<6xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<6xf32>
          return %1, %t : tensor<6xf32>, tensor<2x3xf32>
        }""",
        args=("2x3xf32", 4, 99.0),
        numpy=lambda t, i, f: (put(t.reshape(6), i, f), t),
    ),
    Program(
        "bitcast_to_integers_and_back",
        """
        func.func @main(%t: tensor<4xf32>, %m: i32) -> (tensor<4xf32>, tensor<4xi32>) {
          %0 = tensor.bitcast %t : tensor<4xf32> to tensor<4xi32>
          %s = tensor.splat %m : tensor<4xi32>
          %1 = arith.xori %0, %s : tensor<4xi32>
          %2 = tensor.bitcast %1 : tensor<4xi32> to tensor<4xf32>
          return %2, %0 : tensor<4xf32>, tensor<4xi32>
        }""",
        args=("4xf32", -(2**31)),
        numpy=lambda t, m: (-t, t.view(np.int32)),
        upstream_refuses=REFUSED,
        oracle_wrong=NO_ORACLE,
    ),
    Program(
        "bitcast_updated_and_its_source_read_later",
        """
        func.func @main(%t: tensor<2x2xf64>, %i: index, %m: i64) -> (tensor<2x2xi64>, tensor<2x2xf64>) {
          %0 = tensor.bitcast %t : tensor<2x2xf64> to tensor<2x2xi64>
          %1 = tensor.insert %m into %0[%i, %i] : tensor<2x2xi64>
          return %1, %t : tensor<2x2xi64>, tensor<2x2xf64>
        }""",
        args=("2x2xf64", 1, 7),
        numpy=lambda t, i, m: (put(t.view(np.int64), (i, i), m), t),
        upstream_refuses=REFUSED,
        oracle_wrong=NO_ORACLE,
    ),
    Program(
        "bitcast_before_its_source_is_overwritten",
        """
        func.func @main(%t: tensor<?xi16>, %i: index, %m: i16) -> (tensor<4xf16>, tensor<?xi16>) {
          %0 = tensor.bitcast %t : tensor<?xi16> to tensor<4xf16>
          %1 = tensor.insert %m into %t[%i] : tensor<?xi16>
          return %0, %1 : tensor<4xf16>, tensor<?xi16>
        }""",
        args=("4xi16", 1, 7),
        numpy=lambda t, i, m: (t.view(np.float16), put(t, i, m)),
        upstream_refuses=REFUSED,
        oracle_wrong=NO_ORACLE,
    ),
    Program(
        "bitcast_of_rank_0_and_of_nothing",
        """
        func.func @main(%t: tensor<f32>, %u: tensor<0x3xf32>) -> (tensor<i32>, tensor<0x3xi32>) {
          %0 = tensor.bitcast %t : tensor<f32> to tensor<i32>
          %1 = tensor.bitcast %u : tensor<0x3xf32> to tensor<0x3xi32>
          return %0, %1 : tensor<i32>, tensor<0x3xi32>
        }""",
        args=("f32", "0x3xf32"),
        numpy=lambda t, u: (t.view(np.int32), u.view(np.int32)),
        upstream_refuses=REFUSED,
        oracle_wrong=NO_ORACLE,
    ),
    Program(
        "bitcast_of_a_strided_slice_to_other_signs_and_back",
        """
        func.func @main(%t: tensor<8xi8>) -> tensor<4xi8> {
          %v = tensor.extract_slice %t[1] [4] [2] : tensor<8xi8> to tensor<4xi8>
          %0 = tensor.bitcast %v : tensor<4xi8> to tensor<4xui8>
          %a = tensor.extract_slice %0[2] [2] [1] : tensor<4xui8> to tensor<2xui8>
          %1 = tensor.insert_slice %a into %0[0] [2] [1] : tensor<2xui8> into tensor<4xui8>
          %2 = tensor.bitcast %1 : tensor<4xui8> to tensor<4xsi8>
          %3 = tensor.bitcast %2 : tensor<4xsi8> to tensor<4xi8>
          return %3 : tensor<4xi8>
        }""",
        args=("8xi8",),
        numpy=lambda t: t[1::2][[2, 3, 2, 3]],
        upstream_refuses=REFUSED,
        oracle_wrong=NO_ORACLE,
    ),
    Program(
        "bitcast_of_the_shape_alone_updated",
        """
        func.func @main(%t: tensor<?xf32>, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = tensor.bitcast %t : tensor<?xf32> to tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        args=("4xf32", 1, 99.0),
        numpy=put,
        upstream_refuses=REFUSED,
        oracle_wrong=NO_ORACLE,
    ),
    Program(
        "unranked_updated_and_cast_back",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, index, index) {
          %c0 = arith.constant 0 : index
          %u = tensor.cast %t : tensor<4xf32> to tensor<*xf32>
          %0 = tensor.cast %u : tensor<*xf32> to tensor<?xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<?xf32>
          %2 = tensor.cast %1 : tensor<?xf32> to tensor<4xf32>
          %3 = tensor.rank %u : tensor<*xf32>
          %4 = tensor.dim %u, %c0 : tensor<*xf32>
          return %2, %3, %4 : tensor<4xf32>, index, index
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(t, i, f), 1, 4),
    ),
    Program(
        "unranked_updated_and_read_later",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<?xf32>, tensor<4xf32>) {
          %u = tensor.cast %t : tensor<4xf32> to tensor<*xf32>
          %0 = tensor.cast %u : tensor<*xf32> to tensor<?xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<?xf32>
          %2 = tensor.cast %u : tensor<*xf32> to tensor<4xf32>
          return %1, %2 : tensor<?xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(t, i, f), t),
    ),
    Program(
        "unranked_strided_slice",
        """
        func.func @main(%t: tensor<2x8xf32>, %i: index, %f: f32) -> (tensor<2x4xf32>, tensor<2x8xf32>) {
          %v = tensor.extract_slice %t[0, 1] [2, 4] [1, 2] : tensor<2x8xf32> to tensor<2x4xf32>
          %u = tensor.cast %v : tensor<2x4xf32> to tensor<*xf32>
          %0 = tensor.cast %u : tensor<*xf32> to tensor<2x4xf32>
          %1 = tensor.insert %f into %0[%i, %i] : tensor<2x4xf32>
          %2 = tensor.insert_slice %1 into %t[0, 1] [2, 4] [1, 2] : tensor<2x4xf32> into tensor<2x8xf32>
          return %0, %2 : tensor<2x4xf32>, tensor<2x8xf32>
        }""",
        args=("2x8xf32", 1, 99.0),
        numpy=lambda t, i, f: (t[:, 1::2], put(t, (i, 2 * i + 1), f)),
    ),
    Program(
        "unranked_through_a_call_that_updates_it",
        """
        func.func private @set(%u: tensor<*xf32>, %i: index, %f: f32) -> tensor<*xf32> {
          %0 = tensor.cast %u : tensor<*xf32> to tensor<?xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<?xf32>
          %2 = tensor.cast %1 : tensor<?xf32> to tensor<*xf32>
          return %2 : tensor<*xf32>
        }
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %u = tensor.cast %t : tensor<4xf32> to tensor<*xf32>
          %0 = call @set(%u, %i, %f) : (tensor<*xf32>, index, f32) -> tensor<*xf32>
          %1 = tensor.cast %0 : tensor<*xf32> to tensor<4xf32>
          return %1, %t : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(t, i, f), t),
        upstream_refuses="cannot avoid RaW conflict",
        oracle_wrong=NO_ORACLE,
    ),
    Program(
        "unranked_from_one_of_two_branches",
        """
        func.func @main(%t: tensor<4xf32>, %s: tensor<2x2xf32>, %c: i1) -> (index, tensor<4xf32>) {
          %0 = scf.if %c -> tensor<*xf32> {
            %1 = tensor.cast %t : tensor<4xf32> to tensor<*xf32>
            scf.yield %1 : tensor<*xf32>
          } else {
            %1 = tensor.cast %s : tensor<2x2xf32> to tensor<*xf32>
            scf.yield %1 : tensor<*xf32>
          }
          %2 = tensor.rank %0 : tensor<*xf32>
          return %2, %t : index, tensor<4xf32>
        }""",
        args=[("4xf32", "2x2xf32", True), ("4xf32", "2x2xf32", False)],
        numpy=lambda t, s, c: (1 if c else 2, t),
    ),
    Program(
        "unranked_in_a_loop",
        """
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %u = tensor.cast %t : tensor<4xf32> to tensor<*xf32>
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %u) -> tensor<*xf32> {
            %1 = tensor.cast %a : tensor<*xf32> to tensor<4xf32>
            %2 = tensor.insert %f into %1[%i] : tensor<4xf32>
            %3 = tensor.cast %2 : tensor<4xf32> to tensor<*xf32>
            scf.yield %3 : tensor<*xf32>
          }
          %4 = tensor.cast %0 : tensor<*xf32> to tensor<4xf32>
          return %4, %t : tensor<4xf32>, tensor<4xf32>
        }""",
        args=[("4xf32", 3, 99.0), ("4xf32", 0, 99.0)],
        numpy=lambda t, n, f: (put(t, slice(n), f), t),
        upstream_refuses="cannot avoid RaW conflict",
        oracle_wrong=NO_ORACLE,
    ),
]
