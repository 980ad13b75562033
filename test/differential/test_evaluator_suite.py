"""The programs of the suite through the evaluator, as tensors and as memrefs: NumPy's values, memory as the JIT's."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
from mlir import ir
from programs import PROGRAMS
from programs.program import Program, arguments
from test_differential import OURS, assert_same, expected

import mlir_inplace as mi
from mlir_inplace.runtime.evaluator import Evaluation, Evaluator

of_the_suite = pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])


def run(module: ir.Module, given: list[Any]) -> Evaluation:
    result = Evaluator(module).run("main", given)
    assert all(mask is None for mask in result.undefined)
    return result


@of_the_suite
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


def bufferized(program: Program, *passes: str) -> ir.Module:
    module = oracle.parse(program.text)
    with oracle.context():
        mi.run_pipeline(module, f"builtin.module({','.join((OURS, *passes))})")
    return module


@of_the_suite
def test_values_of_memrefs(program: Program) -> None:
    """The bufferized program gives exactly what the program on tensors gives."""
    tensors, memrefs = oracle.parse(program.text), bufferized(program)
    for arguments_ in program.runs:
        wanted = run(tensors, arguments(arguments_)).results
        found = run(memrefs, arguments(arguments_))
        assert all(np.array_equal(a, b, equal_nan=False) for a, b in zip(found.results, wanted, strict=True))
