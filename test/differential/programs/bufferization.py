"""bufferization.alloc_tensor, dealloc_tensor, materialize_in_destination, to_tensor and to_buffer."""

from __future__ import annotations

import numpy as np

from .program import Program, put


def loop_with_memrefs(body: str, tensor: str) -> str:
    """The sum of elements that a loop loads from the memref of the iteration before, once it has made the next one."""
    layout = "memref<4xf32, strided<[?], offset: ?>>"
    return f"""
        func.func @main(%t: tensor<4xf32>, %f: f32) -> f32 {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %z = arith.constant 0.0 : f32
          %m0 = memref.alloc() : memref<4xf32>
          linalg.fill ins(%z : f32) outs(%m0 : memref<4xf32>)
          %m1 = memref.cast %m0 : memref<4xf32> to {layout}
          %r:3 = scf.for %i = %c0 to %c3 step %c1 iter_args({tensor}, %p = %m1, %s = %z)
              -> (tensor<4xf32>, {layout}, f32) {{
            {body}
            %x = memref.load %p[%i] : {layout}
            %y = arith.addf %s, %x : f32
            %m = bufferization.to_buffer %w read_only : tensor<4xf32> to {layout}
            scf.yield %w, %m, %y : tensor<4xf32>, {layout}, f32
          }}
          memref.dealloc %m0 : memref<4xf32>
          return %r#2 : f32
        }}"""


