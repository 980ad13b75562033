"""Calls of private functions: equivalent, shared and new results, chains, recursion, calls in loops and branches."""

from __future__ import annotations

import numpy as np

from .program import Program, put

SET = """
        func.func private @set(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {
          %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
          return %0 : tensor<4xf32>
        }"""

SUM = """
        func.func private @sum(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %0 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }"""

# Hands out one of its arguments, which one is known only at run time.
CHOOSE = """
        func.func private @choose(%p: i1, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
          %0 = arith.select %p, %a, %b : tensor<4xf32>
          return %0 : tensor<4xf32>
        }"""

BOTH = """
        func.func private @both(%t: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %0 = tensor.insert %f into %t[%c0] : tensor<4xf32>
          return %0, %0 : tensor<4xf32>, tensor<4xf32>
        }"""

# Writes %f to the places from %i on, one by one, until %n.
RECURSIVE = """
        func.func private @fill_from(%t: tensor<4xf32>, %i: index, %n: index, %f: f32) -> tensor<4xf32> {
          %c1 = arith.constant 1 : index
          %p = arith.cmpi ult, %i, %n : index
          %0 = scf.if %p -> tensor<4xf32> {
            %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
            %j = arith.addi %i, %c1 : index
            %2 = func.call @fill_from(%1, %j, %n, %f) : (tensor<4xf32>, index, index, f32) -> tensor<4xf32>
            scf.yield %2 : tensor<4xf32>
          } else {
            scf.yield %t : tensor<4xf32>
          }
          return %0 : tensor<4xf32>
        }"""


def running(t: np.ndarray, n: int) -> np.ndarray:
    for _ in range(n):
        t = t + t
    return t


