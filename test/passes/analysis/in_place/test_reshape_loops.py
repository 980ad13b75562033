"""Random loops that carry tensors under changing shapes (`support/random_reshape_loops.py`), with fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest
from random_reshape_loops import random_reshape_loop

import mlir_inplace as mi


@pytest.mark.parametrize("layout", ["infer-layout-map", "identity-layout-map"])
@pytest.mark.parametrize("seed", range(30))
def test_random_reshape_loops(seed: int, layout: str) -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3) + 1
    text, expected = random_reshape_loop(seed, matrix, trips=seed % 3)
    options = f"bufferize-function-boundaries function-boundary-type-conversion={layout}"
    program = mi.compile(
        text, pipeline=f"builtin.module(inplace-one-shot-bufferize{{{options}}})", memory_stats=True, opt_level=0
    )
    for one, other in zip(program.main(matrix.copy(), seed % 3), expected, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=text)
    assert program.memory_stats.leaked_bytes == 0, text
