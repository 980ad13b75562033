"""How long math functions of arrays take: as polynomials on vectors, lane by lane in libm, and in NumPy.

    python benchmarks/vector_math.py
    python benchmarks/vector_math.py --functions exp tanh --elements 65536 --rounds 31
    python benchmarks/vector_math.py --type f64

Each function is computed of an array that fits into the second cache, by a loop over vectors of 16, with and without
`inplace-vector-math`; then a softmax of rows by `mi.compile(..., optimize=True)`. The table has medians over the
rounds, in nanoseconds of the thread's processor time for each element; the candidates take turns. NumPy has no erf and
no rsqrt. Nothing here is a test: figures depend on the machine.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping

import numpy as np

import mlir_inplace as mi

# isort: split
# The bindings are called `mlir` from here on.
from mlir import ir

from mlir_inplace.passes.vectorization.functions import BINARY, FUNCTIONS, op_name

ROWS, COLUMNS = 1024, 4096
TYPES = {"f32": np.float32, "f64": np.float64}
_OTHER_NAMES = {
    **{f"a{name}": f"arc{name}" for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh", "tan2")},
    "powf": "power",
    "remf": "fmod",
}
NUMPY: Mapping[str, Callable[..., np.ndarray]] = {
    name: getattr(np, _OTHER_NAMES.get(name, name)) for name in FUNCTIONS if name not in {"erf", "rsqrt"}
}
_RANGES = {"acos": (-1, 1), "asin": (-1, 1), "atanh": (-1, 1), "acosh": (1, 10)}
"""Where functions are defined that are not from 1/100 to 10."""


def operands(name: str) -> int:
    """How many arrays a function takes."""
    return 2 if name in BINARY else 1


def program(name: str, passes: str, element: str = "f32") -> mi.Program:
    """`@main`, which computes a function of one array or of two into another, after `passes`."""
    array, lanes = f"memref<?x{element}>", f"vector<16x{element}>"
    numbers = range(operands(name))
    reads = "\n".join(
        f"%x{n} = vector.transfer_read %a{n}[%i], %z {{in_bounds = [true]}} : {array}, {lanes}" for n in numbers
    )
    text = f"""
      func.func @main({", ".join(f"%a{n}: {array}" for n in numbers)}, %o: {array}) {{
        %c0 = arith.constant 0 : index
        %c16 = arith.constant 16 : index
        %z = arith.constant 0.0 : {element}
        %n = memref.dim %o, %c0 : {array}
        scf.for %i = %c0 to %n step %c16 {{
          {reads}
          %y = {op_name(name)} {", ".join(f"%x{n}" for n in numbers)} : {lanes}
          vector.transfer_write %y, %o[%i] {{in_bounds = [true]}} : {lanes}, {array}
        }}
        return
      }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module({passes})")
        return mi.compile(module)


def softmax() -> mi.Program:
    """The softmax of the rows of a matrix."""
    matrix, row = f"tensor<{ROWS}x{COLUMNS}xf32>", f"tensor<{ROWS}xf32>"
    rows = "affine_map<(i, j) -> (i)>"
    each = f"indexing_maps = [affine_map<(i, j) -> (i, j)>, {rows}, affine_map<(i, j) -> (i, j)>]"

    def along_rows(result: str, source: str, start: str, op: str) -> str:
        return f"""
        %{result}_fill = linalg.fill ins(%{start} : f32) outs(%rows : {row}) -> {row}
        %{result} = linalg.reduce ins(%{source} : {matrix}) outs(%{result}_fill : {row}) dimensions = [1]
          (%x: f32, %y: f32) {{
            %t = arith.{op} %x, %y : f32
            linalg.yield %t : f32
          }}"""

    def elementwise(result: str, source: str, other: str, body: str) -> str:
        return f"""
        %{result} = linalg.generic {{{each}, iterator_types = ["parallel", "parallel"]}}
            ins(%{source}, %{other} : {matrix}, {row}) outs(%whole : {matrix}) {{
        ^bb0(%x: f32, %y: f32, %o: f32):
          {body}
          linalg.yield %r : f32
        }} -> {matrix}"""

    difference_power = "%d = arith.subf %x, %y : f32\n          %r = math.exp %d : f32"
    return mi.compile(
        f"""
      func.func @main(%a: {matrix}) -> {matrix} {{
        %lowest = arith.constant 0xFF800000 : f32
        %zero = arith.constant 0.0 : f32
        %rows = tensor.empty() : {row}
        %whole = tensor.empty() : {matrix}
        {along_rows("largest", "a", "lowest", "maximumf")}
        {elementwise("powers", "a", "largest", difference_power)}
        {along_rows("sum", "powers", "zero", "addf")}
        {elementwise("result", "powers", "sum", "%r = arith.divf %x, %y : f32")}
        return %result : {matrix}
      }}""",
        optimize=True,
    )


def numpy_softmax(x: np.ndarray) -> np.ndarray:
    """What `softmax` computes."""
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def medians(candidates: Mapping[str, Callable[[], object]], elements: int, rounds: int) -> dict[str, float]:
    """Nanoseconds for each element, by candidate."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds + 1):
        for name, run in candidates.items():
            start = time.thread_time()
            run()
            if number:  # the first round warms the caches up
                times[name].append(time.thread_time() - start)
    return {name: statistics.median(own) * 1e9 / elements for name, own in times.items()}


def row(name: str, found: Mapping[str, float]) -> str:
    """One line of the table."""
    cells = (f"{found[column]:.2f}" if column in found else "-" for column in ("vectors", "libm", "numpy"))
    return f"{name:<8} " + " ".join(f"{cell:>8}" for cell in cells)


def measure(name: str, element: str, elements: int, rounds: int) -> dict[str, float]:
    """The three ways to compute one function, of numbers that it is defined for."""
    low, high = _RANGES.get(name, (0.01, 10))
    x = list(np.random.default_rng(1).uniform(low, high, (operands(name), elements)).astype(TYPES[element]))
    result = np.empty_like(x[0])
    vectors, libm = program(name, "inplace-vector-math", element), program(name, "canonicalize", element)
    candidates: dict[str, Callable[[], object]] = {
        "vectors": lambda: vectors.main(*x, result),
        "libm": lambda: libm.main(*x, result),
    }
    if name in NUMPY:
        candidates["numpy"] = lambda: NUMPY[name](*x, out=result)
    return medians(candidates, elements, rounds)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Time math functions on vectors.")
    parser.add_argument("--functions", nargs="+", default=list(FUNCTIONS), choices=list(FUNCTIONS))
    parser.add_argument("--type", default="f32", choices=list(TYPES), help="of the elements")
    parser.add_argument("--elements", type=int, default=1 << 16, help="size of the arrays, a multiple of 16")
    parser.add_argument("--rounds", type=int, default=31)
    options = parser.parse_args()
    if options.elements % 16:
        parser.error("--elements must be a multiple of 16")
    print(f"{'ns':<8} {'vectors':>8} {'libm':>8} {'numpy':>8}")
    for name in options.functions:
        print(row(name, measure(name, options.type, options.elements, options.rounds)))
    if options.type != "f32":
        return
    matrix = np.random.default_rng(2).standard_normal((ROWS, COLUMNS)).astype(np.float32)
    compiled = softmax()
    np.testing.assert_allclose(compiled.main(matrix), numpy_softmax(matrix), rtol=1e-5)
    candidates = {"vectors": lambda: compiled.main(matrix), "numpy": lambda: numpy_softmax(matrix)}
    print(row("softmax", medians(candidates, matrix.size, max(options.rounds // 3, 1))))


if __name__ == "__main__":
    main()
