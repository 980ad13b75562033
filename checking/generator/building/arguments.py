"""The arguments that a program is called with: elements that differ, sizes that are 0 and 1 in some sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

from .draw import Draw
from .values import ConditionValue, IndexValue, Parameters, Tensor, least

SETS = 3

_DTYPES = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i8": np.dtype(np.int8),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "index": np.dtype(np.int64),
    "i1": np.dtype(np.bool_),
}


def draw_parameters(draw: Draw) -> Parameters:
    """Return two sizes, an index and two conditions with a value in each argument set.

    Sizes are ordinary ones first, then one is 0, then one is 1.
    """
    first = (draw.between(2, 5), draw.between(2, 5), draw.below(4))
    other = draw.between(1, 4)
    second = draw.choice(((0, other), (other, 0), (0, 0)))
    third = draw.choice(((1, other), (other, 1), (1, 1)))
    rows = (first, (*second, draw.below(3)), (*third, draw.below(4)))
    names = ("%n", "%m", "%i")
    indices = tuple(IndexValue(name, tuple((row[d], row[d]) for row in rows)) for d, name in enumerate(names))
    patterns = [(True, False, True), (False, True, False), (True, True, False), (False, False, True)]
    one, other_pattern = draw.shuffled(patterns)[:2]
    return Parameters(indices, (ConditionValue("%p", one), ConditionValue("%q", other_pattern)))


_Array: TypeAlias = "np.ndarray[Any, Any]"


def argument_sets(
    parameters: Parameters, tensors: Sequence[Tensor], change: Callable[[_Array], _Array] = lambda values: values
) -> tuple[tuple[Any, ...], ...]:
    """Return the values of all arguments, scalars first, in each argument set; `change` is applied to arrays."""
    return tuple(
        (
            *(index.bounds[number][0] for index in parameters.indices),
            *(condition.known[number] for condition in parameters.conditions),
            *(change(_elements(tensor, number, position)) for position, tensor in enumerate(tensors)),
        )
        for number in range(SETS)
    )


def _elements(tensor: Tensor, number: int, position: int) -> _Array:
    """Return the elements of the argument at `position` in argument set `number`: small integers that differ."""
    shape = tuple(least(size, number) for size in tensor.sizes)
    count = int(np.prod(shape))
    values = 1 + 17 * position + 5 * number + np.arange(count)
    if tensor.element == "i1":
        values = (values * 7 // 3) % 2
    elif tensor.element in ("i8", "bf16"):
        values = values % 127
    return values.astype(_DTYPES[tensor.element]).reshape(shape)
