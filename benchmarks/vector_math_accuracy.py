"""How far the vector functions of `inplace-vector-math` are off, for every f32 there is, and for samples of the rest.

    python benchmarks/vector_math_accuracy.py
    python benchmarks/vector_math_accuracy.py --functions cos atan --every 64
    python benchmarks/vector_math_accuracy.py --sample 1000000
    python benchmarks/vector_math_accuracy.py --sample 1000000 --type f64

All 2^32 bit patterns (or one of `--every`) go through each function, NaN, infinities and denormals among them, and
are compared with NumPy in float64 (SciPy for erf). An error is counted in units in the last place of the f32 that is
nearest to the right value. *Special* are results that must be the same: NaN, infinities, and zeros with their sign. A
full run takes about two minutes of a core for each function. With `--sample`, which f64 and functions of two operands
need, so many arguments are drawn of each kind: bit patterns, and numbers of several sizes, about 20 kinds in all; f64
is compared with NumPy in `longdouble` (and libm's erf of that). The test
(`test/passes/vectorization/test_vector_math.py`) takes a sample.
"""

from __future__ import annotations

import argparse
import ctypes
import time
from collections.abc import Callable, Iterator

import numpy as np

import mlir_inplace as mi

# isort: split
# The bindings are called `mlir` from here on.
from vector_math import NUMPY, TYPES, operands, program

from mlir_inplace.passes.vectorization.functions import FUNCTIONS

CHUNK = 1 << 18
Function = Callable[..., np.ndarray]
Arguments = tuple[np.ndarray, ...]


class _LongDouble(ctypes.c_longdouble):
    """Results of this type keep their digits, those of the base class become floats of Python."""


def _erf(x: np.ndarray) -> np.ndarray:
    if x.dtype == np.float64:
        from scipy.special import erf

        return erf(x)
    function = ctypes.CDLL("libm.so.6").erfl
    function.restype, function.argtypes = _LongDouble, [_LongDouble]
    return np.array([np.frombuffer(function(_LongDouble(value)), x.dtype)[0] for value in x])


def reference(name: str) -> Function:
    """The function in the precision of its arguments."""
    return {"erf": _erf, "rsqrt": lambda x: 1 / np.sqrt(x)}.get(name) or NUMPY[name]


def inputs(every: int) -> Iterator[Arguments]:
    """The f32 of all bit patterns, or one of `every`, in chunks of one size."""
    offsets = np.arange(CHUNK, dtype=np.uint64) * every
    for first in range(0, 1 << 32, CHUNK * every):
        yield ((offsets + first).astype(np.uint32).view(np.float32),)


def samples(name: str, element: str, count: int) -> Iterator[Arguments]:
    """`count` arguments of each kind, in chunks of one size."""
    rng, number = np.random.default_rng(11), TYPES[element]
    bits, shape = 8 * number(0).nbytes, (operands(name), CHUNK)
    scales = [2.0**power for power in (-30, -13, -6, -3, -2, -1, 0, 1, 2, 3, 5, 7, 9, 11, 16, 29)]
    for _ in range(0, count, CHUNK):
        yield tuple(rng.integers(0, 2**bits, shape, dtype=f"u{bits // 8}").view(number))
        for scale in scales:
            yield tuple(rng.uniform(-scale, scale, shape).astype(number))
        yield tuple((1 + rng.uniform(-0.05, 0.05, shape)).astype(number))
        yield tuple(np.round(rng.uniform(-40, 40, shape)).astype(number))
        if name == "powf":
            base = np.exp2(rng.uniform(-1, 1, CHUNK) * 2.0 ** rng.integers(-10, 7, CHUNK)).astype(number)
            power = rng.uniform(-1, 1, CHUNK) * np.log(float(np.finfo(number).max)) / np.log(base.astype(np.float64))
            yield base, power.astype(number)


def errors(result: np.ndarray, right: np.ndarray) -> Arguments:
    """How many units in the last place each result is off, and where one that must be the same is not."""
    digits, least = {4: (24, -149), 8: (53, -1074)}[result.itemsize]
    nearest = right.astype(result.dtype)
    special = ~np.isfinite(nearest) | (nearest == 0) | ~np.isfinite(result)
    same = (result == nearest) & (np.signbit(result) == np.signbit(nearest))
    same |= np.isnan(result) & np.isnan(nearest)
    # Near the largest and around 0, either neighbour may be the result; their distance is a number of units, too.
    near = np.isfinite(result) & np.isfinite(right) & ((nearest != 0) | (result != 0)) & np.isfinite(nearest)
    unit = np.ldexp(right.dtype.type(1), np.maximum(np.frexp(right)[1] - digits, least))
    off = np.where(near, np.abs(result.astype(right.dtype) - right) / unit, 0.0)
    return off, special & ~same & ~near


def row(name: str, element: str, arguments: Iterator[Arguments]) -> str:
    """The row of the table for a function."""
    begin = time.thread_time()
    compiled: mi.Program = program(name, "inplace-vector-math", element)
    exact, wide = reference(name), np.float64 if element == "f32" else np.longdouble
    worst, where, wrong, beyond = 0.0, "", 0, 0
    result = np.empty(CHUNK, TYPES[element])
    with np.errstate(all="ignore"):
        for x in arguments:
            compiled.main(*x, result)
            off, bad = errors(result, exact(*(one.astype(wide) for one in x)))
            most = int(off.argmax())
            if off[most] > worst:
                worst, where = float(off[most]), ", ".join(repr(float(one[most])) for one in x)
            wrong += int(bad.sum())
            beyond += int((off > 2).sum())
    return f"| {name} | {worst:.3f} | {where} | {beyond} | {wrong} | {time.thread_time() - begin:.0f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", nargs="+", default=sorted(FUNCTIONS), choices=sorted(FUNCTIONS), metavar="NAME")
    parser.add_argument("--every", type=int, default=1, help="take one of so many bit patterns")
    parser.add_argument("--type", default="f32", choices=list(TYPES), help="of the arguments")
    parser.add_argument("--sample", type=int, help="draw so many arguments of each kind in place of all bit patterns")
    options = parser.parse_args()
    if not options.sample:
        if options.type == "f64":
            parser.error("f64 has too many bit patterns: give a number of arguments by --sample")
        options.functions = [name for name in options.functions if operands(name) == 1]
    print("| function | worst, ulp | at | beyond 2 ulp | wrong special | CPU, s |\n|---|---|---|---|---|---|")
    for name in options.functions:
        arguments = samples(name, options.type, options.sample) if options.sample else inputs(options.every)
        print(row(name, options.type, arguments), flush=True)


if __name__ == "__main__":
    main()
