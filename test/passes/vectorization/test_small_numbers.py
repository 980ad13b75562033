"""Functions of which little would be left near 0, if they were computed as they are defined."""

from __future__ import annotations

import numpy as np
import pytest

import mlir_inplace as mi

_PROGRAM = """
func.func @f(%a: tensor<?xELEMENT>) -> tensor<?xELEMENT> {
  %b = math.FUNCTION %a : tensor<?xELEMENT>
  return %b : tensor<?xELEMENT>
}
"""

_SPECIAL = [0.0, -0.0, np.inf, np.nan]


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(("element", "scalar"), [("f32", np.float32), ("f64", np.float64)])
@pytest.mark.parametrize("function", ["expm1", "log1p"])
def test_small_numbers(function: str, element: str, scalar: type[np.floating], optimize: bool) -> None:
    rng = np.random.default_rng(8)
    random = rng.uniform(-0.9, 0.9, 500) * 10.0 ** rng.uniform(-30, 0, 500)
    wide = [
        -0.5,
        1.0,
        7.0,
        20.0,
        80.0,
        *(_SPECIAL if function == "log1p" else [*_SPECIAL, -np.inf, -50.0, -700.0, 1e4]),
    ]
    given = np.concatenate([random, wide]).astype(scalar)
    found = mi.compile(_PROGRAM.replace("ELEMENT", element).replace("FUNCTION", function), optimize=optimize).f(given)
    with np.errstate(over="ignore"):
        wanted = getattr(np, function)(given.astype(np.float64)).astype(scalar)
    np.testing.assert_allclose(found, wanted, rtol=4 * np.finfo(scalar).eps)
    np.testing.assert_array_equal(np.signbit(found[given == 0]), np.signbit(given[given == 0]))
