"""`inplace-tile` and `inplace-pack`: values against NumPy, for tiles that divide the loops and tiles that do not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from linalg_programs import PROGRAMS, Arrays, floats, named
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.linalg.structured_op import read_structured
from mlir_inplace.passes.scheduling.rewriting.linalg_ops import find_linalg_ops

TILES = {
    "all loops": "tile-sizes=3,4,5,6,2,2,2",
    "all loops, the last ones outermost": "tile-sizes=3,4,5,6,2,2,2 interchange=6,5,4,3,2,1,0",
    "peeled": "tile-sizes=3,4,5,6,2,2,2 peel=0,1,2,3",
}


def cut(options: str, loops: int) -> str:
    """The `options` for an op with so many loops."""
    parts = []
    for part in options.split():
        name, values = part.split("=")
        numbers = [int(value) for value in values.split(",")]
        kept = numbers[:loops] if name == "tile-sizes" else [number for number in numbers if number < loops]
        parts.append(f"{name}={','.join(map(str, kept))}")
    return " ".join(parts)


def loops_of(module: ir.Module) -> int:
    """The number of loops of the only linalg op."""
    (op,) = find_linalg_ops(module.operation)
    return len(read_structured(op).loops)


def compiled(text: str, tiles: str, then: str) -> mi.Program:
    with ir.Context():
        module = ir.Module.parse(text)
        tiles = cut(tiles, loops_of(module))
        mi.run_pipeline(module, f"builtin.module(func.func(inplace-tile{{{tiles}}}{then}))")
        module.operation.verify()
        return mi.compile(module, memory_stats=True)


CASES = [pytest.param(*PROGRAMS[name], id=name) for name in PROGRAMS]


@pytest.mark.each_value
@pytest.mark.parametrize("tiles", [pytest.param(TILES[name], id=name) for name in TILES])
@pytest.mark.parametrize(("text", "expected", "arguments"), CASES)
def test_tiles_have_the_values_of_numpy(
    text: str, expected: Callable[..., np.ndarray], arguments: list[Arrays], tiles: str
) -> None:
    program = compiled(text, tiles, "")
    for one in arguments:
        np.testing.assert_allclose(program.main(*one), expected(*one), rtol=1e-5, atol=1e-5)
        # The init is an argument, which must not change: its copy is the only one.
        assert (program.memory_stats.allocations, program.memory_stats.copies) == (1, 1)


PACKED = named("linalg.matmul", ["tensor<?x?xf32>", "tensor<?x?xf32>", "tensor<?x?xf32>"])


@pytest.mark.each_value
@pytest.mark.parametrize("then", ["", ",inplace-vectorize"])
@pytest.mark.parametrize("tiles", ["tile-sizes=4,6,5 interchange=2,0,1 peel=1", "tile-sizes=4,6,5 interchange=2,0,1"])
def test_packed_panels_have_the_values_of_numpy(tiles: str, then: str) -> None:
    program = compiled(PACKED, tiles, f",canonicalize,cse,inplace-pack{then}")
    for m, n, k in [(1, 1, 1), (9, 13, 11), (8, 12, 10), (5, 3, 0), (0, 4, 3), (4, 0, 3)]:
        a, b, c = floats(m, k), floats(k, n), floats(m, n)
        np.testing.assert_allclose(program.main(a, b, c), c + a @ b, rtol=1e-5, atol=1e-5)
        assert program.memory_stats.leaked_bytes == 0
        if then:
            # Panels are written by vectors and read in place; the init, an argument, is all that is copied.
            assert program.memory_stats.copies == 1
