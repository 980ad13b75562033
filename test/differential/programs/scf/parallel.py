"""scf.parallel: iterations that may overlap in time, read tensors and reduce scalars."""

from __future__ import annotations

import numpy as np

from ..program import Program, put

V = "tensor<8xf32>"
SUM = """scf.reduce(%e : f32) {
            ^bb0(%p: f32, %q: f32):
              %y = arith.addf %p, %q : f32
              scf.reduce.return %y : f32
            }"""


def main(arguments: str, results: str, body: str) -> str:
    return f"""
        func.func @main({arguments}) -> {results} {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c8 = arith.constant 8 : index
          %zero = arith.constant 0.0 : f32
          {body}
        }}"""


def sums(t: np.ndarray, trips: int) -> np.ndarray:
    for trip in range(trips):
        t = put(t, trip, t.sum())
    return t


PROGRAMS = [
    Program(
        "parallel_sum_of_a_tensor",
        main(
            f"%t: {V}, %f: f32",
            f"({V}, f32)",
            f"""%s = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%zero) -> f32 {{
            %e = tensor.extract %t[%i] : {V}
            {SUM}
          }}
          %w = tensor.insert %f into %t[%c0] : {V}
          return %w, %s : {V}, f32""",
        ),
        args=("8xf32", 99.0),
        numpy=lambda t, f: (put(t, 0, f), t.sum()),
    ),
    Program(
        "parallel_writes_a_tensor_from_outside",
        main(
            f"%t: {V}, %f: f32",
            "f32",
            f"""%s = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%zero) -> f32 {{
            %w = tensor.insert %f into %t[%i] : {V}
            %e = tensor.extract %w[%c1] : {V}
            {SUM}
          }}
          return %s : f32""",
        ),
        args=("8xf32", 99.0),
        numpy=lambda t, f: np.float32(7 * t[1] + f),
        upstream_wrong="iterations read what others have written",
    ),
    Program(
        "parallel_with_a_tensor_for_each_iteration",
        main(
            "%f: f32",
            "f32",
            f"""%s = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%zero) -> f32 {{
            %g = tensor.splat %zero : {V}
            %w = tensor.insert %f into %g[%i] : {V}
            %e = tensor.extract %w[%c1] : {V}
            {SUM}
          }}
          return %s : f32""",
        ),
        args=(99.0,),
        numpy=np.float32,
    ),
    Program(
        "parallel_in_for",
        main(
            f"%t: {V}, %n: index",
            V,
            f"""%r = scf.for %k = %c0 to %n step %c1 iter_args(%u = %t) -> {V} {{
            %s = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%zero) -> f32 {{
              %e = tensor.extract %u[%i] : {V}
              {SUM}
            }}
            %w = tensor.insert %s into %u[%k] : {V}
            scf.yield %w : {V}
          }}
          return %r : {V}""",
        ),
        args=[("8xf32", 0), ("8xf32", 3)],
        numpy=sums,
    ),
]
