"""scf.if: updates in one branch or in both, identities, values read after the branch, and branches in loops."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

BOTH = [("4xf32", True, 1, 99.0), ("4xf32", False, 1, 99.0)]
TWO = [("4xf32", "4xf32", True, 1, 99.0), ("4xf32", "4xf32", False, 1, 99.0)]


def clipped(t: np.ndarray, limit: float) -> np.ndarray:
    return np.minimum(t, np.float32(limit))


def numbers(first: str) -> str:
    """Many ops on numbers, the last of which is %x79 = 1.5^79 * `first`, in float32."""
    ops = (f"%x{n} = arith.mulf %x{n - 1}, %one_and_a_half : f32" for n in range(1, 80))
    return "\n".join(["%one_and_a_half = arith.constant 1.5 : f32", f"%x0 = arith.addf {first}, %zero : f32", *ops])


def grown(f: float) -> np.float32:
    x = np.float32(f)
    for _ in range(79):
        x *= np.float32(1.5)
    return x


def turns(t: np.ndarray, n: int, f: float) -> np.float32:
    """What the loops below sum up: a number in even iterations, the first element in odd ones."""
    total = np.float32(0)
    for i in range(n):
        total += t[0] if i % 2 else grown(f)
    return total


def both(t: np.ndarray, n: int, f: float) -> np.float32:
    total = np.float32(0)
    for _ in range(n):
        total = np.float32(total + grown(f)) + t[0]
    return np.float32(total + grown(f))


PROGRAMS = [
    Program(
        "if_reads_what_a_long_branch_of_an_earlier_iteration_updates",
        f"""
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> f32 {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %zero = arith.constant 0.0 : f32
          %w = tensor.insert %f into %t[%c1] : tensor<4xf32>
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> f32 {{
            %k = arith.remui %i, %c2 : index
            %even = arith.cmpi eq, %k, %c0 : index
            %v = scf.if %even -> f32 {{
              {numbers("%f")}
              %u = tensor.insert %x79 into %w[%c0] : tensor<4xf32>
              %e = tensor.extract %u[%k] : tensor<4xf32>
              scf.yield %e : f32
            }} else {{
              %e = tensor.extract %w[%c0] : tensor<4xf32>
              scf.yield %e : f32
            }}
            %s = arith.addf %sum, %v : f32
            scf.yield %s : f32
          }}
          return %r : f32
        }}""",
        args=[("4xf32", n, 0.25) for n in (0, 1, 2, 5)],
        numpy=turns,
    ),
    Program(
        "while_reads_what_its_long_first_region_updates",
        f"""
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> f32 {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0.0 : f32
          %w = tensor.insert %f into %t[%c1] : tensor<4xf32>
          %r:2 = scf.while (%i = %c0, %sum = %zero) : (index, f32) -> (index, f32) {{
            {numbers("%f")}
            %u = tensor.insert %x79 into %w[%c0] : tensor<4xf32>
            %k = arith.subi %i, %i : index
            %e = tensor.extract %u[%k] : tensor<4xf32>
            %s = arith.addf %sum, %e : f32
            %more = arith.cmpi slt, %i, %n : index
            scf.condition(%more) %i, %s : index, f32
          }} do {{
          ^bb0(%i: index, %sum: f32):
            %e = tensor.extract %w[%c0] : tensor<4xf32>
            %s = arith.addf %sum, %e : f32
            %next = arith.addi %i, %c1 : index
            scf.yield %next, %s : index, f32
          }}
          return %r#1 : f32
        }}""",
        args=[("4xf32", n, 0.25) for n in (0, 1, 3)],
        numpy=both,
    ),
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
