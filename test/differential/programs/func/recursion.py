"""Functions that call themselves or each other: what comes back is the argument, a part of it, a constant or new."""

from __future__ import annotations

import numpy as np

from ..program import Program, f32, put

# {} is what happens before the recursive call, what it is given, and what is handed on.
COUNT_DOWN = """
func.func private @down(%t: tensor<4xf32>, %n: index, %f: f32) -> tensor<4xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %stop = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %stop -> tensor<4xf32> {{
    {last}
  }} else {{
    %m = arith.subi %n, %c1 : index
    {step}
  }}
  return %r : tensor<4xf32>
}}
"""
CALL = "func.call @down({}, %m, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>"
INSERT = "tensor.insert %f into {}[%m] : tensor<4xf32>"
SAME = "scf.yield %t : tensor<4xf32>"
YIELD = "scf.yield %y : tensor<4xf32>"

MAIN = """
func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> tensor<4xf32> {
  %0 = func.call @down(%t, %n, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}"""

BOTH = """
func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = func.call @down(%t, %n, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
  return %0, %t : tensor<4xf32>, tensor<4xf32>
}"""

UPDATED = """
func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, f32) {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<4xf32>
  %u = linalg.negf ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = func.call @down(%u, %n, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
  %1 = tensor.insert %f into %0[%c2] : tensor<4xf32>
  %2 = tensor.extract %u[%c2] : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, f32
}"""

MISMATCH = "'func.call' op result type mismatch"
CANNOT = "A recursive call is given any strides as its result, the function returns a contiguous buffer."

RUNS = [("4xf32", n, 99.0) for n in (0, 1, 3)]


def first(t: np.ndarray, n: int, f: float) -> np.ndarray:
    """The first n elements replaced."""
    return np.concatenate([np.full(n, f, np.float32), t[n:]])


def down(last: str, *step: str) -> str:
    return COUNT_DOWN.format(last=last, step="\n    ".join(step))


