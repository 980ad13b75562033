"""What a program of the suite is: MLIR text, arguments, and what NumPy says the results are."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

Argument = str | int | float | bool
Run = tuple[Argument, ...]

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "complex64": np.complex64,
}


@dataclass(frozen=True)
class Program:
    """One program; its entry point is @main.

    `args` is one run, or a list of runs; an argument is a tensor's shape and element type, such as "4x8xf32" (a dynamic
    size has one value in each run) or "4x8xf32:random", or the value of a scalar. `numpy` takes the arguments and
    returns what the program must, up to a relative error of `rtol`.
    """

    name: str
    text: str
    args: Run | list[Run] = ()
    numpy: Callable[..., Any] | None = None
    rtol: float = 0.0
    upstream_refuses: str = ""
    """What upstream's default says when it does not take the program; counts are compared where another run does."""
    oracle_wrong: str = ""
    """Why upstream's result is wrong: NumPy alone decides, and there are no counts to compare with."""
    oracle_cannot: str = ""
    """Why upstream cannot execute what it bufferizes: NumPy alone decides about values, counts are compared."""
    upstream_wrong: str = ""
    """Why the buffers that upstream saves here must not be saved: there are no counts to compare with."""
    fewer: bool = False
    """Our allocations and copies are strictly fewer than those of every run of upstream's, whatever its heuristic."""

    @property
    def runs(self) -> list[Run]:
        return self.args if isinstance(self.args, list) else [self.args]


def arguments(run: Run) -> list[Any]:
    """The arguments of one run, the same each time.

    The elements of its tensors are whole numbers in no order, and no two are equal, as far as their type has values
    enough; or they are random numbers between -1 and 1.
    """
    generator = np.random.default_rng(0)
    made: list[Any] = []
    start = 1
    for argument in run:
        if not isinstance(argument, str):
            made.append(argument)
            continue
        sizes, element, rule = re.fullmatch(r"((?:\d+x)*)(\w+)(:random)?", argument).groups()
        shape = [int(size) for size in sizes.split("x")[:-1]]
        count = math.prod(shape)
        numbers = generator.permutation(np.arange(start, start + count))
        start += count
        values = _of_type(generator.uniform(-1, 1, count) if rule else numbers, DTYPES[element])
        made.append(values.reshape(shape))
    return made


def f32(*values: float) -> np.ndarray[Any, Any]:
    """What a program's dense constant holds."""
    return np.array(values, np.float32)


def put(tensor: np.ndarray[Any, Any], index: Any, value: Any) -> np.ndarray[Any, Any]:
    """tensor.insert, or insert_slice with a slice as the index."""
    changed = tensor.copy()
    changed[index] = value
    return changed


def _of_type(numbers: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]:
    if dtype is np.bool_:
        # The parity of the bits (Thue-Morse): shifted copies of this sequence differ from it.
        return np.array([int(number).bit_count() % 2 == 1 for number in numbers], np.bool_)
    return numbers.astype(dtype)
