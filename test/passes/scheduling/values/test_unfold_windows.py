"""`inplace-unfold-windows`: values of ops whose windows are copied and loops merged, whole and tile by tile.

Elements are small integers, so that sums are exact in whatever order they are added up.
"""

from __future__ import annotations

import numpy as np
import pytest
from linalg_programs import generic, named
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate

STRIDE = "{strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}"
DILATION = "{strides = dense<1> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>}"
BODY = "%p = arith.mulf %e0, %e1 : f32\n%s = arith.addf %e2, %p : f32\nlinalg.yield %s : f32"
LAST = """%p = arith.mulf %e0, %e1 : f32
%z = arith.mulf %e2, %e1 : f32
%s = arith.subf %z, %p : f32
linalg.yield %s : f32"""

OPS = {
    "short rows": named(
        "linalg.conv_2d_nchw_fchw", ["tensor<1x6x6x6xf32>", "tensor<9x6x3x3xf32>", "tensor<1x9x4x4xf32>"]
    ),
    "few pixels": named(
        "linalg.conv_2d_nchw_fchw", ["tensor<1x8x4x4xf32>", "tensor<9x8x3x3xf32>", "tensor<1x9x2x2xf32>"]
    ),
    "batch": named("linalg.conv_2d_nchw_fchw", ["tensor<3x6x7x6xf64>", "tensor<9x6x3x2xf64>", "tensor<3x9x5x5xf64>"]),
    "stride": named(
        f"linalg.conv_2d_nchw_fchw {STRIDE}", ["tensor<2x3x13x9xf32>", "tensor<17x3x3x3xf32>", "tensor<2x17x6x4xf32>"]
    ),
    "dilation": named(
        f"linalg.conv_2d_nchw_fchw {DILATION}", ["tensor<2x3x9x9xi32>", "tensor<17x3x3x3xi32>", "tensor<2x17x5x5xi32>"]
    ),
    "one pixel": named(
        "linalg.conv_2d_nchw_fchw", ["tensor<1x6x7x5xf32>", "tensor<9x6x1x1xf32>", "tensor<1x9x7x5xf32>"]
    ),
    "one pixel, stride": named(
        f"linalg.conv_2d_nchw_fchw {STRIDE}", ["tensor<1x6x7x9xf32>", "tensor<9x6x1x1xf32>", "tensor<1x9x4x5xf32>"]
    ),
    "one dimension": named("linalg.conv_1d_ncw_fcw", ["tensor<2x6x7xf32>", "tensor<9x6x3xf32>", "tensor<2x9x5xf32>"]),
    "narrow": named("linalg.conv_2d_nchw_fchw", ["tensor<1x6x6x6xi8>", "tensor<9x6x3x3xi8>", "tensor<1x9x4x4xi32>"]),
    # Each row multiplies what the one before it left, so sums must be in order.
    "in order": generic(
        ["tensor<4x5xf32>", "tensor<8x2xf32>", "tensor<8x3x5xf32>"],
        ["j + l, k", "i, l", "i, j, k"],
        "pppr",
        LAST,
    ),
    "in an order that the weights do not have": generic(
        ["tensor<3x6xf32>", "tensor<8x2x3xf32>", "tensor<8x5xf32>"], ["k, j + l", "i, l, k", "i, j"], "pprr", LAST
    ),
    "other order": generic(
        ["tensor<7x6xf32>", "tensor<8x3xf32>", "tensor<8x4x7xf32>"], ["k, j + l", "i, l", "i, j, k"], "pppr", BODY
    ),
    "first element": generic(
        ["tensor<6x5xf32>", "tensor<8x6xf32>", "tensor<8x4xf32>"], ["k, j + 1", "i, k", "i, j"], "ppr", BODY
    ),
}
MACHINES = {"whole": "vector-bits=512 registers=32", "tiles": "vector-bits=256 registers=16 l1=256 l2=512 l3=65536"}


def arguments(text: str) -> list[np.ndarray]:
    """Small integers for each argument of `@main`."""
    with ir.Context():
        types = ir.FunctionType(
            ir.TypeAttr(ir.Module.parse(text).body.operations[0].attributes["function_type"]).value
        ).inputs
        shapes = [
            (list(ir.RankedTensorType(type_).shape), str(ir.RankedTensorType(type_).element_type)) for type_ in types
        ]
    rng = np.random.default_rng(5)
    return [
        rng.integers(-4, 5, shape).astype(element.replace("f", "float").replace("i", "int"))
        for shape, element in shapes
    ]


