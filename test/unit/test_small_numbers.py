"""Functions of which little would be left near 0, if they were computed as they are defined."""

from __future__ import annotations

import numpy as np
import pytest

import mlir_inplace as mi

_PROGRAM = """
func.func @f(%a: tensor<?xELEMENT>) -> tensor<?xELEMENT> {
  %b = math.log1p %a : tensor<?xELEMENT>
  return %b : tensor<?xELEMENT>
}
"""


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(("element", "scalar"), [("f32", np.float32), ("f64", np.float64)])
def test_log1p_of_small_numbers(element: str, scalar: type[np.floating], optimize: bool) -> None:
    given = np.array([1e-30, -1e-30, 1e-9, -1e-5, 3e-3, 0.25, -0.5, 7.0, 1e20], scalar)
    found = mi.compile(_PROGRAM.replace("ELEMENT", element), optimize=optimize).f(given)
    np.testing.assert_allclose(found, np.log1p(given.astype(np.float64)), rtol=4 * np.finfo(scalar).eps)
