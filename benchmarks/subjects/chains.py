"""Programs of many ops for benchmarks of compilation: rounds of matmul, add, max and mul, and the same in NumPy."""

from __future__ import annotations

from typing import Any

SIZE = 64


def same_shapes(ops: int) -> str:
    """A chain of matmul, add, max and mul on square matrices."""
    t = f"tensor<{SIZE}x{SIZE}xf32>"
    lines = [
        f"func.func @main(%a: {t}, %b: {t}) -> {t} {{",
        "%z = arith.constant 0.0 : f32",
        f"%e = tensor.empty() : {t}",
    ]
    last = "%a"
    for n in range(ops // 4):
        lines += [f"%f{n} = linalg.fill ins(%z : f32) outs(%e : {t}) -> {t}"]
        lines += [f"%m{n} = linalg.matmul ins({last}, %b : {t}, {t}) outs(%f{n} : {t}) -> {t}"]
        last = f"%m{n}"
        for name in ("add", "max", "mul"):
            lines += [f"%{name}{n} = linalg.{name} ins({last}, %b : {t}, {t}) outs(%e : {t}) -> {t}"]
            last = f"%{name}{n}"
    return "\n".join([*lines, f"return {last} : {t}", "}"])


def many_shapes(ops: int) -> str:
    """The same ops, each round on more rows of one matrix than the last."""
    whole, square = f"tensor<{SIZE + ops // 4}x{SIZE}xf32>", f"tensor<{SIZE}x{SIZE}xf32>"
    lines = [f"func.func @main(%a0: {whole}, %b: {square}) -> {whole} {{", "%z = arith.constant 0.0 : f32"]
    for n in range(ops // 4):
        t = f"tensor<{n + 1}x{SIZE}xf32>"
        lines += [f"%s{n} = tensor.extract_slice %a{n}[0, 0] [{n + 1}, {SIZE}] [1, 1] : {whole} to {t}"]
        lines += [f"%c{n} = tensor.extract_slice %a{n}[1, 0] [{n + 1}, {SIZE}] [1, 1] : {whole} to {t}"]
        lines += [f"%e{n} = tensor.empty() : {t}", f"%f{n} = linalg.fill ins(%z : f32) outs(%e{n} : {t}) -> {t}"]
        lines += [f"%m{n} = linalg.matmul ins(%s{n}, %b : {t}, {square}) outs(%f{n} : {t}) -> {t}"]
        last = f"%m{n}"
        for name in ("add", "max", "mul"):
            lines += [f"%{name}{n} = linalg.{name} ins({last}, %c{n} : {t}, {t}) outs(%e{n} : {t}) -> {t}"]
            last = f"%{name}{n}"
        lines += [
            f"%a{n + 1} = tensor.insert_slice {last} into %a{n}[0, 0] [{n + 1}, {SIZE}] [1, 1] : {t} into {whole}"
        ]
    return "\n".join([*lines, f"return %a{ops // 4} : {whole}", "}"])


def same_shapes_array(np_: Any, ops: int, a: Any, b: Any) -> Any:
    """What `same_shapes` computes."""
    for _ in range(ops // 4):
        a = np_.maximum(a @ b + b, b) * b
    return a


def many_shapes_array(np_: Any, ops: int, a: Any, b: Any) -> Any:
    """What `many_shapes` computes."""
    for n in range(1, ops // 4 + 1):
        c = a[1 : n + 1]
        a = np_.concatenate((np_.maximum(a[:n] @ b + c, c) * c, a[n:]))
    return a


STEPS = 8
"""Iterations of `long_scan`."""


def long_scan(ops: int) -> str:
    """A loop of `STEPS` iterations, with `same_shapes` as its body, that keeps each state; the last one comes first."""
    t, whole = f"tensor<{SIZE}x{SIZE}xf32>", f"tensor<{STEPS}x{SIZE}x{SIZE}xf32>"
    body = same_shapes(ops).splitlines()[3:-2]  # Without the head, two constants, the return and the brace.
    last = body[-1].split()[0]
    return "\n".join(
        [
            f"func.func @main(%first: {t}, %b: {t}) -> {whole} {{",
            "%z = arith.constant 0.0 : f32",
            "%zero = arith.constant 0 : index\n%one = arith.constant 1 : index",
            f"%steps = arith.constant {STEPS} : index",
            f"%e = tensor.empty() : {t}\n%none = tensor.empty() : {whole}",
            "%h, %all = scf.for %i = %zero to %steps step %one iter_args(%a = %first, %kept = %none)"
            f" -> ({t}, {whole}) {{",
            *body,
            f"%next = tensor.insert_slice {last} into %kept[%i, 0, 0] [1, {SIZE}, {SIZE}] [1, 1, 1] : {t} into {whole}",
            f"scf.yield {last}, %next : {t}, {whole}\n}}",
            f"return %all : {whole}\n}}",
        ]
    )


def long_scan_array(np_: Any, ops: int, a: Any, b: Any) -> Any:
    """What `long_scan` computes: by JAX as one loop, too."""
    if np_.__name__.startswith("jax"):
        from jax import lax

        def step(state: Any, _: None) -> tuple[Any, Any]:
            state = same_shapes_array(np_, ops, state, b)
            return state, state

        return lax.scan(step, a, length=STEPS)[1]
    states: list[Any] = []
    for _ in range(STEPS):
        a = same_shapes_array(np_, ops, a, b)
        states.append(a)
    return np_.stack(states)


PROGRAMS = {
    "same shapes": (same_shapes, same_shapes_array),
    "many shapes": (many_shapes, many_shapes_array),
    "long scan": (long_scan, long_scan_array),
}
