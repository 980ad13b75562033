"""scf.for nests, loops that yield captured or unused values, and loops whose buffers are made inside."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

TRIPS = """
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index"""

NOT_EQUIVALENT = "is not equivalent"


def tiled_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a @ b


def running_rows(t: np.ndarray, n: int) -> np.ndarray:
    changed = t.copy()
    for i in range(n):
        changed[i + 1] += changed[i]
    return changed


def filled_below(t: np.ndarray, n: int, f: float) -> np.ndarray:
    changed = t.copy()
    for i in range(n):
        changed[i, :i] = f
    return changed


PROGRAMS = [
    Program(
        "nest_over_tiles_of_a_matmul",
        f"""
        func.func @main(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {{{TRIPS}
          %c2 = arith.constant 2 : index
          %c3 = arith.constant 3 : index
          %c4 = arith.constant 4 : index
          %c6 = arith.constant 6 : index
          %c8 = arith.constant 8 : index
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : tensor<4x8xf32>
          %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
          %0 = scf.for %i = %c0 to %c4 step %c2 iter_args(%u = %z) -> tensor<4x8xf32> {{
            %1 = scf.for %j = %c0 to %c8 step %c4 iter_args(%v = %u) -> tensor<4x8xf32> {{
              %2 = scf.for %k = %c0 to %c6 step %c3 iter_args(%w = %v) -> tensor<4x8xf32> {{
                %at = tensor.extract_slice %a[%i, %k] [2, 3] [1, 1] : tensor<4x6xf32> to tensor<2x3xf32>
                %bt = tensor.extract_slice %b[%k, %j] [3, 4] [1, 1] : tensor<6x8xf32> to tensor<3x4xf32>
                %ct = tensor.extract_slice %w[%i, %j] [2, 4] [1, 1] : tensor<4x8xf32> to tensor<2x4xf32>
                %3 = linalg.matmul ins(%at, %bt : tensor<2x3xf32>, tensor<3x4xf32>) outs(%ct : tensor<2x4xf32>)
                    -> tensor<2x4xf32>
                %4 = tensor.insert_slice %3 into %w[%i, %j] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x8xf32>
                scf.yield %4 : tensor<4x8xf32>
              }}
              scf.yield %2 : tensor<4x8xf32>
            }}
            scf.yield %1 : tensor<4x8xf32>
          }}
          return %0 : tensor<4x8xf32>
        }}""",
        args=("4x6xf32", "6x8xf32"),
        numpy=tiled_product,
    ),
    Program(
        "nest_whose_inner_loop_has_another_trip_count_each_time",
        f"""
        func.func @main(%t: tensor<4x4xf32>, %n: index, %f: f32) -> tensor<4x4xf32> {{{TRIPS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4x4xf32> {{
            %1 = scf.for %j = %c0 to %i step %c1 iter_args(%v = %u) -> tensor<4x4xf32> {{
              %2 = tensor.insert %f into %v[%i, %j] : tensor<4x4xf32>
              scf.yield %2 : tensor<4x4xf32>
            }}
            scf.yield %1 : tensor<4x4xf32>
          }}
          return %0 : tensor<4x4xf32>
        }}""",
        args=[("4x4xf32", n, 99.0) for n in (0, 1, 2, 4)],
        numpy=filled_below,
    ),
    Program(
        "nest_reads_the_outer_version_in_the_inner_loop",
        f"""
        func.func @main(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {{{TRIPS}
          %c4 = arith.constant 4 : index
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {{
            %1 = scf.for %j = %c0 to %c4 step %c1 iter_args(%v = %u) -> tensor<4xf32> {{
              %k = arith.addi %j, %c1 : index
              %l = arith.remui %k, %c4 : index
              %2 = tensor.extract %u[%j] : tensor<4xf32>
              %3 = tensor.insert %2 into %v[%l] : tensor<4xf32>
              scf.yield %3 : tensor<4xf32>
            }}
            scf.yield %1 : tensor<4xf32>
          }}
          return %0 : tensor<4xf32>
        }}""",
        args=[("4xf32", n) for n in (0, 1, 3)],
        numpy=np.roll,
        upstream_refuses=NOT_EQUIVALENT,
    ),
    Program(
        "nest_accumulates_rows_by_slices",
        f"""
        func.func @main(%t: tensor<4x3xf32>, %n: index) -> tensor<4x3xf32> {{{TRIPS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4x3xf32> {{
            %j = arith.addi %i, %c1 : index
            %1 = tensor.extract_slice %u[%i, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<3xf32>
            %2 = tensor.extract_slice %u[%j, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<3xf32>
            %3 = linalg.add ins(%1, %2 : tensor<3xf32>, tensor<3xf32>) outs(%2 : tensor<3xf32>) -> tensor<3xf32>
            %4 = tensor.insert_slice %3 into %u[%j, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<4x3xf32>
            scf.yield %4 : tensor<4x3xf32>
          }}
          return %0 : tensor<4x3xf32>
        }}""",
        args=[("4x3xf32", n) for n in (0, 1, 3)],
        numpy=running_rows,
        fewer=True,
    ),
    Program(
        "loop_argument_unused",
        f"""
        func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %n: index, %f: f32)
            -> (tensor<3xf32>, tensor<3xf32>) {{{TRIPS}
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (tensor<3xf32>, tensor<3xf32>) {{
            %1 = tensor.insert %f into %u[%i] : tensor<3xf32>
            scf.yield %1, %v : tensor<3xf32>, tensor<3xf32>
          }}
          return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
        }}""",
        args=[("3xf32", "3xf32", 0, 99.0), ("3xf32", "3xf32", 2, 99.0)],
        numpy=lambda a, b, n, f: (put(a, slice(n), f), b),
    ),
    Program(
        "loop_yields_a_captured_tensor",
        f"""
        func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %n: index) -> tensor<3xf32> {{{TRIPS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a) -> tensor<3xf32> {{
            scf.yield %b : tensor<3xf32>
          }}
          return %0 : tensor<3xf32>
        }}""",
        args=[("3xf32", "3xf32", 0), ("3xf32", "3xf32", 2)],
        numpy=lambda a, b, n: b if n else a,
        upstream_refuses=NOT_EQUIVALENT,
        fewer=True,
    ),
    Program(
        "loop_yields_a_captured_tensor_and_updates_what_it_carries",
        f"""
        func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %n: index, %f: f32) -> (tensor<3xf32>, f32) {{{TRIPS}
          %zero = arith.constant 0.0 : f32
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %s = %zero) -> (tensor<3xf32>, f32) {{
            %1 = tensor.insert %f into %u[%i] : tensor<3xf32>
            %2 = tensor.extract %1[%c0] : tensor<3xf32>
            %3 = arith.addf %s, %2 : f32
            scf.yield %b, %3 : tensor<3xf32>, f32
          }}
          return %0#0, %0#1 : tensor<3xf32>, f32
        }}""",
        args=[("3xf32", "3xf32", n, 99.0) for n in (0, 1, 3)],
        numpy=lambda a, b, n, f: (b if n else a, (99.0 + b[0] * (n - 1)) if n else 0.0),
        upstream_refuses=NOT_EQUIVALENT,
        fewer=True,
    ),
    Program(
        "loop_yields_a_new_tensor_each_time",
        f"""
        func.func @main(%a: tensor<3xf32>, %n: index) -> tensor<3xf32> {{{TRIPS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a) -> tensor<3xf32> {{
            %e = tensor.empty() : tensor<3xf32>
            %1 = linalg.add ins(%u, %u : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
            scf.yield %1 : tensor<3xf32>
          }}
          return %0 : tensor<3xf32>
        }}""",
        args=[("3xf32", n) for n in (0, 1, 3)],
        numpy=lambda a, n: a * 2**n,
        upstream_refuses=NOT_EQUIVALENT,
    ),
    Program(
        "loop_with_a_temporary_inside",
        f"""
        func.func @main(%t: tensor<4x3xf32>, %n: index) -> tensor<4x3xf32> {{{TRIPS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4x3xf32> {{
            %e = tensor.empty() : tensor<3xf32>
            %1 = tensor.extract_slice %u[%i, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<3xf32>
            %2 = linalg.add ins(%1, %1 : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
            %3 = linalg.mul ins(%2, %1 : tensor<3xf32>, tensor<3xf32>) outs(%1 : tensor<3xf32>) -> tensor<3xf32>
            %4 = tensor.insert_slice %3 into %u[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<4x3xf32>
            scf.yield %4 : tensor<4x3xf32>
          }}
          return %0 : tensor<4x3xf32>
        }}""",
        args=[("4x3xf32", n) for n in (0, 2, 4)],
        numpy=lambda t, n: put(t, slice(n), 2 * t[:n] ** 2),
    ),
    Program(
        "loop_result_unused_and_init_returned",
        f"""
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> tensor<4xf32> {{{TRIPS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {{
            %1 = tensor.insert %f into %u[%i] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }}
          return %t : tensor<4xf32>
        }}""",
        args=("4xf32", 3, 99.0),
        numpy=lambda t, n, f: t,
    ),
    Program(
        "two_loops_on_one_tensor",
        f"""
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32, %g: f32) -> (tensor<4xf32>, tensor<4xf32>) {{{TRIPS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {{
            %1 = tensor.insert %f into %u[%i] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }}
          %2 = scf.for %i = %c1 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {{
            %3 = tensor.insert %g into %u[%i] : tensor<4xf32>
            scf.yield %3 : tensor<4xf32>
          }}
          return %0, %2 : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=[("4xf32", n, 88.0, 99.0) for n in (0, 1, 3)],
        numpy=lambda t, n, f, g: (put(t, slice(n), f), put(t, slice(1, max(n, 1)), g)),
    ),
    Program(
        "two_loops_in_sequence",
        f"""
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32, %g: f32) -> tensor<4xf32> {{{TRIPS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {{
            %1 = tensor.insert %f into %u[%i] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }}
          %2 = scf.for %i = %c1 to %n step %c1 iter_args(%u = %0) -> tensor<4xf32> {{
            %3 = tensor.insert %g into %u[%i] : tensor<4xf32>
            scf.yield %3 : tensor<4xf32>
          }}
          return %2 : tensor<4xf32>
        }}""",
        args=[("4xf32", n, 88.0, 99.0) for n in (0, 1, 3)],
        numpy=lambda t, n, f, g: put(put(t, slice(n), f), slice(1, max(n, 1)), g),
    ),
    Program(
        "loop_over_a_slice_of_what_is_read_later",
        f"""
        func.func @main(%t: tensor<6xf32>, %n: index, %f: f32) -> (tensor<3xf32>, tensor<6xf32>) {{{TRIPS}
          %s = tensor.extract_slice %t[2] [3] [1] : tensor<6xf32> to tensor<3xf32>
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %s) -> tensor<3xf32> {{
            %1 = tensor.insert %f into %u[%i] : tensor<3xf32>
            scf.yield %1 : tensor<3xf32>
          }}
          return %0, %t : tensor<3xf32>, tensor<6xf32>
        }}""",
        args=[("6xf32", n, 99.0) for n in (0, 2)],
        numpy=lambda t, n, f: (put(t[2:5], slice(n), f), t),
    ),
    Program(
        "loop_over_a_slice_put_back",
        f"""
        func.func @main(%t: tensor<6xf32>, %n: index, %f: f32) -> tensor<6xf32> {{{TRIPS}
          %s = tensor.extract_slice %t[2] [3] [1] : tensor<6xf32> to tensor<3xf32>
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %s) -> tensor<3xf32> {{
            %1 = tensor.insert %f into %u[%i] : tensor<3xf32>
            scf.yield %1 : tensor<3xf32>
          }}
          %2 = tensor.insert_slice %0 into %t[2] [3] [1] : tensor<3xf32> into tensor<6xf32>
          return %2 : tensor<6xf32>
        }}""",
        args=[("6xf32", n, 99.0) for n in (0, 2)],
        numpy=lambda t, n, f: put(t, slice(2, 2 + n), f),
    ),
]
