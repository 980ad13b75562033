"""Loops that pass on whatever buffer they yield: a new one, a captured one, or a part of what they carry."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

CONSTANTS = """
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index"""

NOT_EQUIVALENT = "is not equivalent"


def recurrence(a: np.ndarray, b: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(n):
        a, b = b, a + b
    return a, b


def struck(a: np.ndarray, b: np.ndarray, n: int, f: float) -> tuple[np.ndarray, np.ndarray, float]:
    total = np.float32(0)
    carried = a
    for _ in range(n):
        total += put(carried, 0, f).sum()
        carried = b
    return carried, b, total


def summed(a: np.ndarray, b: np.ndarray, n: int) -> tuple[np.ndarray, float]:
    total = np.float32(0)
    carried = a
    for _ in range(n):
        total += carried[0]
        carried = b
    return carried, total


def beheaded(t: np.ndarray, n: int, f: float) -> np.ndarray:
    for _ in range(n):
        t = put(t, 0, t[0] + f)
        t = put(t, 1, t[0])[1:]
    return t


PROGRAMS = [
    Program(
        "loop_of_a_recurrence_of_two_terms",
        f"""
        func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %n: index) -> (tensor<3xf32>, tensor<3xf32>) {{{CONSTANTS}
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (tensor<3xf32>, tensor<3xf32>) {{
            %e = tensor.empty() : tensor<3xf32>
            %1 = linalg.add ins(%u, %v : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
            scf.yield %v, %1 : tensor<3xf32>, tensor<3xf32>
          }}
          return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
        }}""",
        args=[("3xf32", "3xf32", n) for n in (0, 1, 2, 5)],
        numpy=recurrence,
        upstream_refuses=NOT_EQUIVALENT,
    ),
    Program(
        "loop_that_updates_what_it_passes_on_from_outside",
        f"""
        func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: index, %f: f32)
            -> (tensor<?xf32>, tensor<?xf32>, f32) {{{CONSTANTS}
          %zero = arith.constant 0.0 : f32
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %s = %zero) -> (tensor<?xf32>, f32) {{
            %1 = tensor.insert %f into %u[%c0] : tensor<?xf32>
            %m = tensor.dim %1, %c0 : tensor<?xf32>
            %2 = scf.for %j = %c0 to %m step %c1 iter_args(%r = %s) -> f32 {{
              %x = tensor.extract %1[%j] : tensor<?xf32>
              %y = arith.addf %r, %x : f32
              scf.yield %y : f32
            }}
            scf.yield %b, %2 : tensor<?xf32>, f32
          }}
          return %0#0, %b, %0#1 : tensor<?xf32>, tensor<?xf32>, f32
        }}""",
        args=[("3xf32", "5xf32", n, 99.0) for n in (0, 1, 3)],
        numpy=struck,
        upstream_refuses=NOT_EQUIVALENT,
    ),
    Program(
        "loop_that_reads_what_it_passes_on_from_outside",
        f"""
        func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: index) -> (tensor<?xf32>, f32) {{{CONSTANTS}
          %zero = arith.constant 0.0 : f32
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %s = %zero) -> (tensor<?xf32>, f32) {{
            %x = tensor.extract %u[%c0] : tensor<?xf32>
            %y = arith.addf %s, %x : f32
            scf.yield %b, %y : tensor<?xf32>, f32
          }}
          return %0#0, %0#1 : tensor<?xf32>, f32
        }}""",
        args=[("3xf32", "5xf32", n) for n in (0, 1, 3)],
        numpy=summed,
        upstream_refuses=NOT_EQUIVALENT,
        fewer=True,
    ),
    Program(
        "loop_that_passes_on_less_and_less_of_a_buffer",
        f"""
        func.func @main(%t: tensor<?xf32>, %n: index, %f: f32) -> tensor<?xf32> {{{CONSTANTS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<?xf32> {{
            %x = tensor.extract %u[%c0] : tensor<?xf32>
            %y = arith.addf %x, %f : f32
            %1 = tensor.insert %y into %u[%c1] : tensor<?xf32>
            %m = tensor.dim %u, %c0 : tensor<?xf32>
            %l = arith.subi %m, %c1 : index
            %2 = tensor.extract_slice %1[1] [%l] [1] : tensor<?xf32> to tensor<?xf32>
            scf.yield %2 : tensor<?xf32>
          }}
          return %0 : tensor<?xf32>
        }}""",
        args=[("6xf32", n, 99.0) for n in (0, 1, 3)],
        numpy=beheaded,
        upstream_refuses=NOT_EQUIVALENT,
    ),
    Program(
        "loop_that_passes_on_less_of_a_buffer_that_is_read_later",
        f"""
        func.func @main(%t: tensor<?xf32>, %n: index, %f: f32) -> (tensor<?xf32>, tensor<?xf32>) {{{CONSTANTS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<?xf32> {{
            %x = tensor.extract %u[%c0] : tensor<?xf32>
            %y = arith.addf %x, %f : f32
            %1 = tensor.insert %y into %u[%c1] : tensor<?xf32>
            %m = tensor.dim %u, %c0 : tensor<?xf32>
            %l = arith.subi %m, %c1 : index
            %2 = tensor.extract_slice %1[1] [%l] [1] : tensor<?xf32> to tensor<?xf32>
            scf.yield %2 : tensor<?xf32>
          }}
          return %0, %t : tensor<?xf32>, tensor<?xf32>
        }}""",
        args=[("6xf32", n, 99.0) for n in (0, 1, 3)],
        numpy=lambda t, n, f: (beheaded(t, n, f), t),
        upstream_refuses=NOT_EQUIVALENT,
    ),
]
