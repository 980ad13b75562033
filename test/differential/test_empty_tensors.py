"""inplace-eliminate-empty-tensors in front of bufferization: never more allocations or copies, on any program.

Values with the pass are tested by test_differential.py: it is a part of the usual route.
"""

from __future__ import annotations

import oracle
import pytest
from mlir import ir
from programs import with_others
from programs.empty_tensors import PROGRAMS as EMPTY_TENSORS
from programs.program import Program

import mlir_inplace as mi

BUFFERIZE = "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"
ELIMINATE = "inplace-eliminate-empty-tensors"

CHOSEN = with_others(EMPTY_TENSORS)


def bufferized(program: Program, *passes: str) -> ir.Module:
    """The program after our passes."""
    module = oracle.parse(program.text)
    with oracle.context():
        mi.run_pipeline(module, f"builtin.module({','.join(passes)})")
    return module


def counts(program: Program, *passes: str) -> tuple[int, int]:
    return pair(oracle.count_memory_ops(bufferized(program, *passes, BUFFERIZE)))


def pair(found: oracle.Counts) -> tuple[int, int]:
    return found.allocations, found.copies


@pytest.mark.parametrize("program", CHOSEN, ids=[program.name for program in CHOSEN])
def test_never_more_allocations_or_copies(program: Program) -> None:
    allocations, copies = counts(program, ELIMINATE)
    most_allocations, most_copies = counts(program)
    assert allocations <= most_allocations and copies <= most_copies


@pytest.mark.parametrize("program", EMPTY_TENSORS, ids=[program.name for program in EMPTY_TENSORS])
def test_never_more_than_with_upstreams_elimination(program: Program) -> None:
    """Also when upstream's pass runs in front of upstream's bufferization."""
    allocations, copies = counts(program, ELIMINATE)
    try:
        upstream = oracle.bufferized(program.text, f"eliminate-empty-tensors,{oracle.DEFAULT}")
    except oracle.Refused:
        assert program.upstream_refuses
        return
    most_allocations, most_copies = pair(oracle.count_memory_ops(upstream))
    assert allocations <= most_allocations and copies <= most_copies


SAVES = [program for program in EMPTY_TENSORS if not program.name.endswith("_stays")]


@pytest.mark.parametrize("program", SAVES, ids=[program.name for program in SAVES])
def test_saves_a_copy(program: Program) -> None:
    before, after = counts(program), counts(program, ELIMINATE)
    assert after[1] < before[1] and after[0] <= before[0]