@pytest.mark.each_value
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("op", OPS)
def test_values_are_those_of_the_evaluator(op: str, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlir_inplace.passes.analysis.schedule.window_unfolding._WORTH", float("inf"))
    given = arguments(OPS[op])
    with ir.Context():
        module = ir.Module.parse(OPS[op])
        (expected,) = evaluate(module, "main", given).results
        mi.run_pipeline(module, f'builtin.module(func.func(inplace-unfold-windows{{machine="{MACHINES[machine]}"}}))')
        module.operation.verify()
        assert str(module).count("linalg.generic") >= 1 + (op != "one pixel")
        assert "linalg.conv" not in str(module)
        tiled = mi.compile(module)
    np.testing.assert_array_equal(tiled.main(*given), np.asarray(expected))
    whole = mi.compile(OPS[op], optimize=True, machine=MACHINES[machine])
    np.testing.assert_array_equal(whole.main(*given), np.asarray(expected))


@pytest.mark.parametrize("threads", [1, 3])
def test_a_convolution_that_is_worth_it_has_the_values_of_numpy(threads: int) -> None:
    """With the costs as they are, from a fill, and with as many sums as there are in a residual net."""
    x, w, y = "tensor<1x64x10x10xf32>", "tensor<64x64x3x3xf32>", "tensor<1x64x8x8xf32>"
    text = f"""func.func @main(%x: {x}, %w: {w}) -> {y} {{
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : {y}
      %f = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.conv_2d_nchw_fchw ins(%x, %w : {x}, {w}) outs(%f : {y}) -> {y}
      return %r : {y} }}"""
    image, weights = arguments(text)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (2, 3))
    expected = np.tensordot(windows, weights, ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)
    program = mi.compile(text, optimize=True, threads=threads)
    np.testing.assert_array_equal(program.main(image, weights), expected)
    if threads == 1:
        counted = mi.compile(text, optimize=True, memory_stats=True)
        counted.main(image, weights)
        # The result is an argument: the copy of the windows is all there is, and panels of it. No operand is copied.
        assert counted.memory_stats.allocations <= 2
        assert counted.memory_stats.copied_bytes == 0


BLOCK = """
func.func @main(%x: tensor<1x16x6x6xf32>, %w: tensor<16x16x3x3xf32>, %s: tensor<1x16x4x4xf32>, %b: tensor<16xf32>)
    -> tensor<1x16x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16x4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x6x6xf32>, tensor<16x16x3x3xf32>)
      outs(%f : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>,
          affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>],
        iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c, %b, %s : tensor<1x16x4x4xf32>, tensor<16xf32>, tensor<1x16x4x4xf32>)
      outs(%e : tensor<1x16x4x4xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32):
    %p = arith.mulf %i, %j : f32
    %q = arith.addf %p, %k : f32
    %y = arith.maximumf %q, %zero : f32
    linalg.yield %y : f32
  } -> tensor<1x16x4x4xf32>
  return %r : tensor<1x16x4x4xf32>
}"""


def test_what_follows_has_the_same_merged_loops() -> None:
    """A channel's factor is read once, not for each row; no reshape is left between the two, and nothing is copied."""
    given = arguments(BLOCK)
    with ir.Context():
        module = ir.Module.parse(BLOCK)
        (expected,) = evaluate(module, "main", given).results
        mi.run_pipeline(module, 'builtin.module(func.func(inplace-unfold-windows{machine="vector-bits=512"}))')
        assert str(module).count('iterator_types = ["parallel", "parallel"]}') == 1
        assert str(module).count("tensor.expand_shape") == 2  # That of the convolution is dead.
        program = mi.compile(module, memory_stats=True)
    np.testing.assert_array_equal(program.main(*given), np.asarray(expected))
    assert program.memory_stats.copied_bytes == 0
    optimized = mi.compile(BLOCK, optimize=True, memory_stats=True)
    np.testing.assert_array_equal(optimized.main(*given), np.asarray(expected))
    assert optimized.memory_stats.copied_bytes == 0


def test_what_does_not_follow_keeps_its_loops() -> None:
    """Its rows may be what a reduction of rows shares a loop with."""
    text = BLOCK.replace("ins(%c, %b, %s", "ins(%s, %b, %s").replace("return %r", "return %c")
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, 'builtin.module(func.func(inplace-unfold-windows{machine="vector-bits=512"}))')
        assert '["parallel", "parallel", "parallel", "parallel"]' in str(module)
