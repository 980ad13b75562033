"""scf.for whose trip count is known: one that surely runs may overwrite its init; one that may not must keep it."""

from __future__ import annotations

from ..program import Program

FILLED = """
        func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %0 = scf.for %i = {lower} to {upper} step %c1 iter_args(%u = %t) -> tensor<4xf32> {{
            %1 = linalg.fill ins(%f : f32) outs(%u : tensor<4xf32>) -> tensor<4xf32>
            scf.yield %1 : tensor<4xf32>
          }}
          return %t, %0 : tensor<4xf32>, tensor<4xf32>
        }}"""


PROGRAMS = [
    Program(
        "loop_that_surely_runs_overwrites_its_init",
        FILLED.format(lower="%c0", upper="%c4"),
        args=("4xf32", 0, 99.0),
        numpy=lambda t, n, f: (t, 0 * t + f),
    ),
    Program(
        "loop_that_never_runs_keeps_its_init",
        FILLED.format(lower="%c4", upper="%c4"),
        args=("4xf32", 0, 99.0),
        numpy=lambda t, n, f: (t, t),
    ),
    Program(
        "loop_that_may_not_run_keeps_its_init",
        FILLED.format(lower="%c1", upper="%n"),
        args=[("4xf32", n, 99.0) for n in (0, 1, 2)],
        numpy=lambda t, n, f: (t, 0 * t + f if n > 1 else t),
    ),
]
