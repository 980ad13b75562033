"""Pains of chains of ops, constants, and inits: buffers that others could serve for."""

from __future__ import annotations

import numpy as np

from .pain import Pain, W, main

T = "64x64xf32"
R = "64x64xf32:random"


def exps(count: int) -> str:
    """A chain of `linalg.exp`, each with an init of its own, from `%v0` to `%vN`."""
    return "\n".join(
        f"%e{n} = tensor.empty() : !t\n%v{n + 1} = linalg.exp ins(%v{n} : !t) outs(%e{n} : !t) -> !t"
        for n in range(count)
    )


def four_exps(t: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        for _ in range(4):
            t = np.exp(t)
    return t


def softmax(t: np.ndarray) -> np.ndarray:
    e = np.exp(t - t.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


PAINS = (
    Pain(
        "four_exps",
        "each op of a chain gets a buffer of its own (iree 4889, tensorflow 48883)",
        main("%v0: !t", "!t", f"{exps(4)}\nreturn %v4 : !t", t=T),
        ("64x64xf32:random",),
        four_exps,
        rtol=1e-2,
        copied=0,
        peak=16384,
    ),
    Pain(
        "exps_of_a_dead_argument",
        "the argument is not needed any more, and could be the buffer of the chain",
        main(f"%v0: !t {W}", "!t", f"{exps(2)}\nreturn %v2 : !t", t=T),
        (R,),
        lambda t: np.exp(np.exp(t)),
        rtol=1e-5,
        copied=0,
    ),
    Pain(
        "same_operand_twice",
        "an elementwise op whose operands are the same tensor is not in place (tpp-mlir 588)",
        main(
            f"%t: !t {W}",
            "!t",
            """
            %a = linalg.add ins(%t, %t : !t, !t) outs(%t : !t) -> !t
            %b = linalg.add ins(%a, %t : !t, !t) outs(%a : !t) -> !t
            return %b : !t""",
            t=T,
        ),
        (T,),
        lambda t: 3 * t,
    ),
    Pain(
        "splat_constant_as_init",
        "a constant init is a global that is copied, and not a fill (iree 8660)",
        main(
            "%x: !t, %y: !t",
            "!t",
            """
            %z = arith.constant dense<1.0> : !t
            %p = linalg.matmul ins(%x, %y : !t, !t) outs(%z : !t) -> !t
            return %p : !t""",
            t="16x16xf32",
        ),
        ("16x16xf32", "16x16xf32"),
        lambda x, y: x @ y + 1,
        copied=0,
    ),
    Pain(
        "constant_accumulator_of_a_loop",
        "a constant is what a loop carries at first: it is copied (iree 8660)",
        main(
            "%x: !t, %n: index",
            "!t",
            """
            %z = arith.constant dense<0.0> : !t
            %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (!t) {
              %b = linalg.add ins(%a, %x : !t, !t) outs(%a : !t) -> !t
              scf.yield %b : !t
            }
            return %r : !t""",
            t=T,
        ),
        (T, 3),
        lambda x, n: n * x,
        copied=0,
    ),
    Pain(
        "constant_in_each_iteration",
        "a constant accumulator inside of a loop is copied in each iteration (iree 16956)",
        main(
            f"%t: !t {W}, %y: !m, %n: index",
            "!t",
            """
            %z = arith.constant dense<0.0> : !m
            %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (!t) {
              %s = tensor.extract_slice %a[%i, 0, 0] [1, 16, 16] [1, 1, 1] : !t to !m
              %p = linalg.matmul ins(%s, %y : !m, !m) outs(%z : !m) -> !m
              %b = tensor.insert_slice %p into %a[%i, 0, 0] [1, 16, 16] [1, 1, 1] : !m into !t
              scf.yield %b : !t
            }
            return %r : !t""",
            t="4x16x16xf32",
            m="16x16xf32",
        ),
        ("4x16x16xf32", "16x16xf32", 4),
        lambda t, y, _: t @ y,
    ),
    Pain(
        "init_that_is_not_read",
        "an init whose content the op does not read is still copied (graph-compiler 288)",
        main(
            "%x: !t, %y: !t, %z: !t",
            "!t, !t",
            """
            %m = linalg.max ins(%x, %y : !t, !t) outs(%z : !t) -> !t
            %s = linalg.sub ins(%m, %z : !t, !t) outs(%z : !t) -> !t
            return %m, %s : !t, !t""",
            t=T,
        ),
        (T, T, T),
        lambda x, y, z: (np.maximum(x, y), np.maximum(x, y) - z),
        copied=0,
    ),
    Pain(
        "shared_fill",
        "cse leaves one filled tensor for two accumulators, which is then copied (graph-compiler 288)",
        main(
            "%x: !t, %y: !t",
            "!t, !t",
            """
            %e = tensor.empty() : !t
            %z = linalg.fill ins(%f0 : f32) outs(%e : !t) -> !t
            %p = linalg.matmul ins(%x, %y : !t, !t) outs(%z : !t) -> !t
            %q = linalg.matmul ins(%y, %x : !t, !t) outs(%z : !t) -> !t
            return %p, %q : !t, !t""",
            t="16x16xf32",
        ),
        ("16x16xf32", "16x16xf32"),
        lambda x, y: (x @ y, y @ x),
    ),
    Pain(
        "perceptron",
        "every layer of a perceptron allocates (tpp-mlir 95, 384)",
        main(
            "%x: !t, %w1: !t, %w2: !t, %b: !t",
            "!t",
            """
            %e = tensor.empty() : !t
            %z = linalg.fill ins(%f0 : f32) outs(%e : !t) -> !t
            %p = linalg.matmul ins(%x, %w1 : !t, !t) outs(%z : !t) -> !t
            %e1 = tensor.empty() : !t
            %a = linalg.add ins(%p, %b : !t, !t) outs(%e1 : !t) -> !t
            %e2 = tensor.empty() : !t
            %m = linalg.max ins(%a, %z : !t, !t) outs(%e2 : !t) -> !t
            %q = linalg.matmul ins(%m, %w2 : !t, !t) outs(%z : !t) -> !t
            %e3 = tensor.empty() : !t
            %r = linalg.add ins(%q, %b : !t, !t) outs(%e3 : !t) -> !t
            return %r : !t""",
            t="16x16xf32",
        ),
        ("16x16xf32:random",) * 4,
        lambda x, w1, w2, b: np.maximum(x @ w1 + b, 0) @ w2 + b,
        rtol=1e-4,
    ),
    Pain(
        "softmax",
        "the parts of a softmax each have a buffer of the whole matrix",
        main(
            "%t: !t",
            "!t",
            """
            %low = arith.constant 0xFF800000 : f32
            %er = tensor.empty() : !r
            %l = linalg.fill ins(%low : f32) outs(%er : !r) -> !r
            %m = linalg.reduce {arith.maximumf} ins(%t : !t) outs(%l : !r) dimensions = [1]
            %e0 = tensor.empty() : !t
            %mb = linalg.broadcast ins(%m : !r) outs(%e0 : !t) dimensions = [1]
            %e1 = tensor.empty() : !t
            %d = linalg.sub ins(%t, %mb : !t, !t) outs(%e1 : !t) -> !t
            %e2 = tensor.empty() : !t
            %x = linalg.exp ins(%d : !t) outs(%e2 : !t) -> !t
            %z = linalg.fill ins(%f0 : f32) outs(%er : !r) -> !r
            %s = linalg.reduce {arith.addf} ins(%x : !t) outs(%z : !r) dimensions = [1]
            %e3 = tensor.empty() : !t
            %sb = linalg.broadcast ins(%s : !r) outs(%e3 : !t) dimensions = [1]
            %e4 = tensor.empty() : !t
            %q = linalg.div ins(%x, %sb : !t, !t) outs(%e4 : !t) -> !t
            return %q : !t""",
            t=T,
            r="64xf32",
        ),
        (R,),
        softmax,
        rtol=1e-5,
        copied=0,
    ),
    Pain(
        "smaller_than_what_is_dead",
        "a dead buffer that is larger than needed is not used again",
        main(
            "%t: !t",
            "!r",
            """
            %e = tensor.empty() : !t
            %x = linalg.exp ins(%t : !t) outs(%e : !t) -> !t
            %l = tensor.extract_slice %x[0, 0] [32, 64] [1, 1] : !t to !h
            %h = tensor.extract_slice %x[32, 0] [32, 64] [1, 1] : !t to !h
            %e1 = tensor.empty() : !h
            %s = linalg.add ins(%l, %h : !h, !h) outs(%e1 : !h) -> !h
            %er = tensor.empty() : !r
            %z = linalg.fill ins(%f0 : f32) outs(%er : !r) -> !r
            %o = linalg.reduce {arith.addf} ins(%s : !h) outs(%z : !r) dimensions = [0]
            return %o : !r""",
            t=T,
            h="32x64xf32",
            r="64xf32",
        ),
        (R,),
        lambda t: np.exp(t).sum(axis=0),
        rtol=1e-5,
        copied=0,
    ),
    Pain(
        "reshaped_chain",
        "a reshape between two elementwise ops hides that the buffer is dead",
        main(
            "%t: !t",
            "!f",
            """
            %e = tensor.empty() : !t
            %x = linalg.exp ins(%t : !t) outs(%e : !t) -> !t
            %c = tensor.collapse_shape %x [[0, 1]] : !t into !f
            %e1 = tensor.empty() : !f
            %y = linalg.exp ins(%c : !f) outs(%e1 : !f) -> !f
            return %y : !f""",
            t=T,
            f="4096xf32",
        ),
        (R,),
        lambda t: np.exp(np.exp(t)).reshape(-1),
        rtol=1e-5,
        copied=0,
    ),
    Pain(
        "scalar_state",
        "a scalar in a tensor of rank 0 is copied before it is updated (iree 14378)",
        main(
            f"%t: !t {W}",
            "!t",
            """
            %a = tensor.extract %t[] : !t
            %b = arith.addf %a, %f3 : f32
            %r = tensor.insert %b into %t[] : !t
            return %r : !t""",
            t="f32",
        ),
        ("f32",),
        lambda t: t + 3,
        copied=0,
    ),
    Pain(
        "transposed_and_back",
        "elementwise ops between transpositions each have a buffer",
        main(
            "%t: !t",
            "!t",
            """
            %e = tensor.empty() : !t
            %a = linalg.transpose ins(%t : !t) outs(%e : !t) permutation = [1, 0]
            %e1 = tensor.empty() : !t
            %x = linalg.exp ins(%a : !t) outs(%e1 : !t) -> !t
            %e2 = tensor.empty() : !t
            %b = linalg.transpose ins(%x : !t) outs(%e2 : !t) permutation = [1, 0]
            return %b : !t""",
            t=T,
        ),
        (R,),
        np.exp,
        rtol=1e-6,
        copied=0,
    ),
    Pain(
        "elements_of_a_constant",
        "a table with one entry set is a copy of the constant, in every call",
        main(
            "%x: f32, %i: index, %j: index",
            "f32",
            """
            %k = arith.constant dense<5.0> : !t
            %r = tensor.insert %x into %k[%i] : !t
            %o = tensor.extract %r[%j] : !t
            return %o : f32""",
            t="4096xf32",
        ),
        (9.0, 7, 7),
        lambda x, i, j: np.float32(x if i == j else 5),
        copied=0,
    ),
)
