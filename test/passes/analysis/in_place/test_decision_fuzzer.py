"""Whatever the order of decisions, values are the same: random orders of random programs.

Deterministic: the seeds are fixed; to look further, call `check` and `check_views` with others.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from random_programs import random_program
from random_views import INDICES, random_views
from test_soundness import LAYOUTS, arguments, by_upstream, writable

import mlir_inplace as mi

HEURISTICS = ["bottom-up", "top-down", "bottom-up-from-terminators"]


def pipeline(order: str, layout: str = "infer-layout-map") -> str:
    options = f"bufferize-function-boundaries function-boundary-type-conversion={layout} {order}"
    return f"builtin.module(inplace-one-shot-bufferize{{{options}}})"


def orders(seed: int, count: int) -> list[str]:
    """Upstream's heuristics, and some random orders."""
    draw = random.Random(seed)
    fuzzed = [f"analysis-heuristic=fuzzer analysis-fuzzer-seed={draw.randrange(1 << 30)}" for _ in range(count)]
    return [f"analysis-heuristic={HEURISTICS[seed % len(HEURISTICS)]}", *fuzzed]


def check(seed: int, count: int) -> None:
    text = random_program(seed)
    oracle = mi.compile(by_upstream(text), opt_level=0)
    calls = ((0, True), (2, False), (3, True))
    expected = [oracle.main(*arguments(n, p)) for n, p in calls]
    for order in orders(seed, count):
        ours = mi.compile(writable(text), pipeline=pipeline(order), memory_stats=True, opt_level=0)
        for (n, p), wanted in zip(calls, expected, strict=True):
            found = ours.main(*arguments(n, p))
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_array_equal(one, other, err_msg=f"{order}\n{text}")
            assert ours.memory_stats.leaked_bytes == 0, f"{order}\n{text}"


@pytest.mark.parametrize("seed", range(500, 530))
def test_random_programs(seed: int) -> None:
    check(seed, count=4)


def check_views(seed: int, count: int) -> None:
    matrices = [
        np.arange(48, dtype=np.float32).reshape(6, 8) + 1000,
        np.arange(20, dtype=np.float32).reshape(5, 4) + 2000,
    ]
    text, expected = random_views(seed, matrices)
    for order in orders(seed, count):
        layout = LAYOUTS[seed % len(LAYOUTS)]
        program = mi.compile(text, pipeline=pipeline(order, layout), memory_stats=True, opt_level=0)
        found = program.main(*(matrix.copy() for matrix in matrices), *range(INDICES))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=f"{order}\n{text}")
        assert program.memory_stats.leaked_bytes == 0, f"{order}\n{text}"


@pytest.mark.parametrize("seed", range(500, 512))
def test_random_views(seed: int) -> None:
    check_views(seed, count=3)
