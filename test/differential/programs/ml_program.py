"""ml_program globals: loads that may use the memory, and loads after which the memory changes.

A program stores what it relies on before it loads, as every call must give the same results.
"""

from __future__ import annotations

from .program import Program, f32, put

GLOBAL = "ml_program.global private mutable @g(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) : tensor<4xf32>"
STALE = "upstream's load sees what is stored later"

PROGRAMS = [
    Program(
        "global_that_nobody_stores_to",
        GLOBAL
        + """
        func.func @main(%t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = ml_program.global_load @g : tensor<4xf32>
          %1 = linalg.add ins(%0, %t : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32",),
        numpy=lambda t: (f32(1, 2, 3, 4), f32(1, 2, 3, 4) + t),
    ),
    Program(
        "global_constant",
        """
        ml_program.global private @g(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) : tensor<4xf32>
        func.func @main(%i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = ml_program.global_load_const @g : tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          %2 = ml_program.global_load @g : tensor<4xf32>
          return %1, %2 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=(2, 99.0),
        numpy=lambda i, f: (put(f32(1, 2, 3, 4), i, f), f32(1, 2, 3, 4)),
        upstream_refuses="op was not bufferized",
        oracle_wrong="upstream does not bufferize ml_program.global_load_const",
    ),
    Program(
        "global_loaded_and_used_before_the_next_store",
        GLOBAL
        + """
        func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>) -> (f32, f32) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          ml_program.global_store @g = %t : tensor<4xf32>
          %0 = ml_program.global_load @g : tensor<4xf32>
          %1 = tensor.extract_slice %0[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
          %2 = tensor.extract %1[%c1] : tensor<2xf32>
          ml_program.global_store @g = %u : tensor<4xf32>
          %3 = ml_program.global_load @g : tensor<4xf32>
          %4 = tensor.extract %3[%c0] : tensor<4xf32>
          return %2, %4 : f32, f32
        }""",
        args=("4xf32", "4xf32"),
        numpy=lambda t, u: (t[2], u[0]),
    ),
    Program(
        "global_used_after_the_next_store",
        GLOBAL
        + """
        func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>) -> (f32, f32) {
          %c0 = arith.constant 0 : index
          ml_program.global_store @g = %t : tensor<4xf32>
          %0 = ml_program.global_load @g : tensor<4xf32>
          ml_program.global_store @g = %u : tensor<4xf32>
          %3 = ml_program.global_load @g : tensor<4xf32>
          %2 = tensor.extract %0[%c0] : tensor<4xf32>
          %4 = tensor.extract %3[%c0] : tensor<4xf32>
          return %2, %4 : f32, f32
        }""",
        args=("4xf32", "4xf32"),
        numpy=lambda t, u: (t[0], u[0]),
        oracle_wrong=STALE,
    ),
    Program(
        "global_updated",
        GLOBAL
        + """
        func.func @main(%t: tensor<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
          ml_program.global_store @g = %t : tensor<4xf32>
          %0 = ml_program.global_load @g : tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          ml_program.global_store @g = %1 : tensor<4xf32>
          %2 = ml_program.global_load @g : tensor<4xf32>
          %3 = linalg.add ins(%2, %t : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
          return %3 : tensor<4xf32>
        }""",
        args=("4xf32", 99.0, 2),
        numpy=lambda t, f, i: put(t, i, f) + t,
        fewer=True,
    ),
    Program(
        "global_returned_and_stored_to_by_the_caller",
        GLOBAL
        + """
        func.func private @get() -> tensor<4xf32> {
          %0 = ml_program.global_load @g : tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {
          ml_program.global_store @g = %t : tensor<4xf32>
          %0 = func.call @get() : () -> tensor<4xf32>
          ml_program.global_store @g = %u : tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=("4xf32", "4xf32"),
        numpy=lambda t, u: t,
        oracle_wrong=STALE,
    ),
    Program(
        "global_stored_to_by_a_callee",
        GLOBAL
        + """
        func.func private @set(%u: tensor<4xf32>) {
          ml_program.global_store @g = %u : tensor<4xf32>
          return
        }
        func.func private @forward(%u: tensor<4xf32>) {
          func.call @set(%u) : (tensor<4xf32>) -> ()
          return
        }
        func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>) -> (f32, f32) {
          %c0 = arith.constant 0 : index
          func.call @set(%t) : (tensor<4xf32>) -> ()
          %0 = ml_program.global_load @g : tensor<4xf32>
          func.call @forward(%u) : (tensor<4xf32>) -> ()
          %1 = tensor.extract %0[%c0] : tensor<4xf32>
          %2 = ml_program.global_load @g : tensor<4xf32>
          %3 = tensor.extract %2[%c0] : tensor<4xf32>
          return %1, %3 : f32, f32
        }""",
        args=("4xf32", "4xf32"),
        numpy=lambda t, u: (t[0], u[0]),
        oracle_wrong=STALE,
    ),
    Program(
        "global_passed_to_a_function_that_stores",
        GLOBAL
        + """
        func.func private @swap(%a: tensor<4xf32>, %u: tensor<4xf32>) -> f32 {
          %c1 = arith.constant 1 : index
          ml_program.global_store @g = %u : tensor<4xf32>
          %0 = tensor.extract %a[%c1] : tensor<4xf32>
          return %0 : f32
        }
        func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>) -> f32 {
          ml_program.global_store @g = %t : tensor<4xf32>
          %0 = ml_program.global_load @g : tensor<4xf32>
          %1 = func.call @swap(%0, %u) : (tensor<4xf32>, tensor<4xf32>) -> f32
          return %1 : f32
        }""",
        args=("4xf32", "4xf32"),
        numpy=lambda t, u: t[1],
        oracle_wrong=STALE,
    ),
    Program(
        "global_accumulated_in_a_loop",
        GLOBAL
        + """
        func.func @main(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          ml_program.global_store @g = %t : tensor<4xf32>
          scf.for %i = %c0 to %n step %c1 {
            %0 = ml_program.global_load @g : tensor<4xf32>
            %1 = linalg.add ins(%0, %t : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
            ml_program.global_store @g = %1 : tensor<4xf32>
          }
          %2 = ml_program.global_load @g : tensor<4xf32>
          %e = tensor.empty() : tensor<4xf32>
          %3 = linalg.copy ins(%2 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          return %3 : tensor<4xf32>
        }""",
        args=[("4xf32", 0), ("4xf32", 3)],
        numpy=lambda t, n: t * (n + 1),
        fewer=True,
    ),
    Program(
        "global_loaded_before_a_loop_that_stores",
        GLOBAL
        + """
        func.func @main(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          ml_program.global_store @g = %t : tensor<4xf32>
          %0 = ml_program.global_load @g : tensor<4xf32>
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<4xf32> {
            %1 = linalg.add ins(%0, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
            ml_program.global_store @g = %1 : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          return %r : tensor<4xf32>
        }""",
        args=[("4xf32", 0), ("4xf32", 3)],
        numpy=lambda t, n: t * (n + 1),
        oracle_wrong=STALE,
    ),
    Program(
        "global_carried_by_a_loop",
        GLOBAL
        + """
        func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, f32) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          ml_program.global_store @g = %t : tensor<4xf32>
          %0 = ml_program.global_load @g : tensor<4xf32>
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0) -> tensor<4xf32> {
            %1 = tensor.insert %f into %a[%i] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          %2 = ml_program.global_load @g : tensor<4xf32>
          %3 = tensor.extract %2[%c0] : tensor<4xf32>
          ml_program.global_store @g = %u : tensor<4xf32>
          return %r, %3 : tensor<4xf32>, f32
        }""",
        args=[("4xf32", "4xf32", 0, 99.0), ("4xf32", "4xf32", 3, 99.0)],
        numpy=lambda t, u, n, f: (put(t, slice(n), f), t[0]),
        oracle_wrong=STALE,
    ),
    Program(
        "global_stored_back_as_it_is",
        GLOBAL
        + """
        func.func @main(%t: tensor<4xf32>, %i: index) -> f32 {
          ml_program.global_store @g = %t : tensor<4xf32>
          %0 = ml_program.global_load @g : tensor<4xf32>
          ml_program.global_store @g = %0 : tensor<4xf32>
          %1 = ml_program.global_load @g : tensor<4xf32>
          %2 = tensor.extract %1[%i] : tensor<4xf32>
          return %2 : f32
        }""",
        args=("4xf32", 3),
        numpy=lambda t, i: t[i],
        fewer=True,
    ),
    Program(
        "global_loaded_in_a_branch",
        GLOBAL
        + """
        func.func @main(%t: tensor<4xf32>, %u: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
          ml_program.global_store @g = %t : tensor<4xf32>
          %0 = scf.if %p -> tensor<4xf32> {
            %1 = ml_program.global_load @g : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          } else {
            scf.yield %t : tensor<4xf32>
          }
          ml_program.global_store @g = %u : tensor<4xf32>
          %2 = linalg.add ins(%0, %u : tensor<4xf32>, tensor<4xf32>) outs(%u : tensor<4xf32>) -> tensor<4xf32>
          return %2 : tensor<4xf32>
        }""",
        args=[("4xf32", "4xf32", True), ("4xf32", "4xf32", False)],
        numpy=lambda t, u, p: t + u,
        oracle_wrong=STALE,
    ),
    Program(
        "global_without_a_value",
        """
        ml_program.global private mutable @g : tensor<2x3xi32>
        func.func @main(%t: tensor<2x3xi32>, %i: index) -> i32 {
          %c0 = arith.constant 0 : index
          ml_program.global_store @g = %t : tensor<2x3xi32>
          %0 = ml_program.global_load @g : tensor<2x3xi32>
          %1 = tensor.extract %0[%c0, %i] : tensor<2x3xi32>
          return %1 : i32
        }""",
        args=("2x3xi32", 1),
        numpy=lambda t, i: t[0, i],
        upstream_refuses="global op must have a value",
        oracle_wrong="upstream wants a value",
    ),
]
