"""Compare values with those of the reference: exactly, or up to rounding."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

_ROUNDING = 1e-3


class Agreement(enum.Enum):
    """How well two values agree. `ROUNDED`: floats that are close; something was computed in another order."""

    SAME = "same"
    ROUNDED = "rounded"
    DIFFERENT = "different"


def compare(found: Any, wanted: Any) -> Agreement:
    """Compare two arrays or numbers; NaN equals NaN."""
    one, other = np.asarray(found), np.asarray(wanted)
    if one.shape != other.shape:
        return Agreement.DIFFERENT
    if one.dtype.kind in "iub":
        return Agreement.SAME if np.array_equal(one, other) else Agreement.DIFFERENT
    wide, wanted_wide = one.astype(np.float64), other.astype(np.float64)
    if np.array_equal(wide, wanted_wide, equal_nan=True):
        return Agreement.SAME
    close = np.isclose(wide, wanted_wide, rtol=_ROUNDING, atol=_ROUNDING, equal_nan=True)
    return Agreement.ROUNDED if bool(np.all(close)) else Agreement.DIFFERENT


def describe(found: Any, wanted: Any) -> str:
    """Return the first place where two arrays differ, in words."""
    one, other = np.asarray(found), np.asarray(wanted)
    if one.shape != other.shape:
        return f"has the shape {one.shape}, not {other.shape}"
    same = (one == other) | ((one != one) & (other != other))  # noqa: PLR0124 - NaN only
    place = tuple(int(i) for i in np.argwhere(np.atleast_1d(~same))[0])
    where = f"{list(place)} " if one.ndim else ""
    return f"has {where}{one[place] if one.ndim else one} instead of {other[place] if one.ndim else other}"
