"""inplace-remove-outs-dependency in front of bufferization: right values, never more copies, and never more buffers.

With `mode=empty` the destination is given up: there may be more buffers, but no copy more.
"""

from __future__ import annotations

import oracle
import pytest
from mlir import ir
from programs import with_others
from programs.false_outs import PROGRAMS as FALSE_OUTS
from programs.program import Program, arguments
from test_differential import assert_same, call, expected

import mlir_inplace as mi

BUFFERIZE = "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"
REMOVE = "inplace-remove-outs-dependency"
EMPTY = "inplace-remove-outs-dependency{mode=empty}"
SAVES = frozenset(
    {
        "outs_whose_producer_needs_a_buffer",
        "outs_whose_producer_needs_a_copy",
        "outs_of_loops_and_branches",
        "outs_of_inserts",
    }
)


def changed(program: Program, *passes: str) -> ir.Module:
    """The program after our passes."""
    module = oracle.parse(program.text)
    with oracle.context():
        mi.run_pipeline(module, f"builtin.module({','.join(passes)})")
    return module


def counts(program: Program, *passes: str) -> oracle.Counts:
    return oracle.count_memory_ops(changed(program, *passes, BUFFERIZE))


def each(programs: list[Program]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("program", programs, ids=[program.name for program in programs])


@each(with_others(FALSE_OUTS))
def test_never_more_buffers_or_copies(program: Program) -> None:
    """Neither in all of the program nor in its loops; with `mode=empty` never more copies."""
    plain = str(oracle.parse(program.text))
    if str(changed(program, REMOVE)) != plain:
        before, after = counts(program), counts(program, REMOVE)
        assert after.allocations <= before.allocations and after.copies <= before.copies
        assert after.allocations_in_loops <= before.allocations_in_loops
        assert after.copies_in_loops <= before.copies_in_loops
    if str(changed(program, EMPTY)) != plain:
        assert counts(program, EMPTY).copies <= counts(program).copies


@each(with_others(FALSE_OUTS))
def test_a_second_run_changes_nothing(program: Program) -> None:
    for remove in (REMOVE, EMPTY):
        assert str(changed(program, remove, remove)) == str(changed(program, remove))


@each(FALSE_OUTS)
def test_values(program: Program) -> None:
    """What the changed program computes is what NumPy says, in both modes."""
    for remove in (REMOVE, EMPTY):
        compiled = mi.compile(str(changed(program, remove)), opt_level=0, memory_stats=True)
        for run in program.runs:
            given = arguments(run)
            assert_same(call(compiled, given), expected(program, given), program.rtol)
            assert_same(given, arguments(run))


@each(FALSE_OUTS)
def test_false_dependences_are_gone(program: Program) -> None:
    """Unless the name says that the init stays."""
    stays = program.name.endswith("_stays")
    assert (str(changed(program, REMOVE)) == str(oracle.parse(program.text))) == stays


@each([program for program in FALSE_OUTS if program.name in SAVES])
def test_saves_a_buffer_or_a_copy(program: Program) -> None:
    assert counts(program, REMOVE).total < counts(program).total


def test_the_programs_that_save_are_there() -> None:
    assert {program.name for program in FALSE_OUTS} >= SAVES
