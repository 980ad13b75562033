"""With `runtime_checks` the programs of the suite give what they give without: no check fails that should hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fast_run import is_full
from programs import PROGRAMS
from programs.program import Program, arguments

import mlir_inplace as mi

CHOSEN = PROGRAMS if is_full() else PROGRAMS[11::120]


@pytest.mark.parametrize("options", [{}, {"optimize": True}] if is_full() else [{"optimize": True}], ids=str)
@pytest.mark.parametrize("program", CHOSEN, ids=lambda program: program.name)
def test_no_check_fails_that_should_hold(program: Program, options: dict[str, Any]) -> None:
    checked, other = (mi.compile(program.text, runtime_checks=checks, **options) for checks in (True, False))
    for given in program.runs:
        found, expected = (one.main(*arguments(given)) for one in (checked, other))
        for result, wanted in zip(*(r if isinstance(r, tuple) else (r,) for r in (found, expected)), strict=True):
            # Fusion may differ, and with it what is rounded.
            np.testing.assert_allclose(np.asarray(result, complex), np.asarray(wanted, complex), rtol=1e-2, atol=1e-5)
