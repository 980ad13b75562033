"""Each allocation of each program is refused once: a `MemoryError`, nothing leaks, and the next call is as ever."""

from __future__ import annotations

import numpy as np
import pytest
from fast_run import is_full
from programs import PROGRAMS
from programs.program import Program, arguments
from test_differential import assert_same, call

import mlir_inplace as mi

CHOSEN = PROGRAMS if is_full() else PROGRAMS[5::30]


@pytest.mark.parametrize("program", CHOSEN, ids=[program.name for program in CHOSEN])
def test_each_allocation_is_refused_once(program: Program) -> None:
    compiled = mi.compile(program.text, opt_level=0, memory_stats=True)
    for run in program.runs:
        given = arguments(run)
        wanted = [np.copy(result) for result in call(compiled, given)]
        stats = compiled.memory_stats
        most = stats.frees + stats.result_allocations
        refused = 0
        while refused <= most:
            compiled.refuse_memory(refused + 1)
            try:
                compiled.main(*given)
            except MemoryError:
                refused += 1
            else:
                break
            stats = compiled.memory_stats
            assert stats.leaked_bytes == 0, stats
            assert stats.allocations - stats.frees == stats.result_allocations, stats
            compiled.refuse_memory(0)
            assert_same(given, arguments(run))
        compiled.refuse_memory(0)
        assert refused >= most - stats.result_allocations
        assert_same(call(compiled, given), wanted)
