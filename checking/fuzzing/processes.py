"""How worker processes are started: as forks of a process that has imported what they need.

A new interpreter for each would import the bindings again, which takes longer than most programs. The process that
wants workers cannot be forked: MLIR has threads in it. The one that is forked never makes a context, so it has none.
"""

from __future__ import annotations

import multiprocessing
from typing import Any

__all__ = ["IMPORTED", "worker_processes"]

_CHECKING = __name__.split(".fuzzing.")[0]
IMPORTED = [f"{_CHECKING}.fuzzing.campaign", f"{_CHECKING}.exhaustive.workers"]
"""The modules that the process which is forked has imported."""


def worker_processes() -> Any:
    """The context of `multiprocessing` for workers. They see the environment in which the first of them was started."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    return context
