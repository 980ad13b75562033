"""arith.constant and arith.select on tensors: read-only buffers, and results that live in one of two buffers."""

from __future__ import annotations

import numpy as np

from .program import Program, f32, put

PROGRAMS = [
    Program(
        "constant_returned",
        """
        func.func @main() -> tensor<3xf32> {
          %0 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
          return %0 : tensor<3xf32>
        }""",
        numpy=lambda: f32(1, 2, 3),
    ),
    Program(
        "constant_read",
        """
        func.func @main(%i: index) -> f32 {
          %0 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
          %1 = tensor.extract %0[%i] : tensor<3xf32>
          return %1 : f32
        }""",
        args=[(0,), (2,)],
        numpy=lambda i: f32(1, 2, 3)[i],
    ),
    Program(
        "constant_updated_by_insert",
        """
        func.func @main(%i: index, %f: f32) -> tensor<3xf32> {
          %0 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<3xf32>
          return %1 : tensor<3xf32>
        }""",
        args=[(0, 9.0), (2, 8.0)],
        numpy=lambda i, f: put(f32(1, 2, 3), i, f),
    ),
    Program(
        "constant_accumulated_into",
        """
        func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
          %0 = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
          %1 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%0 : tensor<2x2xf32>)
              -> tensor<2x2xf32>
          return %1 : tensor<2x2xf32>
        }""",
        args=("2x2xf32", "2x2xf32"),
        numpy=lambda a, b: np.array([[1, 2], [3, 4]], np.float32) + a @ b,
    ),
    Program(
        "constant_overwritten",
        """
        func.func @main(%f: f32) -> (tensor<3xf32>, tensor<3xf32>) {
          %0 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
          %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<3xf32>) -> tensor<3xf32>
          return %1, %0 : tensor<3xf32>, tensor<3xf32>
        }""",
        args=(7.0,),
        numpy=lambda f: (f32(f, f, f), f32(1, 2, 3)),
    ),
    Program(
        "constant_updated_in_each_iteration",
        """
        func.func @main(%n: index, %f: f32) -> tensor<3xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
          %1 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %0) -> tensor<3xf32> {
            %2 = tensor.insert %f into %0[%i] : tensor<3xf32>
            scf.yield %2 : tensor<3xf32>
          }
          return %1 : tensor<3xf32>
        }""",
        args=[(0, 9.0), (1, 9.0), (3, 9.0)],
        numpy=lambda n, f: put(f32(1, 2, 3), n - 1, f) if n else f32(1, 2, 3),
        upstream_refuses="Yield operand #0 is not equivalent",
    ),
    Program(
        "equal_constants_one_updated",
        """
        func.func @main(%i: index, %f: f32) -> (tensor<3xf32>, tensor<3xf32>) {
          %0 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
          %1 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
          %2 = tensor.insert %f into %0[%i] : tensor<3xf32>
          return %2, %1 : tensor<3xf32>, tensor<3xf32>
        }""",
        args=(1, 9.0),
        numpy=lambda i, f: (put(f32(1, 2, 3), i, f), f32(1, 2, 3)),
    ),
    Program(
        "constant_slice_updated",
        """
        func.func @main(%f: f32) -> (tensor<2xf32>, tensor<4xf32>) {
          %0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
          %1 = tensor.extract_slice %0[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
          %2 = linalg.fill ins(%f : f32) outs(%1 : tensor<2xf32>) -> tensor<2xf32>
          return %2, %0 : tensor<2xf32>, tensor<4xf32>
        }""",
        args=(7.0,),
        numpy=lambda f: (f32(f, f), f32(1, 2, 3, 4)),
    ),
    Program(
        "constant_splat_updated",
        """
        func.func @main(%i: index, %f: f32) -> tensor<3x2xf32> {
          %c0 = arith.constant 0 : index
          %0 = arith.constant dense<5.0> : tensor<3x2xf32>
          %1 = tensor.insert %f into %0[%i, %c0] : tensor<3x2xf32>
          return %1 : tensor<3x2xf32>
        }""",
        args=(1, 9.0),
        numpy=lambda i, f: np.where(np.arange(6).reshape(3, 2) == 2 * i, f, np.float32(5)),
    ),
    Program(
        "constant_of_rank_0_and_of_size_0",
        """
        func.func @main() -> (tensor<i64>, tensor<0x3xf32>) {
          %0 = arith.constant dense<42> : tensor<i64>
          %1 = arith.constant dense<> : tensor<0x3xf32>
          return %0, %1 : tensor<i64>, tensor<0x3xf32>
        }""",
        numpy=lambda: (np.array(42), np.zeros((0, 3), np.float32)),
    ),
    Program(
        "select_written_first_read_later",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = arith.select %c, %a, %b : tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          %2 = tensor.extract %a[%i] : tensor<4xf32>
          return %1, %2 : tensor<4xf32>, f32
        }""",
        args=[("4xf32", "4xf32", True, 1, 99.0), ("4xf32", "4xf32", False, 1, 99.0)],
        numpy=lambda a, b, c, i, f: (put(a if c else b, i, f), a[i]),
    ),
    Program(
        "select_written_second_read_later",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = arith.select %c, %a, %b : tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          %2 = tensor.extract %b[%i] : tensor<4xf32>
          return %1, %2 : tensor<4xf32>, f32
        }""",
        args=[("4xf32", "4xf32", True, 1, 99.0), ("4xf32", "4xf32", False, 1, 99.0)],
        numpy=lambda a, b, c, i, f: (put(a if c else b, i, f), b[i]),
    ),
    Program(
        "select_written_both_dead",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = arith.select %c, %a, %b : tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        args=[("4xf32", "4xf32", True, 1, 99.0), ("4xf32", "4xf32", False, 1, 99.0)],
        numpy=lambda a, b, c, i, f: put(a if c else b, i, f),
    ),
    Program(
        "select_read_after_its_source_was_written",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = arith.select %c, %a, %b : tensor<4xf32>
          %1 = tensor.insert %f into %a[%i] : tensor<4xf32>
          %2 = tensor.extract %0[%i] : tensor<4xf32>
          return %1, %2 : tensor<4xf32>, f32
        }""",
        args=[("4xf32", "4xf32", True, 1, 99.0), ("4xf32", "4xf32", False, 1, 99.0)],
        numpy=lambda a, b, c, i, f: (put(a, i, f), (a if c else b)[i]),
    ),
    Program(
        "select_between_constant_and_argument",
        """
        func.func @main(%a: tensor<3xf32>, %c: i1, %i: index, %f: f32) -> tensor<3xf32> {
          %0 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
          %1 = arith.select %c, %a, %0 : tensor<3xf32>
          %2 = tensor.insert %f into %1[%i] : tensor<3xf32>
          return %2 : tensor<3xf32>
        }""",
        args=[("3xf32", True, 1, 99.0), ("3xf32", False, 1, 99.0)],
        numpy=lambda a, c, i, f: put(a if c else f32(1, 2, 3), i, f),
    ),
    Program(
        "select_of_slices_with_different_layouts",
        """
        func.func @main(%a: tensor<8xf32>, %b: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
          %0 = tensor.extract_slice %a[1] [4] [2] : tensor<8xf32> to tensor<4xf32>
          %1 = arith.select %c, %0, %b : tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        args=[("8xf32", "4xf32", True), ("8xf32", "4xf32", False)],
        numpy=lambda a, b, c: a[1::2] if c else b,
    ),
    Program(
        "select_of_two_updates_of_one_tensor",
        """
        func.func @main(%a: tensor<4xf32>, %c: i1, %i: index, %f: f32, %g: f32) -> tensor<4xf32> {
          %0 = tensor.insert %f into %a[%i] : tensor<4xf32>
          %1 = tensor.insert %g into %a[%i] : tensor<4xf32>
          %2 = arith.select %c, %0, %1 : tensor<4xf32>
          return %2 : tensor<4xf32>
        }""",
        args=[("4xf32", True, 1, 88.0, 99.0), ("4xf32", False, 1, 88.0, 99.0)],
        numpy=lambda a, c, i, f, g: put(a, i, f if c else g),
        fewer=True,
    ),
]