PROGRAMS = [
    Program(
        "alloc_tensor_filled",
        """
        func.func @main(%n: index, %f: f32) -> tensor<?xf32> {
          %0 = bufferization.alloc_tensor(%n) : tensor<?xf32>
          %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
          return %1 : tensor<?xf32>
        }""",
        args=[(3, 9.0), (0, 9.0)],
        numpy=lambda n, f: np.full(n, f, np.float32),
    ),
    Program(
        "alloc_tensor_copies",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = bufferization.alloc_tensor() copy(%t) : tensor<4xf32>
          %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (t, put(t, i, f)),
    ),
    Program(
        "alloc_tensor_copies_an_overwritten_tensor",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
          %1 = bufferization.alloc_tensor() copy(%t) : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(t, i, f), t),
    ),
    Program(
        "alloc_tensor_in_a_loop",
        """
        func.func @main(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {
            %old = bufferization.alloc_tensor() copy(%u) : tensor<4xf32>
            %1 = tensor.extract %old[%i] : tensor<4xf32>
            %2 = linalg.fill ins(%1 : f32) outs(%u : tensor<4xf32>) -> tensor<4xf32>
            %3 = linalg.sub ins(%2, %old : tensor<4xf32>, tensor<4xf32>) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
            scf.yield %3 : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }""",
        args=[("4xf32", 0), ("4xf32", 1)],
        numpy=lambda t, n: t[0] - t if n else t,
    ),
    Program(
        "materialize_into_argument",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: index) -> (tensor<4xf32>, f32) {
          %0 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
          %1 = bufferization.materialize_in_destination %0 in %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %2 = tensor.extract %1[%i] : tensor<4xf32>
          return %1, %2 : tensor<4xf32>, f32
        }""",
        args=("4xf32", "4xf32", 1),
        numpy=lambda a, b, i: (a + b, (a + b)[i]),
    ),
    Program(
        "materialize_source_updated_later",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = bufferization.materialize_in_destination %a in %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.insert %f into %a[%i] : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", "4xf32", 2, 99.0),
        numpy=lambda a, b, i, f: (a, put(a, i, f)),
    ),
    Program(
        "materialize_into_a_buffer",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %m = memref.alloc() : memref<4xf32>
          %0 = linalg.add ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
          bufferization.materialize_in_destination %0 in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
          %1 = memref.load %m[%i] : memref<4xf32>
          %2 = tensor.insert %f into %0[%i] : tensor<4xf32>
          memref.dealloc %m : memref<4xf32>
          return %2, %1 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(2 * t, i, f), 2 * t[i]),
    ),
    Program(
        "materialize_into_a_wrapped_buffer",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %m = memref.alloc() : memref<4xf32>
          %w = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
          %0 = linalg.add ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
          bufferization.materialize_in_destination %0 in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
          %1 = memref.load %m[%i] : memref<4xf32>
          %2 = tensor.extract %0[%i] : tensor<4xf32>
          %3 = arith.addf %1, %2 : f32
          %4 = tensor.insert %f into %t[%i] : tensor<4xf32>
          memref.dealloc %m : memref<4xf32>
          return %4, %3 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(t, i, f), 4 * t[i]),
    ),
    Program(
        "materialized_in_a_wrapped_buffer_and_updated",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %m = memref.alloc() : memref<4xf32>
          %w = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
          %0 = linalg.add ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
          bufferization.materialize_in_destination %0 in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          %2 = memref.load %m[%i] : memref<4xf32>
          memref.dealloc %m : memref<4xf32>
          return %1, %2 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(2 * t, i, f), 2 * t[i]),
        upstream_wrong="what is in the memref is overwritten before it is loaded",
        oracle_cannot="",
    ),
    Program(
        "to_tensor_writable_updated",
        """
        func.func @main(%i: index, %f: f32) -> (f32, f32) {
          %zero = arith.constant 0.0 : f32
          %m = memref.alloc() : memref<4xf32>
          linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
          %0 = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
          %1 = tensor.extract %0[%i] : tensor<4xf32>
          %2 = tensor.insert %f into %0[%i] : tensor<4xf32>
          %3 = tensor.extract %2[%i] : tensor<4xf32>
          memref.dealloc %m : memref<4xf32>
          return %1, %3 : f32, f32
        }""",
        args=(1, 99.0),
        numpy=lambda i, f: (0, f),
    ),
    Program(
        "to_tensor_read_only_updated",
        """
        func.func @main(%i: index, %f: f32) -> (f32, f32) {
          %zero = arith.constant 0.0 : f32
          %m = memref.alloc() : memref<4xf32>
          linalg.fill ins(%zero : f32) outs(%m : memref<4xf32>)
          %0 = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          %2 = tensor.extract %1[%i] : tensor<4xf32>
          %3 = memref.load %m[%i] : memref<4xf32>
          memref.dealloc %m : memref<4xf32>
          return %2, %3 : f32, f32
        }""",
        args=(1, 99.0),
        numpy=lambda i, f: (f, 0),
    ),
    Program(
        "to_buffer_read_only",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = linalg.add ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
          %m = bufferization.to_buffer %0 read_only : tensor<4xf32> to memref<4xf32, strided<[?], offset: ?>>
          %1 = memref.load %m[%i] : memref<4xf32, strided<[?], offset: ?>>
          %2 = tensor.insert %f into %0[%i] : tensor<4xf32>
          return %2, %1 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(2 * t, i, f), 2 * t[i]),
    ),
    Program(
        "to_buffer_written_while_the_tensor_is_read_later",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (f32, f32) {
          %m = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32, strided<[?], offset: ?>>
          memref.store %f, %m[%i] : memref<4xf32, strided<[?], offset: ?>>
          %0 = memref.load %m[%i] : memref<4xf32, strided<[?], offset: ?>>
          %1 = tensor.extract %t[%i] : tensor<4xf32>
          return %0, %1 : f32, f32
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (f, t[i]),
        oracle_wrong="upstream's copy-before-write hands out the tensor's own buffer to be written",
    ),
    Program(
        "dealloc_tensor_after_the_last_use",
        """
        func.func @main(%f: f32, %i: index) -> f32 {
          %0 = bufferization.alloc_tensor() : tensor<4xf32>
          %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
          %2 = tensor.extract %1[%i] : tensor<4xf32>
          bufferization.dealloc_tensor %1 : tensor<4xf32>
          return %2 : f32
        }""",
        args=(99.0, 1),
        numpy=lambda f, i: f,
    ),
    Program(
        "dealloc_tensor_of_a_buffer_that_was_updated_in_place",
        """
        func.func @main(%f: f32, %g: f32, %i: index) -> tensor<4xf32> {
          %0 = bufferization.alloc_tensor() : tensor<4xf32>
          %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
          %2 = tensor.insert %g into %1[%i] : tensor<4xf32>
          bufferization.dealloc_tensor %1 : tensor<4xf32>
          return %2 : tensor<4xf32>
        }""",
        args=(99.0, 7.0, 1),
        numpy=lambda f, g, i: put(np.full(4, f, np.float32), i, g),
        oracle_wrong="upstream frees the buffer that the result lives in",
    ),
    Program(
        "memref_of_an_earlier_iteration",
        loop_with_memrefs("%w = tensor.insert %f into %a[%i] : tensor<4xf32>", "%a = %t"),
        args=("4xf32", 100.0),
        numpy=lambda t, f: t[1] + t[2],
        upstream_wrong="the memref is loaded from when the next iteration has overwritten it",
    ),
    Program(
        "memref_of_a_buffer_that_each_iteration_makes",
        loop_with_memrefs(
            """
            %e = tensor.empty() : tensor<4xf32>
            %k = linalg.fill ins(%s : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
            %w = tensor.insert %f into %k[%i] : tensor<4xf32>
            """,
            "%a = %t",
        ).replace("scf.yield %w", "scf.yield %a"),
        args=("4xf32", 100.0),
        numpy=lambda t, f: 0.0,
    ),
    Program(
        "a_new_tensor_is_handed_out",
        """
        func.func private @make(%t: tensor<4xf32>) -> memref<4xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.add ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %m = bufferization.to_buffer %0 : tensor<4xf32> to memref<4xf32>
          return %m : memref<4xf32>
        }
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %m = call @make(%t) : (tensor<4xf32>) -> memref<4xf32>
          memref.store %f, %m[%i] : memref<4xf32>
          %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
          %1 = memref.load %m[%i] : memref<4xf32>
          return %0, %1 : tensor<4xf32>, f32
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (put(t, i, f), f),
    ),
    Program(
        "a_tensor_that_was_handed_out_is_overwritten",
        """
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (f32, f32) {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.add ins(%t, %t : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %m = bufferization.to_buffer %0 : tensor<4xf32> to memref<4xf32>
          %1 = linalg.exp ins(%t : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
          memref.store %f, %m[%i] : memref<4xf32>
          %2 = tensor.extract %1[%i] : tensor<4xf32>
          %3 = memref.load %m[%i] : memref<4xf32>
          return %2, %3 : f32, f32
        }""",
        args=("4xf32", 1, 99.0),
        numpy=lambda t, i, f: (np.exp(t[i]), f),
        rtol=1e-6,
        upstream_wrong="what is handed out and what is computed next are one buffer",
    ),
]
