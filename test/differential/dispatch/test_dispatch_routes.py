"""Dispatch functions by both routes, executed: the values are NumPy's, and one-shot bufferization has never more.

The functions are data, in `dispatch_cases/`; each says how many allocations and copies may be left.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import oracle
import pytest
from dispatch_cases import CASES
from dispatch_cases.case import SCENARIOS, Case
from dispatch_execution import ROUTES, bufferized, compiled, execute
from fast_run import sample
from programs.program import Run, arguments

ALL = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
EXECUTED = pytest.mark.parametrize("case", executed := sample(CASES, least=36), ids=[case.name for case in executed])
"""What the JIT runs. The evaluator runs all: `test_evaluator_dispatch.py`."""

BOTH = pytest.mark.parametrize("route", ROUTES)


def split(run: Run) -> tuple[list[np.ndarray[Any, Any]], list[Any]]:
    """The bindings and the push constants of a run."""
    given = arguments(run)
    count = sum(isinstance(argument, str) for argument in run)
    return given[:count], given[count:]


@EXECUTED
@BOTH
def test_values(case: Case, route: str) -> None:
    """Every binding holds what it must, in every run, for every grid; nothing leaks."""
    program = compiled(case.text, route)
    for run in case.runs:
        for count in case.grids:
            for size in case.sizes:
                expected, constants = split(run)
                case.numpy(*expected, *constants)
                bindings, _ = split(run)
                execute(program, case.text, bindings, constants, count, size)
                for found, wanted in zip(bindings, expected, strict=True):
                    np.testing.assert_allclose(found, wanted, case.rtol, case.rtol)


@EXECUTED
def test_counts(case: Case) -> None:
    """The plan leaves what the case says, one-shot bufferization never more than the plan, in loops neither."""
    plan, one_shot = (oracle.count_memory_ops(bufferized(case.text, route)) for route in ROUTES)
    assert (plan.allocations, plan.copies) == (case.allocations, case.copies)
    numbers = zip(dataclasses.astuple(one_shot), dataclasses.astuple(plan), strict=True)
    assert all(ours <= other for ours, other in numbers), (one_shot, plan)


@EXECUTED
def test_counts_at_run_time(case: Case) -> None:
    """One-shot bufferization never allocates or copies more than the plan, in any run."""
    programs = [compiled(case.text, route) for route in ROUTES]
    for run in case.runs:
        plan, one_shot = (
            execute(program, case.text, *split(run), case.grids[-1], case.sizes[-1]) for program in programs
        )
        assert one_shot.allocations <= plan.allocations
        assert one_shot.allocated_bytes <= plan.allocated_bytes
        assert one_shot.copies <= plan.copies
        assert one_shot.copied_bytes <= plan.copied_bytes


def test_names_are_unique() -> None:
    names = [case.name for case in CASES]
    assert sorted(set(names)) == sorted(names)


def test_every_scenario_is_executed() -> None:
    """The lit tests of the scenarios, and the cases without a body of their own, are the same."""
    assert SCENARIOS.keys() - {"violations"} == {case.name for case in CASES if not case.body}
