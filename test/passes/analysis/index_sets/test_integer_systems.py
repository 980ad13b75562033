"""Whether linear constraints have integer solutions, compared with trying all small numbers."""

from __future__ import annotations

import itertools
import random

import pytest

from mlir_inplace.passes.analysis.index_sets.omega_test import CONSTANT, Row, TooHard, evaluate, solve


def row(constant: int = 0, **factors: int) -> Row:
    """`row(-1, x=2)` is `2 * x - 1`."""
    return {"xyzw".index(name): factor for name, factor in factors.items()} | {CONSTANT: constant}


@pytest.mark.parametrize(
    ("equations", "bounds", "is_feasible"),
    [
        ([], [], True),
        ([row(0)], [], True),
        ([row(1)], [], False),
        ([], [row(-1)], False),
        # Parities: 2x = 1, 2x + 4y = 3, and 3x + 5y = 1, which has solutions.
        ([row(-1, x=2)], [], False),
        ([row(-3, x=2, y=4)], [], False),
        ([row(-1, x=3, y=5)], [], True),
        ([row(-1, x=6, y=10, z=15)], [], True),
        # Between two integers: 1 <= 3x <= 2; a fraction would do.
        ([], [row(-1, x=3), row(2, x=-3)], False),
        # The dark shadow has room: 0 <= 3x - 2y <= 3.
        ([], [row(0, x=3, y=-2), row(3, x=-3, y=2), row(-1, y=1)], True),
        # Only close to a bound: 3y <= 2x <= 3y + 1 with y odd has x = (3y + 1) / 2.
        ([row(-1, y=1, z=-2)], [row(0, x=2, y=-3), row(1, x=-2, y=3)], True),
        ([row(-1, y=1, z=-2)], [row(0, x=2, y=-3), row(0, x=-2, y=3)], False),
        # Pugh's example: 27 <= 11x + 13y <= 45, -10 <= 7x - 9y <= 4 has fractions only.
        ([], [row(-27, x=11, y=13), row(45, x=-11, y=-13), row(10, x=7, y=-9), row(4, x=-7, y=9)], False),
        # No bound on one side: x is as large as it takes.
        ([], [row(-7, x=5, y=-3), row(0, y=1)], True),
        ([row(0, x=1, y=-1)], [row(-1, x=1, y=-1)], False),
    ],
)
def test_feasibility(equations: list[Row], bounds: list[Row], *, is_feasible: bool) -> None:
    solution = solve(equations, bounds)
    assert (solution is not None) is is_feasible
    if solution is not None:
        assert all(evaluate(row, solution) == 0 for row in equations)
        assert all(evaluate(row, solution) >= 0 for row in bounds)


def test_work_is_bounded() -> None:
    numbers = random.Random(0)
    bounds = [{v: numbers.randint(-9, 9) for v in range(12)} | {CONSTANT: 50} for _ in range(60)]
    with pytest.raises(TooHard):
        solve([], [{**bound, CONSTANT: -1} for bound in bounds], budget=500)


@pytest.mark.parametrize("seed", range(8))
def test_random_systems(seed: int) -> None:
    """Both answers are right, and few systems of this size are too hard."""
    numbers = random.Random(seed)
    hard = 0
    answers = {True: 0, False: 0}
    for _ in range(250):
        count = numbers.randint(1, 3)
        box = [{v: sign, CONSTANT: 3} for v in range(count) for sign in (1, -1)]

        def sum_(most: int, count: int = count) -> Row:
            return {v: numbers.randint(-most, most) for v in range(count)} | {CONSTANT: numbers.randint(-8, 8)}

        bounds = [*box, *(sum_(5) for _ in range(numbers.randint(0, 3)))]
        equations = [sum_(6) for _ in range(numbers.choice((0, 0, 1, 2)))]
        points = (dict(enumerate(point)) for point in itertools.product(range(-3, 4), repeat=count))
        expected = any(
            all(evaluate(r, p) >= 0 for r in bounds) and all(evaluate(r, p) == 0 for r in equations) for p in points
        )
        try:
            solution = solve(equations, bounds)
        except TooHard:
            hard += 1
            continue
        answers[expected] += 1
        assert (solution is not None) is expected
        if solution is not None:
            assert all(evaluate(r, solution) >= 0 for r in bounds)
            assert all(evaluate(r, solution) == 0 for r in equations)
    assert hard <= 5
    assert min(answers.values()) > 20
