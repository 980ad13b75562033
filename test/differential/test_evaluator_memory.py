"""Memory as the evaluator counts it, against what compiled code has counted, on programs of the suite."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
from fast_run import sample
from mlir import ir
from programs import PROGRAMS
from programs.program import Program, arguments

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluator
from mlir_inplace.runtime.compilation import lowering
from mlir_inplace.runtime.interface.boundary import protect_arguments

ROUTE = (*lowering.BUFFERIZE_UNOPTIMIZED, *lowering.BOUNDARY, *lowering.DEALLOCATE)
LOOPS = "builtin.module(convert-linalg-to-loops,canonicalize)"
"""Once there are loops, upstream erases buffers that are only stored to."""
EVERY = 12


def main_type(module: ir.Module) -> ir.FunctionType:
    (main,) = [op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == "main"]
    return ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)


def out_arrays(types: list[ir.Type]) -> list[np.ndarray[Any, Any]]:
    """Arrays for results that have become arguments."""
    return [np.zeros(type_.shape, oracle.DTYPES[str(type_.element_type)]) for type_ in types]


@pytest.mark.each_value
@pytest.mark.parametrize("arena", [False, True], ids=["buffers", "arena"])
@pytest.mark.parametrize("program", chosen := sample(PROGRAMS[::EVERY], least=20), ids=[p.name for p in chosen])
def test_counts_are_those_of_compiled_code(program: Program, arena: bool, request: pytest.FixtureRequest) -> None:
    """Allocations, frees and copies, of heap memory and of all results: of each buffer, and of one arena for them.

    A call from Python makes an array for each result that is an argument of the lowered function, and also copies each
    that the lowered function does not have, as it is an argument of the program unchanged.
    """
    if not arena:
        request.getfixturevalue("without_arena")
    module = oracle.parse(program.text)
    results = len(main_type(module).results)
    protect_arguments(module.operation, contiguous=True)
    with oracle.context():
        mi.run_pipeline(module, lowering.pipeline((*ROUTE, lowering.ARENA) if arena else ROUTE))
        mi.run_pipeline(module, LOOPS)
    given = arguments(program.runs[0])
    type_ = main_type(module)
    made = out_arrays(type_.inputs[len(given) :])
    copied = results - len(made) - len(type_.results)
    found = Evaluator(module).run("main", [*given, *made])
    compiled = mi.compile(program.text, opt_level=0, memory_stats=True)
    compiled.main(*arguments(program.runs[0]))
    stats = compiled.memory_stats
    assert found.leaked == 0
    assert found.frees == stats.frees
    assert found.allocations + len(made) + copied == stats.allocations
    assert found.copies + copied == stats.copies