PROGRAMS = [
    Program(
        "call_chooses_and_the_choice_is_updated",
        f"""{CHOOSE}
        func.func @main(%p: i1, %a: tensor<4xf32>, %b: tensor<4xf32>, %i: index, %f: f32)
            -> (tensor<4xf32>, tensor<4xf32>) {{
          %0 = call @choose(%p, %a, %b) : (i1, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          return %1, %b : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=[(True, "4xf32", "4xf32", 1, 99.0), (False, "4xf32", "4xf32", 1, 99.0)],
        numpy=lambda p, a, b, i, f: (put(a if p else b, i, f), b),
    ),
    Program(
        "call_chooses_between_dead_arguments",
        f"""{CHOOSE}
        func.func @main(%p: i1, %a: tensor<4xf32>, %b: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {{
          %0 = call @choose(%p, %a, %b) : (i1, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %1 = tensor.insert %f into %0[%i] : tensor<4xf32>
          return %1 : tensor<4xf32>
        }}""",
        args=[(True, "4xf32", "4xf32", 1, 99.0), (False, "4xf32", "4xf32", 1, 99.0)],
        numpy=lambda p, a, b, i, f: put(a if p else b, i, f),
    ),
    Program(
        "call_returns_one_buffer_twice_and_one_is_updated",
        f"""{BOTH}
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {{
          %0:2 = call @both(%t, %f) : (tensor<4xf32>, f32) -> (tensor<4xf32>, tensor<4xf32>)
          %1 = tensor.insert %f into %0#0[%i] : tensor<4xf32>
          return %1, %0#1 : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=("4xf32", 2, 99.0),
        numpy=lambda t, i, f: (put(put(t, 0, f), i, f), put(t, 0, f)),
    ),
    Program(
        "call_returns_one_buffer_twice_and_one_is_dead",
        f"""{BOTH}
        func.func @main(%t: tensor<4xf32>, %i: index, %f: f32) -> tensor<4xf32> {{
          %0:2 = call @both(%t, %f) : (tensor<4xf32>, f32) -> (tensor<4xf32>, tensor<4xf32>)
          %1 = tensor.insert %f into %0#1[%i] : tensor<4xf32>
          return %1 : tensor<4xf32>
        }}""",
        args=("4xf32", 2, 99.0),
        numpy=lambda t, i, f: put(put(t, 0, f), i, f),
        fewer=True,
    ),
    Program(
        "call_of_a_call_that_updates",
        f"""{SET}
        func.func private @twice(%t: tensor<4xf32>, %i: index, %j: index, %f: f32) -> tensor<4xf32> {{
          %0 = call @set(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %1 = call @set(%0, %j, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %1 : tensor<4xf32>
        }}
        func.func @main(%t: tensor<4xf32>, %i: index, %j: index, %f: f32) -> tensor<4xf32> {{
          %0 = call @twice(%t, %i, %j, %f) : (tensor<4xf32>, index, index, f32) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }}""",
        args=("4xf32", 1, 3, 99.0),
        numpy=lambda t, i, j, f: put(t, [i, j], f),
    ),
    Program(
        "call_of_a_call_whose_argument_is_read_later",
        f"""{SET}
        func.func private @set_last(%t: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, f32) {{
          %c3 = arith.constant 3 : index
          %0 = call @set(%t, %c3, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %1 = tensor.extract %t[%c3] : tensor<4xf32>
          return %0, %1 : tensor<4xf32>, f32
        }}
        func.func @main(%t: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, f32) {{
          %0:2 = call @set_last(%t, %f) : (tensor<4xf32>, f32) -> (tensor<4xf32>, f32)
          return %0#0, %0#1 : tensor<4xf32>, f32
        }}""",
        args=("4xf32", 99.0),
        numpy=lambda t, f: (put(t, 3, f), t[3]),
    ),
    Program(
        "call_returns_a_new_tensor_in_a_loop",
        f"""{SUM}
        func.func @main(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {{
            %1 = func.call @sum(%u, %u) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }}
          return %0 : tensor<4xf32>
        }}""",
        args=[("4xf32", n) for n in (0, 1, 3)],
        numpy=running,
        upstream_refuses="is not equivalent",
    ),
    Program(
        "calls_in_both_branches",
        f"""{SET}{SUM}
        func.func @main(%t: tensor<4xf32>, %p: i1, %f: f32) -> tensor<4xf32> {{
          %c1 = arith.constant 1 : index
          %0 = scf.if %p -> tensor<4xf32> {{
            %1 = func.call @set(%t, %c1, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }} else {{
            %2 = func.call @sum(%t, %t) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
            scf.yield %2 : tensor<4xf32>
          }}
          return %0 : tensor<4xf32>
        }}""",
        args=[("4xf32", True, 99.0), ("4xf32", False, 99.0)],
        numpy=lambda t, p, f: put(t, 1, f) if p else t + t,
    ),
    Program(
        "call_updates_a_slice_that_is_put_back",
        f"""{SET}
        func.func @main(%t: tensor<3x4xf32>, %i: index, %f: f32) -> tensor<3x4xf32> {{
          %0 = tensor.extract_slice %t[%i, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
          %1 = call @set(%0, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %2 = tensor.insert_slice %1 into %t[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<3x4xf32>
          return %2 : tensor<3x4xf32>
        }}""",
        args=[("3x4xf32", 0, 99.0), ("3x4xf32", 2, 99.0)],
        numpy=lambda t, i, f: put(t, (i, i), f),
        fewer=True,
    ),
    Program(
        "call_updates_a_column_that_is_put_back",
        f"""{SET}
        func.func @main(%t: tensor<4x3xf32>, %i: index, %f: f32) -> tensor<4x3xf32> {{
          %0 = tensor.extract_slice %t[0, %i] [4, 1] [1, 1] : tensor<4x3xf32> to tensor<4xf32>
          %1 = call @set(%0, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %2 = tensor.insert_slice %1 into %t[0, %i] [4, 1] [1, 1] : tensor<4xf32> into tensor<4x3xf32>
          return %2 : tensor<4x3xf32>
        }}""",
        args=[("4x3xf32", 0, 99.0), ("4x3xf32", 2, 99.0)],
        numpy=lambda t, i, f: put(t, (i, i), f),
        fewer=True,
    ),
    Program(
        "call_with_an_empty_tensor_to_fill",
        """
        func.func private @fill(%t: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
          %0 = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%f: f32, %g: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %e = tensor.empty() : tensor<4xf32>
          %0 = call @fill(%e, %f) : (tensor<4xf32>, f32) -> tensor<4xf32>
          %1 = call @fill(%e, %g) : (tensor<4xf32>, f32) -> tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=(88.0, 99.0),
        numpy=lambda f, g: (np.full(4, f, np.float32), np.full(4, g, np.float32)),
    ),
    Program(
        "call_that_overwrites_its_argument_without_reading_it",
        """
        func.func private @fill(%t: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
          %0 = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%t: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %0 = call @fill(%t, %f) : (tensor<4xf32>, f32) -> tensor<4xf32>
          return %0, %t : tensor<4xf32>, tensor<4xf32>
        }""",
        args=("4xf32", 99.0),
        numpy=lambda t, f: (0 * t + f, t),
    ),
    Program(
        "recursion_on_what_it_updated",
        f"""{RECURSIVE}
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> tensor<4xf32> {{
          %c0 = arith.constant 0 : index
          %0 = call @fill_from(%t, %c0, %n, %f) : (tensor<4xf32>, index, index, f32) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }}""",
        args=[("4xf32", n, 99.0) for n in (0, 1, 4)],
        numpy=lambda t, n, f: put(t, slice(n), f),
    ),
    Program(
        "recursion_whose_argument_is_read_later",
        f"""{RECURSIVE}
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {{
          %c0 = arith.constant 0 : index
          %0 = call @fill_from(%t, %c0, %n, %f) : (tensor<4xf32>, index, index, f32) -> tensor<4xf32>
          return %0, %t : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=[("4xf32", n, 99.0) for n in (0, 1, 4)],
        numpy=lambda t, n, f: (put(t, slice(n), f), t),
    ),
    Program(
        "call_with_a_constant_to_update_twice",
        f"""{SET}
        func.func @main(%i: index, %j: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {{
          %t = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
          %0 = call @set(%t, %i, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          %1 = call @set(%t, %j, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %0, %1 : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=(1, 2, 99.0),
        numpy=lambda i, j, f: tuple(put(np.arange(1, 5, dtype=np.float32), k, f) for k in (i, j)),
    ),
    Program(
        "call_reads_disjoint_and_updates_a_slice",
        """
        func.func private @add_into(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
          %0 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%t: tensor<12xf32>) -> tensor<12xf32> {
          %a = tensor.extract_slice %t[0] [4] [1] : tensor<12xf32> to tensor<4xf32>
          %b = tensor.extract_slice %t[6] [4] [1] : tensor<12xf32> to tensor<4xf32>
          %c = call @add_into(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %0 = tensor.insert_slice %c into %t[6] [4] [1] : tensor<4xf32> into tensor<12xf32>
          return %0 : tensor<12xf32>
        }""",
        args=("12xf32",),
        numpy=lambda t: put(t, slice(6, 10), t[:4] + t[6:10]),
        fewer=True,
    ),
    Program(
        "call_with_one_slice_twice",
        """
        func.func private @add_into(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
          %0 = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }
        func.func @main(%t: tensor<12xf32>) -> tensor<12xf32> {
          %a = tensor.extract_slice %t[6] [4] [1] : tensor<12xf32> to tensor<4xf32>
          %c = call @add_into(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %0 = tensor.insert_slice %c into %t[6] [4] [1] : tensor<4xf32> into tensor<12xf32>
          return %0 : tensor<12xf32>
        }""",
        args=("12xf32",),
        numpy=lambda t: put(t, slice(6, 10), 2 * t[6:10]),
    ),
]
