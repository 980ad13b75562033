"""Linalg ops with what NumPy says of them: all kinds of access, sizes that fit tiles and vectors and others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import ml_dtypes
import numpy as np

Arrays = tuple[np.ndarray, ...]
RNG = np.random.default_rng(8)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def integers(dtype: str, *shape: int) -> np.ndarray:
    return RNG.integers(-99, 99, shape).astype(dtype)


def generic(arguments: Sequence[str], maps: Sequence[str], iterators: str, body: str, writable: str = "") -> str:
    """A function with one generic op; the last of `arguments`, tensor types, is the init."""
    *inputs, init = arguments
    names = [f"%t{number}" for number in range(len(arguments))]
    elements = [text.split("x")[-1].rstrip(">") for text in arguments]
    block = ", ".join(f"%e{number}: {element}" for number, element in enumerate(elements))
    loops = ", ".join("ijkl"[: len(iterators)])
    kinds = ", ".join('"parallel"' if kind == "p" else '"reduction"' for kind in iterators)
    attributes = ", ".join(f"affine_map<({loops}) -> ({map_})>" for map_ in maps)
    return f"""
      func.func @main({", ".join(f"{n}: {t} {writable}" for n, t in zip(names, arguments, strict=True))}) -> {init} {{
        %r = linalg.generic {{indexing_maps = [{attributes}], iterator_types = [{kinds}]}}
            ins({", ".join(names[:-1])} : {", ".join(inputs)}) outs({names[-1]} : {init}) {{
        ^bb0({block}):
          {body}
        }} -> {init}
        return %r : {init}
      }}"""


def named(op: str, arguments: Sequence[str]) -> str:
    """A function with one named op; the last of `arguments`, tensor types, is the init."""
    *inputs, init = arguments
    names = [f"%t{number}" for number in range(len(arguments))]
    return f"""
      func.func @main({", ".join(f"{n}: {t}" for n, t in zip(names, arguments, strict=True))}) -> {init} {{
        %r = {op} ins({", ".join(names[:-1])} : {", ".join(inputs)}) outs({names[-1]} : {init}) -> {init}
        return %r : {init}
      }}"""


def rounds_of(rounds: int, type_: str, *, squared: bool = False) -> tuple[list[str], str]:
    """Lines in which %a is multiplied by %b, has %a added to it, and is squared or multiplied by %a.

    The last round makes the value that is returned with them; the product of round 3 is %m3.
    """
    lines = ["%z = arith.constant 0.0 : f32", f"%e = tensor.empty() : {type_}"]
    x = "%a"
    for n in range(rounds):
        factor = f"%s{n}" if squared else "%a"
        lines += [f"%f{n} = linalg.fill ins(%z : f32) outs(%e : {type_}) -> {type_}"]
        lines += [f"%m{n} = linalg.matmul ins({x}, %b : {type_}, {type_}) outs(%f{n} : {type_}) -> {type_}"]
        lines += [f"%s{n} = linalg.add ins(%m{n}, %a : {type_}, {type_}) outs(%e : {type_}) -> {type_}"]
        lines += [f"%t{n} = linalg.mul ins(%s{n}, {factor} : {type_}, {type_}) outs(%e : {type_}) -> {type_}"]
        x = f"%t{n}"
    return lines, x


MATRIX, ROW = "tensor<?x?xf32>", "tensor<?xf32>"
PRODUCT = "%p = arith.mulf %e0, %e1 : f32\n %s = arith.addf %e2, %p : f32\n linalg.yield %s : f32"
SIZES = [(1, 1, 1), (3, 5, 7), (33, 18, 65), (8, 64, 128), (5, 67, 2), (2, 3, 0), (0, 4, 3)]

PROGRAMS: dict[str, tuple[str, Callable[..., np.ndarray], list[Arrays]]] = {
    "matmul": (
        named("linalg.matmul", [MATRIX, MATRIX, MATRIX]),
        lambda a, b, c: c + a @ b,
        [(floats(m, k), floats(k, n), floats(m, n)) for m, n, k in SIZES],
    ),
    "second operand transposed: the reduction runs in the lanes": (
        generic([MATRIX, MATRIX, MATRIX], ["i, k", "j, k", "i, j"], "ppr", PRODUCT),
        lambda a, b, c: c + a @ b.T,
        [(floats(m, k), floats(n, k), floats(m, n)) for m, n, k in SIZES],
    ),
    "first operand transposed": (
        generic([MATRIX, MATRIX, MATRIX], ["k, i", "k, j", "i, j"], "ppr", PRODUCT),
        lambda a, b, c: c + a.T @ b,
        [(floats(k, m), floats(k, n), floats(m, n)) for m, n, k in SIZES],
    ),
    "result transposed": (
        generic([MATRIX, MATRIX, MATRIX], ["i, k", "k, j", "j, i"], "ppr", PRODUCT),
        lambda a, b, c: c + (a @ b).T,
        [(floats(m, k), floats(k, n), floats(n, m)) for m, n, k in SIZES],
    ),
    "batch_matmul": (
        named("linalg.batch_matmul", ["tensor<?x?x?xf64>", "tensor<?x?x?xf64>", "tensor<?x?x?xf64>"]),
        lambda a, b, c: c + a @ b,
        [(RNG.random((3, m, k)), RNG.random((3, k, n)), RNG.random((3, m, n))) for m, n, k in SIZES],
    ),
    "bf16 into f32": (
        named("linalg.matmul", ["tensor<17x20xbf16>", "tensor<20x35xbf16>", "tensor<17x35xf32>"]),
        lambda a, b, c: c + a.astype(np.float32) @ b.astype(np.float32),
        [(floats(17, 20).astype(ml_dtypes.bfloat16), floats(20, 35).astype(ml_dtypes.bfloat16), floats(17, 35))],
    ),
    "i8 into i32": (
        named("linalg.matmul", ["tensor<17x20xi8>", "tensor<20x35xi8>", "tensor<17x35xi32>"]),
        lambda a, b, c: c + a.astype(np.int32) @ b.astype(np.int32),
        [(integers("i1", 17, 20), integers("i1", 20, 35), integers("i4", 17, 35))],
    ),
    "largest of each row": (
        generic([MATRIX, ROW], ["i, j", "i"], "pr", "%m = arith.maximumf %e0, %e1 : f32\n linalg.yield %m : f32"),
        lambda a, c: np.maximum(c, a.max(1, initial=-np.inf)),
        [(floats(m, k), floats(m) - 2) for m, k in [(3, 5), (33, 130), (8, 64), (2, 0)]],
    ),
    "product of each row of integers": (
        generic(["tensor<?x?xi32>", "tensor<?xi32>"], ["i, j", "i"], "pr",
                "%m = arith.muli %e0, %e1 : i32\n linalg.yield %m : i32"),
        lambda a, c: c * a.prod(1, dtype=np.int32),
        [(integers("i4", m, k), integers("i4", m)) for m, k in [(3, 5), (4, 37), (2, 0)]],
    ),
    "sum of each column": (
        generic(["tensor<?x?xi64>", "tensor<?xi64>"], ["i, j", "j"], "rp",
                "%m = arith.addi %e0, %e1 : i64\n linalg.yield %m : i64"),
        lambda a, c: c + a.sum(0),
        [(integers("i8", m, k), integers("i8", k)) for m, k in [(3, 5), (33, 130), (8, 64), (0, 3)]],
    ),
    "sum of squares into one number": (
        named("linalg.dot", ["tensor<?xf64>", "tensor<?xf64>", "tensor<f64>"]),
        lambda a, b, c: c + a @ b,
        [(RNG.random(n), RNG.random(n), np.array(3.0)) for n in (0, 1, 9, 100)],
    ),
    "transposition that knows where it is": (
        generic([MATRIX, MATRIX], ["j, i", "i, j"], "pp", """
          %i = linalg.index 0 : index
          %j = linalg.index 1 : index
          %k = arith.addi %i, %j : index
          %n = arith.index_cast %k : index to i32
          %f = arith.sitofp %n : i32 to f32
          %q = arith.mulf %f, %e0 : f32
          %less = arith.cmpf olt, %e0, %e1 : f32
          %s = arith.select %less, %q, %e1 : f32
          linalg.yield %s : f32"""),
        lambda a, c: np.where(c > a.T, np.add.outer(np.arange(c.shape[0]), np.arange(c.shape[1])) * a.T, c),
        [(floats(n, m), floats(m, n)) for m, n in [(1, 1), (3, 5), (33, 130), (8, 64)]],
    ),
    "convolution with strides and dilations": (
        named("linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>, "
              "dilations = dense<[1, 2]> : tensor<2xi64>}",
              ["tensor<2x?x?x3xf32>", "tensor<3x2x3x?xf32>", "tensor<2x?x?x?xf32>"]),
        lambda i, w, o: o + sum(
            np.einsum("nhwc,cf->nhwf", i[:, y : y + 7 : 2, 2 * x : 2 * x + 6], w[y, x])
            for y in range(3) for x in range(2)
        ),
        [(floats(2, 9, 8, 3), floats(3, 2, 3, f), floats(2, 4, 6, f)) for f in (1, 5, 33, 64)],
    ),
    "pooling": (
        named("linalg.pooling_nhwc_max", ["tensor<1x9x9x20xf32>", "tensor<3x3xf32>", "tensor<1x7x7x20xf32>"]),
        lambda i, _, o: np.max([o, *(i[:, y : y + 7, x : x + 7] for y in range(3) for x in range(3))], axis=0),
        [(floats(1, 9, 9, 20), np.zeros((3, 3), np.float32), floats(1, 7, 7, 20))],
    ),
}  # fmt: skip

_BEGINNING = RNG.bit_generator.state


def start_again() -> None:
    """Let `RNG` draw what it draws after the import."""
    RNG.bit_generator.state = _BEGINNING
