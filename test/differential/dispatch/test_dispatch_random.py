"""Random dispatch functions by both routes: what is decided in place never shows in a value.

Deterministic: the seeds are fixed; to look further, call `check` with others.
"""

from __future__ import annotations

import math

import numpy as np
import oracle
import pytest
from dispatch_execution import ROUTES, bufferized, compiled, execute
from fast_run import seeds
from random_dispatch import random_dispatch


def check(seed: int, route: str) -> oracle.Counts:
    """Allocations and copies in the program's text; raises AssertionError where a value is wrong."""
    program = random_dispatch(seed)
    code = compiled(program.text, route)
    for place, flag in ((0, True), (1, False)):
        count = len(program.accesses) * math.prod(program.shape)
        bindings = list(np.arange(1000.0, 1000 + count).reshape(-1, *program.shape))
        expected = [binding.copy() for binding in bindings]
        program.run(expected, place, flag)
        execute(code, program.text, bindings, (place, flag), (program.workgroups, 1, 1), (1, 1, 1))
        for found, wanted in zip(bindings, expected, strict=True):
            has_content = ~np.isnan(wanted)
            np.testing.assert_array_equal(found[has_content], wanted[has_content], err_msg=program.text)
    return oracle.count_memory_ops(bufferized(program.text, route))


@pytest.mark.parametrize("seed", [*seeds(30), 1542, 10991])
def test_random_dispatch(seed: int) -> None:
    """Both routes are right, and one-shot never has more copies than the plan. The last two need another order."""
    plan, one_shot = (check(seed, route) for route in ROUTES)
    assert one_shot.copies <= plan.copies
    assert one_shot.total <= plan.total
