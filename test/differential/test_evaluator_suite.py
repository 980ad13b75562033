"""The programs of the suite through the evaluator, as tensors and as memrefs: NumPy's values, memory as the JIT's."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import oracle
import pytest
from fast_run import sample
from mlir import ir
from programs import PROGRAMS
from programs.program import Program, arguments
from test_differential import OURS, assert_same, expected

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluation, Evaluator

of_the_suite = pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])


def run(module: ir.Module, given: list[Any]) -> Evaluation:
    result = Evaluator(module).run("main", given)
    assert all(mask is None for mask in result.undefined)
    return result


@pytest.mark.parametrize("program", sampled := sample(PROGRAMS, least=200), ids=[program.name for program in sampled])
def test_values_of_tensors(program: Program) -> None:
    """What NumPy says, or compiled code where NumPy is not asked. Arguments stay as they are; nothing is allocated."""
    module = oracle.parse(program.text)
    for arguments_ in program.runs:
        given = arguments(arguments_)
        found = run(module, given)
        assert_same(given, arguments(arguments_))
        if program.numpy:
            assert_same(list(found.results), expected(program, given), program.rtol)
        else:
            assert_same(list(found.results), oracle.execute(program.text, given))
        if "memref." not in program.text:
            assert (found.allocations, found.copies, found.leaked) == (0, 0, 0)


# Branches between blocks, for which compiling takes another way, assumptions, and a memref without a rank.
NOT_DEALLOCATED = {
    *("cf_region_with_two_yields", "cf_region_with_a_loop_in_a_loop", "unranked_through_a_call_that_updates_it"),
    *("assuming_write_into_argument", "assuming_write_into_what_is_read_later", "assuming_result_is_written"),
    *("assuming_a_constant", "assuming_in_a_loop"),
}


def run_passes(module: ir.Module, passes: str) -> None:
    with oracle.context():
        mi.run_pipeline(module, f"builtin.module({passes})")


@of_the_suite
def test_values_of_memrefs(program: Program) -> None:
    """The bufferized program gives exactly what the program on tensors gives, and after deallocation nothing leaks."""
    tensors, memrefs = oracle.parse(program.text), oracle.parse(program.text)
    wanted = [run(tensors, arguments(arguments_)).results for arguments_ in program.runs]
    run_passes(memrefs, OURS)
    found = [run(memrefs, arguments(arguments_)) for arguments_ in program.runs]
    if program.name not in NOT_DEALLOCATED:
        run_passes(memrefs, "inplace-deallocate")
        freed = [run(memrefs, arguments(arguments_)) for arguments_ in program.runs]
        assert [one.leaked for one in freed] == [0] * len(freed)
        found += freed
    for one, results in zip(found, itertools.cycle(wanted), strict=False):
        assert all(np.array_equal(a, b) for a, b in zip(one.results, results, strict=True))
