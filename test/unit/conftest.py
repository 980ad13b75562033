"""Lets each test draw the same numbers whatever ran before it."""

from __future__ import annotations

import linalg_programs
import pytest

_BEGINNING = linalg_programs.RNG.bit_generator.state


@pytest.fixture(autouse=True)
def same_numbers_in_any_order() -> None:
    linalg_programs.RNG.bit_generator.state = _BEGINNING
