"""tensor.insert and extract, and the ops that make tensors: empty, from_elements, splat, generate, pad."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

PROGRAMS = [
    Program(
        "insert_chain",
        """
        func.func @main(%t: tensor<4xf32>, %f: f32, %g: f32) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %0 = tensor.insert %f into %t[%c0] : tensor<4xf32>
          %1 = tensor.insert %g into %0[%c1] : tensor<4xf32>
          %2 = tensor.insert %f into %1[%c3] : tensor<4xf32>
          return %2 : tensor<4xf32>
        }""",
        args=("4xf32", 88.0, 99.0),
        numpy=lambda t, f, g: put(put(t, [0, 3], f), 1, g),
    ),
    Program(
        "insert_chain_with_the_middle_read_later",
        """
        func.func @main(%t: tensor<4xf32>, %f: f32, %g: f32) -> (tensor<4xf32>, f32) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = tensor.insert %f into %t[%c0] : tensor<4xf32>
          %1 = tensor.insert %g into %0[%c1] : tensor<4xf32>
          %2 = tensor.extract %0[%c1] : tensor<4xf32>
          return %1, %2 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 88.0, 99.0),
        numpy=lambda t, f, g: (put(put(t, 0, f), 1, g), t[1]),
    ),
    Program(
        "two_versions_of_one_tensor",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32, %g: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
          %1 = tensor.insert %g into %t[%i] : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 2, 88.0, 99.0),
        numpy=lambda t, i, f, g: (put(t, i, f), put(t, i, g)),
    ),
    Program(
        "two_elements_exchanged",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %j: index) -> tensor<4xf32> {
          %0 = tensor.extract %t[%i] : tensor<4xf32>
          %1 = tensor.extract %t[%j] : tensor<4xf32>
          %2 = tensor.insert %1 into %t[%i] : tensor<4xf32>
          %3 = tensor.insert %0 into %2[%j] : tensor<4xf32>
          return %3 : tensor<4xf32>
        }""",
        args=[("4xf32", 0, 3), ("4xf32", 1, 1)],
        numpy=lambda t, i, j: put(t, [i, j], t[[j, i]]),
    ),
    Program(
        "element_read_between_an_update_and_the_next",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %j: index) -> tensor<4xf32> {
          %0 = tensor.extract %t[%i] : tensor<4xf32>
          %1 = tensor.insert %0 into %t[%j] : tensor<4xf32>
          %2 = tensor.extract %t[%j] : tensor<4xf32>
          %3 = tensor.insert %2 into %1[%i] : tensor<4xf32>
          return %3 : tensor<4xf32>
        }""",
        args=[("4xf32", 0, 3), ("4xf32", 1, 1)],
        numpy=lambda t, i, j: put(t, [i, j], t[[j, i]]),
    ),
    Program(
        "rank_0_updated_and_read_later",
        """
        func.func @main(%t: tensor<f32>, %f: f32) -> (tensor<f32>, f32) {
          %0 = tensor.insert %f into %t[] : tensor<f32>
          %1 = tensor.extract %t[] : tensor<f32>
          return %0, %1 : tensor<f32>, f32
        }""",
        args=("f32", 99.0),
        numpy=lambda t, f: (np.array(f), t),
    ),
    Program(
        "empty_used_for_two_results",
        """
        func.func @main(%f: f32, %g: f32) -> (tensor<3xf32>, tensor<3xf32>) {
          %e = tensor.empty() : tensor<3xf32>
          %0 = linalg.fill ins(%f : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
          %1 = linalg.fill ins(%g : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
          return %0, %1 : tensor<3xf32>, tensor<3xf32>
        }""",
        args=(1.0, 2.0),
        numpy=lambda f, g: (np.full(3, f, np.float32), np.full(3, g, np.float32)),
    ),
    Program(
        "empty_updated_twice_in_sequence",
        """
        func.func @main(%t: tensor<3xf32>, %f: f32) -> tensor<3xf32> {
          %e = tensor.empty() : tensor<3xf32>
          %0 = linalg.fill ins(%f : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
          %1 = linalg.add ins(%0, %t : tensor<3xf32>, tensor<3xf32>) outs(%0 : tensor<3xf32>) -> tensor<3xf32>
          return %1 : tensor<3xf32>
        }""",
        args=("3xf32", 99.0),
        numpy=lambda t, f: t + np.float32(f),
    ),
    Program(
        "empty_shared_by_ops_whose_results_both_live",
        """
        func.func @main(%t: tensor<3xf32>) -> tensor<3xf32> {
          %e = tensor.empty() : tensor<3xf32>
          %0 = linalg.add ins(%t, %t : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
          %1 = linalg.mul ins(%t, %t : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
          %2 = linalg.sub ins(%0, %1 : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
          return %2 : tensor<3xf32>
        }""",
        args=("3xf32",),
        numpy=lambda t: t + t - t * t,
    ),
    Program(
        "from_elements_updated",
        """
        func.func @main(%t: tensor<2xf32>, %i: index, %f: f32) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = tensor.extract %t[%c0] : tensor<2xf32>
          %1 = tensor.extract %t[%c1] : tensor<2xf32>
          %2 = tensor.from_elements %0, %f, %1, %0 : tensor<2x2xf32>
          %3 = tensor.insert %f into %2[%i, %i] : tensor<2x2xf32>
          %4 = tensor.insert %f into %t[%i] : tensor<2xf32>
          return %2, %3, %4 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>
        }""",
        args=("2xf32", 1, 99.0),
        numpy=lambda t, i, f: (
            np.array([[t[0], f], [t[1], t[0]]], np.float32),
            np.array([[t[0], f], [t[1], f]], np.float32),
            put(t, i, f),
        ),
    ),
    Program(
        "from_elements_of_rank_0_and_of_size_0",
        """
        func.func @main(%f: f32) -> (tensor<f32>, tensor<0xf32>) {
          %0 = tensor.from_elements %f : tensor<f32>
          %1 = tensor.from_elements : tensor<0xf32>
          return %0, %1 : tensor<f32>, tensor<0xf32>
        }""",
        args=(99.0,),
        numpy=lambda f: (np.array(f), np.zeros(0)),
    ),
    Program(
        "splat_with_dynamic_sizes",
        """
        func.func @main(%n: index, %f: f32) -> (tensor<?x2xf32>, tensor<3xf32>) {
          %0 = tensor.splat %f[%n] : tensor<?x2xf32>
          %1 = tensor.splat %f : tensor<3xf32>
          return %0, %1 : tensor<?x2xf32>, tensor<3xf32>
        }""",
        args=[(3, 9.0), (0, 9.0)],
        numpy=lambda n, f: (np.full((n, 2), f, np.float32), np.full(3, f, np.float32)),
    ),
    Program(
        "splat_updated_and_read_later",
        """
        func.func @main(%i: index, %f: f32, %g: f32) -> (tensor<3xf32>, tensor<3xf32>) {
          %0 = tensor.splat %f : tensor<3xf32>
          %1 = tensor.insert %g into %0[%i] : tensor<3xf32>
          return %0, %1 : tensor<3xf32>, tensor<3xf32>
        }""",
        args=(2, 88.0, 99.0),
        numpy=lambda i, f, g: (np.full(3, f, np.float32), put(np.full(3, f, np.float32), i, g)),
    ),
    Program(
        "generate_reads_a_captured_tensor",
        """
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> (tensor<?xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %c3 = arith.constant 3 : index
          %0 = tensor.insert %f into %t[%c0] : tensor<4xf32>
          %1 = tensor.generate %n {
          ^bb0(%i: index):
            %j = arith.subi %c3, %i : index
            %2 = tensor.extract %t[%j] : tensor<4xf32>
            tensor.yield %2 : f32
          } : tensor<?xf32>
          return %1, %0 : tensor<?xf32>, tensor<4xf32>
        }""",
        args=[("4xf32", 4, 99.0), ("4xf32", 0, 99.0)],
        numpy=lambda t, n, f: (t[::-1][:n], put(t, 0, f)),
    ),
    Program(
        "generate_updated",
        """
        func.func @main(%i: index, %f: f32) -> tensor<3x2xindex> {
          %0 = tensor.generate {
          ^bb0(%p: index, %q: index):
            %1 = arith.muli %p, %p : index
            %2 = arith.addi %1, %q : index
            tensor.yield %2 : index
          } : tensor<3x2xindex>
          %3 = tensor.insert %i into %0[%i, %i] : tensor<3x2xindex>
          return %3 : tensor<3x2xindex>
        }""",
        args=(1, 99.0),
        numpy=lambda i, f: put(np.array([[0, 1], [1, 2], [4, 5]]), (i, i), i),
    ),
    Program(
        "pad_with_a_constant",
        """
        func.func @main(%t: tensor<2x3xf32>, %f: f32) -> (tensor<4x4xf32>, tensor<2x3xf32>) {
          %0 = tensor.pad %t low[1, 0] high[1, 1] {
          ^bb0(%i: index, %j: index):
            tensor.yield %f : f32
          } : tensor<2x3xf32> to tensor<4x4xf32>
          %1 = linalg.fill ins(%f : f32) outs(%t : tensor<2x3xf32>) -> tensor<2x3xf32>
          return %0, %1 : tensor<4x4xf32>, tensor<2x3xf32>
        }""",
        args=("2x3xf32", 99.0),
        numpy=lambda t, f: (np.pad(t, ((1, 1), (0, 1)), constant_values=f), np.full_like(t, f)),
    ),
    Program(
        "pad_with_elements_of_its_source",
        """
        func.func @main(%t: tensor<?xf32>, %low: index, %high: index) -> tensor<?xf32> {
          %c0 = arith.constant 0 : index
          %0 = tensor.pad %t low[%low] high[%high] {
          ^bb0(%i: index):
            %1 = tensor.extract %t[%c0] : tensor<?xf32>
            tensor.yield %1 : f32
          } : tensor<?xf32> to tensor<?xf32>
          return %0 : tensor<?xf32>
        }""",
        args=[("3xf32", 2, 1), ("3xf32", 0, 0)],
        numpy=lambda t, low, high: np.pad(t, (low, high), constant_values=t[0]),
    ),
    Program(
        "pad_by_nothing_then_updated",
        """
        func.func @main(%t: tensor<3xf32>, %i: index, %f: f32) -> (tensor<3xf32>, tensor<3xf32>) {
          %0 = tensor.pad %t nofold low[0] high[0] {
          ^bb0(%j: index):
            tensor.yield %f : f32
          } : tensor<3xf32> to tensor<3xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<3xf32>
          return %1, %t : tensor<3xf32>, tensor<3xf32>
        }""",
        args=("3xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(t, i, f), t),
    ),
]
