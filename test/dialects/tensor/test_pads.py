"""Pads: what is beside a source is filled, on every side that has padding, and where a destination is given."""

from __future__ import annotations

import numpy as np
import pytest

import mlir_inplace as mi


def tensor(shape: tuple[int, ...]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def program(shape: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...], use: str) -> str:
    wide = tuple(sum(sizes) for sizes in zip(low, shape, high, strict=True))
    indices = ", ".join(f"%i{d}: index" for d in range(len(shape)))
    return f"""
    func.func @main(%x: {tensor(shape)}, %f: f32) -> {tensor(wide)} {{
      %p = tensor.pad %x low{list(low)} high{list(high)} {{
      ^bb0({indices}):
        tensor.yield %f : f32
      }} : {tensor(shape)} to {tensor(wide)}
      {use.replace("TYPE", tensor(wide))}
      return %r : {tensor(wide)}
    }}"""


USES = {
    "returned": "%r = tensor.cast %p : TYPE to TYPE",
    "computed with": "%r = linalg.exp ins(%p : TYPE) outs(%p : TYPE) -> TYPE",
}


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    ("shape", "low", "high"),
    [
        ((2048,), (3,), (5,)),
        ((40, 50), (1, 1), (1, 1)),
        ((40, 50), (0, 2), (3, 0)),
        ((40, 50), (0, 0), (0, 0)),
        ((40, 50), (40, 0), (40, 1)),
        ((3, 4), (1, 1), (1, 1)),
        ((2, 30, 20, 8), (0, 1, 2, 0), (0, 3, 0, 1)),
        ((1, 1024, 1), (0, 0, 0), (1, 0, 0)),
        ((0, 2000), (1, 1), (1, 1)),
    ],
)
def test_padding_is_on_every_side(
    shape: tuple[int, ...], low: tuple[int, ...], high: tuple[int, ...], use: str, optimize: bool
) -> None:
    compiled = mi.compile(program(shape, low, high, USES[use]), optimize=optimize)
    x = np.random.default_rng(0).standard_normal(shape, np.float32)
    wanted = np.pad(x, list(zip(low, high, strict=True)), constant_values=2.5)
    result = compiled.main(x, 2.5)
    if use == "returned":
        np.testing.assert_array_equal(result, wanted)
    else:
        np.testing.assert_allclose(result, np.exp(wanted), rtol=1e-6)
