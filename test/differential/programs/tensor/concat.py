"""tensor.concat, and the corners of what makes new tensors: pad, generate, from_elements, splat."""

from __future__ import annotations

import numpy as np

from ..program import Program, put


def numbered(shape: tuple[int, ...]) -> np.ndarray:
    """The sum of an element's indices."""
    return np.indices(shape).sum(0)


PROGRAMS = [
    Program(
        "concat_rows",
        """
        func.func @main(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<3x3xf32> {
          %0 = tensor.concat dim(0) %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
          return %0 : tensor<3x3xf32>
        }""",
        args=("2x3xf32", "1x3xf32"),
        numpy=lambda a, b: np.concatenate([a, b]),
    ),
    Program(
        "concat_columns_of_three",
        """
        func.func @main(%a: tensor<2x1xf32>, %b: tensor<2x3xf32>, %c: tensor<2x2xf32>) -> tensor<2x6xf32> {
          %0 = tensor.concat dim(1) %a, %b, %c
            : (tensor<2x1xf32>, tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
          return %0 : tensor<2x6xf32>
        }""",
        args=("2x1xf32", "2x3xf32", "2x2xf32"),
        numpy=lambda a, b, c: np.concatenate([a, b, c], 1),
    ),
    Program(
        "concat_with_dynamic_sizes",
        """
        func.func @main(%a: tensor<?x?xf32>, %b: tensor<2x?xf32>, %c: tensor<?x3xf32>) -> tensor<?x?xf32> {
          %0 = tensor.concat dim(0) %a, %b, %c : (tensor<?x?xf32>, tensor<2x?xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
          return %0 : tensor<?x?xf32>
        }""",
        args=[("4x3xf32", "2x3xf32", "1x3xf32"), ("0x3xf32", "2x3xf32", "0x3xf32")],
        numpy=lambda a, b, c: np.concatenate([a, b, c]),
    ),
    Program(
        "concat_along_a_dynamic_size_to_a_static_one",
        """
        func.func @main(%a: tensor<2x?xf32>, %b: tensor<2x1xf32>) -> tensor<2x?xf32> {
          %0 = tensor.concat dim(1) %a, %b : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
          return %0 : tensor<2x?xf32>
        }""",
        args=[("2x3xf32", "2x1xf32"), ("2x0xf32", "2x1xf32")],
        numpy=lambda a, b: np.concatenate([a, b], 1),
    ),
    Program(
        "concat_of_empty_parts",
        """
        func.func @main(%a: tensor<0x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
          %0 = tensor.concat dim(0) %a, %b, %a
            : (tensor<0x3xf32>, tensor<2x3xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
          return %0 : tensor<2x3xf32>
        }""",
        args=("0x3xf32", "2x3xf32"),
        numpy=lambda a, b: b,
        upstream_refuses="out-of-bounds",
        oracle_wrong="upstream does not run the program at all",
    ),
    Program(
        "concat_of_a_tensor_with_itself",
        """
        func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
          %0 = tensor.concat dim(0) %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("2xf32",),
        numpy=lambda a: np.concatenate([a, a]),
    ),
    Program(
        "concat_of_one_part_updated",
        """
        func.func @main(%a: tensor<2xf32>, %i: index, %f: f32) -> (tensor<2xf32>, tensor<2xf32>) {
          %0 = tensor.concat dim(0) %a : (tensor<2xf32>) -> tensor<2xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<2xf32>
          return %1, %a : tensor<2xf32>, tensor<2xf32>
        }""",
        args=("2xf32", 1, 99.0),
        numpy=lambda a, i, f: (put(a, i, f), a),
    ),
    Program(
        "concat_before_a_part_is_overwritten",
        """
        func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: index, %f: f32) -> (tensor<5xf32>, tensor<2xf32>) {
          %0 = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
          %1 = tensor.insert %f into %a[%i] : tensor<2xf32>
          return %0, %1 : tensor<5xf32>, tensor<2xf32>
        }""",
        args=("2xf32", "3xf32", 1, 99.0),
        numpy=lambda a, b, i, f: (np.concatenate([a, b]), put(a, i, f)),
    ),
    Program(
        "concat_after_a_part_was_overwritten",
        """
        func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %i: index, %f: f32) -> (tensor<5xf32>, tensor<2xf32>) {
          %1 = tensor.insert %f into %a[%i] : tensor<2xf32>
          %0 = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
          return %0, %1 : tensor<5xf32>, tensor<2xf32>
        }""",
        args=("2xf32", "3xf32", 1, 99.0),
        numpy=lambda a, b, i, f: (np.concatenate([a, b]), put(a, i, f)),
    ),
    Program(
        "concat_of_slices_in_another_order",
        """
        func.func @main(%a: tensor<4x6xi32>) -> tensor<4x6xi32> {
          %l = tensor.extract_slice %a[0, 0] [4, 3] [1, 2] : tensor<4x6xi32> to tensor<4x3xi32>
          %r = tensor.extract_slice %a[0, 1] [4, 3] [1, 2] : tensor<4x6xi32> to tensor<4x3xi32>
          %0 = tensor.concat dim(1) %r, %l : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x6xi32>
          return %0 : tensor<4x6xi32>
        }""",
        args=("4x6xi32",),
        numpy=lambda a: np.concatenate([a[:, 1::2], a[:, ::2]], 1),
    ),
    Program(
        "concat_in_a_loop",
        """
        func.func @main(%a: tensor<4xf32>, %n: index) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> tensor<4xf32> {
            %l = tensor.extract_slice %b[0] [1] [1] : tensor<4xf32> to tensor<1xf32>
            %r = tensor.extract_slice %b[1] [3] [1] : tensor<4xf32> to tensor<3xf32>
            %1 = tensor.concat dim(0) %r, %l : (tensor<3xf32>, tensor<1xf32>) -> tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }""",
        args=[("4xf32", 3), ("4xf32", 0)],
        numpy=lambda a, n: np.roll(a, -n),
        upstream_refuses="Yield operand #0 is not equivalent",
    ),
    Program(
        "pad_of_rank_0",
        """
        func.func @main(%a: tensor<f32>, %f: f32) -> tensor<f32> {
          %0 = tensor.pad %a low[] high[] {
            tensor.yield %f : f32
          } : tensor<f32> to tensor<f32>
          return %0 : tensor<f32>
        }""",
        args=("f32", 9.0),
        numpy=lambda a, f: a,
    ),
    Program(
        "pad_of_nothing",
        """
        func.func @main(%a: tensor<0x2xf32>, %f: f32) -> tensor<2x3xf32> {
          %0 = tensor.pad %a low[1, 0] high[1, 1] {
          ^bb0(%i: index, %j: index):
            tensor.yield %f : f32
          } : tensor<0x2xf32> to tensor<2x3xf32>
          return %0 : tensor<2x3xf32>
        }""",
        args=("0x2xf32", 9.0),
        numpy=lambda a, f: np.full((2, 3), f, np.float32),
    ),
    Program(
        "pad_by_nothing_nofold_updated",
        """
        func.func @main(%a: tensor<3xf32>, %f: f32, %k: index) -> (tensor<3xf32>, tensor<3xf32>) {
          %0 = tensor.pad %a nofold low[0] high[0] {
          ^bb0(%i: index):
            tensor.yield %f : f32
          } : tensor<3xf32> to tensor<3xf32>
          %1 = tensor.insert %f into %0[%k] : tensor<3xf32>
          return %1, %a : tensor<3xf32>, tensor<3xf32>
        }""",
        args=("3xf32", 9.0, 1),
        numpy=lambda a, f, k: (put(a, k, f), a),
    ),
    Program(
        "pad_with_elements_of_another_tensor",
        """
        func.func @main(%a: tensor<?xi32>, %t: tensor<8xi32>, %n: index) -> (tensor<?xi32>, tensor<8xi32>) {
          %c0 = arith.constant 0 : index
          %m = arith.constant -1 : i32
          %0 = tensor.pad %a low[%n] high[1] {
          ^bb0(%i: index):
            %x = tensor.extract %t[%i] : tensor<8xi32>
            tensor.yield %x : i32
          } : tensor<?xi32> to tensor<?xi32>
          %1 = tensor.insert %m into %t[%c0] : tensor<8xi32>
          return %0, %1 : tensor<?xi32>, tensor<8xi32>
        }""",
        args=[("3xi32", "8xi32", 2), ("3xi32", "8xi32", 0), ("0xi32", "8xi32", 1)],
        numpy=lambda a, t, n: (put(t[: len(a) + n + 1], slice(n, n + len(a)), a), put(t, 0, -1)),
    ),
    Program(
        "pad_with_elements_of_an_overwritten_tensor",
        """
        func.func @main(%a: tensor<2xf32>, %t: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %1 = tensor.insert %f into %t[%c0] : tensor<4xf32>
          %0 = tensor.pad %a low[1] high[1] {
          ^bb0(%i: index):
            %x = tensor.extract %t[%i] : tensor<4xf32>
            tensor.yield %x : f32
          } : tensor<2xf32> to tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("2xf32", "4xf32", 99.0),
        numpy=lambda a, t, f: (put(t, slice(1, 3), a), put(t, 0, f)),
    ),
    Program(
        "pad_repeating_the_edges",
        """
        func.func @main(%a: tensor<3xf32>) -> tensor<5xf32> {
          %c2 = arith.constant 2 : index
          %0 = tensor.pad %a low[2] high[0] {
          ^bb0(%i: index):
            %j = arith.minui %i, %c2 : index
            %x = tensor.extract %a[%j] : tensor<3xf32>
            tensor.yield %x : f32
          } : tensor<3xf32> to tensor<5xf32>
          return %0 : tensor<5xf32>
        }""",
        args=("3xf32",),
        numpy=lambda a: np.concatenate([a[:2], a]),
    ),
    Program(
        "pad_of_booleans_by_true",
        """
        func.func @main(%a: tensor<3xi1>) -> tensor<5xi1> {
          %true = arith.constant true
          %0 = tensor.pad %a low[1] high[1] {
          ^bb0(%i: index):
            tensor.yield %true : i1
          } : tensor<3xi1> to tensor<5xi1>
          return %0 : tensor<5xi1>
        }""",
        args=("3xi1",),
        numpy=lambda a: np.pad(a, 1, constant_values=True),
    ),
    Program(
        "generate_of_rank_0_and_of_nothing",
        """
        func.func @main(%t: tensor<3xf32>, %k: index, %n: index) -> (tensor<f32>, tensor<?x2xf32>) {
          %0 = tensor.generate {
            %x = tensor.extract %t[%k] : tensor<3xf32>
            tensor.yield %x : f32
          } : tensor<f32>
          %1 = tensor.generate %n {
          ^bb0(%i: index, %j: index):
            %x = tensor.extract %t[%j] : tensor<3xf32>
            tensor.yield %x : f32
          } : tensor<?x2xf32>
          return %0, %1 : tensor<f32>, tensor<?x2xf32>
        }""",
        args=[("3xf32", 2, 0), ("3xf32", 1, 3)],
        numpy=lambda t, k, n: (t[k], np.tile(t[:2], (n, 1))),
    ),
    Program(
        "generate_from_a_tensor_overwritten_later",
        """
        func.func @main(%t: tensor<3xf32>, %f: f32) -> (tensor<3xf32>, tensor<3xf32>) {
          %c2 = arith.constant 2 : index
          %0 = tensor.generate {
          ^bb0(%i: index):
            %j = arith.subi %c2, %i : index
            %x = tensor.extract %t[%j] : tensor<3xf32>
            tensor.yield %x : f32
          } : tensor<3xf32>
          %1 = tensor.insert %f into %t[%c2] : tensor<3xf32>
          return %0, %1 : tensor<3xf32>, tensor<3xf32>
        }""",
        args=("3xf32", 99.0),
        numpy=lambda t, f: (t[::-1], put(t, 2, f)),
    ),
    Program(
        "generate_of_indices",
        """
        func.func @main(%n: index) -> tensor<2x?xindex> {
          %0 = tensor.generate %n {
          ^bb0(%i: index, %j: index):
            %s = arith.addi %i, %j : index
            tensor.yield %s : index
          } : tensor<2x?xindex>
          return %0 : tensor<2x?xindex>
        }""",
        args=[(3,), (0,)],
        numpy=lambda n: numbered((2, n)),
    ),
    Program(
        "from_elements_of_rank_0_of_nothing_and_of_rank_3",
        """
        func.func @main(%f: f32, %g: f32) -> (tensor<f32>, tensor<0xf32>, tensor<2x1x2xf32>) {
          %0 = tensor.from_elements %f : tensor<f32>
          %1 = tensor.from_elements : tensor<0xf32>
          %2 = tensor.from_elements %f, %g, %g, %f : tensor<2x1x2xf32>
          return %0, %1, %2 : tensor<f32>, tensor<0xf32>, tensor<2x1x2xf32>
        }""",
        args=(1.0, 2.0),
        numpy=lambda f, g: (np.float32(f), np.zeros(0), np.array([[[f, g]], [[g, f]]])),
    ),
    Program(
        "splat_of_rank_0_of_nothing_and_dynamic",
        """
        func.func @main(%f: bf16, %b: i1, %n: index) -> (tensor<bf16>, tensor<0x2xi1>, tensor<?x2xindex>) {
          %0 = tensor.splat %f : tensor<bf16>
          %1 = tensor.splat %b : tensor<0x2xi1>
          %2 = tensor.splat %n[%n] : tensor<?x2xindex>
          return %0, %1, %2 : tensor<bf16>, tensor<0x2xi1>, tensor<?x2xindex>
        }""",
        args=[(1.5, True, 2), (-2.0, False, 0)],
        numpy=lambda f, b, n: (f, np.zeros((0, 2)), np.full((n, 2), n)),
    ),
    Program(
        "element_of_rank_0_replaced_and_read",
        """
        func.func @main(%t: tensor<f32>, %f: f32) -> (tensor<f32>, f32, tensor<f32>) {
          %0 = tensor.insert %f into %t[] : tensor<f32>
          %1 = tensor.extract %t[] : tensor<f32>
          return %0, %1, %t : tensor<f32>, f32, tensor<f32>
        }""",
        args=("f32", 99.0),
        numpy=lambda t, f: (f, t, t),
    ),
    Program(
        "slices_that_drop_all_dimensions",
        """
        func.func @main(%t: tensor<3x4xf32>, %i: index, %j: index) -> (tensor<3x4xf32>, tensor<f32>) {
          %0 = tensor.extract_slice %t[%i, %j] [1, 1] [1, 1] : tensor<3x4xf32> to tensor<f32>
          %1 = linalg.add ins(%0, %0 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) -> tensor<f32>
          %2 = tensor.insert_slice %1 into %t[%i, %j] [1, 1] [1, 1] : tensor<f32> into tensor<3x4xf32>
          return %2, %1 : tensor<3x4xf32>, tensor<f32>
        }""",
        args=("3x4xf32", 1, 2),
        numpy=lambda t, i, j: (put(t, (i, j), 2 * t[i, j]), 2 * t[i, j]),
    ),
    Program(
        "slices_that_drop_the_middle_one_of_ones",
        """
        func.func @main(%t: tensor<2x1x3x1xf32>, %n: index, %f: f32) -> tensor<2x1x3x1xf32> {
          %c0 = arith.constant 0 : index
          %0 = tensor.extract_slice %t[0, 0, 1, 0] [%n, 1, 2, 1] [1, 1, 1, 1] : tensor<2x1x3x1xf32> to tensor<?x2x1xf32>
          %1 = tensor.insert %f into %0[%c0, %c0, %c0] : tensor<?x2x1xf32>
          %2 = tensor.insert_slice %1 into %t[0, 0, 1, 0] [%n, 1, 2, 1] [1, 1, 1, 1]
            : tensor<?x2x1xf32> into tensor<2x1x3x1xf32>
          return %2 : tensor<2x1x3x1xf32>
        }""",
        args=[("2x1x3x1xf32", 1, 99.0), ("2x1x3x1xf32", 2, 99.0)],
        numpy=lambda t, n, f: put(t, (0, 0, 1, 0), f),
    ),
    Program(
        "slices_of_nothing",
        """
        func.func @main(%t: tensor<4x3xf32>, %n: index, %f: f32) -> (tensor<4x3xf32>, tensor<?x3xf32>) {
          %0 = tensor.extract_slice %t[2, 0] [%n, 3] [1, 1] : tensor<4x3xf32> to tensor<?x3xf32>
          %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<?x3xf32>) -> tensor<?x3xf32>
          %2 = tensor.insert_slice %1 into %t[0, 0] [%n, 3] [1, 1] : tensor<?x3xf32> into tensor<4x3xf32>
          return %2, %1 : tensor<4x3xf32>, tensor<?x3xf32>
        }""",
        args=("4x3xf32", 0, 99.0),
        numpy=lambda t, n, f: (t, np.zeros((0, 3))),
    ),
    Program(
        "expanded_by_two_open_sizes",
        """
        func.func @main(%t: tensor<?x4xf32>, %m: index, %n: index, %f: f32) -> (tensor<?x?x2x2xf32>, tensor<?x4xf32>) {
          %c0 = arith.constant 0 : index
          %0 = tensor.expand_shape %t [[0, 1], [2, 3]] output_shape [%m, %n, 2, 2]
            : tensor<?x4xf32> into tensor<?x?x2x2xf32>
          %1 = tensor.insert %f into %0[%c0, %c0, %c0, %c0] : tensor<?x?x2x2xf32>
          return %1, %t : tensor<?x?x2x2xf32>, tensor<?x4xf32>
        }""",
        args=[("6x4xf32", 2, 3, 99.0), ("6x4xf32", 6, 1, 99.0)],
        numpy=lambda t, m, n, f: (put(t.reshape(m, n, 2, 2), (0, 0, 0, 0), f), t),
    ),
]
