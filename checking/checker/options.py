"""Options of a check, and messages of its child process about progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...passes.pipeline.pipeline import Pipeline
from ...runtime.interface.signature import Signature

ENGINES = ("jit", "evaluator")
"""The engines that compute the expected values."""

REORDERED = 1e-5
"""The default tolerance for optimized programs: some eighty roundings of an f32.

Sums are added up in another order, and math functions are polynomials. A wrong alias causes much larger errors.
"""

COMPILING = 12.0
"""The time limit of compiling, in time limits of one call."""


def default_tolerance(given: float | None, *, optimize: bool) -> float:
    """The tolerance of a check, unless one is given, which may be 0."""
    return given if given is not None else REORDERED if optimize else 0.0


MakeInputs = Callable[[Signature], Sequence[Sequence[Any]]]
"""Makes argument lists for a function; `check` propagates its exceptions."""


@dataclass(frozen=True)
class Options:
    """Options of `check`, which documents them. `first_route`: the references before it have crashed."""

    pipeline: Pipeline | None = None
    functions: tuple[str, ...] | None = None
    inputs: MakeInputs | None = None
    seed: int = 0
    rounds: int = 8
    tolerance: float = 0.0
    time_limit: float = 10.0
    shared_libs: tuple[str, ...] = ()
    engine: str = "jit"
    first_route: int = 0
    optimize: bool = False
    threads: int = 1


@dataclass(frozen=True)
class CheckStage:
    """The next step of a child; the last one sent before a crash is the one that crashed. `route`: of the reference."""

    title: str
    route: int | None = None
