"""Pains of loops: what they carry, swap, yield and return."""

from __future__ import annotations

import numpy as np
from programs.program import put

from .pain import Pain, W, main

V = "1026xf32:random"
SWEEP = """
              %l = tensor.extract_slice %u[0] [1024] [1] : !t to !s
              %r = tensor.extract_slice %u[2] [1024] [1] : !t to !s
              %m = tensor.extract_slice %v[1] [1024] [1] : !t to !s
              %a = linalg.add ins(%l, %r : !s, !s) outs(%m : !s) -> !s
              %w = tensor.insert_slice %a into %v[1] [1024] [1] : !s into !t"""
TYPES = {"t": "1026xf32", "s": "1024xf32"}


def sweeps(u: np.ndarray, v: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    u, v = u.copy(), v.copy()
    for _ in range(n):
        v[1:-1] = u[:-2] + u[2:]
        u, v = v, u
    return u, v


def fibonacci(a: np.ndarray, b: np.ndarray, _: np.ndarray, n: int) -> np.ndarray:
    for _trip in range(n):
        a, b = b, a + b
    return b


def jacobi(count: int) -> Pain:
    return Pain(
        f"jacobi_{count}_sweeps",
        "sweeps that alternate between two buffers copy in each iteration, or are refused (iree 16956, futhark 1412)",
        main(
            f"%p: !t {W}, %q: !t {W}, %n: index",
            "!t, !t",
            f"""
            %z:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %p, %v = %q) -> (!t, !t) {{{SWEEP}
              scf.yield %w, %u : !t, !t
            }}
            return %z#0, %z#1 : !t, !t""",
            **TYPES,
        ),
        (V, V, count),
        sweeps,
        rtol=1e-4,
        copied=0,
    )


def jacobi_on_fresh_tensors(count: int) -> Pain:
    return Pain(
        f"jacobi_fresh_{count}_sweeps",
        "sweeps from an argument that must stay: a new buffer and a copy in each iteration (tpp-mlir 384)",
        main(
            "%p: !t, %n: index",
            "!t",
            f"""
            %z = scf.for %i = %c0 to %n step %c1 iter_args(%u = %p) -> (!t) {{
              %e = tensor.empty() : !t
              %v = linalg.copy ins(%u : !t) outs(%e : !t) -> !t{SWEEP}
              scf.yield %w : !t
            }}
            return %z : !t""",
            **TYPES,
        ),
        (V, count),
        lambda p, n: sweeps(p, p, n)[0],
        rtol=1e-4,
    )


def fibonaccis(count: int) -> Pain:
    return Pain(
        f"fibonacci_{count}",
        "three tensors take turns, and are copied from one to the next in each iteration",
        main(
            f"%p: !t {W}, %q: !t {W}, %s: !t {W}, %n: index",
            "!t",
            """
            %z:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q, %c = %s) -> (!t, !t, !t) {
              %d = linalg.add ins(%a, %b : !t, !t) outs(%c : !t) -> !t
              scf.yield %b, %d, %a : !t, !t, !t
            }
            return %z#1 : !t""",
            t="1024xf32",
        ),
        ("1024xf32", "1024xf32", "1024xf32", count),
        fibonacci,
        rtol=1e-5,
        copied=0,
    )


PAINS = (
    jacobi(20),
    jacobi(7),
    jacobi_on_fresh_tensors(20),
    jacobi_on_fresh_tensors(7),
    fibonaccis(9),
    fibonaccis(10),
    Pain(
        "fibonacci_of_fresh_tensors",
        "the sum of two carried tensors goes to a new one: an allocation or two copies in each iteration",
        main(
            "%p: !t, %q: !t, %n: index",
            "!t",
            """
            %z:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q) -> (!t, !t) {
              %e = tensor.empty() : !t
              %d = linalg.add ins(%a, %b : !t, !t) outs(%e : !t) -> !t
              scf.yield %b, %d : !t, !t
            }
            return %z#1 : !t""",
            t="1024xf32",
        ),
        ("1024xf32", "1024xf32", 11),
        lambda p, q, n: fibonacci(p, q, q, n),
        rtol=1e-5,
    ),
    Pain(
        "jacobi_while",
        "the same sweeps, as long as they are told: scf.while copies what it passes on",
        main(
            f"%p: !t {W}, %q: !t {W}, %n: index",
            "!t",
            f"""
            %z:3 = scf.while (%i = %c0, %u = %p, %v = %q) : (index, !t, !t) -> (index, !t, !t) {{
              %go = arith.cmpi slt, %i, %n : index
              scf.condition(%go) %i, %u, %v : index, !t, !t
            }} do {{
            ^bb0(%i: index, %u: !t, %v: !t):{SWEEP}
              %next = arith.addi %i, %c1 : index
              scf.yield %next, %w, %u : index, !t, !t
            }}
            return %z#1 : !t""",
            **TYPES,
        ),
        (V, V, 7),
        lambda u, v, n: sweeps(u, v, n)[0],
        rtol=1e-4,
        copied=0,
    ),
    Pain(
        "fibonacci_while",
        "three tensors take turns in an scf.while",
        main(
            f"%p: !t {W}, %q: !t {W}, %s: !t {W}, %n: index",
            "!t",
            """
            %z:4 = scf.while (%i = %c0, %a = %p, %b = %q, %c = %s) : (index, !t, !t, !t) -> (index, !t, !t, !t) {
              %go = arith.cmpi slt, %i, %n : index
              scf.condition(%go) %i, %a, %b, %c : index, !t, !t, !t
            } do {
            ^bb0(%i: index, %a: !t, %b: !t, %c: !t):
              %d = linalg.add ins(%a, %b : !t, !t) outs(%c : !t) -> !t
              %next = arith.addi %i, %c1 : index
              scf.yield %next, %b, %d, %a : index, !t, !t, !t
            }
            return %z#2 : !t""",
            t="1024xf32",
        ),
        ("1024xf32", "1024xf32", "1024xf32", 8),
        fibonacci,
        rtol=1e-5,
        copied=0,
    ),
    Pain(
        "original_read_in_a_loop",
        "a loop reads slices of the tensor it was started with, not of the one it carries (iree 8303, 11412)",
        main(
            f"%t: !t {W}",
            "!t",
            """
            %z = scf.for %i = %c0 to %c64 step %c8 iter_args(%a = %t) -> (!t) {
              %s = tensor.extract_slice %t[%i, 0] [8, 64] [1, 1] : !t to !s
              %e = tensor.empty() : !s
              %x = linalg.exp ins(%s : !s) outs(%e : !s) -> !s
              %w = tensor.insert_slice %x into %a[%i, 0] [8, 64] [1, 1] : !s into !t
              scf.yield %w : !t
            }
            return %z : !t""",
            t="64x64xf32",
            s="8x64xf32",
        ),
        ("64x64xf32:random",),
        np.exp,
        rtol=1e-6,
        copied=0,
    ),
    Pain(
        "original_read_by_threads",
        "threads read slices of a tensor that is also what they insert into (tpp-mlir 384)",
        main(
            f"%t: !t {W}",
            "!t",
            """
            %z = scf.forall (%i) = (0) to (64) step (8) shared_outs(%a = %t) -> (!t) {
              %s = tensor.extract_slice %t[%i, 0] [8, 64] [1, 1] : !t to !s
              %e = tensor.empty() : !s
              %x = linalg.exp ins(%s : !s) outs(%e : !s) -> !s
              scf.forall.in_parallel {
                tensor.parallel_insert_slice %x into %a[%i, 0] [8, 64] [1, 1] : !s into !t
              }
            }
            return %z : !t""",
            t="64x64xf32",
            s="8x64xf32",
        ),
        ("64x64xf32:random",),
        np.exp,
        rtol=1e-6,
        copied=0,
    ),
    Pain(
        "updated_by_a_new_tensor",
        "an elementwise op yields a new tensor where the carried one could be updated (llvm-project 87594)",
        main(
            f"%t: !t {W}, %y: !t, %n: index",
            "!t",
            """
            %z = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (!t) {
              %e = tensor.empty() : !t
              %b = linalg.add ins(%a, %y : !t, !t) outs(%e : !t) -> !t
              scf.yield %b : !t
            }
            return %z : !t""",
            t="64x64xf32",
        ),
        ("64x64xf32", "64x64xf32", 5),
        lambda t, y, n: t + n * y,
        copied=0,
    ),
    Pain(
        "powers",
        "a product of the carried matrix goes to a new one in each iteration (llvm-project 68089)",
        main(
            "%t: !t, %n: index",
            "!t",
            """
            %z = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (!t) {
              %e = tensor.empty() : !t
              %f = linalg.fill ins(%f0 : f32) outs(%e : !t) -> !t
              %b = linalg.matmul ins(%a, %t : !t, !t) outs(%f : !t) -> !t
              scf.yield %b : !t
            }
            return %z : !t""",
            t="16x16xf32",
        ),
        ("16x16xf32:random", 5),
        lambda t, n: np.linalg.matrix_power(t.astype(np.float64), n + 1),
        rtol=1e-3,
    ),
    Pain(
        "tiled_product",
        "slices of slices in tiled loops: a copy of each tile (iree 8283, 18778)",
        main(
            f"%x: !t, %y: !t, %t: !t {W}",
            "!t",
            """
            %z = scf.for %i = %c0 to %c32 step %c8 iter_args(%a = %t) -> (!t) {
              %z1 = scf.for %j = %c0 to %c32 step %c8 iter_args(%b = %a) -> (!t) {
                %z2 = scf.for %k = %c0 to %c32 step %c8 iter_args(%c = %b) -> (!t) {
                  %xs = tensor.extract_slice %x[%i, %k] [8, 8] [1, 1] : !t to !s
                  %ys = tensor.extract_slice %y[%k, %j] [8, 8] [1, 1] : !t to !s
                  %zs = tensor.extract_slice %c[%i, %j] [8, 8] [1, 1] : !t to !s
                  %m = linalg.matmul ins(%xs, %ys : !s, !s) outs(%zs : !s) -> !s
                  %w = tensor.insert_slice %m into %c[%i, %j] [8, 8] [1, 1] : !s into !t
                  scf.yield %w : !t
                }
                scf.yield %z2 : !t
              }
              scf.yield %z1 : !t
            }
            return %z : !t""",
            t="32x32xf32",
            s="8x8xf32",
        ),
        ("32x32xf32:random",) * 3,
        lambda x, y, t: t + x @ y,
        rtol=1e-3,
        copied=0,
    ),
    Pain(
        "condition_reads_what_is_carried",
        "the condition of a while reads an element of what the body updates (iree 16956)",
        main(
            f"%t: !t {W}, %n: f32",
            "!t",
            """
            %z = scf.while (%a = %t) : (!t) -> (!t) {
              %x = tensor.extract %a[%c0] : !t
              %go = arith.cmpf olt, %x, %n : f32
              scf.condition(%go) %a : !t
            } do {
            ^bb0(%a: !t):
              %b = linalg.add ins(%a, %a : !t, !t) outs(%a : !t) -> !t
              scf.yield %b : !t
            }
            return %z : !t""",
            t="1024xf32",
        ),
        ("1024xf32", 20000.0),
        lambda t, n: t * 2.0 ** max(0, np.ceil(np.log2(n / t[0]))),
        copied=0,
    ),
    Pain(
        "swap_within_a_loop",
        "an inner loop swaps what the outer one carries",
        main(
            f"%p: !t {W}, %q: !t {W}, %n: index",
            "!t",
            f"""
            %z:2 = scf.for %k = %c0 to %n step %c1 iter_args(%g = %p, %h = %q) -> (!t, !t) {{
              %y:2 = scf.for %i = %c0 to %n step %c1 iter_args(%u = %g, %v = %h) -> (!t, !t) {{{SWEEP}
                scf.yield %w, %u : !t, !t
              }}
              scf.yield %y#0, %y#1 : !t, !t
            }}
            return %z#0 : !t""",
            **TYPES,
        ),
        (V, V, 3),
        lambda u, v, n: sweeps(u, v, n * n)[0],
        rtol=1e-4,
        copied=0,
    ),
    Pain(
        "old_row_after_the_loop",
        "one row of what a loop updated is needed as it was before",
        main(
            f"%t: !t {W}, %n: index",
            "!t, !r",
            """
            %z = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (!t) {
              %b = linalg.add ins(%a, %a : !t, !t) outs(%a : !t) -> !t
              scf.yield %b : !t
            }
            %s = tensor.extract_slice %t[5, 0] [1, 64] [1, 1] : !t to !r
            %e = tensor.empty() : !r
            %o = linalg.exp ins(%s : !r) outs(%e : !r) -> !r
            return %z, %o : !t, !r""",
            t="64x64xf32",
            r="64xf32",
        ),
        ("64x64xf32:random", 3),
        lambda t, n: (t * 2**n, np.exp(t[5])),
        rtol=1e-6,
        copied=0,
    ),
    Pain(
        "loop_of_blocks",
        "a loop of basic blocks copies what its branches forward (tensorflow 48883)",
        main(
            f"%t: !t {W}, %x: f32, %n: index",
            "!t",
            """
              cf.br ^head(%c0, %t : index, !t)
            ^head(%i: index, %a: !t):
              %go = arith.cmpi slt, %i, %n : index
              cf.cond_br %go, ^body, ^exit
            ^body:
              %b = tensor.insert %x into %a[%i] : !t
              %next = arith.addi %i, %c1 : index
              cf.br ^head(%next, %b : index, !t)
            ^exit:
              return %a : !t""",
            t="1024xf32",
        ),
        ("1024xf32", 9.0, 5),
        lambda t, x, n: put(t, slice(0, n), x),
        copied=0,
    ),
)
