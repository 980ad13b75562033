"""Control flow in control flow: loops, branches, switches and regions around updates, reads and swaps of buffers."""

from __future__ import annotations

import numpy as np

from .program import Program, put

CONSTANTS = """
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c2 = arith.constant 2 : index
          %c4 = arith.constant 4 : index"""

SWAPPED = "is not equivalent"


def zigzag(t: np.ndarray, n: int, f: float) -> np.ndarray:
    """Even places get f, odd ones the double of what they hold."""
    changed = t.copy()
    for i in range(n):
        changed[i] = f if i % 2 == 0 else 2 * changed[i]
    return changed


def triangle(t: np.ndarray, n: int) -> np.ndarray:
    changed = t.copy()
    for i in range(n):
        for j in range(n):
            if j > i:
                changed[i, j] = changed[j, i]
    return changed


def ping_pong(a: np.ndarray, b: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(n):
        a, b = b, a + b
    return a, b


def relaxed(a: np.ndarray, b: np.ndarray, n: int) -> np.ndarray:
    for _ in range(n):
        new = b.copy()
        new[1:5] = a[0:4] + a[2:6]
        a, b = new, a
    return a


def copied_and_swapped(u: np.ndarray, v: np.ndarray, n: int, f: float) -> tuple[np.ndarray, np.ndarray]:
    for _ in range(n):
        u, v = put(v, 0, f), put(u, slice(2), v[:2])
    return u, v


def filled_in_turn(*arguments: object) -> tuple[object, ...]:
    *buffers, n, f = arguments
    for _ in range(n):
        buffers = [*buffers[1:], 0 * buffers[0] + f]
    return tuple(buffers)


def swapped_with_itself(a: np.ndarray, n: int, f: float) -> tuple[np.ndarray, np.ndarray]:
    u, v = a, a
    for i in range(n):
        u, v = v, put(u, i, f)
    return u, v


def by_steps(t: np.ndarray, steps: tuple[int, ...], f: float) -> np.ndarray:
    changed = t.copy()
    for place in steps:
        changed[place] += f
    return changed


def fibonacci_rows(t: np.ndarray, n: int) -> np.ndarray:
    changed = t.copy()
    for i in range(n):
        changed[i + 2] = changed[i] + changed[i + 1]
    return changed


PROGRAMS = [
    Program(
        "branch_in_a_loop_updates_in_two_ways",
        f"""
        func.func @main(%t: tensor<6xf32>, %n: index, %f: f32) -> tensor<6xf32> {{{CONSTANTS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<6xf32> {{
            %m = arith.remui %i, %c2 : index
            %p = arith.cmpi eq, %m, %c0 : index
            %1 = scf.if %p -> tensor<6xf32> {{
              %2 = tensor.insert %f into %u[%i] : tensor<6xf32>
              scf.yield %2 : tensor<6xf32>
            }} else {{
              %x = tensor.extract %u[%i] : tensor<6xf32>
              %y = arith.addf %x, %x : f32
              %3 = tensor.insert %y into %u[%i] : tensor<6xf32>
              scf.yield %3 : tensor<6xf32>
            }}
            scf.yield %1 : tensor<6xf32>
          }}
          return %0 : tensor<6xf32>
        }}""",
        args=[("6xf32", n, 99.0) for n in (0, 1, 6)],
        numpy=zigzag,
    ),
    Program(
        "branch_in_a_nest_mirrors_a_triangle",
        f"""
        func.func @main(%t: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {{{CONSTANTS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4x4xf32> {{
            %1 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %u) -> tensor<4x4xf32> {{
              %p = arith.cmpi ugt, %j, %i : index
              %2 = scf.if %p -> tensor<4x4xf32> {{
                %x = tensor.extract %v[%j, %i] : tensor<4x4xf32>
                %3 = tensor.insert %x into %v[%i, %j] : tensor<4x4xf32>
                scf.yield %3 : tensor<4x4xf32>
              }} else {{
                scf.yield %v : tensor<4x4xf32>
              }}
              scf.yield %2 : tensor<4x4xf32>
            }}
            scf.yield %1 : tensor<4x4xf32>
          }}
          return %0 : tensor<4x4xf32>
        }}""",
        args=[("4x4xf32", n) for n in (0, 1, 4)],
        numpy=triangle,
    ),
    Program(
        "loop_in_a_branch_in_a_loop",
        f"""
        func.func @main(%t: tensor<4x4xf32>, %n: index, %f: f32) -> tensor<4x4xf32> {{{CONSTANTS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4x4xf32> {{
            %m = arith.remui %i, %c2 : index
            %p = arith.cmpi eq, %m, %c0 : index
            %1 = scf.if %p -> tensor<4x4xf32> {{
              %2 = scf.for %j = %c0 to %c4 step %c1 iter_args(%v = %u) -> tensor<4x4xf32> {{
                %3 = tensor.insert %f into %v[%i, %j] : tensor<4x4xf32>
                scf.yield %3 : tensor<4x4xf32>
              }}
              scf.yield %2 : tensor<4x4xf32>
            }} else {{
              scf.yield %u : tensor<4x4xf32>
            }}
            scf.yield %1 : tensor<4x4xf32>
          }}
          return %0 : tensor<4x4xf32>
        }}""",
        args=[("4x4xf32", n, 99.0) for n in (0, 1, 4)],
        numpy=lambda t, n, f: put(t, slice(0, n, 2), f),
    ),
    Program(
        "loop_whose_branch_keeps_the_init_alive",
        f"""
        func.func @main(%t: tensor<4xf32>, %n: index, %p: i1, %f: f32) -> tensor<4xf32> {{{CONSTANTS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {{
            %1 = tensor.insert %f into %u[%i] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }}
          %2 = scf.if %p -> tensor<4xf32> {{
            scf.yield %t : tensor<4xf32>
          }} else {{
            scf.yield %0 : tensor<4xf32>
          }}
          return %2 : tensor<4xf32>
        }}""",
        args=[("4xf32", n, p, 99.0) for n in (0, 3) for p in (True, False)],
        numpy=lambda t, n, p, f: t if p else put(t, slice(n), f),
    ),
    Program(
        "switch_in_a_loop",
        f"""
        func.func @main(%t: tensor<6xf32>, %n: index, %f: f32) -> tensor<6xf32> {{{CONSTANTS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<6xf32> {{
            %1 = scf.index_switch %i -> tensor<6xf32>
            case 1 {{
              scf.yield %u : tensor<6xf32>
            }}
            case 2 {{
              %2 = linalg.fill ins(%f : f32) outs(%u : tensor<6xf32>) -> tensor<6xf32>
              scf.yield %2 : tensor<6xf32>
            }}
            default {{
              %x = tensor.extract %u[%i] : tensor<6xf32>
              %y = arith.addf %x, %f : f32
              %3 = tensor.insert %y into %u[%i] : tensor<6xf32>
              scf.yield %3 : tensor<6xf32>
            }}
            scf.yield %1 : tensor<6xf32>
          }}
          return %0 : tensor<6xf32>
        }}""",
        args=[("6xf32", n, 99.0) for n in (0, 1, 2, 4)],
        numpy=lambda t, n, f: by_steps(
            t * 0 + f if n > 2 else t, tuple(i for i in (0, 3) if i < n and (i or n < 3)), f
        ),
    ),
    Program(
        "region_in_a_loop",
        f"""
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> tensor<4xf32> {{{CONSTANTS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<4xf32> {{
            %1 = scf.execute_region -> tensor<4xf32> {{
              %2 = tensor.insert %f into %u[%i] : tensor<4xf32>
              scf.yield %2 : tensor<4xf32>
            }}
            scf.yield %1 : tensor<4xf32>
          }}
          return %0 : tensor<4xf32>
        }}""",
        args=[("4xf32", n, 99.0) for n in (0, 3)],
        numpy=lambda t, n, f: put(t, slice(n), f),
    ),
    Program(
        "buffers_change_roles_and_one_is_summed",
        f"""
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {{{CONSTANTS}
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (tensor<4xf32>, tensor<4xf32>) {{
            %1 = linalg.add ins(%v, %u : tensor<4xf32>, tensor<4xf32>) outs(%u : tensor<4xf32>) -> tensor<4xf32>
            scf.yield %v, %1 : tensor<4xf32>, tensor<4xf32>
          }}
          return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=[("4xf32", "4xf32", n) for n in (0, 1, 2, 5)],
        numpy=ping_pong,
        upstream_refuses=SWAPPED,
        fewer=True,
    ),
    Program(
        "stencil_between_two_buffers",
        f"""
        func.func @main(%a: tensor<6xf32>, %b: tensor<6xf32>, %n: index) -> tensor<6xf32> {{{CONSTANTS}
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (tensor<6xf32>, tensor<6xf32>) {{
            %l = tensor.extract_slice %u[0] [4] [1] : tensor<6xf32> to tensor<4xf32>
            %r = tensor.extract_slice %u[2] [4] [1] : tensor<6xf32> to tensor<4xf32>
            %w = tensor.extract_slice %v[1] [4] [1] : tensor<6xf32> to tensor<4xf32>
            %1 = linalg.add ins(%l, %r : tensor<4xf32>, tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
            %2 = tensor.insert_slice %1 into %v[1] [4] [1] : tensor<4xf32> into tensor<6xf32>
            scf.yield %2, %u : tensor<6xf32>, tensor<6xf32>
          }}
          return %0#0 : tensor<6xf32>
        }}""",
        args=[("6xf32", "6xf32", n) for n in (0, 1, 2, 5)],
        numpy=relaxed,
        upstream_refuses=SWAPPED,
        fewer=True,
    ),
    Program(
        "swap_in_an_outer_and_update_in_an_inner_loop",
        f"""
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index, %f: f32)
            -> (tensor<4xf32>, tensor<4xf32>) {{{CONSTANTS}
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b) -> (tensor<4xf32>, tensor<4xf32>) {{
            %1 = scf.for %j = %c0 to %c2 step %c1 iter_args(%w = %u) -> tensor<4xf32> {{
              %x = tensor.extract %v[%j] : tensor<4xf32>
              %2 = tensor.insert %x into %w[%j] : tensor<4xf32>
              scf.yield %2 : tensor<4xf32>
            }}
            %3 = tensor.insert %f into %v[%c0] : tensor<4xf32>
            scf.yield %3, %1 : tensor<4xf32>, tensor<4xf32>
          }}
          return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=[("4xf32", "4xf32", n, 99.0) for n in (0, 1, 2, 3)],
        numpy=copied_and_swapped,
        upstream_refuses=SWAPPED,
        fewer=True,
    ),
    Program(
        "four_buffers_go_round_and_the_first_is_filled",
        f"""
        func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>, %n: index, %f: f32)
            -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {{{CONSTANTS}
          %0:4 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %b, %w = %c, %x = %d)
              -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {{
            %1 = linalg.fill ins(%f : f32) outs(%u : tensor<2xf32>) -> tensor<2xf32>
            scf.yield %v, %w, %x, %1 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
          }}
          return %0#0, %0#1, %0#2, %0#3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
        }}""",
        args=[("2xf32", "2xf32", "2xf32", "2xf32", n, 99.0) for n in (0, 1, 3, 5)],
        numpy=filled_in_turn,
        upstream_refuses=SWAPPED,
        fewer=True,
    ),
    Program(
        "swap_of_one_buffer_with_itself",
        f"""
        func.func @main(%a: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {{{CONSTANTS}
          %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %a, %v = %a) -> (tensor<4xf32>, tensor<4xf32>) {{
            %1 = tensor.insert %f into %u[%i] : tensor<4xf32>
            scf.yield %v, %1 : tensor<4xf32>, tensor<4xf32>
          }}
          return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
        }}""",
        args=[("4xf32", n, 99.0) for n in (0, 1, 2, 3)],
        numpy=swapped_with_itself,
        upstream_refuses=SWAPPED,
        fewer=True,
    ),
    Program(
        "rows_computed_from_the_two_before",
        f"""
        func.func @main(%t: tensor<6x3xf32>, %n: index) -> tensor<6x3xf32> {{{CONSTANTS}
          %0 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> tensor<6x3xf32> {{
            %j = arith.addi %i, %c1 : index
            %k = arith.addi %i, %c2 : index
            %x = tensor.extract_slice %u[%i, 0] [1, 3] [1, 1] : tensor<6x3xf32> to tensor<3xf32>
            %y = tensor.extract_slice %u[%j, 0] [1, 3] [1, 1] : tensor<6x3xf32> to tensor<3xf32>
            %z = tensor.extract_slice %u[%k, 0] [1, 3] [1, 1] : tensor<6x3xf32> to tensor<3xf32>
            %1 = linalg.add ins(%x, %y : tensor<3xf32>, tensor<3xf32>) outs(%z : tensor<3xf32>) -> tensor<3xf32>
            %2 = tensor.insert_slice %1 into %u[%k, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<6x3xf32>
            scf.yield %2 : tensor<6x3xf32>
          }}
          return %0 : tensor<6x3xf32>
        }}""",
        args=[("6x3xf32", n) for n in (0, 1, 4)],
        numpy=fibonacci_rows,
        fewer=True,
    ),
    Program(
        "loop_with_a_scalar_a_buffer_and_an_index_carried",
        f"""
        func.func @main(%t: tensor<6xf32>, %n: index) -> (tensor<6xf32>, f32, index) {{{CONSTANTS}
          %zero = arith.constant 0.0 : f32
          %0:3 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %u = %t, %k = %c0)
              -> (f32, tensor<6xf32>, index) {{
            %x = tensor.extract %u[%k] : tensor<6xf32>
            %1 = arith.addf %s, %x : f32
            %2 = tensor.insert %1 into %u[%k] : tensor<6xf32>
            %3 = arith.addi %k, %c2 : index
            scf.yield %1, %2, %3 : f32, tensor<6xf32>, index
          }}
          return %0#1, %0#0, %0#2 : tensor<6xf32>, f32, index
        }}""",
        args=[("6xf32", n) for n in (0, 1, 3)],
        numpy=lambda t, n: (put(t, slice(0, 2 * n, 2), np.cumsum(t[: 2 * n : 2])), t[: 2 * n : 2].sum(), 2 * n),
    ),
    Program(
        "branches_hand_out_slices_of_one_tensor",
        """
        func.func @main(%t: tensor<8xf32>, %p: i1, %f: f32) -> (tensor<4xf32>, tensor<8xf32>) {
          %c0 = arith.constant 0 : index
          %0 = scf.if %p -> tensor<4xf32> {
            %1 = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          } else {
            %2 = tensor.extract_slice %t[3] [4] [1] : tensor<8xf32> to tensor<4xf32>
            scf.yield %2 : tensor<4xf32>
          }
          %3 = tensor.insert %f into %0[%c0] : tensor<4xf32>
          return %3, %t : tensor<4xf32>, tensor<8xf32>
        }""",
        args=[("8xf32", True, 99.0), ("8xf32", False, 99.0)],
        numpy=lambda t, p, f: (put(t[:4] if p else t[3:7], 0, f), t),
    ),
    Program(
        "branches_hand_out_slices_of_other_strides",
        """
        func.func @main(%t: tensor<8xf32>, %p: i1, %f: f32) -> tensor<4xf32> {
          %c1 = arith.constant 1 : index
          %0 = scf.if %p -> tensor<4xf32> {
            %1 = tensor.extract_slice %t[0] [4] [2] : tensor<8xf32> to tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          } else {
            %2 = tensor.extract_slice %t[3] [4] [1] : tensor<8xf32> to tensor<4xf32>
            scf.yield %2 : tensor<4xf32>
          }
          %3 = tensor.insert %f into %0[%c1] : tensor<4xf32>
          return %3 : tensor<4xf32>
        }""",
        args=[("8xf32", True, 99.0), ("8xf32", False, 99.0)],
        numpy=lambda t, p, f: put(t[::2] if p else t[3:7], 1, f),
    ),
    Program(
        "two_branches_on_one_condition",
        """
        func.func @main(%t: tensor<4xf32>, %p: i1, %f: f32, %g: f32) -> (tensor<4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %0 = scf.if %p -> tensor<4xf32> {
            %1 = tensor.insert %f into %t[%c0] : tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          } else {
            scf.yield %t : tensor<4xf32>
          }
          %2 = scf.if %p -> tensor<4xf32> {
            scf.yield %t : tensor<4xf32>
          } else {
            %3 = tensor.insert %g into %t[%c0] : tensor<4xf32>
            scf.yield %3 : tensor<4xf32>
          }
          return %0, %2 : tensor<4xf32>, tensor<4xf32>
        }""",
        args=[("4xf32", True, 88.0, 99.0), ("4xf32", False, 88.0, 99.0)],
        numpy=lambda t, p, f, g: (put(t, 0, f), t) if p else (t, put(t, 0, g)),
    ),
    Program(
        "reduction_in_a_loop_into_one_element",
        f"""
        func.func @main(%t: tensor<4x3xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {{{CONSTANTS}
          %zero = arith.constant 0.0 : f32
          %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %o) -> tensor<4xf32> {{
            %r = tensor.extract_slice %t[%i, 0] [1, 3] [1, 1] : tensor<4x3xf32> to tensor<3xf32>
            %e = tensor.extract_slice %u[%i] [1] [1] : tensor<4xf32> to tensor<f32>
            %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
            %s = linalg.reduce ins(%r : tensor<3xf32>) outs(%z : tensor<f32>) dimensions = [0]
              (%x: f32, %y: f32) {{
                %a = arith.addf %x, %y : f32
                linalg.yield %a : f32
              }}
            %1 = tensor.insert_slice %s into %u[%i] [1] [1] : tensor<f32> into tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }}
          return %0 : tensor<4xf32>
        }}""",
        args=("4x3xf32", "4xf32"),
        numpy=lambda t, o: t.sum(1),
    ),
    Program(
        "inner_loop_carries_a_slice_of_what_the_outer_carries",
        f"""
        func.func @main(%t: tensor<4x4xf32>, %f: f32) -> tensor<4x4xf32> {{{CONSTANTS}
          %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %t) -> tensor<4x4xf32> {{
            %r = tensor.extract_slice %u[%i, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
            %1 = scf.for %j = %c0 to %i step %c1 iter_args(%v = %r) -> tensor<4xf32> {{
              %2 = tensor.insert %f into %v[%j] : tensor<4xf32>
              scf.yield %2 : tensor<4xf32>
            }}
            %3 = tensor.insert_slice %1 into %u[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
            scf.yield %3 : tensor<4x4xf32>
          }}
          return %0 : tensor<4x4xf32>
        }}""",
        args=("4x4xf32", 99.0),
        numpy=lambda t, f: np.where(np.tri(4, k=-1) > 0, np.float32(f), t),
    ),
]
