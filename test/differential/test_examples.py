"""What the programs in examples/ do to memory when they run, as their comments promise."""

from __future__ import annotations

import pytest
from programs import examples
from programs.program import arguments

import mlir_inplace as mi

PROGRAMS = {program.name.removeprefix("example_"): program for program in examples.PROGRAMS}

# Allocations that are no result, and bytes copied, in the largest run of each. A caller keeps his arrays: an argument
# that the program updates is copied once, into what becomes the result if it can.
TEMPORARIES_AND_COPIED_BYTES = {
    "tiled_matmul": (0, 0),
    "mlp": (2, 0),
    "jacobi": (1, 2 * 34 * 34 * 8),
    "prefix_sum": (0, 16 * 8),
    "branch": (1, 8 * 4),
    "call": (0, 3 * 4 * 4),
    "dynamic": (3, 5 * 7 * 8),
}


def statistics(name: str, run: int) -> mi.runtime.memory_stats.MemoryStats:
    """The memory traffic of one run of an example."""
    program = PROGRAMS[name]
    compiled = mi.compile(program.text, memory_stats=True)
    compiled.main(*arguments(program.runs[run]))
    return compiled.memory_stats


def test_every_example_is_tested() -> None:
    files = {path.stem for path in examples.FOLDER.glob("*.mlir")}
    assert files == set(PROGRAMS) == set(TEMPORARIES_AND_COPIED_BYTES)


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_traffic(name: str) -> None:
    stats = statistics(name, -1 if name == "jacobi" else 0)
    assert stats.result_allocations == 1
    assert (stats.temporaries, stats.copied_bytes) == TEMPORARIES_AND_COPIED_BYTES[name], stats


def test_jacobi_needs_no_more_memory_for_more_steps() -> None:
    """From the second step on: two buffers, whatever the number of steps."""
    few, many = (statistics("jacobi", run) for run in (2, 3))
    assert few == many
