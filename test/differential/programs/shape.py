"""shape.assuming: regions that run once, under an assumption, and hand their tensors out."""

from __future__ import annotations

from .program import Program, f32, put

PROGRAMS = [
    Program(
        "assuming_write_into_argument",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
          %w = shape.const_witness true
          %0 = shape.assuming %w -> (tensor<4xf32>) {
            %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
            shape.assuming_yield %1 : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32", 2, 99.0),
        numpy=put,
    ),
    Program(
        "assuming_write_into_what_is_read_later",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32, index) {
          %w = shape.const_witness true
          %0, %n = shape.assuming %w -> (tensor<4xf32>, index) {
            %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
            %2 = arith.addi %i, %i : index
            shape.assuming_yield %1, %2 : tensor<4xf32>, index
          }
          %3 = tensor.extract %t[%i] : tensor<4xf32>
          return %0, %3, %n : tensor<4xf32>, f32, index
        }""",
        args=("4xf32", 2, 99.0),
        numpy=lambda t, i, f: (put(t, i, f), t[i], 2 * i),
    ),
    Program(
        "assuming_result_is_written",
        """
        func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %w = shape.const_witness true
          %0 = shape.assuming %w -> (tensor<4xf32>) {
            %1 = linalg.add ins(%t, %u : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
            shape.assuming_yield %1 : tensor<4xf32>
          }
          %2 = tensor.insert %f into %0[%i] : tensor<4xf32>
          return %0, %2 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", "4xf32", 2, 99.0),
        numpy=lambda t, u, i, f: (t + u, put(t + u, i, f)),
    ),
    Program(
        "assuming_a_constant",
        """
        func.func @main(%i: index, %f: f32) -> tensor<3xf32> {
          %w = shape.const_witness true
          %0 = shape.assuming %w -> (tensor<3xf32>) {
            %k = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
            shape.assuming_yield %k : tensor<3xf32>
          }
          %1 = tensor.insert %f into %0[%i] : tensor<3xf32>
          return %1 : tensor<3xf32>
        }""",
        args=(1, 99.0),
        numpy=lambda i, f: put(f32(1, 2, 3), i, f),
    ),
    Program(
        "assuming_in_a_loop",
        """
        func.func @main(%t: tensor<?xf32>, %n: index, %p: i1) -> (tensor<?xf32>, tensor<?xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<?xf32> {
            %w = shape.cstr_require %p, "p must hold"
            %0 = shape.assuming %w -> (tensor<?xf32>) {
              %1 = linalg.add ins(%u, %u : tensor<?xf32>, tensor<?xf32>) outs(%u : tensor<?xf32>) -> tensor<?xf32>
              shape.assuming_yield %1 : tensor<?xf32>
            }
            scf.yield %0 : tensor<?xf32>
          }
          return %r, %t : tensor<?xf32>, tensor<?xf32>
        }""",
        args=[("3xf32", 3, True), ("3xf32", 0, False)],
        numpy=lambda t, n, p: (t * 2**n, t),
    ),
]
