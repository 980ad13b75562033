"""How far the vector functions of `inplace-vector-math` are off, for every f32 there is.

    python benchmarks/vector_math_accuracy.py
    python benchmarks/vector_math_accuracy.py --functions cos atan --every 64

All 2^32 bit patterns (or one of `--every`) go through each function, NaN, infinities and denormals among them, and
are compared with NumPy in float64 (SciPy for erf). An error is counted in units in the last place of the f32 that is
nearest to the right value. *Special* are results that must be the same: NaN, infinities, and zeros with their sign. A
full run takes about two minutes of a core for each function. The test (`test/passes/vectorization/test_vector_math.py`)
takes a sample.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np

import mlir_inplace as mi

# isort: split
# The bindings are called `mlir` from here on.
from vector_math import program

from mlir_inplace.passes.vectorization.functions import FUNCTIONS

CHUNK = 1 << 18
Function = Callable[[np.ndarray], np.ndarray]


def reference(name: str) -> Function:
    """The function in float64."""
    if name == "erf":
        from scipy.special import erf

        return erf
    return {"atan": np.arctan, "rsqrt": lambda x: 1 / np.sqrt(x)}.get(name) or getattr(np, name)


def inputs(every: int) -> Iterator[np.ndarray]:
    """The f32 of all bit patterns, or one of `every`, in chunks of one size."""
    offsets = np.arange(CHUNK, dtype=np.uint64) * every
    for first in range(0, 1 << 32, CHUNK * every):
        yield (offsets + first).astype(np.uint32).view(np.float32)


def errors(result: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many units in the last place each result is off, and where one that must be the same is not."""
    nearest = right.astype(np.float32)
    special = ~np.isfinite(nearest) | (nearest == 0) | ~np.isfinite(result)
    same = (result == nearest) & (np.signbit(result) == np.signbit(nearest))
    same |= np.isnan(result) & np.isnan(nearest)
    # Near the largest and around 0, either neighbour may be the result; their distance is a number of units, too.
    near = np.isfinite(result) & np.isfinite(right) & ((nearest != 0) | (result != 0)) & np.isfinite(nearest)
    unit = np.ldexp(1.0, np.maximum(np.frexp(right)[1] - 24, -149))
    off = np.where(near, np.abs(result.astype(np.float64) - right) / unit, 0.0)
    return off, special & ~same & ~near


def row(name: str, every: int) -> str:
    """The row of the table for a function."""
    begin = time.thread_time()
    compiled: mi.Program = program(name, "inplace-vector-math")
    exact = reference(name)
    worst, where, wrong, beyond = 0.0, np.float32(0), 0, 0
    result = np.empty(CHUNK, np.float32)
    with np.errstate(all="ignore"):
        for x in inputs(every):
            compiled.main(x, result)
            off, bad = errors(result, exact(x.astype(np.float64)))
            most = int(off.argmax())
            if off[most] > worst:
                worst, where = float(off[most]), x[most]
            wrong += int(bad.sum())
            beyond += int((off > 2).sum())
    return f"| {name} | {worst:.3f} | {float(where)!r} | {beyond} | {wrong} | {time.thread_time() - begin:.0f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", nargs="+", default=sorted(FUNCTIONS), choices=sorted(FUNCTIONS), metavar="NAME")
    parser.add_argument("--every", type=int, default=1, help="take one of so many bit patterns")
    options = parser.parse_args()
    print("| function | worst, ulp | at | beyond 2 ulp | wrong special | CPU, s |\n|---|---|---|---|---|---|")
    for name in options.functions:
        print(row(name, options.every), flush=True)


if __name__ == "__main__":
    main()
