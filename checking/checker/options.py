"""How a check is done, and what its child says of its progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...passes.pipeline.pipeline import Pipeline
from ...runtime.interface.signature import Signature

ENGINES = ("jit", "evaluator")
"""Where right values come from."""

REORDERED = 1e-5
"""How far floats of an optimized program may be off, unless told otherwise: some eighty roundings of an f32.

Sums are added up in another order, and math functions are polynomials. Values that a wrong alias brings are far off.
"""

COMPILING = 12.0
"""How many times the limit of one call compiling may take."""

MakeInputs = Callable[[Signature], Sequence[Sequence[Any]]]
"""Argument lists for a function; what it raises, `check` raises."""


@dataclass(frozen=True)
class Options:
    """How to check; `check` explains them. `first_route`: the references before it have crashed."""

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
    """What a child is about to do; the last one it sent says where it crashed. `route`: of the reference."""

    title: str
    route: int | None = None
