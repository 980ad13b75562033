"""What the programs in examples/ do to memory when they run, as their comments promise."""

from __future__ import annotations

import numpy as np
import pytest
from programs import examples
from programs.program import arguments

import mlir_inplace as mi

PROGRAMS = {program.name.removeprefix("example_"): program for program in examples.PROGRAMS}

KERNELS = {"dispatch_matmul"}
"""Dispatch functions: upstream has nothing to compare them with, so they are no differential programs."""

# Allocations that are no result, and bytes copied, in the largest run of each. A caller keeps his arrays: an argument
# that the program updates is copied once, into what becomes the result if it can.
TEMPORARIES_AND_COPIED_BYTES = {
    "tiled_matmul": (0, 0),
    "mlp": (1, 0),  # Both hidden layers are in one arena.
    "jacobi": (1, 2 * 34 * 34 * 8),
    "prefix_sum": (0, 16 * 8),
    "old_value": (0, 8 * 4),
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
    assert files - KERNELS == set(PROGRAMS) == set(TEMPORARIES_AND_COPIED_BYTES)


@pytest.fixture(scope="module")
def dispatch_matmul() -> mi.Program:
    return mi.compile(examples.FOLDER / "dispatch_matmul.mlir", memory_stats=True)


@pytest.mark.parametrize("tile", [(1, 1), (2, 3), (3, 2), (7, 1), (9, 9)])
@pytest.mark.parametrize("grid", [(1, 1), (2, 3), (3, 1)])
@pytest.mark.parametrize("sizes", [(5, 7, 3), (8, 6, 4), (1, 9, 2), (3, 0, 5), (4, 5, 0)])
def test_the_kernel_works_in_its_bindings_for_any_grid(
    dispatch_matmul: mi.Program, tile: tuple[int, int], grid: tuple[int, int], sizes: tuple[int, int, int]
) -> None:
    m, n, k = sizes
    a = np.arange(1, 1 + m * k, dtype=np.float32).reshape(m, k)
    b = np.arange(50, 50 + k * n, dtype=np.float32).reshape(k, n)
    c = np.arange(1000, 1000 + m * n, dtype=np.float32).reshape(m, n)
    expected = c + a @ b
    dispatch_matmul.main(a, b, c, *sizes, *tile, *grid)
    np.testing.assert_array_equal(c, expected)
    stats = dispatch_matmul.memory_stats
    assert (stats.temporaries, stats.result_allocations, stats.copied_bytes) == (0, 0, 0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_traffic(name: str) -> None:
    stats = statistics(name, -1 if name == "jacobi" else 0)
    assert stats.result_allocations == 1
    assert (stats.temporaries, stats.copied_bytes) == TEMPORARIES_AND_COPIED_BYTES[name], stats


def test_jacobi_needs_no_more_memory_for_more_steps() -> None:
    """From the second step on: two buffers, whatever the number of steps."""
    few, many = (statistics("jacobi", run) for run in (2, 3))
    assert few == many
