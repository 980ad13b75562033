"""How to compile a program: the arguments of `compile`, and what only `inplace-check` and the fuzzer set."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from ...dialects.support.frozen_classes import frozen
from ...passes.pipeline.pipeline import Pipeline
from .disk_cache import CachePlace

__all__ = ["VERIFY_EACH", "Settings", "verifies_each"]

VERIFY_EACH = "MLIR_INPLACE_VERIFY_EACH"
"""The environment variable that turns on verification after every pass, with the value `1`."""


def verifies_each() -> bool:
    """Whether the IR is verified after every pass, as in tests, and not only after a pipeline."""
    return os.environ.get(VERIFY_EACH) == "1"


@frozen
class Settings:
    """How to compile a program: the arguments of `compile`, and more for `inplace-check` and the fuzzer.

    Attributes:
        checked: count memory with an allocator that finds bad frees (see `memory/statistics.py`).
        plain: run no pass of ours between the pipeline and the lowering: results stay results, nothing is freed, and
            out-of-bounds accesses stop the program.
        callbacks: functions by symbol that the program may call.
        kernels: whether `optimize` outlines repeated ops into functions, and optimizes these.
        eager: outline and tabulate code however seldom it is repeated, for tests.
        ranks: whether the program may send messages to other ranks.
        in_parts: whether its code may be in several object files, compiled at once (`native/early_kernels.py`,
            `native/code_parts.py`).
    """

    pipeline: Pipeline | None
    opt_level: int
    memory_stats: bool
    shared_libs: tuple[str, ...] = ()
    checked: bool = False
    plain: bool = False
    callbacks: Mapping[str, Any] = field(default_factory=dict)
    optimize: bool = False
    threads: int = 1
    machine: str = ""
    cache: CachePlace | None = None
    kernels: bool = True
    eager: bool = False
    runtime_checks: bool = False
    ranks: bool = False
    in_parts: bool = True
