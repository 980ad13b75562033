"""`optimize=True` and the passes behind it: the values stay, and what was in place, or in one buffer, still is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from linalg_programs import PROGRAMS, Arrays, floats
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.machine import Machine, detect_machine

CASES = [pytest.param(*PROGRAMS[name], id=name) for name in PROGRAMS]
MATRIX = "tensor<?x?xf32>"
CHAIN = f"""
  #id = affine_map<(i, j) -> (i, j)>
  #swap = affine_map<(i, j) -> (j, i)>
  func.func @main(%a: {MATRIX}, %b: {MATRIX}, %c: {MATRIX}) -> ({MATRIX}, tensor<?xf32>) {{
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = tensor.dim %a, %c0 : {MATRIX}
    %n = tensor.dim %a, %c1 : {MATRIX}
    %e = tensor.empty(%m, %n) : {MATRIX}
    %f = linalg.fill ins(%zero : f32) outs(%e : {MATRIX}) -> {MATRIX}
    %product = linalg.mul ins(%a, %b : {MATRIX}, {MATRIX}) outs(%e : {MATRIX}) -> {MATRIX}
    %t = tensor.empty(%n, %m) : {MATRIX}
    %swapped = linalg.transpose ins(%product : {MATRIX}) outs(%t : {MATRIX}) permutation = [1, 0]
    %relu = linalg.generic {{indexing_maps = [#swap, #id, #id, #id], iterator_types = ["parallel", "parallel"]}}
        ins(%swapped, %c, %f : {MATRIX}, {MATRIX}, {MATRIX}) outs(%e : {MATRIX}) {{
    ^bb0(%x: f32, %y: f32, %least: f32, %out: f32):
      %s = arith.addf %x, %y : f32
      %k = linalg.index 1 : index
      %ki = arith.index_cast %k : index to i32
      %kf = arith.sitofp %ki : i32 to f32
      %d = arith.subf %s, %kf : f32
      %w = arith.maximumf %d, %least : f32
      linalg.yield %w : f32
    }} -> {MATRIX}
    %minus = arith.negf %relu : {MATRIX}
    %row = tensor.empty(%m) : tensor<?xf32>
    %start = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
    %exp = linalg.exp ins(%minus : {MATRIX}) outs(%e : {MATRIX}) -> {MATRIX}
    %sum = linalg.reduce ins(%exp : {MATRIX}) outs(%start : tensor<?xf32>) dimensions = [1]
      (%u: f32, %v: f32) {{
        %uv = arith.addf %u, %v : f32
        linalg.yield %uv : f32
      }}
    return %relu, %sum : {MATRIX}, tensor<?xf32>
  }}"""


@pytest.mark.parametrize(("text", "expected", "arguments"), CASES)
def test_values_are_those_of_numpy(text: str, expected: Callable[..., np.ndarray], arguments: list[Arrays]) -> None:
    program = mi.compile(text, optimize=True, memory_stats=True)
    for one in arguments:
        np.testing.assert_allclose(program.main(*one), expected(*one), rtol=1e-5, atol=1e-5)
        assert program.memory_stats.leaked_bytes == 0


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (17, 40), (64, 64), (0, 3), (4, 0)])
def test_a_chain_of_elementwise_ops_needs_no_buffer_but_the_results(shape: tuple[int, int]) -> None:
    program = mi.compile(CHAIN, optimize=True, memory_stats=True)
    a, b, c = (floats(*shape) for _ in range(3))
    relu, total = program.main(a, b, c)
    expected = np.maximum(a * b + c - np.arange(shape[1], dtype=np.float32), 0)
    np.testing.assert_allclose(relu, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(total, np.exp(-expected).sum(1), rtol=1e-5)
    assert (program.memory_stats.allocations, program.memory_stats.copies) == (2, 0)


def test_a_chain_grows_in_one_op() -> None:
    length = 60
    steps = [
        f"%{i + 1} = linalg.add ins(%{i}, %a : tensor<9xf32>, tensor<9xf32>) outs(%a : tensor<9xf32>) -> tensor<9xf32>"
        for i in range(length)
    ]
    first = "%0 = linalg.exp ins(%a : tensor<9xf32>) outs(%a : tensor<9xf32>) -> tensor<9xf32>"
    body = "\n".join([first, *steps])
    text = f"func.func @main(%a: tensor<9xf32>) -> tensor<9xf32> {{ {body} return %{length} : tensor<9xf32> }}"
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(func.func(inplace-fuse))")
        assert str(module).count("linalg.generic") == 1
        program = mi.compile(module)
    array = floats(9)
    np.testing.assert_allclose(program.main(array), np.exp(array) + length * array, rtol=1e-5)


@pytest.mark.parametrize("shape", [(300, 200, 500), (257, 129, 401)])
def test_scheduled_products_have_the_values_of_numpy(shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    text = f"""
      func.func @main(%a: tensor<{m}x{k}xf32>, %b: tensor<{k}x{n}xf32>, %c: tensor<{m}x{n}xf32>)
          -> tensor<{m}x{n}xf32> {{
        %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) outs(%c : tensor<{m}x{n}xf32>)
            -> tensor<{m}x{n}xf32>
        return %r : tensor<{m}x{n}xf32>
      }}"""
    machine = "vector-bits=256 registers=16 l2=65536"
    with ir.Context():
        module = ir.Module.parse(text)
        options = f'machine="{machine}"'
        mi.run_pipeline(
            module, f"builtin.module(func.func(inplace-schedule{{{options}}},inplace-vectorize{{{options}}}))"
        )
        assert "linalg" not in str(module)
        program = mi.compile(module, memory_stats=True)
    a, b, c = floats(m, k), floats(k, n), floats(m, n)
    np.testing.assert_allclose(program.main(a, b, c), c + a @ b, rtol=1e-4, atol=1e-3)
    assert (program.memory_stats.copies, program.memory_stats.leaked_bytes) == (1, 0)


class TestMachine:
    """The description of the machine."""

    def test_it_can_be_told_and_printed(self) -> None:
        text = "vector-bits=512 registers=32 l1=49152 l2=1048576 l3=33554432 cores=2"
        assert str(Machine.parse(text)) == text

    def test_what_is_detected_makes_sense(self) -> None:
        machine = detect_machine()
        assert machine.vector_bits in {128, 256, 512}
        assert 0 < machine.l1 <= machine.l2 <= machine.l3
        assert machine.cores >= 1

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("l4=3", "unknown property 'l4' of a machine; known are vector-bits, registers, l1, l2, l3, cores"),
            ("l1=0", "the property 'l1' of a machine must be a positive integer, got '0'"),
            ("l1", "the property 'l1' of a machine must be a positive integer, got ''"),
        ],
    )
    def test_nonsense_is_refused(self, text: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Machine.parse(text)
