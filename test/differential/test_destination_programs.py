"""inplace-convert-to-destination-style in front of bufferization: never more allocations or copies, on any program.

Values with the pass are tested by test_differential.py: it is a part of the usual route.
"""

from __future__ import annotations

import oracle
import pytest
from mlir import ir
from programs import with_others
from programs.destinations import PROGRAMS as DESTINATIONS
from programs.program import Program

import mlir_inplace as mi

BUFFERIZE = "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"
CONVERT = "inplace-convert-to-destination-style"
ELIMINATE = "inplace-eliminate-empty-tensors"

CHOSEN = with_others(DESTINATIONS)
of_all_kinds = pytest.mark.parametrize("program", CHOSEN, ids=[program.name for program in CHOSEN])


def after(program: Program, *passes: str) -> ir.Module:
    module = oracle.parse(program.text)
    with oracle.context():
        mi.run_pipeline(module, f"builtin.module({','.join(passes)})")
    return module


def counts(program: Program, *passes: str) -> tuple[int, ...]:
    """Allocations and copies, in all and in loops."""
    found = oracle.count_memory_ops(after(program, *passes, BUFFERIZE))
    return found.allocations, found.copies, found.allocations_in_loops, found.copies_in_loops


@of_all_kinds
def test_never_more_allocations_or_copies(program: Program) -> None:
    assert all(found <= most for found, most in zip(counts(program, CONVERT), counts(program), strict=True))


SAVES = [program for program in DESTINATIONS if not program.name.endswith("_stays")]


@pytest.mark.parametrize("program", SAVES, ids=[program.name for program in SAVES])
def test_saves_more_than_the_elimination_of_empty_tensors(program: Program) -> None:
    before, found = counts(program, ELIMINATE), counts(program, CONVERT)
    assert found[0] + found[1] < before[0] + before[1]
    assert all(new <= old for new, old in zip(found, before, strict=True))


STAYS = [program for program in DESTINATIONS if program.name.endswith("_stays")]


@pytest.mark.parametrize("program", STAYS, ids=[program.name for program in STAYS])
def test_leaves_alone_what_would_change_a_value(program: Program) -> None:
    assert str(after(program, CONVERT)) == str(oracle.parse(program.text))


@of_all_kinds
def test_changes_nothing_the_second_time(program: Program) -> None:
    assert str(after(program, CONVERT)) == str(after(program, CONVERT, CONVERT))
