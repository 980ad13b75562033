"""`inplace-vectorize`: values against NumPy, for all kinds of access, sizes that fit and sizes that do not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from linalg_programs import MATRIX, PROGRAMS, Arrays, floats, generic
from mlir import ir

import mlir_inplace as mi


def vectorized(text: str) -> ir.Module:
    """The program of `text`, vectorized; the context is the current one."""
    module = ir.Module.parse(text)
    mi.run_pipeline(module, "builtin.module(func.func(inplace-vectorize))")
    module.operation.verify()
    return module


CASES = [pytest.param(*PROGRAMS[name], id=name) for name in PROGRAMS if PROGRAMS[name][2]]


@pytest.mark.parametrize(("text", "expected", "arguments"), CASES)
def test_values_are_those_of_numpy(text: str, expected: Callable[..., np.ndarray], arguments: list[Arrays]) -> None:
    with ir.Context():
        module = vectorized(text)
        assert "linalg." not in str(module)
        program = mi.compile(module)
    for one in arguments:
        np.testing.assert_allclose(program.main(*one), expected(*one), rtol=1e-5, atol=1e-5)


def test_an_input_that_is_the_init_is_updated_in_place() -> None:
    body = "%x = math.exp %e0 : f32\n linalg.yield %x : f32"
    text = generic([MATRIX, MATRIX], ["i, j", "i, j"], "pp", body, "{bufferization.writable = true}")
    text = text.replace("%t1: tensor<?x?xf32> {bufferization.writable = true}", "").replace(", )", ")")
    text = text.replace("%t1", "%t0")
    with ir.Context():
        program = mi.compile(vectorized(text), memory_stats=True)
    array = floats(9, 37)
    expected = np.exp(array)
    np.testing.assert_allclose(program.main(array), expected, rtol=1e-6)
    np.testing.assert_allclose(array, expected, rtol=1e-6)
    assert (program.memory_stats.allocations, program.memory_stats.copies) == (0, 0)


def test_a_fill_is_where_accumulators_start_and_is_not_written_first() -> None:
    text = """
      func.func @main(%a: tensor<9x3xf32>, %b: tensor<3x21xf32>) -> tensor<9x21xf32> {
        %one = arith.constant 1.0 : f32
        %e = tensor.empty() : tensor<9x21xf32>
        %f = linalg.fill ins(%one : f32) outs(%e : tensor<9x21xf32>) -> tensor<9x21xf32>
        %r = linalg.matmul ins(%a, %b : tensor<9x3xf32>, tensor<3x21xf32>) outs(%f : tensor<9x21xf32>)
            -> tensor<9x21xf32>
        return %r : tensor<9x21xf32>
      }"""
    with ir.Context():
        module = vectorized(text)
        assert "linalg" not in str(module)
        program = mi.compile(module, memory_stats=True)
    a, b = floats(9, 3), floats(3, 21)
    np.testing.assert_allclose(program.main(a, b), 1 + a @ b, rtol=1e-5)
    assert (program.memory_stats.allocations, program.memory_stats.copies) == (1, 0)