PROGRAMS = [
    Program(
        "recursion_updates_before_the_call",
        down(SAME, f"%x = {INSERT.format('%t')}", f"%y = {CALL.format('%x')}", YIELD) + MAIN,
        args=RUNS,
        numpy=first,
    ),
    Program(
        "recursion_updates_after_the_call",
        down(SAME, f"%x = {CALL.format('%t')}", f"%y = {INSERT.format('%x')}", YIELD) + MAIN,
        args=RUNS,
        numpy=first,
    ),
    Program(
        "recursion_updates_what_is_read_later",
        down(SAME, f"%x = {INSERT.format('%t')}", f"%y = {CALL.format('%x')}", YIELD) + BOTH,
        args=RUNS,
        numpy=lambda t, n, f: (first(t, n, f), t),
    ),
    Program(
        "recursion_reads_its_argument_after_the_call",
        down(
            SAME,
            f"%x = {CALL.format('%t')}",
            "%g = tensor.extract %t[%m] : tensor<4xf32>",
            "%h = arith.addf %g, %f : f32",
            "%y = tensor.insert %h into %x[%m] : tensor<4xf32>",
            YIELD,
        )
        + MAIN,
        args=RUNS,
        numpy=lambda t, n, f: np.concatenate([t[:n] + np.float32(f), t[n:]]),
    ),
    Program(
        "recursion_ends_in_a_constant",
        down("scf.yield %k : tensor<4xf32>", f"%x = {CALL.format('%t')}", f"%y = {INSERT.format('%x')}", YIELD)
        + UPDATED,
        args=RUNS,
        numpy=lambda t, n, f: (put(first(f32(1, 2, 3, 4), n, f), 2, f), -t[2]),
        upstream_refuses=MISMATCH,
        oracle_cannot=CANNOT,
    ),
    Program(
        "recursion_ends_in_a_new_tensor",
        down(
            "%s = tensor.splat %f : tensor<4xf32>\n    scf.yield %s : tensor<4xf32>",
            f"%x = {CALL.format('%t')}",
            "%g = arith.negf %f : f32",
            "%y = tensor.insert %g into %x[%m] : tensor<4xf32>",
            YIELD,
        )
        + UPDATED,
        args=RUNS,
        numpy=lambda t, n, f: (put(first(np.full(4, f, np.float32), n, -f), 2, f), -t[2]),
        oracle_cannot=CANNOT,
        fewer=True,
    ),
    Program(
        "recursion_hands_its_argument_on_and_out",
        down(SAME, f"%y = {CALL.format('%t')}", YIELD) + UPDATED,
        args=RUNS,
        numpy=lambda t, n, f: (put(-t, 2, f), -t[2]),
    ),
    Program(
        "recursion_drops_what_comes_back",
        down(SAME, f"%x = {INSERT.format('%t')}", f"%y = {CALL.format('%x')}", SAME) + MAIN,
        args=RUNS,
        numpy=lambda t, n, f: t,
    ),
    Program(
        "recursion_calls_twice",
        down(SAME, f"%x = {CALL.format('%t')}", f"%z = {INSERT.format('%x')}", f"%y = {CALL.format('%z')}", YIELD)
        + MAIN,
        args=RUNS,
        numpy=first,
    ),
    Program(
        "recursion_chooses_between_the_argument_and_what_comes_back",
        down(
            SAME,
            f"%x = {INSERT.format('%t')}",
            f"%z = {CALL.format('%x')}",
            "%p = arith.cmpi ugt, %n, %c1 : index",
            "%y = arith.select %p, %z, %t : tensor<4xf32>",
            YIELD,
        )
        + MAIN,
        args=RUNS,
        numpy=lambda t, n, f: np.concatenate([t[:1], np.full(n - 1, f, np.float32), t[n:]]) if n > 1 else t,
        fewer=True,
    ),
    Program(
        "even_and_odd_with_signs_call_each_other",
        """
        func.func private @even(%t: tensor<4xf32>, %n: index, %f: f32) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %stop = arith.cmpi eq, %n, %c0 : index
          %r = scf.if %stop -> tensor<4xf32> {
            scf.yield %t : tensor<4xf32>
          } else {
            %m = arith.subi %n, %c1 : index
            %0 = tensor.insert %f into %t[%m] : tensor<4xf32>
            %1 = func.call @odd(%0, %m, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          return %r : tensor<4xf32>
        }
        func.func private @odd(%t: tensor<4xf32>, %n: index, %f: f32) -> tensor<4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %stop = arith.cmpi eq, %n, %c0 : index
          %r = scf.if %stop -> tensor<4xf32> {
            scf.yield %t : tensor<4xf32>
          } else {
            %m = arith.subi %n, %c1 : index
            %g = arith.negf %f : f32
            %0 = tensor.insert %g into %t[%m] : tensor<4xf32>
            %1 = func.call @even(%0, %m, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }
          return %r : tensor<4xf32>
        }
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> tensor<4xf32> {
          %0 = func.call @even(%t, %n, %f) : (tensor<4xf32>, index, f32) -> tensor<4xf32>
          return %0 : tensor<4xf32>
        }""",
        args=[("4xf32", n, 99.0) for n in (0, 1, 2, 4)],
        numpy=lambda t, n, f: np.concatenate([f32(*(f * (-1) ** (n - 1 - i) for i in range(n))), t[n:]]),
    ),
    Program(
        "recursion_swaps_two_arguments",
        """
        func.func private @swap(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index, %f: f32)
            -> (tensor<4xf32>, tensor<4xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %stop = arith.cmpi eq, %n, %c0 : index
          %r:2 = scf.if %stop -> (tensor<4xf32>, tensor<4xf32>) {
            scf.yield %a, %b : tensor<4xf32>, tensor<4xf32>
          } else {
            %m = arith.subi %n, %c1 : index
            %0 = tensor.insert %f into %a[%m] : tensor<4xf32>
            %1:2 = func.call @swap(%b, %0, %m, %f)
                : (tensor<4xf32>, tensor<4xf32>, index, f32) -> (tensor<4xf32>, tensor<4xf32>)
            scf.yield %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
          }
          return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
        }
        func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index, %f: f32)
            -> (tensor<4xf32>, tensor<4xf32>, f32) {
          %c3 = arith.constant 3 : index
          %0:2 = func.call @swap(%a, %b, %n, %f)
              : (tensor<4xf32>, tensor<4xf32>, index, f32) -> (tensor<4xf32>, tensor<4xf32>)
          %g = arith.negf %f : f32
          %1 = tensor.insert %g into %0#0[%c3] : tensor<4xf32>
          %2 = tensor.extract %0#1[%c3] : tensor<4xf32>
          return %1, %0#1, %2 : tensor<4xf32>, tensor<4xf32>, f32
        }""",
        args=[("4xf32", "4xf32", n, 99.0) for n in (0, 1, 2, 3)],
        numpy=lambda a, b, n, f: swapped(a, b, n, np.float32(f)),
        fewer=True,
    ),
    Program(
        "recursion_on_parts_of_a_matrix",
        """
        func.func private @rows(%t: tensor<4x4xf32>, %n: index, %f: f32) -> tensor<4x4xf32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %stop = arith.cmpi eq, %n, %c0 : index
          %r = scf.if %stop -> tensor<4x4xf32> {
            scf.yield %t : tensor<4x4xf32>
          } else {
            %m = arith.subi %n, %c1 : index
            %0 = tensor.extract_slice %t[%m, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
            %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
            %2 = tensor.insert_slice %1 into %t[%m, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
            %3 = func.call @rows(%2, %m, %f) : (tensor<4x4xf32>, index, f32) -> tensor<4x4xf32>
            scf.yield %3 : tensor<4x4xf32>
          }
          return %r : tensor<4x4xf32>
        }
        func.func @main(%t: tensor<4x4xf32>, %n: index, %f: f32) -> tensor<4x4xf32> {
          %0 = func.call @rows(%t, %n, %f) : (tensor<4x4xf32>, index, f32) -> tensor<4x4xf32>
          return %0 : tensor<4x4xf32>
        }""",
        args=[("4x4xf32", n, 99.0) for n in (0, 1, 4)],
        numpy=lambda t, n, f: np.concatenate([np.full((n, 4), f, np.float32), t[n:]]),
    ),
]


def swapped(a: np.ndarray, b: np.ndarray, n: int, f: float) -> tuple[np.ndarray, np.ndarray, np.float32]:
    for m in reversed(range(n)):
        a, b = b, put(a, m, f)
    return put(a, 3, -f), b, b[3]
