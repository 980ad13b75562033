"""`inplace-expand-bf16-extremes`: every bf16 against numbers of all kinds, and what a reduction makes of them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import mlir_inplace as mi

OTHERS = np.array([0x0000, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0xFFC1, 0x7F81, 0x0001, 0x8001, 0x3F80, 0xC2F7], np.uint16)
"""Zeros, infinities, NaN, numbers below the normal ones, and others."""


def expected(op: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The result as f32, with -0 below +0; NaN wins in `maximumf` and `minimumf`."""
    x, y = (value.astype(np.float32) for value in (x, y))
    is_max = op.startswith("max")
    extreme = np.where((x > y) == is_max, x, y)
    both_zero = (x == 0) & (y == 0)
    negative = (np.signbit(x) & np.signbit(y)) if is_max else (np.signbit(x) | np.signbit(y))
    extreme = np.where(both_zero, np.where(negative, np.float32(-0.0), np.float32(0.0)), extreme)
    if "num" in op:
        return np.where(np.isnan(x), y, np.where(np.isnan(y), x, extreme))
    return np.where(np.isnan(x) | np.isnan(y), np.float32(np.nan), extreme)


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("op", ["maximumf", "minimumf", "maxnumf", "minnumf"])
def test_all_numbers(op: str, optimize: bool) -> None:
    text = f"""
    func.func @main(%x: tensor<?xbf16>, %y: tensor<?xbf16>) -> tensor<?xbf16> {{
      %0 = arith.{op} %x, %y : tensor<?xbf16>
      return %0 : tensor<?xbf16>
    }}"""
    program = mi.compile(text, optimize=optimize)
    x = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    for bits in OTHERS:
        y = np.full(x.shape, bits, np.uint16).view(ml_dtypes.bfloat16)
        for pair in ((x, y), (y, x)):
            result, wanted = program.main(*pair).astype(np.float32), expected(op, *pair)
            np.testing.assert_array_equal(result, wanted)
            known = ~np.isnan(wanted)
            np.testing.assert_array_equal(np.signbit(result[known]), np.signbit(wanted[known]))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("op", ["maximumf", "minimumf", "maxnumf", "minnumf"])
@pytest.mark.parametrize("columns", [1, 31, 32, 100])
def test_reductions(columns: int, op: str, axis: int) -> None:
    kept, reduced = ("i", "j") if axis == 1 else ("j", "i")
    kinds = {kept: "parallel", reduced: "reduction"}
    text = f"""
    func.func @main(%x: tensor<?x?xbf16>, %r: tensor<?xbf16>) -> tensor<?xbf16> {{
      %0 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ({kept})>],
          iterator_types = ["{kinds["i"]}", "{kinds["j"]}"]}} ins(%x : tensor<?x?xbf16>) outs(%r : tensor<?xbf16>) {{
      ^bb0(%a: bf16, %b: bf16):
        %m = arith.{op} %a, %b : bf16
        linalg.yield %m : bf16
      }} -> tensor<?xbf16>
      return %0 : tensor<?xbf16>
    }}"""
    rng = np.random.default_rng(columns)
    x = rng.standard_normal((8, columns)).astype(ml_dtypes.bfloat16)
    x[2] = -np.inf
    x[3, columns // 2] = np.nan
    x[4] = np.array(0xFFC1, np.uint16).view(ml_dtypes.bfloat16)
    x[5, 0] = np.inf
    x = np.ascontiguousarray(x if axis == 1 else x.T)
    start = np.full(8, -np.inf if op.startswith("max") else np.inf, ml_dtypes.bfloat16)
    result = mi.compile(text, optimize=True).main(x, start)
    wanted = start
    for slice_ in np.moveaxis(x, axis, 0):
        wanted = expected(op, wanted, slice_)
    np.testing.assert_array_equal(result.astype(np.float32), wanted.astype(np.float32))
