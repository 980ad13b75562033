"""scf.for: values carried, captured, swapped, read after they were overwritten in an earlier or a later iteration."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

TRIPS = """
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index"""

NOT_EQUIVALENT = "is not equivalent"


def cumulated(t: np.ndarray) -> np.ndarray:
    return np.cumsum(t, dtype=t.dtype)


def swapped(a: np.ndarray, b: np.ndarray, trips: int) -> tuple[np.ndarray, np.ndarray]:
    return (b, a) if trips % 2 else (a, b)


def ping_pong(a: np.ndarray, b: np.ndarray, trips: int) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(trips):
        a, b = a + a[::-1], a
    return a, b


def rotated(a: np.ndarray, b: np.ndarray, c: np.ndarray, trips: int) -> tuple[np.ndarray, ...]:
    for trip in range(trips):
        a, b, c = put(b, trip, 99), c, a
    return a, b, c


def fibonacci(a: np.ndarray, b: np.ndarray, trips: int) -> np.ndarray:
    for _ in range(trips):
        a, b = b, a + b
    return b


PROGRAMS = [
    Program(
        "loop_updates_what_it_carries",
        f"""
        func.func @main(%t: tensor<5xf32>, %n: index, %f: f32) -> tensor<5xf32> {{{TRIPS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<5xf32> {{
            %1 = tensor.extract %u[%i] : tensor<5xf32>
            %2 = arith.mulf %1, %f : f32
            %3 = tensor.insert %2 into %u[%i] : tensor<5xf32>
            scf.yield %3 : tensor<5xf32>
          }}
          return %0 : tensor<5xf32>
        }}""",
        args=[("5xf32", 0, 3.0), ("5xf32", 1, 3.0), ("5xf32", 5, 3.0)],
        numpy=lambda t, n, f: put(t, slice(n), t[:n] * np.float32(f)),
    ),
    Program(
        "loop_carries_a_tensor_that_grows",
        f"""
        func.func @main(%t: tensor<?xf32>, %n: index, %f: f32) -> tensor<?xf32> {{{TRIPS}
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<?xf32> {{
            %old = tensor.dim %u, %c0 : tensor<?xf32>
            %size = arith.addi %old, %c1 : index
            %e = tensor.empty(%size) : tensor<?xf32>
            %x = tensor.insert_slice %u into %e[0] [%old] [1] : tensor<?xf32> into tensor<?xf32>
            %y = tensor.insert %f into %x[%old] : tensor<?xf32>
            scf.yield %y : tensor<?xf32>
          }}
          return %r : tensor<?xf32>
        }}""",
        args=[("2xf32", 0, 99.0), ("2xf32", 3, 99.0)],
        numpy=lambda t, n, f: np.concatenate([t, np.full(n, f, np.float32)]),
        upstream_refuses=NOT_EQUIVALENT,
    ),
    Program(
        "loop_init_read_after_the_loop",
        f"""
        func.func @main(%t: tensor<5xf32>, %n: index, %f: f32) -> (tensor<5xf32>, f32) {{{TRIPS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<5xf32> {{
            %1 = tensor.insert %f into %u[%i] : tensor<5xf32>
            scf.yield %1 : tensor<5xf32>
          }}
          %2 = tensor.extract %t[%c0] : tensor<5xf32>
          return %0, %2 : tensor<5xf32>, f32
        }}""",
        args=[("5xf32", 0, 99.0), ("5xf32", 3, 99.0)],
        numpy=lambda t, n, f: (put(t, slice(n), f), t[0]),
    ),
    Program(
        "loop_init_read_in_the_loop",
        f"""
        func.func @main(%t: tensor<5xf32>) -> tensor<5xf32> {{{TRIPS}
          %c5 = arith.constant 5 : index
          %0 = scf.for %i = %c1 to %c5 step %c1 iter_args(%u = %t) -> tensor<5xf32> {{
            %j = arith.subi %i, %c1 : index
            %1 = tensor.extract %t[%j] : tensor<5xf32>
            %2 = tensor.insert %1 into %u[%i] : tensor<5xf32>
            scf.yield %2 : tensor<5xf32>
          }}
          return %0 : tensor<5xf32>
        }}""",
        args=("5xf32",),
        numpy=lambda t: np.concatenate([t[:1], t[:-1]]),
    ),
    Program(
        "loop_reads_what_it_wrote_before",
        f"""
        func.func @main(%t: tensor<5xf32>) -> tensor<5xf32> {{{TRIPS}
          %c5 = arith.constant 5 : index
          %0 = scf.for %i = %c1 to %c5 step %c1 iter_args(%u = %t) -> tensor<5xf32> {{
            %j = arith.subi %i, %c1 : index
            %1 = tensor.extract %u[%j] : tensor<5xf32>
            %2 = tensor.extract %u[%i] : tensor<5xf32>
            %3 = arith.addf %1, %2 : f32
            %4 = tensor.insert %3 into %u[%i] : tensor<5xf32>
            scf.yield %4 : tensor<5xf32>
          }}
          return %0 : tensor<5xf32>
        }}""",
        args=("5xf32",),
        numpy=cumulated,
    ),
    Program(
        "loop_reads_the_old_version_after_its_update",
        f"""
        func.func @main(%t: tensor<5xf32>, %n: index, %f: f32) -> (tensor<5xf32>, f32) {{{TRIPS}
          %zero = arith.constant 0.0 : f32
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t, %s = %zero) -> (tensor<5xf32>, f32) {{
            %1 = tensor.insert %f into %u[%i] : tensor<5xf32>
            %2 = tensor.extract %u[%i] : tensor<5xf32>
            %3 = arith.addf %s, %2 : f32
            scf.yield %1, %3 : tensor<5xf32>, f32
          }}
          return %0#0, %0#1 : tensor<5xf32>, f32
        }}""",
        args=[("5xf32", 0, 99.0), ("5xf32", 4, 99.0)],
        numpy=lambda t, n, f: (put(t, slice(n), f), t[:n].sum()),
        upstream_refuses=NOT_EQUIVALENT,
    ),
    Program(
        "loop_captures_what_is_written_after_it",
        f"""
        func.func @main(%t: tensor<5xf32>, %n: index, %f: f32) -> (tensor<5xf32>, f32) {{{TRIPS}
          %zero = arith.constant 0.0 : f32
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {{
            %1 = tensor.extract %t[%i] : tensor<5xf32>
            %2 = arith.addf %s, %1 : f32
            scf.yield %2 : f32
          }}
          %3 = tensor.insert %f into %t[%c0] : tensor<5xf32>
          return %3, %0 : tensor<5xf32>, f32
        }}""",
        args=("5xf32", 4, 99.0),
        numpy=lambda t, n, f: (put(t, 0, f), t[:n].sum()),
    ),
    Program(
        "loop_updates_a_captured_tensor_and_reads_it",
        f"""
        func.func @main(%t: tensor<5xf32>, %n: index, %f: f32) -> f32 {{{TRIPS}
          %zero = arith.constant 0.0 : f32
          %d = arith.constant dense<0.0> : tensor<f32>
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {{
            %1 = tensor.insert %f into %t[%i] : tensor<5xf32>
            %2 = linalg.dot ins(%1, %1 : tensor<5xf32>, tensor<5xf32>) outs(%d : tensor<f32>) -> tensor<f32>
            %3 = tensor.extract %2[] : tensor<f32>
            %4 = arith.addf %s, %3 : f32
            scf.yield %4 : f32
          }}
          return %0 : f32
        }}""",
        args=("5xf32", 3, 10.0),
        numpy=lambda t, n, f: sum(put(t, i, f) @ put(t, i, f) for i in range(n)),
    ),
    Program(
        "loop_updates_a_tensor_made_outside_in_every_iteration",
        f"""
        func.func @main(%n: index) -> index {{{TRIPS}
          %t = tensor.from_elements %c0, %c0, %c0 : tensor<3xindex>
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> index {{
            %1 = tensor.extract %t[%i] : tensor<3xindex>
            %2 = tensor.insert %c1 into %t[%i] : tensor<3xindex>
            %j = arith.subi %n, %i : index
            %k = arith.subi %j, %c1 : index
            %3 = tensor.extract %2[%k] : tensor<3xindex>
            %4 = arith.addi %1, %3 : index
            %5 = arith.addi %s, %4 : index
            scf.yield %5 : index
          }}
          return %0 : index
        }}""",
        args=(3,),
        numpy=lambda n: 1,
    ),
    Program(
        "loop_yields_one_value_twice",
        f"""
        func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %n: index, %f: f32)
            -> (tensor<3xf32>, tensor<3xf32>) {{{TRIPS}
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (tensor<3xf32>, tensor<3xf32>) {{
            %1 = tensor.insert %f into %u[%i] : tensor<3xf32>
            scf.yield %1, %1 : tensor<3xf32>, tensor<3xf32>
          }}
          return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
        }}""",
        args=[("3xf32", "3xf32", 0, 99.0), ("3xf32", "3xf32", 1, 99.0), ("3xf32", "3xf32", 3, 99.0)],
        numpy=lambda a, b, n, f: (put(a, slice(n), f), put(a, slice(n), f) if n else b),
        upstream_refuses=NOT_EQUIVALENT,
        fewer=True,
    ),
    Program(
        "loop_yields_its_values_swapped",
        f"""
        func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>, %n: index) -> (tensor<3xf32>, tensor<3xf32>) {{{TRIPS}
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (tensor<3xf32>, tensor<3xf32>) {{
            scf.yield %v, %u : tensor<3xf32>, tensor<3xf32>
          }}
          return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
        }}""",
        args=[("3xf32", "3xf32", 0), ("3xf32", "3xf32", 1), ("3xf32", "3xf32", 2), ("3xf32", "3xf32", 3)],
        numpy=swapped,
        upstream_refuses=NOT_EQUIVALENT,
        fewer=True,
    ),
    Program(
        "loop_on_two_buffers",
        f"""
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {{{TRIPS}
          %c3 = arith.constant 3 : index
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (tensor<4xf32>, tensor<4xf32>) {{
            %1 = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                iterator_types = ["parallel"]}} ins(%u : tensor<4xf32>) outs(%v : tensor<4xf32>) {{
            ^bb0(%x: f32, %y: f32):
              %p = linalg.index 0 : index
              %q = arith.subi %c3, %p : index
              %2 = tensor.extract %u[%q] : tensor<4xf32>
              %3 = arith.addf %x, %2 : f32
              linalg.yield %3 : f32
            }} -> tensor<4xf32>
            scf.yield %1, %u : tensor<4xf32>, tensor<4xf32>
          }}
          return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=[("4xf32", "4xf32", 0), ("4xf32", "4xf32", 1), ("4xf32", "4xf32", 2), ("4xf32", "4xf32", 5)],
        numpy=ping_pong,
        upstream_refuses=NOT_EQUIVALENT,
        fewer=True,
    ),
    Program(
        "loop_rotates_three_buffers_and_updates_one",
        f"""
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %n: index, %f: f32)
            -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {{{TRIPS}
          %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b, %w = %c)
              -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {{
            %1 = tensor.insert %f into %v[%i] : tensor<4xf32>
            scf.yield %1, %w, %u : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
          }}
          return %0#0, %0#1, %0#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
        }}""",
        args=[("4xf32", "4xf32", "4xf32", n, 99.0) for n in (0, 1, 2, 4)],
        numpy=lambda a, b, c, n, f: rotated(a, b, c, n),
        upstream_refuses=NOT_EQUIVALENT,
        fewer=True,
    ),
    Program(
        "loop_sums_two_buffers_in_turn",
        f"""
        func.func @main(%a: tensor<4xi64>, %b: tensor<4xi64>, %n: index) -> tensor<4xi64> {{{TRIPS}
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (tensor<4xi64>, tensor<4xi64>) {{
            %1 = linalg.add ins(%u, %v : tensor<4xi64>, tensor<4xi64>) outs(%u : tensor<4xi64>) -> tensor<4xi64>
            scf.yield %v, %1 : tensor<4xi64>, tensor<4xi64>
          }}
          return %0#1 : tensor<4xi64>
        }}""",
        args=[("4xi64", "4xi64", n) for n in (0, 1, 2, 6)],
        numpy=fibonacci,
        upstream_refuses=NOT_EQUIVALENT,
        fewer=True,
    ),
    Program(
        "loop_with_one_tensor_as_both_inits",
        f"""
        func.func @main(%a: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {{{TRIPS}
          %g = arith.addf %f, %f : f32
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %a) -> (tensor<4xf32>, tensor<4xf32>) {{
            %1 = tensor.insert %f into %u[%i] : tensor<4xf32>
            %2 = tensor.insert %g into %v[%i] : tensor<4xf32>
            scf.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
          }}
          return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=[("4xf32", 0, 50.0), ("4xf32", 3, 50.0)],
        numpy=lambda a, n, f: (put(a, slice(n), f), put(a, slice(n), f + f)),
        fewer=True,
    ),
    *(
        Program(
            f"loop_of_{name}_writes_and_reads_what_is_outside",
            f"""
            func.func @main(%t: tensor<4xf32>, %f: f32) -> f32 {{{TRIPS}
              %last = arith.constant {trips} : index
              %z = arith.constant 0.0 : f32
              %0 = scf.for %i = %c0 to %last step %c1 iter_args(%sum = %z) -> f32 {{
                %1 = tensor.extract %t[%c1] : tensor<4xf32>
                %2 = tensor.insert %f into %t[%c1] : tensor<4xf32>
                %3 = tensor.extract %2[%c1] : tensor<4xf32>
                %4 = arith.mulf %1, %3 : f32
                %5 = arith.addf %sum, %4 : f32
                scf.yield %5 : f32
              }}
              return %0 : f32
            }}""",
            args=("4xf32", 50.0),
            numpy=lambda t, f, trips=trips: trips * t[1] * np.float32(f),
        )
        for name, trips in (("one_iteration", 1), ("two_iterations", 2))
    ),
]
