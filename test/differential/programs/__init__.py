"""The programs of the differential suite, by dialect. Each shows values that a wrong in-place decision would change.

Every module below this folder that has a list PROGRAMS takes part, in the order of paths: by its place in PROGRAMS a
program is found again.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence

from fast_run import sample

from .program import Program

_PARTS = [importlib.import_module(module.name) for module in pkgutil.walk_packages(__path__, f"{__name__}.")]

PROGRAMS: list[Program] = [program for part in _PARTS for program in getattr(part, "PROGRAMS", ())]


def with_others(own: Sequence[Program]) -> list[Program]:
    """The programs that a test is about, and with them all others, or in the fast run a twentieth of them."""
    return [*own, *sample([program for program in PROGRAMS if program not in own])]
