"""Reductions whose payload admits one order only, such as `3 * z + x`, are not computed in another one."""

from __future__ import annotations

import numpy as np
import pytest
from linalg_programs import generic
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate

SMALL = "vector-bits=128 registers=4 l1=64 l2=256 l3=1024 cores=2"


def fold(outer: int, inner: int, kept: str = "%w = arith.muli %z, %three : i32") -> str:
    """A product over two loops, in which what was added up so far is kept as told."""
    a, b, c = f"tensor<12x{outer}x{inner}xi32>", f"tensor<{outer}x{inner}x24xi32>", "tensor<12x24xi32>"
    return f"""
    func.func @main(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
      %three = arith.constant 3 : i32
      %zero = arith.constant 0 : i32
      %r = linalg.generic {{indexing_maps = [affine_map<(m, n, p, q) -> (m, p, q)>,
          affine_map<(m, n, p, q) -> (p, q, n)>, affine_map<(m, n, p, q) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}} ins(%a, %b : {a}, {b}) outs(%c : {c}) {{
      ^bb0(%x: i32, %y: i32, %z: i32):
        %p = arith.muli %x, %y : i32
        {kept}
        %s = arith.addi %w, %p : i32
        linalg.yield %s : i32
      }} -> {c}
      return %r : {c}
    }}"""


def is_tiled(text: str, outer: int, inner: int, pipeline: str) -> bool:
    """Whether the pipeline makes loops; what it makes has the values that sequential loops of NumPy give."""
    rng = np.random.default_rng(0)
    shapes = (12, outer, inner), (outer, inner, 24), (12, 24)
    a, b, c = (rng.integers(-99, 99, shape).astype(np.int32) for shape in shapes)
    factor = 3 if "muli %z" in text else 1
    expected = c.copy()
    for p, q in np.ndindex(outer, inner):
        expected = expected * np.int32(factor) + np.outer(a[:, p, q], b[p, q])
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module(func.func({pipeline}))")
        np.testing.assert_array_equal(evaluate(module, "main", (a, b, c)).results[0], expected)
        return "scf.for" in str(module)


@pytest.mark.parametrize(
    ("outer", "inner", "tiles", "expected"),
    [
        (3, 10, "tile-sizes=0,0,2", True),
        (3, 10, "tile-sizes=0,0,1,4", True),
        (3, 10, "tile-sizes=5,7,1,4 interchange=1,2,0,3", True),
        (3, 10, "tile-sizes=0,0,0,4", False),
        (3, 10, "tile-sizes=0,0,2,4", False),
        (3, 10, "tile-sizes=0,0,1,1 interchange=3,2", False),
    ],
)
def test_tiles_that_keep_the_order(outer: int, inner: int, tiles: str, expected: bool) -> None:
    pipeline = f"inplace-tile{{{tiles}}}"
    assert is_tiled(fold(outer, inner), outer, inner, pipeline) is expected
    plain = fold(outer, inner, "").replace("%w, %p", "%z, %p")
    assert is_tiled(plain, outer, inner, pipeline)


@pytest.mark.parametrize(("outer", "inner"), [(3, 40), (40, 3), (1, 40), (40, 1)])
def test_schedules_keep_the_order(outer: int, inner: int) -> None:
    """The outermost loops are cut, one iteration each but for the last of them."""
    pipeline = f'inplace-schedule{{machine="{SMALL}"}}'
    assert is_tiled(fold(outer, inner), outer, inner, pipeline)
    assert is_tiled(fold(outer, inner, "").replace("%w, %p", "%z, %p"), outer, inner, pipeline)


@pytest.mark.parametrize("flags", ["nsw", "nuw", "nsw, nuw"])
@pytest.mark.parametrize(
    ("pipeline", "kept"),
    [
        ("inplace-tile{tile-sizes=0,2}", 0),
        ("inplace-tile{tile-sizes=2}", 1),
        ("inplace-vectorize", 0),
        ("inplace-tile{tile-sizes=2},inplace-vectorize", 0),
    ],
)
def test_what_is_added_up_in_another_order_may_overflow(flags: str, pipeline: str, kept: int) -> None:
    """No sum of the first ones of 2^30, -2^30, 2^30 and so on overflows; one of every other number does."""
    text = generic(["tensor<4x64xi32>", "tensor<4xi32>"], ["i, j", "i"], "pr",
                   f"%s = arith.addi %e0, %e1 overflow<{flags}> : i32\n linalg.yield %s : i32")  # fmt: skip
    a = np.tile(np.array([1 << 30, -(1 << 30)], np.int32), (4, 32))
    a *= np.int32("nuw" not in flags)  # as unsigned numbers the second ones are large
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, f"builtin.module(func.func({pipeline}))")
        assert str(module).count(f"overflow<{flags}>") == kept
        np.testing.assert_array_equal(evaluate(module, "main", (a, np.arange(4, dtype=np.int32))).results[0], range(4))


@pytest.mark.parametrize(
    ("combiner", "given", "kept"),
    [
        ("addf", "fast", "reassoc,nsz,arcp,contract,afn"),
        ("addf", "contract", "contract"),
        ("mulf", "nnan,ninf", "none"),
        ("maxnumf", "nnan", "none"),
        ("maximumf", "nnan,ninf", "nnan"),
        ("minimumf", "fast", "reassoc,nnan,nsz,arcp,contract,afn"),
    ],
)
def test_partial_results_may_be_infinite(combiner: str, given: str, kept: str) -> None:
    text = generic(["tensor<4x64xf32>", "tensor<4xf32>"], ["i, j", "i"], "pr",
                   f"%s = arith.{combiner} %e0, %e1 fastmath<{given}> : f32\n linalg.yield %s : f32")  # fmt: skip
    a = np.random.default_rng(0).random((4, 64), np.float32)
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(func.func(inplace-vectorize))")
        lines = [line for line in str(module).splitlines() if f"arith.{combiner}" in line and "fastmath" in line]
        assert {line.split("fastmath")[-1].split(">")[0] for line in lines} == ({"<" + kept} - {"<none"})
        result = evaluate(module, "main", (a, np.ones(4, np.float32))).results[0]
    combine = {"addf": np.add, "mulf": np.multiply, "minimumf": np.minimum}.get(combiner, np.maximum)
    np.testing.assert_allclose(result, combine(combine.reduce(a, 1), np.float32(1)), rtol=1e-5)


def test_elements_of_their_own_are_added_up_as_before() -> None:
    text = generic(["tensor<64x32xi32>", "tensor<32xi32>"], ["i, j", "j"], "rp",
                   "%s = arith.addi %e0, %e1 overflow<nsw> : i32\n linalg.yield %s : i32")  # fmt: skip
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(func.func(inplace-vectorize))")
        assert "overflow<nsw>" in str(module)
