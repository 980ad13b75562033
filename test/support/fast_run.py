"""How much of the tests runs: a sample by default, everything with ``pytest --full``.

Test modules ask while they are collected::

    from fast_run import sample, scaled, seeds

    @pytest.mark.parametrize("seed", seeds(200))           # 10 seeds, or all 200
    @pytest.mark.parametrize("op", sample(OPS, least=4))   # every twentieth op, or all of them
    @settings(max_examples=scaled(100))                    # 5 examples, or all 100

    @pytest.mark.parametrize("op", chosen(OPS, "add"))     # the case "add", or all of them

A test marked ``@pytest.mark.full`` runs with ``--full`` only, and one with several parameters that is marked
``@pytest.mark.each_value`` with few of their combinations. The markers are explained in ``conftest.py``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence, Set
from typing import Any, TypeVar

import pytest

VARIABLE = "MLIR_INPLACE_TEST_FULL"
"""The environment variable that is `1` in a full run. ``pytest --full`` sets it, and its workers inherit it."""
SHARE = 20
"""The fast run takes one of this many."""

Case = TypeVar("Case")


def is_full() -> bool:
    """Whether everything runs."""
    return os.environ.get(VARIABLE) == "1"


def scaled(count: int, least: int = 1) -> int:
    """``count`` in a full run; otherwise a twentieth of it, but at least ``least``."""
    return count if is_full() else min(count, max(least, -(-count // SHARE)))


def seeds(count: int, least: int = 1) -> range:
    """The seeds from 0 to ``count`` in a full run; otherwise the first twentieth, but at least ``least``."""
    return range(scaled(count, least))


def sample(cases: Sequence[Case], least: int = 1) -> list[Case]:
    """All ``cases`` in a full run; otherwise a twentieth of them, but at least ``least``, spread over all."""
    wanted = scaled(len(cases), least)
    return [cases[i * len(cases) // wanted] for i in range(wanted)]


def chosen(cases: Iterable[Case], *fast: Case) -> list[Any]:
    """Parameters for all ``cases``, a tuple being several, of which those that are not ``fast`` are marked `full`."""
    given = list(cases)
    assert set(fast) <= set(given), f"no cases: {set(fast) - set(given)}"
    marks = {case: [] if case in fast else [pytest.mark.full] for case in given}
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=marks[case]) for case in given]


def covering(cases: Sequence[Set[object]]) -> set[int]:
    """The numbers of few cases that have between them what any case has, found greedily."""
    chosen: set[int] = set()
    missing = set[object]().union(*cases)
    while missing:
        best = max(range(len(cases)), key=lambda number: len(cases[number] & missing))
        chosen.add(best)
        missing -= cases[best]
    return chosen
