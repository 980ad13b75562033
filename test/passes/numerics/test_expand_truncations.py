"""f64 to f16 and bf16 in compiled programs: rounded once, at ties and next to them, at both ends of the range."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mlir_inplace as mi

PROGRAM = """
func.func @main(%a: tensor<?xf64>) -> tensor<?xELEMENT> {
  %b = arith.truncf %a : tensor<?xf64> to tensor<?xELEMENT>
  return %b : tensor<?xELEMENT>
}
"""


def all_finite(dtype: np.dtype[np.generic]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """All finite numbers of a type that are not negative, in order: the word of each is its place."""
    end = int(np.array(np.inf, dtype).view(np.uint16))
    return np.arange(end, dtype=np.uint16).view(dtype).astype(np.float64)


def numbers(dtype: np.dtype[np.generic]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """All numbers of a type that are not negative, what lies halfway to the next, and a little beside both."""
    finite = all_finite(dtype)
    halfway = np.append((finite[:-1] + finite[1:]) / 2, finite[-1] + (finite[-1] - finite[-2]) / 2)
    exact = np.concatenate([finite, halfway])
    beside = [np.nextafter(exact, np.inf), np.nextafter(exact, -np.inf), exact * (1 + 2.0**-30), exact * (1 - 2.0**-30)]
    some = np.concatenate([exact, *beside, [np.inf, np.nan, 1e300, 5e-324]])
    return np.concatenate([some, -some])


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize(("element", "scalar"), [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_rounded_once(element: str, scalar: type[np.generic], optimize: bool) -> None:
    dtype = np.dtype(scalar)
    given = numbers(dtype)
    found = mi.compile(PROGRAM.replace("ELEMENT", element), optimize=optimize)["main"](given)
    is_nan = np.isnan(given)
    assert np.isnan(found[is_nan].astype(np.float64)).all()
    assert np.array_equal(found.view(np.uint16)[~is_nan], rounded(given[~is_nan], dtype))


def rounded(given: np.ndarray[tuple[int], np.dtype[np.float64]], dtype: np.dtype[np.generic]) -> np.ndarray[Any, Any]:
    """The words of the nearest numbers, found by search: of two as near the one with the even word."""
    values = all_finite(dtype)
    count = len(values)
    ends = np.append(values, 2 * values[-1] - values[-2])  # Where infinity would be.
    size = np.abs(given)
    above = np.minimum(np.searchsorted(ends, size), count)
    below = np.maximum(above - 1, 0)
    middle = (ends[below] + ends[above]) / 2
    nearest = np.where(size > middle, above, np.where(size < middle, below, np.where(above % 2, below, above)))
    nearest = np.where(size == ends[above], above, nearest)
    return nearest.astype(np.uint16) | (np.signbit(given).astype(np.uint16) << 15)
