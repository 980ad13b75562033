"""scf.if: updates in one branch or in both, identities, values read after the branch, and branches in loops."""

from __future__ import annotations

import numpy as np

from .program import Program, put

BOTH = [("4xf32", True, 1, 99.0), ("4xf32", False, 1, 99.0)]
TWO = [("4xf32", "4xf32", True, 1, 99.0), ("4xf32", "4xf32", False, 1, 99.0)]


def clipped(t: np.ndarray, limit: float) -> np.ndarray:
    return np.minimum(t, np.float32(limit))


PROGRAMS = [
    Program(
        "if_updates_in_one_branch",
        """
        func.func @main(%t: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = scf.if %c -> tensor<4xf32> {
            %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          } else {
            scf.yield %t : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }""",
        args=BOTH,
        numpy=lambda t, c, i, f: put(t, i, f) if c else t,
    ),
    Program(
        "if_updates_in_one_branch_read_later",
        """
        func.func @main(%t: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = scf.if %c -> tensor<4xf32> {
            scf.yield %t : tensor<4xf32>
          } else {
            %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          %2 = tensor.extract %t[%i] : tensor<4xf32>
          return %0, %2 : tensor<4xf32>, f32
        }""",
        args=BOTH,
        numpy=lambda t, c, i, f: (t if c else put(t, i, f), t[i]),
    ),
    Program(
        "if_updates_in_both_branches",
        """
        func.func @main(%t: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = scf.if %c -> tensor<4xf32> {
            %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          } else {
            %2 = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
            scf.yield %2 : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }""",
        args=BOTH,
        numpy=lambda t, c, i, f: put(t, i, f) if c else np.full_like(t, f),
    ),
    Program(
        "if_updates_in_both_branches_read_later",
        """
        func.func @main(%t: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = scf.if %c -> tensor<4xf32> {
            %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          } else {
            %2 = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
            scf.yield %2 : tensor<4xf32>
          }
          return %0, %t : tensor<4xf32>, tensor<4xf32>
        }""",
        args=BOTH,
        numpy=lambda t, c, i, f: (put(t, i, f) if c else np.full_like(t, f), t),
    ),
    Program(
        "if_reads_in_the_other_branch",
        """
        func.func @main(%t: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0:2 = scf.if %c -> (tensor<4xf32>, f32) {
            %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
            scf.yield %1, %f : tensor<4xf32>, f32
          } else {
            %2 = tensor.extract %t[%i] : tensor<4xf32>
            scf.yield %t, %2 : tensor<4xf32>, f32
          }
          return %0#0, %0#1 : tensor<4xf32>, f32
        }""",
        args=BOTH,
        numpy=lambda t, c, i, f: (put(t, i, f), f) if c else (t, t[i]),
    ),
    Program(
        "if_reads_after_the_update_in_the_same_branch",
        """
        func.func @main(%t: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0:2 = scf.if %c -> (tensor<4xf32>, f32) {
            %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
            %2 = tensor.extract %t[%i] : tensor<4xf32>
            scf.yield %1, %2 : tensor<4xf32>, f32
          } else {
            scf.yield %t, %f : tensor<4xf32>, f32
          }
          return %0#0, %0#1 : tensor<4xf32>, f32
        }""",
        args=BOTH,
        numpy=lambda t, c, i, f: (put(t, i, f), t[i]) if c else (t, f),
    ),
    Program(
        "if_yields_one_of_two_tensors",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = scf.if %c -> tensor<4xf32> {
            scf.yield %a : tensor<4xf32>
          } else {
            scf.yield %b : tensor<4xf32>
          }
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          return %1 : tensor<4xf32>
        }""",
        args=TWO,
        numpy=lambda a, b, c, i, f: put(a if c else b, i, f),
    ),
    Program(
        "if_yields_one_of_two_tensors_read_later",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1, %i: index, %f: f32)
            -> (tensor<4xf32>, f32, f32) {
          %0 = scf.if %c -> tensor<4xf32> {
            scf.yield %a : tensor<4xf32>
          } else {
            scf.yield %b : tensor<4xf32>
          }
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          %2 = tensor.extract %a[%i] : tensor<4xf32>
          %3 = tensor.extract %b[%i] : tensor<4xf32>
          return %1, %2, %3 : tensor<4xf32>, f32, f32
        }""",
        args=TWO,
        numpy=lambda a, b, c, i, f: (put(a if c else b, i, f), a[i], b[i]),
    ),
    Program(
        "if_yields_read_after_their_source_was_overwritten",
        """
        func.func @main(%t: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
          %0 = scf.if %c -> tensor<4xf32> {
            scf.yield %t : tensor<4xf32>
          } else {
            %1 = tensor.splat %f : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          %2 = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
          %3 = tensor.extract %0[%i] : tensor<4xf32>
          return %2, %3 : tensor<4xf32>, f32
        }""",
        args=BOTH,
        numpy=lambda t, c, i, f: (np.full_like(t, f), t[i] if c else f),
    ),
    Program(
        "if_yields_new_or_constant_tensor",
        """
        func.func @main(%c: i1, %i: index, %f: f32) -> tensor<3xf32> {
          %0 = scf.if %c -> tensor<3xf32> {
            %1 = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
            scf.yield %1 : tensor<3xf32>
          } else {
            %2 = tensor.splat %f : tensor<3xf32>
            scf.yield %2 : tensor<3xf32>
          }
          %3 = tensor.insert %f into %0[%i] : tensor<3xf32>
          return %3 : tensor<3xf32>
        }""",
        args=[(True, 1, 99.0), (False, 1, 99.0)],
        numpy=lambda c, i, f: put(np.array([1, 2, 3], np.float32), i, f) if c else np.full(3, f, np.float32),
    ),
    Program(
        "if_swaps_two_tensors",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1, %i: index, %f: f32)
            -> (tensor<4xf32>, tensor<4xf32>) {
          %0:2 = scf.if %c -> (tensor<4xf32>, tensor<4xf32>) {
            scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
          } else {
            scf.yield %a, %b : tensor<4xf32>, tensor<4xf32>
          }
          %1 = tensor.insert %f into %0#0[%i] : tensor<4xf32>
          return %1, %0#1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=TWO,
        numpy=lambda a, b, c, i, f: (put(b, i, f), a) if c else (put(a, i, f), b),
    ),
    Program(
        "if_yields_one_tensor_twice",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1, %i: index, %f: f32)
            -> (tensor<4xf32>, tensor<4xf32>) {
          %0:2 = scf.if %c -> (tensor<4xf32>, tensor<4xf32>) {
            scf.yield %a, %a : tensor<4xf32>, tensor<4xf32>
          } else {
            scf.yield %a, %b : tensor<4xf32>, tensor<4xf32>
          }
          %1 = tensor.insert %f into %0#0[%i] : tensor<4xf32>
          return %1, %0#1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=TWO,
        numpy=lambda a, b, c, i, f: (put(a, i, f), a if c else b),
    ),
    Program(
        "if_in_if",
        """
        func.func @main(%t: tensor<4xf32>, %c: i1, %d: i1, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = scf.if %c -> tensor<4xf32> {
            %1 = scf.if %d -> tensor<4xf32> {
              %2 = tensor.insert %f into %t[%i] : tensor<4xf32>
              scf.yield %2 : tensor<4xf32>
            } else {
              scf.yield %t : tensor<4xf32>
            }
            %3 = linalg.add ins(%1, %1 : tensor<4xf32>, tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
            scf.yield %3 : tensor<4xf32>
          } else {
            scf.yield %t : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }""",
        args=[("4xf32", c, d, 2, 99.0) for c in (True, False) for d in (True, False)],
        numpy=lambda t, c, d, i, f: 2 * (put(t, i, f) if d else t) if c else t,
    ),
    Program(
        "if_reads_two_versions",
        """
        func.func @main(%t: tensor<4xf32>, %c: i1, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
          %1 = tensor.empty() : tensor<4xf32>
          %2 = scf.if %c -> tensor<4xf32> {
            %3 = linalg.add ins(%t, %0 : tensor<4xf32>, tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
            scf.yield %3 : tensor<4xf32>
          } else {
            scf.yield %0 : tensor<4xf32>
          }
          return %2 : tensor<4xf32>
        }""",
        args=BOTH,
        numpy=lambda t, c, i, f: t + put(t, i, f) if c else put(t, i, f),
    ),
    Program(
        "if_in_a_loop_updates_sometimes",
        """
        func.func @main(%t: tensor<6xf32>, %limit: f32) -> tensor<6xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c6 = arith.constant 6 : index
          %0 = scf.for %i = %c0 to %c6 step %c1 iter_args(%u = %t) -> tensor<6xf32> {
            %1 = tensor.extract %u[%i] : tensor<6xf32>
            %2 = arith.cmpf ogt, %1, %limit : f32
            %3 = scf.if %2 -> tensor<6xf32> {
              %4 = tensor.insert %limit into %u[%i] : tensor<6xf32>
              scf.yield %4 : tensor<6xf32>
            } else {
              scf.yield %u : tensor<6xf32>
            }
            scf.yield %3 : tensor<6xf32>
          }
          return %0 : tensor<6xf32>
        }""",
        args=[("6xf32", 3.0), ("6xf32", 100.0)],
        numpy=clipped,
    ),
    Program(
        "if_in_a_loop_swaps_buffers_sometimes",
        """
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %0:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %a, %v = %b) -> (tensor<4xf32>, tensor<4xf32>) {
            %1 = arith.cmpi eq, %i, %c1 : index
            %2:2 = scf.if %1 -> (tensor<4xf32>, tensor<4xf32>) {
              scf.yield %v, %u : tensor<4xf32>, tensor<4xf32>
            } else {
              scf.yield %u, %v : tensor<4xf32>, tensor<4xf32>
            }
            %3 = tensor.insert %f into %2#0[%i] : tensor<4xf32>
            scf.yield %3, %2#1 : tensor<4xf32>, tensor<4xf32>
          }
          return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", "4xf32", 99.0),
        numpy=lambda a, b, f: (put(b, [1, 2], f), put(a, 0, f)),
        upstream_refuses="is not equivalent",
        fewer=True,
    ),
    Program(
        "loop_in_a_branch",
        """
        func.func @main(%t: tensor<4xf32>, %c: i1, %n: index, %f: f32) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = scf.if %c -> tensor<4xf32> {
            %1 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {
              %2 = tensor.insert %f into %u[%i] : tensor<4xf32>
              scf.yield %2 : tensor<4xf32>
            }
            scf.yield %1 : tensor<4xf32>
          } else {
            scf.yield %t : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }""",
        args=[("4xf32", c, n, 99.0) for c in (True, False) for n in (0, 2)],
        numpy=lambda t, c, n, f: put(t, slice(n), f) if c else t,
    ),
    Program(
        "if_on_dynamic_sizes",
        """
        func.func @main(%t: tensor<?xf32>, %c: i1, %i: index, %f: f32) -> (tensor<?xf32>, tensor<?xf32>) {
          %0 = scf.if %c -> tensor<?xf32> {
            %1 = tensor.insert %f into %t[%i] : tensor<?xf32>
            scf.yield %1 : tensor<?xf32>
          } else {
            scf.yield %t : tensor<?xf32>
          }
          return %0, %t : tensor<?xf32>, tensor<?xf32>
        }""",
        args=BOTH,
        numpy=lambda t, c, i, f: (put(t, i, f) if c else t, t),
    ),
]
